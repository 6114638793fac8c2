from dataclasses import replace

import pytest

from annotate.quality import consistency
from annotate.search import changes
from annotate.store import HELD_OUT, ExampleFilter

POS, DEP = ExampleFilter("pos"), ExampleFilter("dep")


@pytest.fixture
def annotated(desk):
    """Ana's first two sentences, whose *mar* is a noun here and a verb there, ben's first, and ana's tree to do."""
    items = desk.draw((0, "pos", "ana"), (1, "pos", "ana"), (0, "pos", "ben"), (0, "dep", "ana"))
    tags = (["VERB", "ADP", "NOUN"], ["DET", "VERB", "VERB"], ["VERB", "ADP", "NOUN"])
    for item, upos in zip(items, tags, strict=False):
        desk.keep(item, {"upos": upos})
    return items


def found(store, project, wanted=POS):
    report = consistency.find_inconsistencies(store, project, wanted)
    left = report.without(store.accepted(project.id, wanted.task))
    return [(one.words, dict(one.labels)) for one in left.findings]


def test_the_annotations_of_everybody_or_of_one_are_compared_until_corrected(store, project, desk, annotated):
    assert found(store, project) == [(("mar",), {"NOUN": 2, "VERB": 1})]
    assert found(store, project, ExampleFilter("pos", "ana")) == [(("mar",), {"NOUN": 1, "VERB": 1})]
    assert found(store, project, ExampleFilter("pos", "ben")) == []
    assert consistency.find_inconsistencies(store, project, POS).sentences == 3
    desk.keep(annotated[1], {"upos": ["DET", "NOUN", "VERB"]})
    assert found(store, project) == []


def test_an_accepted_finding_is_listed_again_once_it_has_another_label_unless_decided(store, project, desk, annotated):
    (one,) = consistency.find_inconsistencies(store, project, POS).findings
    for _ in range(2):  # a second window does the same
        store.accept(project.id, "pos", consistency.key(one), "ana")
    assert found(store, project) == []
    desk.keep(annotated[2], {"upos": ["VERB", "ADP", "X"]})
    assert found(store, project) == [(("mar",), {"NOUN": 1, "VERB": 1, "X": 1})]
    desk.keep(annotated[2], {"upos": ["VERB", "ADP", "NOUN"]})
    assert found(store, project) == []
    store.reject(project.id, "pos", consistency.key(one))
    assert found(store, project) == [(("mar",), {"NOUN": 2, "VERB": 1})]
    desk.keep(*desk.draw((0, "pos", "eva"), purpose="review"), {"upos": ["VERB", "ADP", "NOUN"]})
    assert found(store, project) == [], "the sentence is decided"


def test_warnings_of_the_validator_are_listed_and_accepted(store, project, desk, annotated):
    tree = {"heads": [2, 0, 2], "deprels": ["nsubj", "root", "nsubj"]}
    desk.keep(annotated[3], tree)
    assert consistency.find_inconsistencies(store, project, DEP).warnings == []  # they are of level 3
    store.update_project(project.id, level=3)
    project = store.project(project.id)
    (one,) = consistency.find_inconsistencies(store, project, DEP).warnings
    assert "more than one subject" in one.message and one.word == 2
    (before,) = consistency.find_inconsistencies(store, project, ExampleFilter("dep", "ana")).warnings
    assert consistency.key(replace(before, version=replace(before.version, item=None))) == consistency.key(one)
    store.accept(project.id, "dep", consistency.key(one), "ana")
    assert (
        consistency.find_inconsistencies(store, project, DEP).without(store.accepted(project.id, "dep")).warnings == []
    )


def test_what_a_model_doubts_comes_the_most_certain_first_until_it_is_accepted_or_corrected(
    store, project, desk, annotated
):
    rows = [(["VERB", "ADP", "PROPN"], [0.9, 0.8, 0.7]), (["DET", "NOUN", "_"], [0.9, 0.8, 0.7])]
    words = [["voy", "al", "mar"], ["el", "mar", "canta"]]
    store.replace_suggestions(project.id, "pos", HELD_OUT, [
        (item.example_id, "pos", "pos tiny 1", {"annotation": {"upos": upos}, "confidence": sure, "words": own})
        for item, (upos, sure), own in zip(annotated[:2], rows, words, strict=True)
    ])  # fmt: skip

    def doubted():
        report = consistency.find_inconsistencies(store, project, ExampleFilter("pos", "ana"))
        return report.without(store.accepted(project.id, "pos")).disagreements

    first, second = doubted()
    assert [(one.hit.text, one.annotated, one.suggested) for one in (first, second)] == [
        ("mar", {"upos": "VERB"}, {"upos": "NOUN"}), ("mar", {"upos": "NOUN"}, {"upos": "PROPN"})
    ]  # fmt: skip
    store.accept(project.id, "pos", consistency.key(second), "ana")
    proposals = list(changes.propose(project, [first.hit], first.correction, "ana", curates=False))
    assert changes.carry_out(store, project, proposals, first.correction, "ana", curates=False).changed == 1
    assert doubted() == [] and store.latest(annotated[1].id).annotation == {"upos": ["DET", "NOUN", "VERB"]}
    desk.keep(annotated[0], {"upos": ["VERB", "X", "NOUN"]})
    assert [one.word for one in doubted()] == [2]
