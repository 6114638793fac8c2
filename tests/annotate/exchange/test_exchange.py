import json
from dataclasses import replace
from unicodedata import normalize

import pytest
import storing
from desk import Desk, new_project
from making import examples, made_up
from typer.testing import CliRunner

from annotate.editing import content
from annotate.exchange import importing, project_data, remarks
from annotate.exchange.exporting import annotators, export_annotations
from annotate.quality import gold
from fewshot import tasks
from fewshot.cli import app
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Document, Sentence
from fewshot.errors import FewshotError

FIRST = {name: task for task in ("qa", "nli", "ner", "pos") for name in formats.list_export_formats([tasks.get(task)])}
"""A task of each format."""


@pytest.fixture
def project(store):
    """Three sentences of the pool and one of the test set, as yet unannotated."""
    return new_project(store, made_up(3, seed=1), "pos", "dep", test=made_up(1, seed=2, name="t"), hides_gold=True)


def counts(taken):
    return taken.saved, taken.unknown, taken.wrong


def exported(desk, who=None, part="annotated"):
    return export_annotations(desk.store, desk.project, desk.project.tasks[:1], who, part)


@pytest.mark.parametrize(("format", "task"), [*FIRST.items(), ("jsonl", "dep"), ("label-studio", "topic")])
def test_a_project_imports_what_another_exports_by_its_text(new_desk, tmp_path, format, task):
    whole = examples(tasks.get(task).example.kind, 4, seed=1)
    found = [content.annotated(task, one.unannotated(), content.annotation_of(task, one)) for one in whole]
    path = tmp_path / f"x{formats.FORMATS[format].suffix}"
    formats.export(found, [tasks.get(task)], format, path)
    desk = new_desk([one.unannotated() for one in reversed(whole)], task)
    assert counts(desk.take(path)) == (4, 0, 0)
    for who in ("ana", None):
        assert exported(desk, who).examples == found[::-1]


def test_entities_of_another_scheme_are_imported_and_continued(store, new_desk, tmp_path):
    path = tmp_path / "x.bio"
    path.write_text("Ana\tB-PER\nSy\tE-PER\nlebt\tO\n\nDakar\tS-LOC\nist\tO\n")
    found = list(formats.stream(path, None, "wo", tasks.get("ner")))
    expected = [["B-PER", "I-PER", "O"], ["B-LOC", "O"]]

    def saved(desk):
        return [store.latest(item.id).annotation["entities"] for item in store.items(desk.project.id)]

    taken = new_desk([one.unannotated() for one in found], "ner")
    assert counts(taken.take(path)) == (2, 0, 0)
    assert saved(taken) == expected
    begun = new_desk(found, "ner", hides_gold=False)
    assert importing.continue_upload(store, begun.project, "ana") == 2
    assert saved(begun) == expected


def spelled(form, example):
    """Return an example whose texts are in a normal form of Unicode, or typed; with its answers at their places."""
    typed = json.dumps(example, ensure_ascii=False)
    text = json.loads(typed if form == "typed" else normalize(form, typed))
    if "paragraphs" in text:
        (paragraph,) = text["paragraphs"]
        for answer in paragraph["qas"][0]["answers"]:
            answer["answer_start"] = paragraph["context"].index(answer["text"])
    return text


MIXED = "Thu\u0301y\u09df"
"""An accent of its own, and a letter of Bengali that is two characters in both normal forms."""

SENTENCE = {
    "id": "1",
    "text": f"Été à {MIXED} .",
    "words": ["Été", "à", MIXED, "."],
    "upos": ["NOUN", "ADP", "PROPN", "PUNCT"],
}
ANSWERED = {"id": "1", "question": "Où va Zoé ?", "answers": [{"text": MIXED, "answer_start": 0}]}
ARTICLE = {"title": "Été", "paragraphs": [{"context": f"L'été, Zoé va à {MIXED}.", "qas": [ANSWERED]}]}


@pytest.mark.parametrize(("mine", "theirs"), [("NFC", "NFD"), ("NFD", "typed"), ("typed", "NFC")])
@pytest.mark.parametrize(("task", "suffix", "given"), [("pos", "jsonl", SENTENCE), ("qa", "json", {"data": [ARTICLE]})])
def test_a_text_is_known_by_composed_and_by_separate_accents(new_desk, tmp_path, task, suffix, given, mine, theirs):
    read = {}
    for form in (mine, theirs):
        articles = [spelled(form, one) for one in given.get("data", [])]
        path = tmp_path / f"{form}.{suffix}"
        path.write_text(json.dumps({"data": articles} if articles else spelled(form, given), ensure_ascii=False))
        read[form] = list(formats.stream(path, None, "und", tasks.get(task)))
    desk = new_desk([one.unannotated() for one in read[mine]], task)
    assert counts(desk.take(tmp_path / f"{theirs}.{suffix}")) == (1, 0, 0)
    (out,) = exported(desk).examples
    assert out.content == read[mine][0].content
    if task == "pos":  # with other words
        parted = {**given, "words": ["É", "té", *given["words"][1:]], "upos": ["DET", *given["upos"]]}
        (tmp_path / "x.jsonl").write_text(json.dumps(spelled(theirs, parted), ensure_ascii=False))
        assert counts(desk.take(tmp_path / "x.jsonl")) == (1, 0, 0)
        (out,) = exported(desk).examples
        assert out.words[2:] == read[mine][0].words[1:] and out.text == read[mine][0].text


def test_invalid_sentences_and_rows_are_left_out_and_named_and_unannotated_ones_counted(desk):
    first, second, third = made_up(3, seed=1)
    gap = replace(second, upos=("_", *second.upos[1:]))
    odd = replace(third, upos=("THING", *third.upos[1:]))
    bare = made_up(1, seed=2, name="t")[0].unannotated()
    taken = desk.take("".join(map(conllu.to_text, (first, gap, odd, bare))) + "1\tbroken\n\n")
    assert (*counts(taken), taken.empty) == (1, 0, 2, 1)
    assert all("in.conllu:" in problem.where for problem in taken.problems)
    messages = " ".join(problem.message for problem in taken.problems)
    assert len(taken.problems) == 3 and gap.words[0] in messages and "THING" in messages


def test_labels_of_what_is_not_saved_are_not_added(new_desk):
    (one,) = examples("documents", 1, seed=1)
    desk = new_desk([one.unannotated()], "topic")
    rows = [{"id": label, "text": one.text, "label": label} for label in ("weather", "kitchen")]
    taken = desk.take("\n".join(map(json.dumps, rows)), name="in.jsonl")
    assert counts(taken) == (1, 0, 1) and taken.added == ["weather"]


@pytest.mark.parametrize(
    ("mine", "given", "expected", "tags", "said"),
    [
        ("ab", "ab", (2, 0, 0), {"a": "ADV", "b": "X"}, ""),
        ("ab", "ba", (2, 0, 0), {"b": "ADV", "a": "X"}, ""),
        ("ab", "b", (1, 0, 0), {"b": "ADV"}, ""),
        ("ab", "xb", (1, 0, 1), {"b": "X"}, "several times, none with the id 'x'; give an id of these"),
        ("a", "xa", (1, 0, 1), {"a": "X"}, "is the same text, which the project has once; keep one of the two"),
        ("a", "xy", (1, 0, 1), {"a": "ADV"}, "is the same text, which the project has once; keep one of the two"),
    ],
    ids=["in order", "in another order", "the second", "unknown id", "text twice", "text twice, no id"],
)
def test_a_text_that_comes_twice_belongs_to_the_example_of_its_id(store, tmp_path, mine, given, expected, tags, said):
    (one,) = made_up(1, seed=1)
    project = new_project(store, [replace(one.unannotated(), id=name) for name in mine], "pos")
    desk = Desk(store, project, tmp_path)
    tagged = (one.annotated(upos=(tag,) * one.length) for tag in ("ADV", "X"))
    taken = desk.take([replace(each, id=name, record=None) for name, each in zip(given, tagged, strict=False)])
    assert counts(taken) == expected
    assert said in " ".join(problem.message for problem in taken.problems) and bool(said) == bool(taken.problems)
    names = {row.id: row.content["id"] for row in store.examples(project.id)}
    versions = gold.versions(store, project, "pos")
    assert {names[key]: versions[key][0].revision.annotation["upos"][0] for key in versions} == tags


def test_an_import_is_a_revision_of_the_annotators_item_and_takes_no_time(store, project, desk):
    mine, bens = desk.draw((0, "pos", "ana"), (0, "pos", "ben"))
    found = made_up(3, seed=1)
    desk.take(found[:1])
    assert [len(storing.history(store, item.id)) for item in (mine, bens)] == [1, 0]
    assert (desk.status(mine), len(store.items(project.id))) == ("done", 2)
    desk.take([one.annotated(upos=("X",) * one.length) for one in found])
    items = store.items(project.id, annotator="ana")
    assert [len(storing.history(store, item.id)) for item in items] == [2, 1, 1]
    assert set(store.effort(project.id, "pos").values()) == {(0.0, 0)}


def test_an_import_takes_what_was_drawn_for_nobody_but_no_review_that_a_curator_has_left(store, project, desk, later):
    (nobodys,), (review,) = desk.draw((0, "pos", None)), desk.draw((1, "pos", None), purpose="review")
    store.claim(review.id, "cleo")
    later(3600)
    assert counts(desk.take(made_up(2, seed=1))) == (2, 0, 0)
    assert (store.item(nobodys.id).annotator, desk.status(nobodys)) == ("ana", "done")
    assert store.latest(review.id) is None
    assert [item.annotator for item in store.items(project.id)] == ["ana", "cleo", "ana"]


def test_who_only_reviews_is_no_annotator_whose_work_is_exported(store, project, desk):
    for item in (*desk.draw((0, "pos", "ana")), *desk.draw((0, "pos", "cleo"), purpose="review")):
        storing.annotate(store, project, item)
    assert [annotators(store, project, as_it_is) for as_it_is in (False, True)] == [["ana"]] * 2


def test_annotations_of_the_test_set_stay_apart_and_blind(store, project, desk):
    desk.take([*made_up(2, seed=1), *made_up(1, seed=2, name="t")])
    assert [(drawn.purpose, drawn.k) for drawn in store.rounds(project.id)] == [("shots", 2), ("test", 1)]
    assert [item.blind for item in store.items(project.id)] == [False, False, True]
    assert [len(exported(desk, "ana", part).examples) for part in ("shots", "test")] == [2, 1]


def test_what_is_begun_is_counted_and_exported_with_a_mark_as_it_is(desk):
    both, pos, mine, hers = desk.draw((0, "dep", "ana"), (0, "pos", "ana"), (1, "pos", "ana"), (1, "pos", "ben"))
    first = made_up(3, seed=1)[0]
    begun = ["X", *["_"] * (first.length - 1)]
    desk.keep(pos, {"upos": begun}, done=False)
    tree = {"heads": list(first.heads), "deprels": list(first.deprels)}
    desk.keep(both, tree)
    for item, tag in ((mine, "X"), (hers, "NOUN")):  # in dispute, which is finished
        desk.keep(item, {"upos": [tag] * made_up(3, seed=1)[1].length})
    usual = export_annotations(desk.store, desk.project, ["pos", "dep"], None, "annotated")
    assert (usual.begun, usual.disputed, len(usual.examples)) == (1, 1, 1)
    for name, count in (("all", 1), ("shots", 1), ("test", 0)):
        part = export_annotations(desk.store, desk.project, ["pos", "dep"], None, name)
        assert (part.begun, part.disputed) == (count, count)
    for who, disputed in (("ana", 0), (None, 1)):
        part = export_annotations(desk.store, desk.project, ["pos", "dep"], who, "annotated", as_it_is=True)
        assert (part.begun, part.disputed) == (1, disputed)
        example, *others = part.examples
        assert (example.upos, example.heads, example.begun) == (tuple(begun), first.heads, True)
        assert [one.begun for one in others] == [False] * (1 - disputed)


def test_a_file_without_a_sentence_is_refused_in_one_line(store, project, desk):
    for name, given, reason in (
        ("x.conllu", "", "x.conllu: the file is empty"),
        ("x.conllu", "hello", "x.conllu:1: "),
        ("x.tsv", "a\tb\tneutral\n", "x.tsv: unknown file type '.tsv' for pos"),
        ("nope.conllu", desk.folder / "nope.conllu", "nope.conllu: no such file"),
    ):
        with pytest.raises(FewshotError, match=reason) as refused:
            desk.take(given, name=name)
        assert len(str(refused.value).splitlines()) == 1
    assert store.rounds(project.id) == []


def test_the_export_of_one_person_holds_nobody_elses_annotation(desk):
    first, second, _ = made_up(3, seed=1)
    desk.take([first])
    desk.take([first.annotated(upos=("X",) * first.length), second], who="ben")
    hers, agreed = exported(desk, "ana"), exported(desk)
    assert [(one.key, one.upos) for one in hers.examples] == [(first.key, first.upos)]
    assert [one.key for one in agreed.examples] == [second.key]
    assert (hers.disputed, agreed.disputed) == (0, 1)


def squad(path, id, answers, question="Who"):
    asked = [
        {"id": f"{id}{number}", "question": f"{question} {number}?", "answers": answers and [answers[number]]}
        for number in (0, 1)
    ]
    path.write_text(json.dumps({"data": [{"title": "A", "paragraphs": [{"context": path.stem, "qas": asked}]}]}))
    return path


def articles(*paths):
    return [article for path in paths for article in formats.stream(path, None, "en", tasks.get("qa"))]


def test_a_file_whose_question_ids_another_has_too_is_exported_and_imported_again(new_desk, tmp_path):
    paths = [squad(tmp_path / f"{name} sat here.json", "q", None) for name in ("Ana", "Ben")]
    desk = new_desk(project_data.distinct(articles(*paths), set()), "qa")
    answers = [{"text": "Ben", "answer_start": 0}, {"text": "here", "answer_start": 8}]
    assert counts(desk.take(squad(paths[1], "q", answers))) == (1, 0, 0)
    (article,) = articles(desk.export(format="squad"))
    asked = article.paragraphs[0].questions
    assert [(one.id, one.answers[0].text) for one in asked] == [("q0-2", "Ben"), ("q1-2", "here")]


def test_questions_that_a_file_does_not_have_keep_their_answers(store, new_desk, tmp_path):
    whole = squad(tmp_path / "Ana sat here.json", "q", None)
    desk = new_desk(articles(whole), "qa")
    (item,) = desk.draw((0, "qa", "ana"))
    data = json.loads(squad(whole, "q", [{"text": "Ana", "answer_start": 0}] * 2).read_text())
    del data["data"][0]["paragraphs"][0]["qas"][1]
    whole.write_text(json.dumps(data))
    for answered in ({}, {"q1": [{"text": "here", "start": 8}]}):
        desk.keep(item, {"answers": answered}, done=False)
        taken = desk.take(whole)
        assert (counts(taken), taken.unfinished) == ((1, 0, 0), 0 if answered else 1)
        expected = {"q0": [{"text": "Ana", "start": 0}]} | answered
        assert store.latest(item.id).annotation == {"answers": expected}
        assert store.item(item.id).status == ("done" if answered else "open")


def test_a_question_is_known_by_its_text_before_its_id_and_an_unknown_one_is_named(store, new_desk, tmp_path):
    path = squad(tmp_path / "Ana sat here.json", "q", None)
    desk = new_desk(articles(path), "qa")
    answers = [{"text": "here", "answer_start": 8}, {"text": "Ana", "answer_start": 0}]
    text = squad(path, "q", answers).read_text().replace("Who 0?", "Where?").replace("Who 1?", "Who 0?")
    path.write_text(text)
    taken = desk.take(path)
    assert counts(taken) == (1, 0, 0)
    assert "the project does not have the question 'q0'; it is left out" in taken.problems[0].message
    (item,) = store.items(desk.project.id)
    assert desk.latest(item) == {"answers": {"q0": [{"text": "Ana", "start": 0}]}}
    taken = desk.take(squad(path, "x", answers, "Where"))
    assert counts(taken) == (0, 0, 1)
    assert "the project does not have the question 'x0'" in taken.problems[0].message


TEXT = "dell\u00e0rte Ana-Bo sat"
WORDS = ("1-2\tdell\u00e0rte", "1\tdell", "2\t\u00e0rte", "3\tAna-Bo", "4\tsat")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_entities_of_a_file_without_words_go_to_those_of_the_project(new_desk, tmp_path, form):
    (own,) = sentences_of(tmp_path, (f"# text = {TEXT}", *WORDS))
    desk = new_desk([own], "ner")
    for start, end, saved in ((9, 15, ("O", "O", "B-PER", "O")), (0, 8, ("B-PER", "I-PER", "O", "O")), (9, 12, None)):
        start, end = (len(normalize(form, TEXT[:place])) for place in (start, end))
        row = {"text": normalize(form, TEXT), "entities": [{"start": start, "end": end, "label": "PER"}]}
        taken = desk.take(json.dumps(row), name="x.jsonl")
        assert counts(taken) == ((1, 0, 0) if saved else (0, 0, 1))
        if saved:
            (out,) = exported(desk).examples
            assert (out.words, out.entities) == (own.words, saved) and not taken.problems
        else:
            assert "begins or ends inside a word" in taken.problems[0].message


def test_guesses_of_a_model_and_words_that_part_a_letter_are_refused(new_desk):
    guess = {"text": "x", "label": "sports", "predicted": ["label"]}
    parted = {"text": "cafe\u0301 x", "words": ["cafe", "\u0301", "x"], "upos": ["NOUN", "X", "X"]}
    for task, own, row, reason in (
        ("topic", Document("1", "x"), guess, "is a model's"),
        ("pos", Sentence("1", "caf\u00e9 x", ("caf\u00e9", "x")), parted, "give whole letters"),
    ):
        taken = new_desk([own], task).take(json.dumps(row), name="x.jsonl")
        assert counts(taken) == (0, 0, 1) and reason in taken.problems[0].message


def test_what_a_file_cannot_hold_stays_as_somebody_has_made_it(new_desk, tmp_path):
    lines = "# text = damos del mar", "1\tdamos", "2-3\tdel", "2\tde", "3\tel", "4\tmar"
    desk = new_desk(sentences_of(tmp_path, lines), "pos")
    (item,) = desk.draw((0, "pos", "ana"))
    words = {"words": ["da", "mos", "de", "el", "mar"], "ranges": [[1, 2, "damos"], [3, 4, "del"]]}
    made = {"upos": ["VERB", "PRON", "ADP", "DET", "NOUN"], "misc": ["Gloss=give", None, None, None, None], **words}
    desk.save(item, made)
    file = desk.export(format="jsonl")
    file.write_text(file.read_text(encoding="utf-8").replace("NOUN", "PROPN"), encoding="utf-8")
    assert counts(desk.take(file)) == (1, 0, 0)
    assert desk.latest(item) == made | {"upos": ["VERB", "PRON", "ADP", "DET", "PROPN"]}
    words = {"words": ["damos", "de", "el", "ma", "r"], "upos": ["VERB", "ADP", "DET", "NOUN", "X"]}
    file.write_text(json.dumps({"text": "damos del mar"} | words), encoding="utf-8")
    assert counts(desk.take(file)) == (1, 0, 0)
    assert desk.latest(item)["ranges"] == [[2, 3, "del"]]


def sentences_of(folder, lines):
    """Return the sentence of some lines of CoNLL-U, whose rows have a number and a form."""
    path = folder / "made.conllu"
    rows = (line if line[0] == "#" else line + "\t_" * 8 for line in lines)
    path.write_text("\n".join([*rows, "", ""]), encoding="utf-8")
    return list(formats.stream(path, "conllu", "xx", tasks.get("pos")))


def test_imported_words_reopen_other_tasks_and_those_of_other_tasks_stay(new_desk, tmp_path):
    desk = new_desk([Sentence("s1", "voy al mar", ("voy", "al", "mar"))], "pos", "dep")
    tags, tree = desk.draw((0, "pos", "ana"), (0, "dep", "ana"))
    desk.save(tags, {"upos": ["VERB", "ADP", "NOUN"]})
    desk.save(tree, {"heads": [0, 3, 1], "deprels": ["root", "case", "obl"]})
    plain = desk.export("pos", format="jsonl").read_text(encoding="utf-8")
    split = ("# text = voy al mar", "1\tvoy", "2-3\tal", "2\ta", "3\tel", "4\tmar")
    (sentence,) = sentences_of(tmp_path, split)
    assert counts(desk.take([sentence.annotated(upos=("VERB", "ADP", "DET", "NOUN"))])) == (1, 0, 0)
    assert (desk.status(tags), desk.status(tree)) == ("done", "open")
    words = {"words": ["voy", "a", "el", "mar"], "ranges": [[2, 3, "al"]]}
    desk.save(tree, {"heads": [0, 4, 4, 1], "deprels": ["root", "case", "det", "obl"]} | words)
    file = tmp_path / "plain.jsonl"
    file.write_text(plain, encoding="utf-8")
    assert counts(desk.take(file)) == (1, 0, 0)
    assert (desk.status(tags), desk.status(tree)) == ("open", "done")
    assert desk.open(tags).example.words == ("voy", "a", "el", "mar")


def test_each_comment_is_a_row_and_so_is_a_flag_without_one(store, project, ids, desk, tmp_path):
    _, flagged, _ = desk.draw((0, "pos", "ana"), (1, "dep", "ben"), (2, "pos", "ana"))
    store.flag(flagged.id, True)
    said = [("ana", "a noun?", "3 mar"), ("ana", "=1+1", "2 al"), ("eva", "yes:\tsee\nthe guidelines", "")]
    for author, text, word in said:
        store.add_comment(ids[0], "pos", author, text, word)
    text, count = remarks.table(store, project)
    header, *rows = text.splitlines()
    assert (header.split("\t"), count) == (list(remarks.COLUMNS), 4)
    assert rows[0] == "s-1\tdep\tben\t\t\t\t"
    assert rows[1].startswith("s-0\tpos\t\tana\t") and rows[1].endswith("\t3 mar\ta noun?")
    assert rows[2].endswith("\t'=1+1")
    assert "\n".join(rows[3:]).endswith('\t"yes:\tsee\nthe guidelines"')
    out = tmp_path / "remarks.tsv"
    command = ["export", project.name, "--to", "remarks", "--out", str(out), "--db", str(store.engine.url)]
    assert "4 flags and comments" in CliRunner().invoke(app, command).output
    assert out.read_text(encoding="utf-8") == text
