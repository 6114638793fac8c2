"""A project of sentences, some of them blind, and a model that knows their tags."""

import pytest
from making import examples

from annotate import content
from annotate.store import NewItem, Store

OPTIONS = {
    "lang": "xx",
    "kind": "sentences",
    "sampler": "random",
    "k": 6,
    "seed": 0,
    "blind_share": 0.2,
    "double_share": 0.0,
    "wage": 10.0,
    "currency": "USD",
    "guidelines": "",
    "level": 2,
    "source": "made up",
    "people": ["ada"],
}


@pytest.fixture(autouse=True)
def own_data(tmp_path, monkeypatch):
    """No test sees the database and the logs of this user, or leaves anything there."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.delenv("FEWSHOT_DB_URL", raising=False)


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path / 'fewshot.db'}"


@pytest.fixture
def store(url):
    made = Store.open(url)
    yield made
    made.close()


@pytest.fixture
def make(store):
    """Make a project of ten examples with a batch of seven: the second and the last one are blind."""

    def project(kind="sentences", **changes):
        pool = [example.unannotated() for example in examples(kind, 10, seed=3)]
        rows = [("pool", example.id, example.length, content.to_json(example)) for example in pool]
        tasks = changes.get("tasks", ("pos",))
        options = {**OPTIONS, "name": "p", "tasks": tasks, "labels": {}, "kind": kind, **changes}
        made = store.create_project(**options, examples=rows)
        ids = [example.id for example in store.examples(made.id)][::-1][:7]
        items = [NewItem(key, task, "ada", blind=number in (1, 6)) for task in tasks for number, key in enumerate(ids)]
        store.add_batch(project_id=made.id, purpose="shots", sampler="random", k=7, seed=0, items=items)
        return made

    return project


@pytest.fixture(scope="session")
def model_folder(source_model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "pos"
    source_model.save(folder)
    return folder
