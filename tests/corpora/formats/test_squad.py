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
TURKU = {"text": "Turku", "answer_start": 2}


@pytest.fixture
def file(upload):
    """Make a file of one article about Turku with questions that say so much beside what is asked."""

    def make(*questions):
        asked = [{"id": str(number), "question": "Which?"} | more for number, more in enumerate(questions)]
        data = [{"title": "Towns", "paragraphs": [{"context": CONTEXT, "qas": asked}]}]
        return upload(json.dumps({"version": "1.1", "data": data}), "x.json")

    return make


def questions_of(path):
    return json.loads(path.read_text())["data"][0]["paragraphs"][0]["qas"]


def with_questions(article, *questions):
    return replace(article, paragraphs=(replace(article.paragraphs[0], questions=questions),))


@pytest.mark.parametrize(
    "asked",
    [
        [{"predicted": "by hand"}],
        [{"answers": None}],
        [{"answers": [], "is_impossible": True, "answer": "none"}],
        [{"answers": [TURKU], "predicted": True}, {}],
        [{"is_impossible": True, "predicted": True}, {"answers": [], "predicted": True}],
        [{"answers": [TURKU, TURKU | {"answer_id": 8}]}, {"is_impossible": False, "answers": []}],
    ],
    ids=[
        "a key of somebody",
        "null",
        "another key",
        "a guess beside no answer",
        "a guess that there is none",
        "an answer twice",
    ],
)
def test_what_is_read_is_written_unchanged(file, tmp_path, asked):
    path = file(*asked)
    squad.write(squad.read(path), tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text()) == json.loads(path.read_text())


def test_a_further_answer_leaves_the_further_keys_of_the_others(file):
    path = file({"answers": [TURKU | {"answer_id": 7}]})
    (article,) = squad.read(path)
    (asked,) = article.paragraphs[0].questions
    squad.write([with_questions(article, replace(asked, answers=(*asked.answers, Answer("town", 13))))], path)
    first, second = questions_of(path)[0]["answers"]
    assert (first["answer_id"], second) == (7, {"text": "town", "answer_start": 13})


def test_guesses_beside_answers_of_people_are_not_answered_and_stay_in_the_file(file, tmp_path):
    path = file({"answers": [TURKU]}, {"answers": [TURKU], "predicted": True}, {})
    (article,) = squad.read(path)
    first, second, _ = questions = article.paragraphs[0].questions
    assert [len(one.answers) for one in questions] == [1, 0, 0] and not article.predicted
    squad.write([article], tmp_path / "out.json")
    assert questions_of(tmp_path / "out.json") == questions_of(path)
    squad.write([with_questions(article, first, replace(second, answers=first.answers))], tmp_path / "out.json")
    assert "predicted" not in (tmp_path / "out.json").read_text()
    assert squad.read(file({"answers": [TURKU], "predicted": True}, {}))[0].predicted == ("answers",)


@pytest.mark.parametrize("asked", [{}, {"answers": []}, {"answers": None}, {"answers": None, "is_impossible": False}])
def test_a_question_that_nobody_has_answered_may_say_so_in_any_way(file, asked):
    assert not squad.read(file(asked))[0].paragraphs[0].questions[0].settled


def test_parts_of_one_title_are_one_article_and_those_without_title_are_not(tmp_path):
    paragraphs = [[{"context": f"{n} towns", "qas": [{"id": n, "question": "?"}]}] for n in range(4)]
    titles = [{"title": "no paragraph"}, {"title": "a"}, {}, {"title": "a"}, {"title": ""}]
    data = [title | {"paragraphs": each} for title, each in zip(titles, [[], *paragraphs], strict=True)]
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


@pytest.mark.parametrize("answers", [[{}], 5, [TURKU]])
def test_a_question_whose_id_was_used_before_stays_as_it_is(file, tmp_path, answers):
    path, said = file({}, {"id": "0", "answers": answers}), []
    (article,) = squad.read(path, said.append)
    assert [error.message for error in said] == ["question id '0' is used twice; give each question its own"]
    (asked,) = article.paragraphs[0].questions
    squad.write([with_questions(article, replace(asked, answers=(Answer("town", 13),)))], tmp_path / "out.json")
    first, second = questions_of(tmp_path / "out.json")
    assert (first["answers"], second) == ([{"text": "town", "answer_start": 13}], questions_of(path)[1])


def test_an_article_without_a_question_is_none_to_annotate_and_stays_in_the_file(tmp_path):
    asked = {"id": "1", "question": "Where?", "answers": []}
    articles = [("empty", []), ("a", [asked]), ("again", [asked])]
    data = [{"title": title, "paragraphs": [{"context": CONTEXT, "qas": qas}]} for title, qas in articles]
    (tmp_path / "x.json").write_text(json.dumps({"data": data}))
    said = []
    (article,) = squad.read(tmp_path / "x.json", said.append)
    assert (article.id, len(said)) == ("a", 1)
    squad.write([article], tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["data"] == data
    squad.write([replace(article, begun=True)], tmp_path / "begun.json")
    written = json.loads((tmp_path / "begun.json").read_text())["data"]
    assert [part.get("label_status") for part in written[:2]] == [None, "begun"]
    (tmp_path / "x.json").write_text(json.dumps({"data": [data[0] | {"label_status": "begun"}, data[1]]}))
    assert not squad.read(tmp_path / "x.json")[0].begun


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
    for path in languages[:2]:
        articles = read(path)
        assert (len(articles), sum(len(a.paragraphs) for a in articles)) == (48, 240)
        assert sum(len(p.questions) for a in articles for p in a.paragraphs) == 1190


@given(st.text("ab", max_size=30), st.text("ab", min_size=1, max_size=4), st.integers(-3, 40))
def test_the_nearest_place_of_an_answer_is_named(context, text, start):
    places = [place for place in range(len(context)) if context.startswith(text, place)]
    found = squad._nearest(text, context, start)
    assert (found is None) == (not places)
    if places:
        assert abs(found - start) == min(abs(place - start) for place in places)


def test_no_place_is_looked_for_far_from_where_an_answer_should_be(monkeypatch):
    monkeypatch.setattr(squad, "MAX_DISTANCE", 5)
    assert squad._nearest("b", "a" * 20 + "b", 16) == 20
    assert squad._nearest("b", "a" * 20 + "b", 10) is None
