"""Subword overlap: the definitions of Wu & Dredze 2019, section 5.4, and the way from data to correlations."""

import random
from collections import Counter

import pandas as pd
import pytest
import torch
from making import article, examples, made_up, small_recipe

from fewshot import tasks
from fewshot.corpora.formats import conllu
from fewshot.corpora.load import fingerprint
from fewshot.corpora.types import Pair, Sentence
from fewshot.encoders.load import load_encoder
from fewshot.papers import overlap
from fewshot.training import sources
from fewshot.training.adapt import train_source

LANGS = ("fi", "sv", "de", "ja")


@pytest.fixture
def call(analyze, tmp_path, encoder_folder):
    """``fewshot analyze overlap`` on POS of four languages, with a source model trained for a moment."""
    write(tmp_path / "data" / "en_made", made_up(20, seed=1), "train")
    for number, lang in enumerate(LANGS, start=2):
        write(tmp_path / "data" / f"{lang}_made", [strange(s, number) for s in made_up(12, seed=number)], "test")
    save_source(tmp_path / "data" / "en_made", encoder_folder)
    values = {"data": tmp_path / "data", "task": "pos", "langs": ",".join(LANGS), "model": encoder_folder}
    return lambda **options: analyze("overlap", **{**values, "device": "cpu", "out": tmp_path / "out", **options})


def write(folder, sentences, split):
    folder.mkdir(parents=True)
    conllu.write(sentences, folder / f"{split}.conllu")


def strange(sentence, number):
    """Put a letter that the lexicon has not behind every so many words."""
    words = [
        f"{word}Q" if place % number == 0 and word.isalpha() else word for place, word in enumerate(sentence.words)
    ]
    return Sentence(sentence.id, " ".join(words), tuple(words), sentence.upos)


def save_source(folder, encoder_folder):
    gold = conllu.read(folder / "train.conllu")
    model = train_source(
        tasks.get("pos"),
        load_encoder(str(encoder_folder)),
        gold,
        small_recipe(updates=2, average=1),
        0,
        torch.device("cpu"),
    )
    model.provenance = {"lang": "en", "data": str(folder), "data_fingerprint": fingerprint(gold)}
    model.save(sources.kept_in() / f"pos-{encoder_folder.name}")


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


def test_scores_and_overlap_of_every_language_and_their_correlation(call, tmp_path):
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


def test_a_second_time_nothing_is_measured(call, tmp_path, monkeypatch):
    assert call().exit_code == 0
    kept = (tmp_path / "out" / "cells.jsonl").read_bytes()
    monkeypatch.setattr(overlap, "subwords", lambda *_: pytest.fail("measured again"))
    assert call().exit_code == 0
    assert (tmp_path / "out" / "cells.jsonl").read_bytes() == kept


def test_it_works_with_xlm_r(call, tmp_path, xlmr_folder):
    save_source(tmp_path / "data" / "en_made", xlmr_folder)
    result = call(model=xlmr_folder)
    assert result.exit_code == 0, result.output


def test_another_tokenizer_is_measured_anew(call, tmp_path, recut):
    assert call().exit_code == 0
    cells = tmp_path / "out" / "cells.jsonl"
    before = cells.read_bytes().count(b"\n")
    assert call(model=recut).exit_code == 0
    assert cells.read_bytes().count(b"\n") == 2 * before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "tagging"}, "unknown task 'tagging'"),
        ({"task": "ner"}, "no test set of ner in fi, sv, de, ja"),
        ({"langs": "xx"}, "no test set of pos in xx"),
        ({"data": "nowhere"}, "no such folder"),
        ({"device": "abacus"}, "cannot be used"),
    ],
)
def test_bad_input_ends_with_one_line(call, options, message):
    result = call(**options)
    assert result.exit_code == 2
    assert result.output.startswith("error: ") and message in result.output
    assert len(result.output.splitlines()) == 1


def test_training_data_must_be_those_of_the_source_model(call, tmp_path):
    folder = tmp_path / "data" / "en_made"
    conllu.write(examples("sentences", 5, 9), folder / "train.conllu")
    result = call()
    assert result.exit_code == 2 and f"trained on {folder}, and no folder of --data holds the same" in result.output
    (folder / "train.conllu").unlink()
    assert "no train file of sentences here" in call().output
