"""What may be an error in a project is listed until it is mended or accepted."""

from dataclasses import replace

import pytest
from storing import made_items

from annotate.quality import consistency
from annotate.store import Wanted

POS, DEP = Wanted("pos"), Wanted("dep")


@pytest.fixture
def annotated(store, project, ids):
    """Ana's first two sentences, whose *mar* is a noun here and a verb there, and ben's first."""
    wanted = [(ids[0], "pos", "ana"), (ids[1], "pos", "ana"), (ids[0], "pos", "ben"), (ids[0], "dep", "ana")]
    items = made_items(store, project, wanted)
    tags = (["VERB", "ADP", "NOUN"], ["DET", "VERB", "VERB"], ["VERB", "ADP", "NOUN"])
    for item, upos in zip(items, tags, strict=False):
        store.save(item.id, item.annotator, "page", 1, {"upos": upos}, True, 1.0, 1)
    return items


def found(store, project, wanted=POS):
    report = consistency.look_through(store, project, wanted)
    left = report.without(store.accepted(project.id, wanted.task))
    return [(one.words, dict(one.labels)) for one in left.findings]


def test_the_annotations_of_everybody_or_of_one_are_compared(store, project, annotated):
    assert found(store, project) == [(("mar",), {"NOUN": 2, "VERB": 1})]
    assert found(store, project, Wanted("pos", "ana")) == [(("mar",), {"NOUN": 1, "VERB": 1})]
    assert found(store, project, Wanted("pos", "ben")) == []
    assert consistency.look_through(store, project, POS).sentences == 3


def test_what_is_mended_is_no_longer_listed(store, project, annotated):
    store.save(annotated[1].id, "ana", "page", 2, {"upos": ["DET", "NOUN", "VERB"]}, True, 1.0, 1)
    assert found(store, project) == []


def test_what_is_accepted_is_listed_again_once_it_has_another_label(store, project, annotated):
    (one,) = consistency.look_through(store, project, POS).findings
    for _ in range(2):  # a second window does the same
        store.accept(project.id, "pos", consistency.key(one), "ana")
    assert found(store, project) == []
    store.save(annotated[2].id, "ben", "page", 2, {"upos": ["VERB", "ADP", "X"]}, True, 1.0, 1)
    assert found(store, project) == [(("mar",), {"NOUN": 1, "VERB": 1, "X": 1})]
    store.save(annotated[2].id, "ben", "page", 3, {"upos": ["VERB", "ADP", "NOUN"]}, True, 1.0, 1)
    assert found(store, project) == []
    store.reject(project.id, "pos", consistency.key(one))
    assert found(store, project) == [(("mar",), {"NOUN": 2, "VERB": 1})]


def test_warnings_of_the_validator_are_listed_and_accepted(store, project, annotated):
    tree = {"heads": [2, 0, 2], "deprels": ["nsubj", "root", "nsubj"]}
    store.save(annotated[3].id, "ana", "page", 1, tree, True, 1.0, 1)
    assert consistency.look_through(store, project, DEP).warnings == []  # they are of level 3
    store.update_project(project.id, level=3)
    project = store.project(project.id)
    (one,) = consistency.look_through(store, project, DEP).warnings
    assert "more than one subject" in one.message and one.word == 2
    (before,) = consistency.look_through(store, project, Wanted("dep", "ana")).warnings
    assert consistency.key(replace(before, version=replace(before.version, item=None))) == consistency.key(one)
    store.accept(project.id, "dep", consistency.key(one), "ana")
    assert consistency.look_through(store, project, DEP).without(store.accepted(project.id, "dep")).warnings == []


def test_a_save_anywhere_is_seen(store, project, annotated):
    before = store.last_revision("ana")
    store.save(annotated[3].id, "ana", "page", 1, {"heads": [2, 0, 2]}, False, 1.0, 1)
    assert store.last_revision("ana") > before > store.last_revision("eva") == 0


def test_what_a_curator_has_decided_is_not_listed(store, project, ids, annotated):
    (review,) = made_items(store, project, [(ids[0], "pos", "eva")], purpose="review")
    store.save(review.id, "eva", "page", 1, {"upos": ["VERB", "ADP", "NOUN"]}, True, 1.0, 1)
    assert found(store, project) == []
