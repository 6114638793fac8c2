"""What the editors get; `tests/editors/payloads.json` holds all of it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from making import examples

from annotate.editing import view
from fewshot import tasks


def example_of(task, **lengths):
    return examples(tasks.get(task).example.kind, 1, seed=1, **lengths)[0]


@pytest.fixture
def drawn(new_desk):
    """Makes a project of one example; returns it as a desk, and its item."""

    def drawn(task, example):
        desk = new_desk([example], task, hides_gold=True)
        return desk, *desk.draw((0, task, "ana"))

    return drawn


def test_a_list_shows_how_an_example_begins_and_its_whole_text_has_every_part(store, drawn):
    pair, article = example_of("nli"), example_of("qa")
    desk, _ = drawn("nli", pair)
    assert view.texts(store, desk.project, desk.ids) == {desk.ids[0]: pair.premise}
    assert view.whole(pair) == f"{pair.premise}\n{pair.hypothesis}"
    assert all(paragraph.context in view.whole(article) for paragraph in article.paragraphs)


def test_questions_come_without_the_answers_of_the_corpus(drawn):
    article = example_of("qa")
    desk, item = drawn("qa", article)
    (paragraph,) = desk.show(item)["example"]["paragraphs"]
    asked = [{"id": one.id, "text": one.text} for one in article.paragraphs[0].questions]
    assert paragraph == {"context": article.paragraphs[0].context, "questions": asked}


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
    "topic": lambda document: replace(document, text="שלום"),
    "qa": lambda article: replace(article, paragraphs=(replace(article.paragraphs[0], context="שלום", questions=()),)),
    "pos": lambda sentence: replace(sentence, text="שלום"),
}


def test_the_direction_is_that_of_the_text(drawn):
    for task, hebrew in HEBREW.items():
        desk, item = drawn(task, hebrew(example_of(task)))
        assert desk.show(item)["dir"] == "rtl", task


def test_a_beginning_ends_with_a_word_or_in_a_text_without_spaces_with_a_letter():
    expected = {
        "two  words\n": "two words",
        "the rain fell on the sea": "the rain…",
        "a verylongwordwithoutspaces": "a verylongw…",
        "我" * 20: "我" * 11 + "…",
        "n\u0303" * 20: "n\u0303" * 11 + "…",
    }
    assert {text: view.beginning(text, 12) for text in expected} == expected
