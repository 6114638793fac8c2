from dataclasses import replace
from itertools import product

import pytest

from fewshot import tasks
from fewshot.corpora.types import Answer, Article, Paragraph, Question
from fewshot.errors import CorpusError
from fewshot.evaluation import predict
from fewshot.heads.span import ScoredSpan
from fewshot.tasks.qa import normalised
from fewshot.training.model import build_model

QA = tasks.get("qa")


def article(context, *answers, question="?", lang=""):
    found = tuple(Answer(answer, context.index(answer)) for answer in answers)
    return Article("a", (Paragraph(context, (Question("q", question, found),)),), lang)


def answered(gold, *texts):
    rest, paragraphs = iter(texts), []
    for paragraph in gold.paragraphs:
        questions = tuple(replace(q, answers=(Answer(next(rest), 0),)) for q in paragraph.questions)
        paragraphs.append(replace(paragraph, questions=questions))
    return replace(gold, paragraphs=tuple(paragraphs))


@pytest.mark.parametrize(
    ("text", "lang", "words"),
    [
        ("The U.S. Army's  a-bomb,\nAn  EGG", "en", ["us", "armys", "abomb", "egg"]),
        ("“Then” – $5", "en", ["“then”", "–", "5"]),  # the script for SQuAD knows ASCII punctuation only
        ("“Then” – $5", "", ["then", "5"]),
        ("những cái cây là của tôi", "vi", ["cây", "tôi"]),
        ("القاهرة، بالمدينة", "ar", ["قاهرة", "ب", "مدينة"]),
        ("the la der", "fr", ["the", "la", "der"]),
        ("ताज महल।", "hi", ["ताज", "महल"]),
        ("東京タワー", "ja", ["東", "京", "タ", "ワ", "ー"]),
        ("ที่นี่ 5", "th", ["ที่", "นี่", "5"]),
    ],
)
def test_what_is_compared_of_an_answer(text, lang, words):
    assert list(normalised(text, lang)) == words


@pytest.mark.parametrize(
    ("lang", "context", "gold", "guess", "expected"),
    [
        ("en", "In the old town of Turku.", ["old town"], "The old town", (1, 1)),
        ("en", "In the old town of Turku.", ["old town"], "town of Turku", (0, 2 / 5)),
        ("en", "In the old town of Turku.", ["Turku", "old town of Turku"], "town of Turku", (0, 6 / 7)),
        ("en", "In the old town of Turku.", ["Turku"], "Oulu", (0, 0)),
        ("en", "In the old town of Turku.", ["Turku"], "the", (0, 0)),  # nothing is left to compare
        ("zh", "首都是北京市。", ["北京市"], "北京", (0, 4 / 5)),
    ],
)
def test_scores_by_hand(lang, context, gold, guess, expected):
    one = article(context, *gold, lang=lang)
    assert QA.counts(one, answered(one, guess)) == pytest.approx([*expected, 1])


def test_counts_add_up_over_the_questions_of_an_article():
    questions = tuple(Question(f"q{n}", "?", (Answer("Turku", 0),)) for n in range(2))
    gold = Article("a", (Paragraph("Turku", questions), Paragraph("Oulu", ()), Paragraph("Turku", questions[:1])))
    counts = QA.counts(gold, answered(gold, "Turku", "Oulu", "Turku Oulu"))
    assert counts == pytest.approx([1, 1 + 2 / 3, 3])
    assert QA.metrics(counts) == pytest.approx({"em": 100 / 3, "f1": 500 / 9})
    assert QA.counts(gold, gold.unannotated()) == pytest.approx([0, 0, 3])
    assert QA.units([gold, gold]) == {"token": 6, "article": 2, "paragraph": 6, "question": 6}


@pytest.mark.parametrize(
    ("context", "answers", "words"),
    [
        ("It is $1,990s old.", ["$1"], [(2, 3)]),
        ("It is 1990s old.", ["1990", "s old"], [(2, 2), (2, 3)]),  # whole words
        ("It is 1990s old.", ["old", "old", "."], [(3, 3), (4, 4)]),
        ("อยู่ที่นี่", ["ที่"], [(2, 2)]),
        ("a  b", ["a  b", " b"], [(0, 1), (1, 1)]),
    ],
)
def test_words_of_an_answer(context, answers, words):
    assert QA.targets(article(context, *answers)) == [words]


def test_words_of_an_answer_give_back_the_answer():
    for context in ("In 1990s: “Turku”, 5%.", "首都是 北京 2008年。", "อยู่ที่นี่", "क्षेत्रफल का नाम", "می\u200cروم a"):
        for number, word in enumerate(QA.inputs(article(context, context))[0].segments[0]):
            predicted = QA.annotate(article(context), [[ScoredSpan(number, number, 0.0)]])
            (answer,) = predicted.paragraphs[0].questions[0].answers
            assert answer.text == word and context.startswith(answer.text, answer.start)
            assert QA.targets(predicted) == [[(number, number)]]


def test_every_question_gets_its_own_answer():
    questions = tuple(Question(f"q{n}", "?") for n in range(4))
    paragraphs = (Paragraph("a b", questions[:1]), Paragraph("none", ()), Paragraph("c d", questions[1:]))
    places = [(1, 1), (0, 1), (0, 0), (1, 1)]
    predicted = QA.annotate(Article("a", paragraphs), [[ScoredSpan(*place, 0.0)] for place in places])
    texts = [[q.answers[0].text for q in paragraph.questions] for paragraph in predicted.paragraphs]
    assert texts == [["b"], [], ["c d", "c", "d"]]


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        ([Question("q", "?", (Answer("a", 0),)), Question("r", "?")], "question 'r' has no answer; answer it"),
        ([Question("q", "?", (Answer("a", 1),))], "question 'q': 'a' is not at offset 1 of the paragraph"),
        (
            [Question("q", "?", (Answer("a b c", 0),))],
            "question 'q': 'a b c' is not at offset 0",
        ),  # longer than the paragraph
        ([Question("q", "?", (Answer(" ", 1),))], "question 'q': the answer ' ' holds no word"),
        ([], "no qa annotation here"),
    ],
)
def test_what_cannot_be_gold(questions, message):
    bad = Article("a", (Paragraph("a b", tuple(questions)),), where="x.json: article 'a'")
    with pytest.raises(CorpusError, match=r"^x\.json: article 'a': ") as caught:
        tasks.check_gold(QA, [bad])
    assert message in str(caught.value)


def test_any_question_about_any_paragraph_with_words_gets_an_answer(encoder):
    questions, contexts = ("?" * 200, "word " * 200, "", "\u200b"), ("a", "long " * 100, "北京" * 60)
    asked = [article(context, question=question) for question, context in product(questions, contexts)]
    *predicted, silent = predict(build_model(QA, encoder, 0, 0.1).eval(), [*asked, article("\u200b")])
    assert [QA.check(one) for one in predicted] == [None] * 12
    assert silent == article("\u200b")
