import tracemalloc

import pytest

from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu, text
from fewshot.corpora.formats.registry import BadRows
from fewshot.corpora.segmentation import PLAIN, Segmentation


def test_a_line_is_a_sentence_and_its_text_is_kept(upload, tmp_path):
    path = upload("\ufeffEins,  zwei.\r\n\n  \r\nDrei\u00a0vier \u200b ", "raw.txt")
    first, second = text.read(path)
    assert (first.id, first.text, first.words) == ("raw-1", "Eins,  zwei.", ("Eins", ",", "zwei", "."))
    assert (second.id, second.text, second.where) == ("raw-4", "Drei\u00a0vier", f"{path}:4")
    conllu.write([first, second], tmp_path / "x.conllu")
    assert [one.split("\t")[0] for one in (tmp_path / "x.conllu").read_text().splitlines() if "After=No" in one] == [
        "1", "3",
    ]  # fmt: skip
    assert conllu.read(tmp_path / "x.conllu") == [first, second]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a\t\u200b\tb", "a\tb"), ("a\u00a0\u200b\u00a0b", "a\u00a0b"), ("a\u3000\u200b b", "a\u3000b"),
        ("a\t \u200b", "a"), ("\u200e a", "a"), ("a\u200b  b", "a\u200b  b"),
    ],
)  # fmt: skip
def test_invisible_characters_alone_between_spaces_are_left_out_and_lines_of_spaces_are_blank(upload, line, expected):
    path = upload(f"\u00a0\n{line}\n \u3000\n", "raw.txt")
    assert [(one.id, one.text) for one in text.read(path)] == [("raw-2", expected)]


def test_a_paragraph_is_split_into_sentences(upload):
    path = upload("Xale yi dañuy dem ekol.  Ndiaye a ngi fi!\n\nLan la?\n", "raw.txt")
    read = list(text.read(path, Segmentation(paragraphs=True), "wo"))
    assert [one.text for one in read] == ["Xale yi dañuy dem ekol.", "Ndiaye a ngi fi!", "Lan la?"]
    assert [one.id for one in read] == ["raw-1-1", "raw-1-2", "raw-3-1"]
    assert [one.where for one in read] == [f"{path}:1", f"{path}:1", f"{path}:3"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["One. Two.", "Three. Four! Five?", "Six."], True),
        (["One.", "Two. Three.", "Four.", "\udcff"], False),
        ([], False),
    ],
)
def test_files_of_paragraphs_are_told_by_their_lines(tmp_path, lines, expected):
    (tmp_path / "x.txt").write_text("\n".join(lines), encoding="utf-8", errors="surrogateescape")
    assert text.has_paragraphs(tmp_path / "x.txt", "en") is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [("ผม กิน ข้าว ที่ บ้าน", True), ("ผมกินข้าว ที่บ้าน", False), ("ကျွန်တော်သည် ကျောင်းသို့ သွားသည်။", False), ("a b c", False)],
    ids=["words", "phrases", "phrases of Burmese", "another script"],
)
def test_spaces_that_separate_the_words_of_thai_are_told_from_those_of_phrases(upload, line, expected):
    pytest.importorskip("icu4py")
    assert text.has_spaced_words(upload(f"English here.\n{line}\n", "x.txt")) is expected


def test_of_raw_text_one_sentence_is_held_at_a_time(tmp_path):
    """A line of one word takes some hundred times its bytes: 48 MB of such lines took 5 GB."""
    file = tmp_path / "x.txt"
    file.write_text("a\n" * 3_000 + "bad\x00\n")

    def read():
        return formats.read_valid(file, None, "xx", tasks.get("pos"), PLAIN, BadRows())

    next(read())  # loads what is loaded once
    tracemalloc.start()
    try:
        assert sum(1 for _ in read()) == 3_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak / 3_000 < 150  # bytes, of its id; an example takes 400 and more
