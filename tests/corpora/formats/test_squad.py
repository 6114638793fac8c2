import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import examples

from fewshot.corpora.formats import squad
from fewshot.corpora.load import load, read
from fewshot.corpora.types import Answer
from fewshot.errors import CorpusError

CONTEXT = "😀 Turku is a town, and Turku is old."


def file(path, **changes):
    """A file of one article with one question; changes go to the question."""
    question = {"id": "q1", "question": "Which town?", "answers": [{"text": "Turku", "answer_start": 2}]} | changes
    article = {"title": "Towns", "paragraphs": [{"context": CONTEXT, "qas": [question]}]}
    path.write_text(json.dumps({"version": "1.1", "data": [article]}))
    return path


def test_what_nobody_answered_comes_back_as_it_was(tmp_path):
    question = {"id": "1", "question": "Who?", "predicted": "by hand"}
    whole = {"data": [{"title": "t", "paragraphs": [{"context": "Ana.", "qas": [question]}]}]}
    (tmp_path / "x.json").write_text(json.dumps(whole))
    squad.write(squad.read(tmp_path / "x.json"), tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text()) == whole


ANA = {"text": "Ana", "answer_start": 0, "answer_id": 7}


@pytest.mark.parametrize(
    "asked",
    [
        [{"answers": [ANA], "predicted": True}, {}],
        [{"is_impossible": True, "predicted": True}, {"answers": [], "predicted": True}],
        [{"answers": [ANA, ANA | {"answer_id": 8}]}, {"is_impossible": False, "answers": []}],
    ],
    ids=["a guess beside a question without answer", "a guess that there is none", "an answer twice"],
)
def test_what_is_read_is_written_unchanged(tmp_path, asked):
    asked = [{"id": str(number), "question": "Who?"} | more for number, more in enumerate(asked)]
    whole = {"data": [{"title": "t", "paragraphs": [{"context": "Ana.", "qas": asked}]}]}
    (tmp_path / "x.json").write_text(json.dumps(whole))
    squad.write(squad.read(tmp_path / "x.json"), tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text()) == whole


def test_a_further_answer_leaves_the_further_keys_of_the_others(tmp_path):
    path = file(tmp_path / "x.json", answers=[ANA | {"text": "Turku", "answer_start": 2}])
    (article,) = squad.read(path)
    (paragraph,) = article.paragraphs
    (asked,) = paragraph.questions
    more = replace(asked, answers=(*asked.answers, Answer("town", 13)))
    squad.write([replace(article, paragraphs=(replace(paragraph, questions=(more,)),))], path)
    first, second = json.loads(path.read_text())["data"][0]["paragraphs"][0]["qas"][0]["answers"]
    assert (first["answer_id"], second) == (7, {"text": "town", "answer_start": 13})


def test_guesses_beside_answers_of_people_are_not_answered_and_stay_in_the_file(tmp_path):
    answer = {"answers": [{"text": "Ana", "answer_start": 0}]}
    asked = [{"id": f"{n}", "question": "Who?", **answer} for n in range(2)] + [{"id": "2", "question": "Who?"}]
    asked[1]["predicted"] = True
    whole = {"data": [{"title": "t", "paragraphs": [{"context": "Ana.", "qas": asked}]}]}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(whole))
    (article,) = squad.read(path)
    questions = article.paragraphs[0].questions
    assert [len(one.answers) for one in questions] == [1, 0, 0] and not article.predicted
    squad.write([article], tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text()) == whole
    done = replace(article.paragraphs[0], questions=(questions[0], replace(questions[1], answers=questions[0].answers)))
    squad.write([replace(article, paragraphs=(done,))], tmp_path / "out.json")
    assert "predicted" not in (tmp_path / "out.json").read_text()
    del asked[0]
    path.write_text(json.dumps(whole))
    assert squad.read(path)[0].predicted == ("answers",)


def test_offsets_count_characters(tmp_path):
    (article,) = squad.read(file(tmp_path / "a.json"))
    (answer,) = article.paragraphs[0].questions[0].answers
    assert CONTEXT[answer.start :].startswith("Turku is a")
    assert article.id == "Towns"
    assert article.where == f"{tmp_path / 'a.json'}: article 'Towns'"


@pytest.mark.parametrize("changes", [{"answers": []}, {"answers": None}, {"answers": None, "is_impossible": False}])
def test_a_question_that_nobody_has_answered_may_say_so_in_any_way(tmp_path, changes):
    question = {"id": "q1", "question": "Which town?"}
    for asked in (question, question | changes):
        data = [{"title": "a", "paragraphs": [{"context": CONTEXT, "qas": [asked]}]}]
        (tmp_path / "x.json").write_text(json.dumps({"data": data}), encoding="utf-8")
        ((read,),) = [one.questions for one in squad.read(tmp_path / "x.json")[0].paragraphs]
        assert not read.settled


def test_parts_of_one_title_are_one_article_and_those_without_title_are_not(tmp_path):
    paragraphs = [[{"context": f"{n} towns", "qas": [{"id": n, "question": "?"}]}] for n in range(4)]
    titles = [{"title": "a"}, {}, {"title": "a"}, {"title": ""}]
    paragraphs.insert(0, [])
    titles.insert(0, {"title": "no paragraph"})
    data = [title | {"paragraphs": each} for title, each in zip(titles, paragraphs, strict=True)]
    (tmp_path / "x.json").write_text("\ufeff" + json.dumps({"data": data}), encoding="utf-8")
    articles = squad.read(tmp_path / "x.json")
    assert [(article.id, len(article.paragraphs)) for article in articles] == [("a", 2), ("x-3", 1), ("x-5", 1)]
    assert articles[1].paragraphs[0].questions[0].id == "1"
    new = replace(articles[0], id="new", record=None)
    squad.write([new, *articles, *articles[1:]], tmp_path / "out.json")
    written = json.loads((tmp_path / "out.json").read_text("utf-8-sig"))["data"]
    assert written[0]["title"] == "new"
    assert written[1:] == [*data, data[2], data[4]]


def test_question_id_is_used_once(tmp_path):
    articles = examples("articles", 2, seed=1)
    squad.write([*articles, articles[0]], tmp_path / "a.json")
    with pytest.raises(CorpusError, match="article 'articles-0': question id 'articles-0-0' is used twice"):
        squad.read(tmp_path / "a.json")


def test_one_file_is_split_by_article_and_articles_are_told_their_language(tmp_path):
    squad.write(examples("articles", 10, seed=1), tmp_path / "a.json")
    corpus = load("es", tmp_path / "a.json", kind="articles")
    assert len(corpus.pool) == len(corpus.test) == 5
    assert {a.key for a in corpus.pool}.isdisjoint({a.key for a in corpus.test})
    assert {a.lang for a in (*corpus.pool, *corpus.test)} == {"es"}
    assert {a.lang for a in read(tmp_path / "a.json")} == {""}


def test_xquad_is_read(shared):
    languages = list((shared / "qa" / "xquad").glob("*.json"))
    assert len(languages) > 5
    for path in languages:
        articles = read(path)
        assert (len(articles), sum(len(a.paragraphs) for a in articles)) == (48, 240)
        assert sum(len(p.questions) for a in articles for p in a.paragraphs) == 1190


def test_answers_that_are_null_stay_so_until_somebody_answers(tmp_path):
    path = tmp_path / "a.json"
    asked = {"id": "q1", "question": "Who?", "answers": None}
    path.write_text(json.dumps({"data": [{"title": "A", "paragraphs": [{"context": "Ana sat.", "qas": [asked]}]}]}))
    given = squad.read(path)
    squad.write(given, path)
    assert json.loads(path.read_text())["data"][0]["paragraphs"][0]["qas"] == [asked]


@given(st.text("ab", max_size=30), st.text("ab", min_size=1, max_size=4), st.integers(-3, 40))
def test_the_nearest_place_of_an_answer_is_named(context, text, start):
    places = [place for place in range(len(context)) if context.startswith(text, place)]
    found = squad._nearest(text, context, start)
    assert (found is None) == (not places)
    if places:
        assert abs(found - start) == min(abs(place - start) for place in places)


def test_no_place_is_looked_for_far_from_where_an_answer_should_be(monkeypatch):
    monkeypatch.setattr(squad, "NEAR", 5)
    assert squad._nearest("b", "a" * 20 + "b", 16) == 20
    assert squad._nearest("b", "a" * 20 + "b", 10) is None
