from collections import Counter

import pandas as pd
import pytest
from making import made_up, write
from papers.making import analyze, save_source

from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Sentence

LANGS = ("fi", "sv", "de", "ja")


@pytest.fixture
def call(tmp_path, encoder_folder):
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


def test_scores_and_overlap_of_every_language_and_their_correlation_with_the_data_of_the_source_model(call, tmp_path):
    result = call(langs="en,fi,sv,de,ja,el", ends=0)
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
    write(tmp_path / "data" / "en_made", made_up(5, seed=9), "train")
    assert "and no folder of --data holds the same" in call(ends=2).output
