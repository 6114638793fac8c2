"""A project of sentences, some of them blind, and a model that knows their tags."""

import pytest
import storing
from making import examples
from storing import made_items, made_project

from annotate.store import NewItem


@pytest.fixture
def make(store):
    """Make a project of ten examples with a round of seven: the second and the last one are blind."""

    def project(kind="sentences", **changes):
        rows = storing.split_rows([example.unannotated() for example in examples(kind, 10, seed=3)], ())
        made = made_project(store, rows, **{"tasks": ("pos",), "labels": {}, "kind": kind, **changes})
        ids = [example.id for example in store.examples(made.id)][::-1][:7]
        numbered = [(task, number, key) for task in made.tasks for number, key in enumerate(ids)]
        made_items(store, made, [NewItem(key, task, "ana", number in (1, 6)) for task, number, key in numbered])
        return made

    return project


@pytest.fixture(scope="session")
def model_folder(source_model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "pos"
    source_model.save(folder)
    return folder
