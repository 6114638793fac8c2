"""Corrections of a tree beside the tags of the same person: the newest value counts in both tasks."""

import pytest
from corrections import AUX, TAGS, TREE, VERB

from annotate.editing import changed_values
from annotate.rounds.training_data import training_data
from annotate.search import changes
from annotate.search.settings import Setting


def test_corrections_follow_their_words_when_another_task_repairs_or_joins(both):
    desk, tags, tree = both
    desk.send(tags, TAGS)
    desk.send(tree, TREE | VERB)
    split = {"words": ["Ana", "va", "a", "el", "m", "ar"], "ranges": [[3, 4, "al"]]}
    desk.send(tags, {"upos": ["PROPN", "VERB", "ADP", "DET", "X", "X"]} | split)
    found = desk.open(tree).annotation
    assert found["lemmas"] == [None, "ir", None, None, None, None]
    assert found["upos"] == [None, "VERB", None, None, None, None]
    (second,) = desk.draw((1, "dep", "ana"))
    desk.send(second, {"heads": [0, 1], "deprels": ["root", "punct"], "lemmas": ["قرا", None]})
    words = [*split["words"], "قرأت", "."]
    desk.send(tags, {"upos": ["X"] * 8, "words": words, "ranges": split["ranges"], "joined": 1})
    assert desk.open(tree).annotation["lemmas"] == [None, "ir", *[None] * 4, "قرا", None]


def test_tags_follow_a_joined_tree_with_its_corrections(both):
    desk, tags, tree = both
    desk.send(tags, TAGS)
    desk.send(tree, TREE | VERB)
    words = {"words": ["Ana", "va", "a", "el", "mar", "قرأت", "."], "ranges": [[3, 4, "al"]], "joined": 1}
    columns = {"heads": [*TREE["heads"], 2, 2], "deprels": [*TREE["deprels"], "conj", "punct"]}
    corrections = {column: [*values, None, None] for column, values in VERB.items()}
    desk.send(tree, columns | corrections | words, changed=None)
    assert desk.open(tags).annotation["upos"][:5] == ["PROPN", "VERB", "ADP", "DET", "NOUN"]
    assert "2\tva\tir\tVERB" in desk.export().read_text()


def test_an_older_correction_does_not_come_back_when_newer_tags_are_joined(both):
    desk, tags, tree = both
    desk.send(tree, TREE | VERB)
    words = {"words": ["Ana", "va", "a", "el", "mar", "قرأت", "."], "ranges": [[3, 4, "al"]], "joined": 1}
    desk.send(tags, {"upos": [*AUX["upos"], "VERB", "PUNCT"]} | words, changed=None)
    assert desk.open(tags).annotation["upos"][1] == desk.open(tree).annotation["upos"][1] == "AUX"
    assert desk.latest(tree)["lemmas"][1] == "ir"


def test_tags_of_a_file_that_nobody_has_saved_are_corrected_by_a_tree(new_desk, sentences):
    desk = new_desk([sentences[0].annotated(upos=("PROPN", "NOUN", "ADP", "_", "NOUN"))], "pos", "dep")
    tags, tree = desk.draw((0, "pos", "ana"), (0, "dep", "ana"))
    desk.send(tree, TREE | VERB)
    assert desk.open(tags).annotation["upos"] == ["PROPN", "VERB", "ADP", "_", "NOUN"]
    desk.send(tags, TAGS, changed={"upos": [3]})
    assert "2\tva\tir\tVERB" in desk.export().read_text()


def test_the_newest_tag_counts_in_both_tasks(store, both):
    desk, tags, tree = both
    desk.send(tags, TAGS)
    assert desk.show(tree)["corrects"] == ["upos", "lemmas", "xpos", "feats"]
    desk.send(tree, TREE | VERB)
    assert desk.open(tags).annotation["upos"][1] == "VERB"
    assert "2\tva\tir\tVERB" in desk.export().read_text() and "2\tva\tva\tVERB" in desk.export("pos").read_text()
    assert desk.export("pos", who="ana").read_text() == desk.export("pos").read_text()
    (learned,) = training_data(store, desk.project, "pos").shots
    assert learned.upos == ("PROPN", "VERB", "ADP", "DET", "NOUN")
    desk.send(tags, {"upos": ["PROPN", "AUX", "ADP", "DET", "NOUN"]})
    assert desk.open(tree).example.upos[1] == "AUX"
    found = desk.open(tree).annotation
    assert (found["upos"], found["lemmas"][1]) == ([None, "AUX", None, None, None], "ir")
    assert "2\tva\tir\tAUX" in desk.export().read_text()
    assert training_data(store, desk.project, "pos").shots[0].upos[1] == "AUX"


WORDS = {"words": ["a", "b"]}
TREES = {"heads": [0, 1]}


@pytest.mark.parametrize(
    ("sent", "changed", "current", "merged"),
    [
        pytest.param({"upos": ["X", "Y"]}, {"upos": [1]}, {"upos": ["A", "B"]}, {"upos": ["A", "Y"]}, id="tags"),
        pytest.param(TREES | {"upos": ["X", None]}, {}, TREES, TREES | {"upos": [None, None]}, id="overwritten"),
        pytest.param(TREES, {}, TREES | {"upos": [None, "X"]}, TREES | {"upos": [None, "X"]}, id="new elsewhere"),
        pytest.param(
            TREES, {"upos": [1]}, TREES | {"upos": ["Y", "X"]}, TREES | {"upos": ["Y", None]}, id="taken back"
        ),
        pytest.param(TREES, {"heads": [1]}, {"heads": [2, 0]}, TREES, id="no value of other tasks"),
        pytest.param(
            {"misc": ["A=1", None]}, {"misc": [0]}, {"misc": ["A=0", "B=1"]}, {"misc": ["A=1", "B=1"]}, id="MISC"
        ),
        pytest.param({"upos": ["X"]}, {}, {"upos": ["A", "B"]}, {"upos": ["X"]}, id="too short"),
    ],
)
def test_what_a_window_has_not_changed_stays_as_it_is_by_now(sent, changed, current, merged):
    assert changed_values.with_current_values(sent, changed, current | WORDS) == merged


@pytest.mark.parametrize(
    ("before", "newer", "after"),
    [
        pytest.param(TREES | {"upos": ["X", None]}, {"upos": ["A", "B"]}, {"upos": ["A", None]}, id="tags"),
        pytest.param(TREES | {"upos": ["X", "Y"]}, {"upos": ["_", "B"]}, {"upos": ["X", "B"]}, id="open tags"),
        pytest.param({"upos": ["A", "_"]}, TREES | {"upos": [None, "X"]}, {"upos": ["A", "X"]}, id="corrections"),
        pytest.param({"upos": ["A", "B"]}, {"upos": ["X", "Y"]}, {}, id="other tags correct nothing"),
        pytest.param({"misc": ["A=1", None]}, {"misc": ["_", "B=1"]}, {"misc": ["_", None]}, id="MISC"),
    ],
)
def test_values_that_a_newer_annotation_sets_too_are_those_of_the_newer_one(before, newer, after):
    assert changed_values.with_newer_values(before, newer) == before | after


@pytest.mark.parametrize(
    ("upos", "expected"), [(AUX["upos"], "AUX"), (["PROPN", "_", "_", "_", "_"], "VERB")], ids=["other tag", "open"]
)
def test_a_correction_outlasts_begun_tags_when_its_tree_is_saved_again(both, upos, expected):
    desk, tags, tree = both
    gloss, other_gloss = [None, "Gloss=go", None, None, None], [None, "Gloss=goes", None, None, None]
    desk.send(tree, TREE | VERB | {"misc": gloss})
    desk.send(tags, {"upos": upos, "misc": other_gloss}, done=False)
    shown = desk.open(tree).annotation
    assert (shown["upos"][1], shown["misc"]) == (expected, other_gloss)
    desk.send(tree, TREE | VERB | {"misc": gloss, "deprels": ["obj", *TREE["deprels"][1:]]}, changed={})
    assert f"2\tva\tir\t{expected}" in desk.export().read_text() and "Gloss=goes" in desk.export().read_text()
    desk.send(tree, TREE, changed={"upos": [1]})
    assert "2\tva\tir\tNOUN" in desk.export().read_text(), "it was taken back"


def test_a_bulk_change_of_a_tree_keeps_a_correction_under_begun_tags(both):
    desk, tags, tree = both
    desk.send(tree, TREE | VERB)
    desk.send(tags, AUX, done=False)
    hits = desk.find('pattern { X [form="mar"] }', "dep")
    assert desk.change(hits, Setting("X", "deprels", "obj")).changed == 1
    assert "2\tva\tir\tAUX" in desk.export().read_text()


def test_tags_on_repaired_words_open_when_a_bulk_change_of_their_tree_is_undone(store, both):
    desk, tags, tree = both
    desk.send(tree, TREE | VERB)
    change = Setting("X", "deprels", "obj")
    hits = desk.find('pattern { X [form="mar"] }', "dep")
    changes.carry_out(
        store, desk.project, changes.preview(desk.project, hits, change, "ana", False).proposals, change, "ana", False
    )
    split = {"words": ["Ana", "va", "a", "el", "m", "ar"], "ranges": [[3, 4, "al"]]}
    desk.send(tags, {"upos": ["PROPN", "AUX", "ADP", "DET", "X", "X"]} | split)
    changes.undo(store, desk.project, store.changes(desk.project.id)[0], "ana", False)
    assert desk.open(tags).annotation["upos"] == ["PROPN", "VERB", "ADP", "DET", "X", "X"]


def test_a_window_that_does_not_know_the_newest_tags_leaves_them(both):
    desk, tags, tree = both
    desk.send(tags, TAGS, client="tags")
    desk.send(tree, TREE | VERB, changed={"upos": [1], "lemmas": [1]})
    desk.send(tags, AUX, client="tags", changed={"upos": [1]})
    for client, relation in (("page", "obj"), ("opened before", "iobj"), ("page", "expl")):
        desk.send(tree, TREE | VERB | {"deprels": [relation, *TREE["deprels"][1:]]}, client=client, changed={})
        assert desk.open(tags).annotation["upos"][1] == "AUX"
    assert desk.latest(tree)["lemmas"] == VERB["lemmas"]
    desk.send(tree, TREE | VERB, client="opened later", changed={"upos": [1]})
    assert desk.open(tags).annotation["upos"][1] == "VERB"


def test_a_window_of_tags_that_does_not_know_the_newest_correction_leaves_it(both):
    desk, tags, tree = both
    desk.send(tags, TAGS)
    desk.send(tree, TREE | VERB | {"misc": [None, "Gloss=go", None, None, None]})
    desk.send(tags, {"upos": ["X", *TAGS["upos"][1:]]}, changed={"upos": [0]})
    assert desk.open(tags).annotation["upos"][:2] == ["X", "VERB"]
    desk.send(tags, AUX | {"misc": [None] * 5}, changed={"upos": [1]})
    assert desk.open(tags).annotation["upos"][:2] == ["X", "AUX"]
    assert "2\tva\tir\tAUX" in desk.export().read_text() and "Gloss=go" in desk.export().read_text()
