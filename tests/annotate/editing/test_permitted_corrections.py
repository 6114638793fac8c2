"""Corrections of tags, lemmas, XPOS and features in a tree, from the message of an editor to the exported file."""

from dataclasses import replace

import pytest
from desk import Desk, new_project

from annotate.editing import changed_values, permitted_corrections
from annotate.exchange import exporting, project_data, projects
from annotate.quality import adjudication, annotators, consistency, gold
from annotate.rounds.training_data import training_data
from annotate.search import changes, remarks
from annotate.search.settings import Setting
from annotate.store import Edit, ExampleFilter
from fewshot.corpora.formats import conllu
from fewshot.errors import FewshotError

FILE = """# sent_id = s1
# text = Ana va al mar
# note = kept
1\tAna\tAna\tPROPN\tNP\t_\t2\tnsubj\t2:nsubj\tGloss=Ana
2\tva\tva\tNOUN\tNN\tTense=Pres|Mood=Ind\t0\troot\t0:root\t_
2.1\tella\t_\tPRON\t_\tCase=Nom\t_\t_\t2:nsubj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tSP\t_\t5\tcase\t5:case\t_
4\tel\tel\tDET\tDA\tNumber=Sing\t5\tdet\t5:det\t_
5\tmar\tmar\tNOUN\tNN\tNumber=Sing\t2\tobl\t2:obl\tSpaceAfter=No

# sent_id = s2
# text = قرأت.
1\tقرأت\tقرأ\tNOUN\t_\t_\t0\troot\t0:root\tSpaceAfter=No
2\t.\t.\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_

"""
TREE = {"heads": [2, 0, 5, 5, 2], "deprels": ["nsubj", "root", "case", "det", "obl"]}
VERB = {"upos": [None, "VERB", None, None, None], "lemmas": [None, "ir", None, None, None]}
MORE = VERB | {"xpos": [None, "VMI", None, None, None], "feats": ["", "Mood=Ind", "Foreign=Yes", None, None]}
CORRECTED_FILE = FILE.replace("va\tva\tNOUN\tNN\tTense=Pres|Mood=Ind", "va\tir\tVERB\tVMI\tMood=Ind").replace(
    "a\tADP\tSP\t_", "a\tADP\tSP\tForeign=Yes"
)
TAGS = {"upos": ["PROPN", "NOUN", "ADP", "DET", "NOUN"]}
AUX = {"upos": ["PROPN", "AUX", "ADP", "DET", "NOUN"]}


@pytest.fixture
def sentences(tmp_path):
    path = tmp_path / "file.conllu"
    path.write_text(FILE, encoding="utf-8")
    return conllu.read(path)


@pytest.fixture
def project(store, sentences):
    return new_project(store, sentences, "dep")


@pytest.fixture
def item(desk):
    return desk.draw((0, "dep", "ana"))[0]


@pytest.fixture
def both(new_desk, tmp_path, sentences):
    """A project of tags and trees, and an item of each."""
    desk = new_desk(sentences, "pos", "dep")
    return desk, *desk.draw((0, "pos", "ana"), (0, "dep", "ana"))


def test_only_what_was_corrected_changes_in_the_file_and_undo_takes_it_back(desk, item):
    assert desk.save(item, TREE | MORE) == TREE | MORE
    assert desk.export(part="all").read_text() == CORRECTED_FILE
    assert desk.open(item).annotation == TREE | MORE
    desk.send(item, TREE)
    assert desk.export(part="all").read_text() == FILE


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            FILE.replace("# note = kept", "# annotated = FEATS"),
            CORRECTED_FILE.replace("# note = kept", "# annotated = FEATS"),
        ),
        (FILE.replace("\n", "\r\n"), CORRECTED_FILE.replace("\n", "\r\n")),
    ],
    ids=["comment", "line ends"],
)
def test_comments_about_features_and_line_ends_stay(new_desk, tmp_path, before, after):
    path = tmp_path / "other.conllu"
    path.write_bytes(before.encode())
    desk = new_desk(conllu.read(path), "dep")
    desk.send(desk.draw((0, "dep", "ana"))[0], TREE | MORE)
    assert desk.export(part="all").read_bytes().decode() == after


def test_every_word_with_features_needs_no_comment_about_them(new_desk, tmp_path):
    path = tmp_path / "other.conllu"
    path.write_text("# sent_id = a\n# text = va\n1\tva\tir\tVERB\t_\tMood=Ind\t0\troot\t_\t_\n\n")
    desk = new_desk(conllu.read(path), "dep")
    desk.send(desk.draw((0, "dep", "ana"))[0], {"heads": [0], "deprels": ["root"], "feats": ["Mood=Sub"]})
    assert desk.export().read_text() == path.read_text().replace("Ind", "Sub")


def test_editors_get_the_columns_that_a_file_has(desk, item, new_desk, tmp_path, sentences):
    shown = desk.show(item)
    assert shown["corrects"] == ["upos", "lemmas", "xpos", "feats"]
    assert shown["example"]["feats"] == ["", "Tense=Pres|Mood=Ind", "", "Number=Sing", "Number=Sing"]
    assert shown["example"]["xpos"][1] == "NN" and "Number=Sing" in shown["usual"]["feats"]["NOUN"]
    assert {"Number", "Case"} <= shown["features"].keys() and shown["tags"]
    bare = new_desk([one.unannotated().annotated(record=None) for one in sentences], "dep")
    assert not {"corrects", "tags", "features"} & bare.show(bare.draw((0, "dep", "ana"))[0]).keys()


def test_columns_of_an_added_file_and_of_the_open_sentence_are_corrected(store, new_desk, sentences):
    bare = [sentence.unannotated().annotated(record=None) for sentence in sentences]
    desk = new_desk(bare[1:], "dep")
    assert "corrects" not in desk.show(desk.draw((0, "dep", "ana"))[0])
    data = project_data.Data("more.conllu", lambda: iter(sentences[:1]))
    projects.add(store, desk.project, data, project_data.more(store, desk.project, data))
    desk = Desk(store, store.project(desk.project.id), desk.folder)
    assert desk.show(desk.draw((0, "dep", "ben"))[0])["corrects"] == list(changed_values.CORRECTABLE_COLUMNS)

    desk = new_desk([bare[1], sentences[0]], "dep")
    (item,) = desk.draw((1, "dep", "ana"))
    shown = desk.show(item)
    assert shown["asks_tags"] and shown["tags"] and shown["corrects"] == list(changed_values.CORRECTABLE_COLUMNS)
    split = {"words": ["Ana", "va", "a", "el", "m", "ar"], "ranges": [[3, 4, "al"]]}
    tree = {"heads": [2, 0, 5, 5, 2, 5], "deprels": ["nsubj", "root", "case", "det", "obl", "flat"]} | split
    assert not desk.send(item, tree | {"upos": [*[None] * 4, "NOUN", "X"]}).reason
    assert desk.status(item) == "done" and desk.latest(item)["upos"][4:] == ["NOUN", "X"]


def test_a_column_that_begins_late_in_the_files_is_corrected_and_imported_everywhere(new_desk, sentences):
    bare = sentences[1].unannotated().annotated(record=None)
    desk = new_desk([*(replace(bare, id=f"b{number}") for number in range(1000)), sentences[0]], "dep")
    first, item = desk.draw((0, "dep", "ana"), (1000, "dep", "ana"))
    assert desk.show(first)["corrects"] == list(changed_values.CORRECTABLE_COLUMNS)
    desk.take(CORRECTED_FILE)
    assert desk.latest(item) == TREE | MORE | {"feats": [None, "Mood=Ind", "Foreign=Yes", None, None]}


def test_a_column_that_a_file_lacks_is_looked_for_without_an_example_made_of_each_sentence(
    new_desk, sentences, monkeypatch
):
    bare = [sentence.unannotated().annotated(record=None) for sentence in sentences]
    desk = new_desk(bare, "dep")
    monkeypatch.setattr(permitted_corrections.content, "from_json", lambda _: pytest.fail("an example was made"))
    assert permitted_corrections.permitted_columns(desk.store, desk.project, "dep") == ()


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("upos", "Verb", "'Verb' is not a UPOS tag"),
        ("xpos", "V M", "XPOS 'V M' of 'va' is empty or has a space in it"),
        ("xpos", "", "XPOS '' of 'va' is empty"),
        ("feats", "Mood", "features 'Mood' of 'va' are not in the format"),
        ("feats", "Mood=Ind|Mood=Sub", "are not in the format"),
        ("lemmas", 5, "the editor sent what it never sends"),
        ("lemmas", "i\tr", "control character"),
    ],
)
def test_what_the_tag_task_refuses_is_refused(desk, item, column, value, message):
    with pytest.raises(FewshotError, match=message):
        desk.send(item, TREE | {column: [None, value, None, None, None]})
    with pytest.raises(FewshotError):
        desk.send(item, TREE | {column: [None, value]})
    assert desk.latest(item) is None


def test_of_hidden_gold_nothing_is_corrected(new_desk, sentences):
    desk = new_desk(sentences, "dep", hides_gold=True)
    (item,) = desk.draw((0, "dep", "ana"))
    shown = desk.show(item)
    assert "corrects" not in shown
    assert all(set(shown["example"][column]) == {"_"} for column in changed_values.CORRECTABLE_COLUMNS)
    assert desk.save(item, TREE | MORE) == TREE
    assert desk.export(part="all").read_text() == FILE


def test_own_tags_are_corrected_where_gold_is_hidden_and_features_of_the_own_tag_task_too(store, new_desk, sentences):
    desk = new_desk(sentences, "pos+feats", "dep", hides_gold=True)
    tags, tree = desk.draw((0, "pos+feats", "ana"), (0, "dep", "ana"))
    desk.send(tags, TAGS | {"feats": [""] * 5})
    assert desk.show(tree)["corrects"] == ["upos", "feats"]
    own = {"upos": VERB["upos"], "feats": [None, "Mood=Ind", None, None, None]}
    assert desk.save(tree, TREE | MORE | own) == TREE | own
    shown = desk.show(tags)["annotation"]
    assert (shown["upos"][1], shown["feats"]) == ("VERB", ["", "Mood=Ind", "", "", ""])
    (learned,) = training_data(store, desk.project, "pos+feats").shots
    assert (learned.upos[1], learned.feats[1]) == ("VERB", "Mood=Ind")


@pytest.mark.parametrize(
    ("option", "column", "value", "pattern"),
    [
        ("feats", "feats", "Mood=Ind", 'X [Number="Sing"]'),
        ("lemma", "lemmas", "ir", 'X [lemma="mar"]'),
        ("xpos", "xpos", "VMI", 'X [xpos="DA"]'),
    ],
)
def test_a_correction_shows_nothing_else_of_a_hidden_column(new_desk, sentences, option, column, value, pattern):
    desk = new_desk(sentences, f"pos+{option}", "dep", hides_gold=True)
    tags, tree, _ = desk.draw((0, f"pos+{option}", "ana"), (0, "dep", "ana"), (1, "dep", "ana"))
    own = {column: [None, value, None, None, None]}
    assert desk.save(tree, TREE | own) == TREE | own
    assert desk.show(tags)["example"][column] == ["_", value, "_", "_", "_"]
    assert [hit.version.example for hit in desk.find(f"pattern {{ {pattern} }}", "dep")] == []
    assert desk.export("dep", part="all").read_text().count(f"\t{value}\t") == 1
    joined = {"words": [*sentences[0].words, "قرأت", "."], "ranges": [[3, 4, "al"]], "joined": 1}
    columns = {"heads": [*TREE["heads"], 0, 6], "deprels": ["_"] * 7, column: [*own[column], None, None]}
    desk.send(tree, columns | joined)
    assert desk.show(tags)["example"][column] == ["_", value, *["_"] * 5]


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


def test_parts_of_a_merged_word_keep_what_the_editor_sends(desk, item):
    merged = {"words": ["Ana", "va", "a", "elmar"], "ranges": []}
    sent = {"heads": [2, 0, 4, 2], "deprels": ["nsubj", "root", "case", "obl"], "upos": [None, "VERB", None, "NOUN"]}
    more = {
        "xpos": [None, None, None, "NN"],
        "feats": [None, None, None, "Number=Plur"],
        "lemmas": [None, None, None, "mar"],
    }
    desk.send(item, sent | more | merged)
    assert "4\telmar\tmar\tNOUN\tNN\tNumber=Plur\t2" in desk.export(part="all").read_text()


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


def test_a_bulk_change_of_a_tree_keeps_a_correction_under_begun_tags(store, both):
    desk, tags, tree = both
    desk.send(tree, TREE | VERB)
    desk.send(tags, AUX, done=False)
    change = Setting("X", "deprels", "obj")
    proposals = changes.preview(
        desk.project, desk.find('pattern { X [form="mar"] }', "dep"), change, "ana", False
    ).proposals
    assert changes.carry_out(store, desk.project, proposals, change, "ana", False).changed == 1
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


def test_a_tree_never_corrects_the_decision_of_a_curator_unless_it_is_one(store, new_desk, sentences):
    desk = new_desk(sentences, "pos", "dep")
    *tags, tree, bens = desk.draw((0, "pos", "ana"), (0, "pos", "ben"), (0, "dep", "ana"), (0, "dep", "ben"))
    for item, made in zip(tags, (TAGS, AUX), strict=True):
        desk.send(item, made)
    desk.send(tree, TREE | VERB)
    (case,) = adjudication.cases(store, desk.project, "pos")
    assert [version.revision.annotation["upos"][1] for version in case.versions] == ["VERB", "AUX"]
    desk.send(adjudication.open_review(store, desk.project, "pos", case, "cora"), AUX)
    desk.send(tree, TREE | VERB | {"deprels": ["obj", "root", "case", "det", "obl"]})
    assert gold.gold(store, desk.project, "pos").annotations == {desk.ids[0]: AUX}
    assert "2\tva\tir\tAUX" in desk.export().read_text()
    desk.send(bens, TREE)
    (case,) = adjudication.cases(store, desk.project, "dep")
    desk.send(adjudication.open_review(store, desk.project, "dep", case, "cora"), TREE | VERB)
    assert gold.gold(store, desk.project, "pos").annotations[desk.ids[0]]["upos"][1] == "VERB"


def test_a_tree_corrects_tags_of_other_people_on_their_words(store, new_desk, sentences):
    desk = new_desk(sentences, "pos", "dep")
    tags, tree = desk.draw((0, "pos", "ben"), (0, "dep", "ana"))
    bens = {"upos": ["PROPN", "NOUN", "ADP", "DET", "X", "X"]}
    bens |= {"words": ["Ana", "va", "a", "el", "m", "ar"], "ranges": [[3, 4, "al"]]}
    desk.send(tags, bens)
    anas = {"heads": [3, 1, 0, 6, 6, 3], "deprels": ["nsubj", "flat", "root", "case", "det", "obl"]}
    anas |= {"words": ["An", "a", "va", "a", "el", "mar"], "ranges": [[4, 5, "al"]]}
    desk.send(tree, anas | {"upos": [None, "X", "VERB", None, None, None]})
    corrected = bens | {"upos": ["PROPN", "VERB", "ADP", "DET", "X", "X"]}
    assert gold.gold(store, desk.project, "pos").annotations == {desk.ids[0]: corrected}
    (example,) = exporting.examples(
        store, desk.project, {task: gold.gold(store, desk.project, task) for task in desk.project.tasks}
    )
    assert (example.words[1], example.upos[1:3]) == ("a", ("X", "VERB"))


def test_people_with_the_same_tags_agree_wherever_they_set_them(store, new_desk, sentences):
    desk = new_desk(sentences, "pos", "dep")
    anas, tree, bens, bens_tree = desk.draw(*((0, task, who) for who in ("ana", "ben") for task in ("pos", "dep")))
    desk.send(anas, TAGS)
    desk.send(tree, TREE | {"upos": VERB["upos"]})
    desk.send(bens, {"upos": ["PROPN", "VERB", "ADP", "DET", "NOUN"]})
    desk.send(bens_tree, TREE)

    def disputed(task):
        (case,) = adjudication.cases(store, desk.project, task)
        row = store.list_examples(desk.project.id, ExampleFilter(task, annotator="ana"))[0]
        ((_, is_shown),) = remarks.confidence_and_disputes(store, [row], task, curates=True)
        assert case.differ == is_shown == bool(gold.gold(store, desk.project, task).open)
        return case.differ

    assert not disputed("pos") and not disputed("dep")
    desk.send(bens, TAGS)
    assert disputed("pos") and not disputed("dep")


@pytest.mark.parametrize("who", [None, "ana"])
def test_an_export_of_trees_alone_has_the_tags_of_the_whole_export_where_a_tree_corrects(both, who):
    desk, tags, tree = both
    desk.send(tree, TREE | VERB | {"xpos": MORE["xpos"]})
    desk.send(tags, {"upos": ["X", "AUX", "ADP", "DET", "NOUN"]}, done=False)
    assert "1\tAna\tAna\tPROPN\tNP\t_\t2\tnsubj" in desk.export("dep", who=who).read_text()
    assert "2\tva\tir\tVERB\tVMI" in desk.export("dep", who=who).read_text()
    assert "2\tva\tir\tAUX\tVMI" in desk.export("dep", who=who, as_it_is=True).read_text()
    desk.send(tags, {"upos": ["X", "AUX", "ADP", "DET", "NOUN"]})
    assert "2\tva\tir\tAUX\tVMI" in desk.export(who=who).read_text()
    alone = desk.export("dep", who=who).read_text()
    assert "1\tAna\tAna\tPROPN" in alone and "2\tva\tir\tAUX\tVMI" in alone


@pytest.mark.parametrize("who", [None, "ana"])
@pytest.mark.parametrize("tags_done", [False, True])
@pytest.mark.parametrize("tree_done", [False, True])
def test_an_export_as_it_is_has_the_newest_value_of_a_corrected_word(both, who, tags_done, tree_done):
    desk, tags, tree = both
    desk.send(tags, AUX, done=tags_done)
    desk.send(tree, TREE | VERB, done=tree_done)
    for names in ((), ("pos",), ("dep",)):
        assert "\tVERB\t" in desk.export(*names, who=who, as_it_is=True).read_text()
    desk.send(tags, AUX, done=tags_done)
    for names in ((), ("pos",), ("dep",)):
        assert "\tAUX\t" in desk.export(*names, who=who, as_it_is=True).read_text()


def test_an_export_as_it_is_has_a_correction_of_a_word_whose_begun_tag_is_open(both):
    desk, tags, tree = both
    desk.send(tree, TREE | VERB)
    desk.send(tags, {"upos": ["X", "_", "_", "_", "_"]}, done=False)
    assert "2\tva\tir\tVERB" in desk.export(as_it_is=True).read_text()


def test_a_begun_tree_never_corrects_the_decision_of_a_curator_in_an_export_as_it_is(store, new_desk, sentences):
    desk = new_desk(sentences, "pos", "dep")
    *tags, tree = desk.draw((0, "pos", "ana"), (0, "pos", "ben"), (0, "dep", "ana"))
    for item, made in zip(tags, (TAGS, AUX), strict=True):
        desk.send(item, made)
    (case,) = adjudication.cases(store, desk.project, "pos")
    desk.send(adjudication.open_review(store, desk.project, "pos", case, "cora"), AUX)
    desk.send(tree, TREE | VERB, done=False)
    assert "2\tva\tir\tAUX" in desk.export(as_it_is=True).read_text()


def test_a_decision_about_tags_counts_in_an_export_of_trees_alone(store, new_desk, sentences):
    desk = new_desk(sentences, "pos", "dep")
    *tags, tree = desk.draw((0, "pos", "ana"), (0, "pos", "ben"), (0, "dep", "ana"))
    for item, made in zip(tags, (TAGS, AUX), strict=True):
        desk.send(item, made)
    (case,) = adjudication.cases(store, desk.project, "pos")
    desk.send(adjudication.open_review(store, desk.project, "pos", case, "cora"), AUX)
    desk.send(tree, TREE | VERB)
    assert "2\tva\tir\tAUX" in desk.export().read_text()
    assert "2\tva\tir\tAUX" in desk.export("dep").read_text()


def test_agreement_and_consistency_are_of_the_tags_that_people_see(store, new_desk, sentences):
    desk = new_desk(sentences, "pos", "dep", hides_gold=True)
    anas, tree, bens, bens_tree = desk.draw(*((0, task, who) for who in ("ana", "ben") for task in ("pos", "dep")))
    verb = {"upos": ["PROPN", "VERB", "ADP", "DET", "NOUN"]}
    desk.send(anas, TAGS)
    desk.send(tree, TREE | {"upos": VERB["upos"]})
    desk.send(bens_tree, TREE | {"upos": [None, "AUX", None, None, None]})
    desk.send(bens, verb)
    ((first, second),) = annotators.pairs(store, desk.project, "pos")
    assert first.upos == second.upos == tuple(verb["upos"])
    ana, ben = annotators.annotators(store, desk.project, "pos")
    assert (ana.others.value, ben.others.value, ana.gold.value) == (100, 100, 80)
    report = consistency.find_inconsistencies(store, desk.project, ExampleFilter("pos"))
    assert report.sentences == 2 and not report.findings

    change = gold.versions(store, desk.project, "dep")[desk.ids[0]][0].revision
    later = change.annotation | {"upos": [None, "X", None, None, None]}
    store.change("change 1 UPOS", "cora", [Edit(tree.id, change.id, later, True)])
    assert annotators.pairs(store, desk.project, "pos") == [(first, second)]


def test_the_reference_is_the_decision_of_a_curator_as_their_tree_corrects_it(store, new_desk, sentences):
    desk = new_desk(sentences, "pos", "dep")
    items = desk.draw(*((0, task, who) for task in ("pos", "dep") for who in ("ana", "ben")))
    trees = (TREE, TREE | {"deprels": ["obj", "root", "case", "det", "obl"]})
    for item, made in zip(items, (TAGS, AUX, *trees), strict=True):
        desk.send(item, made)
    for task, made in (("pos", AUX), ("dep", TREE | VERB)):
        (case,) = adjudication.cases(store, desk.project, task)
        desk.send(adjudication.open_review(store, desk.project, task, case, "cora"), made)
    assert [person.gold.value for person in annotators.annotators(store, desk.project, "pos")] == [80, 80]


@pytest.mark.parametrize("upos", [[None] * 4 + ["NOUN", "X"], [None, "NOUN", None, None, "NOUN", "X"]])
def test_a_correction_to_what_others_see_is_no_difference(store, desk, item, upos):
    (bens,) = desk.draw((0, "dep", "ben"))
    split = {"words": ["Ana", "va", "a", "el", "m", "ar"], "ranges": [[3, 4, "al"]]}
    tree = {"heads": [2, 0, 5, 5, 2, 5], "deprels": ["nsubj", "root", "case", "det", "obl", "flat"]} | split
    desk.keep(item, tree | {"upos": ["PROPN", "NOUN", "ADP", "DET", "NOUN", "X"]})  # all tags, as once saved
    desk.send(bens, tree | {"upos": upos})
    assert not gold.gold(store, desk.project, "dep").open
    desk.send(bens, tree | {"upos": ["X", *upos[1:]]})
    assert gold.gold(store, desk.project, "dep").open


def test_people_who_correct_differently_differ_and_the_first_correction_is_begun_with(store, desk, item):
    (bens,) = desk.draw((0, "dep", "ben"))
    desk.send(item, TREE | VERB)
    desk.send(bens, TREE)
    assert gold.gold(store, desk.project, "dep").open
    (case,) = adjudication.cases(store, desk.project, "dep")
    mine, theirs = (version.revision.annotation for version in case.versions)
    assert adjudication.merged(theirs, mine) == TREE | VERB
    other = {"upos": ["X", "AUX", None, None, None]}
    assert adjudication.merged(TREE | other, TREE | VERB)["upos"] == ["X", "AUX", None, None, None]
    rows = adjudication.compare({"ana": TREE | VERB, "ben": TREE}, ["Ana", "va", "a", "el", "mar"])
    assert {"where": "2 va", "what": "upos", "ana": "VERB", "ben": ""} in rows
    review = adjudication.open_review(store, desk.project, "dep", case, "cora")
    desk.send(review, TREE | VERB)
    assert "2\tva\tir\tVERB" in desk.export().read_text()


def test_an_export_as_it_is_comes_back_with_its_corrections(desk, item):
    desk.send(item, TREE | MORE, done=False)
    text = desk.export(part="all", as_it_is=True).read_text()
    (bens,) = desk.draw((0, "dep", "ben"))
    desk.take(text, who="ben")
    assert desk.latest(bens) == TREE | MORE | {"feats": [None, "Mood=Ind", "Foreign=Yes", None, None]}
    assert desk.status(bens) == "open"


def test_a_word_without_values_in_an_imported_file_keeps_its_own(store, desk, item):
    (bens,) = desk.draw((0, "dep", "ben"))
    blank = FILE.replace("va\tva\tNOUN\tNN", "va\t_\t_\t_").replace("mar\tmar\tNOUN\tNN", "mar\tmar\tPROPN\tNN")
    desk.take(blank)
    assert desk.latest(item) == TREE | {"upos": [*[None] * 4, "PROPN"]}
    desk.send(bens, desk.latest(item))
    assert not gold.gold(store, desk.project, "dep").open


def test_tags_of_a_model_in_an_imported_file_correct_nothing(new_desk, sentences):
    desk = new_desk(sentences, "dep")
    item, second = desk.draw((0, "dep", "ana"), (1, "dep", "ana"))
    own = {"heads": [0, 1], "deprels": ["root", "punct"], "upos": ["ADJ", None]}
    desk.send(second, own)
    text = FILE.replace("va\tva\tNOUN", "va\tva\tVERB").replace("قرأ\tNOUN", "قرأ\tX")
    desk.take(text.replace("# sent_id = s2", "# sent_id = s2\n# predicted = UPOS"))
    assert desk.latest(item) == TREE | {"upos": VERB["upos"]}
    assert desk.latest(second) == own


def test_a_bulk_change_of_relations_keeps_corrections(store, desk, item):
    desk.send(item, TREE | VERB)
    change = Setting("X", "deprels", "obj")
    hits = desk.find('pattern { X [form="mar"] }')
    proposals = changes.preview(desk.project, hits, change, "ana", False).proposals
    assert changes.carry_out(store, desk.project, proposals, change, "ana", False).changed == 1
    assert desk.latest(item) == TREE | VERB | {"deprels": ["nsubj", "root", "case", "det", "obj"]}
