"""Annotated sentences to look through."""

import pytest
from storing import made_items

TAGS = {
    "s1": {"upos": ["VERB", "ADP", "NOUN"]},
    "s2": {"upos": ["DET", "NOUN", "VERB"]},
}
TREE = {"heads": [0, 3, 1], "deprels": ["root", "case", "obl"]}


@pytest.fixture
def items(store, project, ids):
    """Ana's first sentence in both tasks and her second, ben's first; ana has nothing saved of the third."""
    wanted = [(ids[0], "pos", "ana"), (ids[0], "dep", "ana"), (ids[1], "pos", "ana"), (ids[0], "pos", "ben")]
    return made_items(store, project, [*wanted, (ids[2], "pos", "ana")])


@pytest.fixture
def keep(store):
    """Saves an annotation of somebody's item."""
    numbers = iter(range(1, 1000))

    def keep(item, annotation, done=True):
        return store.save(item.id, item.annotator, "page", next(numbers), annotation, done, 1.0, 1)

    return keep


@pytest.fixture
def annotated(items, keep):
    """The items, of which all but the last are done."""
    for item, annotation in zip(items, (TAGS["s1"], TREE, TAGS["s2"], {"upos": ["VERB", "X", "NOUN"]}), strict=False):
        keep(item, annotation)
    return items
