"""Subword overlap: the definitions of Wu & Dredze 2019, section 5.4, and the way from data to correlations."""

import random
from collections import Counter

import pandas as pd
import pytest
from making import article, made_up
from papers.making import save_source, write

from fewshot import tasks
from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Pair, Sentence
from fewshot.papers import overlap

LANGS = ("fi", "sv", "de", "ja")


@pytest.fixture
def call(analyze, tmp_path, encoder_folder):
    """``fewshot analyze overlap`` on POS of four languages; each has a letter Q that English has not."""
    data = tmp_path / "data"
    write(data / "en_made", made_up(20, seed=1), "train")
    for number, lang in enumerate(LANGS, start=2):
        write(data / f"{lang}_made", [with_q(sentence, number) for sentence in made_up(12, seed=number)])
    save_source(encoder_folder, data)
    values = {"data": data, "task": "pos", "langs": ",".join(LANGS), "model": encoder_folder}
    return lambda **options: analyze("overlap", **{**values, "device": "cpu", "out": tmp_path / "out", **options})


def with_q(sentence, number):
    """Put a Q behind every so many words."""
    words = [f"{word}Q" if not place % number and word.isalpha() else word for place, word in enumerate(sentence.words)]
    return Sentence(sentence.id, " ".join(words), tuple(words), sentence.upos)


def test_types_count_once_and_tokens_as_often_as_they_occur():
    p_type, p_token = overlap.observed({1, 2, 3}, Counter({1: 7, 3: 1, 4: 1, 5: 1}))
    assert (p_type, p_token) == (50, 80)
    assert overlap.observed(set(), Counter({1: 2})) == (0, 0)


def test_subwords_are_those_of_the_words_without_special_tokens(encoder):
    sentences = [Sentence("1", "ab a", ("ab", "a")), Sentence("2", "a", ("a",) * 100)]  # longer than the encoder takes
    found = overlap.subwords(encoder, tasks.get("pos"), sentences)
    named = {encoder.tokenizer.convert_ids_to_tokens(piece): count for piece, count in found.items()}
    assert named == {"a": 102, "##b": 1}
    pairs = overlap.subwords(encoder, tasks.get("nli"), [Pair("1", "a b", "b c")])
    assert sorted(pairs.values()) == [1, 1, 2]


def test_a_paragraph_of_many_questions_counts_once(encoder):
    one = article(made_up(1, seed=3)[0], random.Random(0))
    (paragraph,) = one.paragraphs
    assert len(paragraph.questions) == 2
    letters = Counter(paragraph.context.replace(" ", "")) + Counter("missa?" * 2)
    found = overlap.subwords(encoder, tasks.get("qa"), [one])
    assert found.total() == letters.total()


def test_scores_and_overlap_of_every_language_and_their_correlation_with_the_data_of_the_source_model(call, tmp_path):
    result = call(langs="en,fi,sv,de,ja,el")
    assert result.exit_code == 0, result.output
    assert "warning: no task has a test set in el" in result.output
    table = pd.read_csv(tmp_path / "out" / "table.csv")
    assert table.lang.tolist() == list(LANGS)  # the source language is no point
    train = Counter("".join(w for s in conllu.read(tmp_path / "data" / "en_made" / "train.conllu") for w in s.words))
    for row in table.itertuples():
        words = [w for s in conllu.read(tmp_path / "data" / f"{row.lang}_made" / "test.conllu") for w in s.words]
        letters = Counter("".join(words))
        assert letters["Q"] and not train["Q"]
        assert row.p_token == pytest.approx(100 * (1 - letters["Q"] / letters.total()))
        pieces = len({(place == 0, letter) for word in words for place, letter in enumerate(word)})
        assert row.p_type == pytest.approx(100 * (pieces - 1) / pieces)
    r = table[["p_token", "score"]].corr().iloc[0, 1]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for text in (page, result.output):
        assert f"{r:.2f} [" in text and "four of five, not in NLI" in text

    folder = tmp_path / "data" / "en_made"
    write(folder, made_up(5, seed=9), "train")
    result = call()
    assert result.exit_code == 2 and f"trained on {folder}, and no folder of --data holds the same" in result.output
    (folder / "train.conllu").unlink()
    assert "no train file of sentences here" in call().output
