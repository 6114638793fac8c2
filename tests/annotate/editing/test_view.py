"""What the editors get is what their JavaScript reads, as found in the modules themselves."""

import json
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from desk import LABELS, Desk, new_project
from making import examples
from storing import save

from annotate.components.editor import FOLDER
from annotate.editing import view
from fewshot import tasks
from fewshot.corpora.formats import conllu, misc

CONLLU = """\
# text_en = to the sea
1-2\tal\t_\t_\t_\t_\t_\t_\t_\t_
1\ta\t_\tADP\t_\t_\t3\tcase\t_\tTranslit=a|Gloss=to
2\tel\tel\tDET\t_\t_\t3\tdet\t_\t_
3\tmar\t_\tNOUN\t_\t_\t0\troot\t_\t_

"""


def imported(*modules):
    """Modules and all that they import."""
    found, left = set(), set(modules)
    while left:
        name = left.pop()
        found.add(name)
        left |= set(re.findall(r'from "./(.+)[.]js"', (FOLDER / f"{name}.js").read_text(encoding="utf-8"))) - found
    return found


def script(*modules):
    found = "".join((FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in imported(*modules))
    return re.sub(r"//.*|/\*.*?\*/", "", found)


def read(source, name):
    """The keys that JavaScript reads of an object: ``name.key``, and ``{ key } = name``."""
    direct = re.findall(rf"\b{name}\??\.([a-z]+)", source)
    taken = re.findall(rf"const {{ ([a-z, ]+) }} = (?:session\.)?(?:data\.)?{name};", source)
    return {*direct, *(key for keys in taken for key in keys.split(", "))}


def example_of(task, **lengths):
    return examples(tasks.get(task).example.kind, 1, seed=1, **lengths)[0]


@pytest.fixture
def drawn(store, tmp_path):
    """Makes a project of one example; returns it as a desk, and its item."""

    def drawn(task, example, *blind):
        desk = Desk(store, new_project(store, [example], task, hides_gold=True), tmp_path)
        return desk, *desk.draw((0, task, "ana", *blind))

    return drawn


@pytest.fixture
def shown(drawn):
    """Returns what an editor gets of an example nobody has annotated."""

    def shown(task, example):
        desk, item = drawn(task, example)
        return desk.show(item)

    return shown


def test_the_editors_get_what_they_read_and_nothing_else(shown):
    everything = set()
    for task in LABELS:
        found = shown(task, example_of(task))
        assert json.loads(json.dumps(found)) == found
        needed = read(script("runtime", tasks.get(task).editor), "data")
        needed -= {
            "versions",
            "language",
            "recording",
            "tags",
        }  # of a review, a page and its files, and of tagged trees
        assert needed <= set(found)
        everything |= needed
    assert set(found) == everything | {"editor"}  # whose name is read in editor.js


def test_of_an_example_the_editors_get_what_they_read(shown):
    keys = {key for task in ("pos", "nli", "topic", "qa") for key in shown(task, example_of(task))["example"]}
    assert keys == read(script("editor").replace("data.example", "example"), "example")


def test_words_come_with_their_ranges_lemma_gloss_and_transliteration(tmp_path):
    (tmp_path / "es.conllu").write_text(CONLLU, encoding="utf-8")
    (sentence,) = conllu.read(tmp_path / "es.conllu")
    assert view.example(sentence) | {"upos": ["_"] * 3} == {
        "text": sentence.text,
        "words": ["a", "el", "mar"],
        "ranges": [[1, 2, "al"]],
        "ends": [],
        "joined": 0,
        "misc": ["Translit=a|Gloss=to", "_", "_"],
        "deps": ["_", "_", "_"],
        "nodes": [],
        "tight": [False, False, False],
        "fixed": [*misc.DERIVED],
        "upos": ["_", "_", "_"],
        "lemmas": ["_", "el", "_"],
    }


def test_a_list_shows_how_an_example_begins_and_its_whole_text_has_every_part(store, drawn):
    pair, article = example_of("nli"), example_of("qa")
    desk, _ = drawn("nli", pair)
    assert view.texts(store, desk.project, desk.ids) == {desk.ids[0]: pair.premise}
    assert view.whole(pair) == f"{pair.premise}\n{pair.hypothesis}"
    assert all(paragraph.context in view.whole(article) for paragraph in article.paragraphs)


def test_questions_come_without_the_answers_of_the_corpus(shown):
    article = example_of("qa")
    (paragraph,) = shown("qa", article)["example"]["paragraphs"]
    asked = [{"id": one.id, "text": one.text} for one in article.paragraphs[0].questions]
    assert paragraph == {"context": article.paragraphs[0].context, "questions": asked}


def test_an_untouched_item_has_labels_but_neither_annotation_nor_revision(shown):
    found = shown("pos", example_of("pos"))
    assert (found["annotation"], found["revision"], found["acks"], found["done"]) == (None, None, {}, False)
    assert (found["suggestion"], found["problems"]) == (None, [])
    assert [label["name"] for label in found["labels"]] == LABELS["pos"]
    assert all(label["key"] and label["definition"] and label["example"] for label in found["labels"])


def test_an_annotation_comes_with_its_window_and_number(store, drawn):
    desk, item = drawn("pos", example_of("pos", shortest=2, longest=2))
    save(store, item, 7, done=True, client="left")
    found = desk.show(item)
    words = {"words": found["example"]["words"], "ranges": []}
    assert (found["annotation"], found["done"]) == ({"upos": ["NOUN", "_"]} | words, True)
    assert (found["acks"], found["revision"]["client"]) == ({"left": 7}, "left")


@pytest.mark.parametrize("blind", [False, True])
def test_a_suggestion_reaches_the_editor_unless_the_item_is_blind(store, drawn, blind):
    sentence = example_of("pos", shortest=2, longest=2)
    desk, item = drawn("pos", sentence, blind)
    data = {"annotation": {"upos": ["NOUN", "VERB"]}, "confidence": [0.5, 0.5]}
    store.add_suggestions([(item.example_id, "pos", "m", data)])
    suggested = data | {"id": 1, "by": "m", "words": list(sentence.words), "ranges": []}
    assert desk.show(item)["suggestion"] == (None if blind else suggested)


def test_warnings_count_words_from_zero(drawn):
    desk, item = drawn("dep", example_of("dep", shortest=4, longest=4))
    desk.send(item, {"heads": [3, 4, 0, 3], "deprels": ["obl", "obl", "root", "obl"]})  # arcs cross
    assert [(one["level"], one["word"]) for one in desk.show(item)["problems"]] == [("warning", 1)]


def test_a_draft_belongs_to_one_project_only(drawn):
    desk, item = drawn("pos", example_of("pos"))
    project, opened = desk.project, desk.open(item)
    made_anew = replace(project, created=project.created + timedelta(days=1))  # in another database
    scopes = {view.view(one, opened)["scope"] for one in (project, replace(project, id=project.id + 1), made_anew)}
    assert len(scopes) == 3


HEBREW = {
    "nli": lambda pair: replace(pair, premise="שלום"),
    "qa": lambda article: replace(article, paragraphs=(replace(article.paragraphs[0], context="שלום", questions=()),)),
    "pos": lambda sentence: replace(sentence, text="שלום"),
}


@pytest.mark.parametrize("task", HEBREW)
def test_the_direction_is_that_of_the_text(shown, task):
    assert shown(task, HEBREW[task](example_of(task)))["dir"] == "rtl"
