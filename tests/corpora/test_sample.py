import json
import re
import unicodedata
from collections import Counter

import pytest
from corpora import official

from fewshot import tasks
from fewshot.corpora.embedded import sample_dir, sample_languages
from fewshot.corpora.load import load, read
from fewshot.corpora.words import spans, words

TOPICS = {
    "science/technology": "scien|technolog|科学|技術|علوم|علمي|تقني|تكنولوجي|sayansi|teknolojia",
    "travel": r"travel|touris|旅行|観光|سفر|سياح|utalii|\bsafari\b",
    "politics": "politic|政治|سياس|siasa",
    "sports": r"\bsport|スポーツ|競技|رياض|michezo",
    "health": "health|健康|保健所|صحة|صحي|afya",
    "entertainment": "entertain|娯楽|芸能|エンタ|ترفيه|تسلية|burudani",
    "geography": "geograph|地理|جغرافي|jiografia",
}
"""The topics of SIB-200, and the words that would give them away."""
NEGATION = {
    "en": r"\b(no|not|cannot|never|nobody|none|nothing|without|unless)\b|n't\b",
    "ja": "ない|なかっ|なく|ません|ずに|さず",
    "ar": r"\b(لا|لم|لن|ليس|ليست|غير|دون|بلا)\b",
    "sw": r"\b(si|bila|sik\w+|ha(?!misi\b|ta\b|pa\b)\w+)\b",
}
"""Words that negate, in each language of the pairs."""
FILES = [sample_dir(lang) / f"{part}.conllu" for lang in sample_languages() for part in ("pool", "test")]
every_language = pytest.mark.parametrize("lang", sample_languages())


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_official_validator_passes_at_level_3(file):
    assert official.faults(file, level=3) == []


@pytest.mark.parametrize("task", tasks.registry().values(), ids=tasks.registry())
def test_every_task_has_a_pool_and_a_test_set_in_english_and_in_other_languages(task):
    kind = task.example.kind
    assert sample_languages(kind) == sample_languages()
    assert {"en"} < set(sample_languages())
    for lang in sample_languages():
        corpus = load(lang, kind=kind)
        assert corpus.count.in_test == 0
        tasks.check_gold(task, corpus.pool)
        tasks.check_gold(task, corpus.test)


@every_language
@pytest.mark.parametrize(
    ("kind", "each", "texts"), [("pairs", 10, ("premise", "hypothesis")), ("documents", 5, ("text",))]
)
def test_labels_are_balanced_ids_unique_and_texts_of_pool_and_test_set_apart(kind, each, texts, lang):
    labels = tasks.get("nli").labels if kind == "pairs" else TOPICS
    parts = [read(sample_dir(lang, kind) / f"{part}.tsv") for part in ("pool", "test")]
    for part in parts:
        assert Counter(example.label for example in part) == dict.fromkeys(labels, each)
    ids = [example.id for part in parts for example in part]
    assert len(set(ids)) == len(ids)
    pool, test = ([getattr(example, text) for example in part for text in texts] for part in parts)
    assert not {*pool} & {*test}
    assert all(text == unicodedata.normalize("NFC", " ".join(text.split())) for text in (*pool, *test))


def guessed(pairs, mark):
    """Share of pairs that are guessed by the most frequent label of each value of a mark."""
    seen = Counter((mark(pair), pair.label) for pair in pairs)
    return sum(max(n for (m, _), n in seen.items() if m == value) for value in {m for m, _ in seen}) / len(pairs)


def overlap(pair):
    premise, hypothesis = (
        [word for word in words(text.lower()) if word.isalnum()] for text in (pair.premise, pair.hypothesis)
    )
    return sum(word in premise for word in hypothesis) / len(hypothesis)


@every_language
def test_pairs_cannot_be_guessed_from_negation_length_or_overlap(lang):
    corpus = load(lang, kind="pairs")
    pairs = (*corpus.pool, *corpus.test)
    negated = [pair.label for pair in pairs if re.search(NEGATION[lang], pair.hypothesis.lower())]
    assert min(Counter(negated)[label] for label in tasks.get("nli").labels) >= 5
    assert guessed(pairs, lambda pair: bool(re.search(NEGATION[lang], pair.hypothesis.lower()))) < 0.55
    for size in (lambda pair: len(words(pair.hypothesis)), lambda pair: len(pair.hypothesis), overlap):
        for least in {size(pair) for pair in pairs}:
            assert guessed(pairs, lambda pair, size=size, least=least: size(pair) < least) < 0.55


@every_language
def test_no_document_names_its_topic(lang):
    corpus = load(lang, kind="documents")
    for document in (*corpus.pool, *corpus.test):
        assert not re.search(TOPICS[document.label], document.text.lower()), document.id


@every_language
def test_answers_are_whole_words_and_articles_share_no_title_text_or_question_id(lang):
    files = [sample_dir(lang, "articles") / f"{part}.json" for part in ("pool", "test")]
    parts = [json.loads(file.read_text(encoding="utf-8"))["data"] for file in files]
    assert [len(data) for data in parts] == [10, 5]
    every = [article for data in parts for article in data]
    assert {len(article["paragraphs"]) for article in every} == {2}
    paragraphs = [paragraph for article in every for paragraph in article["paragraphs"]]
    for paragraph in paragraphs:
        context = paragraph["context"]
        starts, ends = zip(*spans(context), strict=True)
        assert len(paragraph["qas"]) in (2, 3)
        for answer in (answer for question in paragraph["qas"] for answer in question["answers"]):
            start, end = answer["answer_start"], answer["answer_start"] + len(answer["text"])
            assert context[start:end] == answer["text"]
            assert start in starts and end in ends
    titles, contexts = [article["title"] for article in every], [paragraph["context"] for paragraph in paragraphs]
    for values in (titles, contexts, [question["id"] for paragraph in paragraphs for question in paragraph["qas"]]):
        assert len(set(values)) == len(values)
