"""Which corrections of tags, lemmas, XPOS and features a tree may have, and what they change in the file."""

from dataclasses import replace

import pytest
from corrections import CORRECTED_FILE, FILE, MORE, TAGS, TREE, VERB
from desk import Desk

from annotate.editing import changed_values, permitted_corrections
from annotate.exchange import project_data, projects
from annotate.rounds.training_data import training_data
from fewshot.corpora.formats import conllu
from fewshot.errors import FewshotError


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


def test_what_the_tag_task_refuses_is_refused(desk, item):
    for column, value, message in (
        ("upos", "Verb", "'Verb' is not a UPOS tag"),
        ("xpos", "V M", "XPOS 'V M' of 'va' is empty or has a space in it"),
        ("xpos", "", "XPOS '' of 'va' is empty"),
        ("feats", "Mood", "features 'Mood' of 'va' are not in the format"),
        ("feats", "Mood=Ind|Mood=Sub", "are not in the format"),
        ("lemmas", 5, "the editor sent what it never sends"),
        ("lemmas", "i\tr", "control character"),
    ):
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
