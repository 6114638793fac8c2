"""What the editors are told is what their JavaScript reads: the modules themselves say what that is."""

import json
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from making import examples
from storing import made_items, made_project, save

from annotate.components.editor import FOLDER
from annotate.editing import session, view
from annotate.exchange import pool
from annotate.store import NewItem
from fewshot import tasks
from fewshot.corpora.formats import conllu, misc

OF = {"sentences": ("pos", "dep", "ner"), "pairs": ("nli",), "documents": ("topic",), "articles": ("qa",)}
LABELS = {
    "pos": ["NOUN", "VERB"],
    "dep": ["root", "obl"],
    "ner": ["LOC"],
    "nli": ["entailment", "neutral", "contradiction"],
    "topic": ["sports", "health"],
    "qa": [],
}
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


@pytest.fixture
def shown(store):
    """Makes the view of an item of a task, after something was done to it."""

    def shown(task, found, act=lambda item: None, **item):
        kind = next(kind for kind, names in OF.items() if task in names)
        made = made_project(store, pool.both([found], ()), kind=kind, tasks=(task,), labels={task: LABELS[task]})
        key = store.lengths(made.id, "pool")[0][0]
        given = made_items(store, made, [NewItem(key, task, "ana", **item)])[0]
        act(given)
        return view.view(made, session.open_item(store, made, store.item(given.id)))

    return shown


def test_the_editors_are_told_what_they_read_and_nothing_else(shown):
    everything = set()
    for task in LABELS:
        kind = next(kind for kind, names in OF.items() if task in names)
        found = shown(task, examples(kind, 1, seed=1)[0])
        assert json.loads(json.dumps(found)) == found
        needed = read(script("runtime", tasks.get(task).editor), "data")
        needed -= {"versions", "language", "recording"}  # of a review, of whoever looks at the page, and of its files
        assert needed <= set(found)
        everything |= needed
    assert set(found) == everything | {"editor"}  # whose name is read in editor.js


def test_of_an_example_the_editors_are_told_what_they_read(shown):
    told = set()
    for kind, names in OF.items():
        told |= set(shown(names[0], examples(kind, 1, seed=1)[0])["example"])
    everything = script("editor")
    assert told == read(everything.replace("data.example", "example"), "example")


def test_words_come_with_their_ranges_lemma_gloss_and_transliteration(shown, tmp_path):
    (tmp_path / "es.conllu").write_text(CONLLU, encoding="utf-8")
    (sentence,) = conllu.read(tmp_path / "es.conllu")
    assert shown("pos", sentence)["example"] == {
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


def test_a_list_shows_how_an_example_begins_and_its_whole_text_has_every_part(store):
    pair, article = (examples(kind, 1, seed=1)[0] for kind in ("pairs", "articles"))
    made = made_project(store, pool.both([pair], ()), kind="pairs", tasks=("nli",), labels={"nli": []})
    key = store.lengths(made.id, "pool")[0][0]
    assert view.texts(store, made, [key]) == {key: pair.premise}
    assert view.whole(pair) == f"{pair.premise}\n{pair.hypothesis}"
    assert all(paragraph.context in view.whole(article) for paragraph in article.paragraphs)


def test_questions_come_without_the_answers_of_the_corpus(shown):
    article = examples("articles", 1, seed=1)[0]
    (paragraph,) = shown("qa", article)["example"]["paragraphs"]
    asked = [{"id": one.id, "text": one.text} for one in article.paragraphs[0].questions]
    assert paragraph == {"context": article.paragraphs[0].context, "questions": asked}


def test_an_untouched_item_has_neither_annotation_nor_revision(shown):
    found = shown("pos", examples("sentences", 1, seed=1)[0])
    assert (found["annotation"], found["revision"], found["acks"], found["done"]) == (None, None, {}, False)
    assert found["suggestion"] is None and found["problems"] == []


def test_what_is_saved_comes_with_its_window_and_number(shown, store):
    sentence = examples("sentences", 1, seed=1, shortest=2, longest=2)[0]
    found = shown("pos", sentence, lambda item: save(store, item, 7, done=True, client="left"))
    assert (found["annotation"], found["done"]) == ({"upos": ["NOUN", "_"]}, True)
    assert (found["acks"], found["revision"]["client"]) == ({"left": 7}, "left")


@pytest.mark.parametrize("blind", [False, True])
def test_a_suggestion_reaches_the_editor_unless_the_item_is_blind(shown, store, blind):
    sentence = examples("sentences", 1, seed=1, shortest=2, longest=2)[0]
    data = {"annotation": {"upos": ["NOUN", "VERB"]}, "confidence": [0.5, 0.5]}
    suggest = lambda item: store.add_suggestions([(item.example_id, "pos", "m", data)])  # noqa: E731
    found = shown("pos", sentence, suggest, blind=blind)
    assert found["suggestion"] == (
        None if blind else data | {"id": 1, "by": "m", "words": list(sentence.words), "ranges": []}
    )


def test_labels_are_the_projects_with_key_and_definition(shown):
    found = shown("pos", examples("sentences", 1, seed=1)[0])["labels"]
    assert [one["name"] for one in found] == ["NOUN", "VERB"]
    assert all(one["key"] and one["definition"] and one["example"] for one in found)


def test_warnings_count_words_from_zero(shown, store):
    crossing = {"heads": [3, 4, 0, 3], "deprels": ["obl", "obl", "root", "obl"]}
    sentence = examples("sentences", 1, seed=1, shortest=4, longest=4)[0]
    found = shown("dep", sentence, lambda item: store.save(item.id, "ana", "page", 1, crossing, True, 1.0, 1))
    assert [(one["level"], one["word"]) for one in found["problems"]] == [("warning", 1)]


def test_a_draft_belongs_to_one_project_only(store, shown):
    scope = shown("pos", examples("sentences", 1, seed=1)[0])["scope"]
    (project,) = store.projects()
    opened = session.open_item(store, project, store.items(project.id)[0])
    others = [replace(project, id=project.id + 1), replace(project, created=project.created + timedelta(days=1))]
    assert view.view(project, opened)["scope"] == scope
    assert scope not in [view.view(other, opened)["scope"] for other in others]  # the second: in a database made anew


@pytest.mark.parametrize("task", ["nli", "qa", "pos"])
def test_the_direction_is_that_of_the_text(shown, task):
    kind = next(kind for kind, names in OF.items() if task in names)
    found = examples(kind, 1, seed=1)[0]
    if task == "nli":
        found = replace(found, premise="שלום")
    elif task == "qa":
        found = replace(found, paragraphs=(replace(found.paragraphs[0], context="שלום", questions=()),))
    else:
        found = replace(found, text="שלום")
    assert shown(task, found)["dir"] == "rtl"
