import pytest

TAGS = {
    "s1": {"upos": ["VERB", "ADP", "NOUN"]},
    "s2": {"upos": ["DET", "NOUN", "VERB"]},
}
TREE = {"heads": [0, 3, 1], "deprels": ["root", "case", "obl"]}


@pytest.fixture
def items(desk):
    """Ana's first sentence in both tasks and her second, ben's first; ana has nothing saved of the third."""
    return desk.draw((0, "pos", "ana"), (0, "dep", "ana"), (1, "pos", "ana"), (0, "pos", "ben"), (2, "pos", "ana"))


@pytest.fixture
def annotated(desk, items):
    """The items, of which all but the last are done."""
    for item, annotation in zip(items, (TAGS["s1"], TREE, TAGS["s2"], {"upos": ["VERB", "X", "NOUN"]}), strict=False):
        desk.keep(item, annotation)
    return items
