import pytest
from cli.calls import call

from fewshot.encoders.load import load_encoder
from fewshot.encoders.piece_counts import PieceCount, count_pieces


def test_pieces_words_and_unknown_characters_are_counted(encoder, xlmr_folder):
    assert count_pieces(encoder, ["abc d!", "ab"]) == PieceCount(words=4, pieces=7, characters=7, unknown=0)
    assert count_pieces(encoder, ["aж ab", "жж"]) == PieceCount(words=3, pieces=4, characters=6, unknown=4)
    bare = count_pieces(load_encoder(str(xlmr_folder)), ["京"])  # U+2581 before it is no piece of it
    assert (bare.pieces, bare.unknown) == (1, 1)


@pytest.fixture
def texts(tmp_path):
    for lang, text in {"en": "a bc\n", "fi": "abcd abcd\n", "ru": "жжжжжжж жжжжжж\n"}.items():
        (tmp_path / f"{lang}.txt").write_text(text, encoding="utf-8")
    return tmp_path


def test_the_language_that_is_read_worst_comes_first(texts, encoder_folder, tmp_path):
    done = call(
        "analyze", "pieces", texts, "--model", encoder_folder, "--most", "1", "--out", tmp_path / "all.csv", ends=0
    )
    assert "median of 3 languages: 1.50 pieces per word, 0.00% unknown characters" in done.output
    assert "ru" in done.output and "fi" not in done.output
    assert f"{encoder_folder}  2" in done.output and "unknown characters (%)" in done.output, "nothing is cut"
    rows = [line.split(",") for line in (tmp_path / "all.csv").read_text().splitlines()]
    assert [(row[0], *row[2:]) for row in rows[1:]] == [
        ("ru", "2", "1.00", "100.00"),
        ("fi", "2", "4.00", "0.00"),
        ("en", "2", "1.50", "0.00"),
    ]


def test_texts_that_cannot_be_told_apart_or_are_missing_are_refused(texts, encoder_folder, tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "sw.conllu").write_text("1\ta" + "\t_" * 8 + "\n\n")
    for path, message in (
        (tmp_path / "more", "no raw text"),
        (tmp_path / "no.txt", "no such file"),
        (tmp_path / "sw.conllu", "this is CoNLL-U; give raw text"),
    ):
        assert message in call("analyze", "pieces", path, "--model", encoder_folder, ends=2).output
    (tmp_path / "more" / "en.txt").write_text("a\n")
    assert "have the same name" in call("analyze", "pieces", texts, tmp_path / "more", ends=2).output
