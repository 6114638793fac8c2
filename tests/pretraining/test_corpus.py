import lzma

import pytest
from pretraining.making import write_lines

from fewshot.errors import CorpusError
from fewshot.pretraining import corpus


def read(folder):
    skipped = []
    sentences = {lang: list(corpus.mono(folder, lang, skipped)) for lang in corpus.languages(folder)}
    return sentences, list(corpus.parallel(folder, skipped)), [str(error) for error in skipped]


def test_corrupt_lines_are_left_out_and_named(folder):
    lines = [f"sentence {number}" for number in range(30)]
    write_lines(folder / "mono" / "en.txt.xz", [*lines[:10], b"caf\xe9\n", *lines[10:]])
    rows = [f"fi\t{number}\tsana {number}" for number in range(30)]
    write_lines(folder / "parallel" / "made.tsv.xz", ["lang\ten\ttext", *rows, "fi\tthree", "Finnish\tfour\tneljä"])
    sentences, aligned, skipped = read(folder)
    assert sentences["en"] == lines
    assert aligned == [{"en": str(number), "fi": f"sana {number}"} for number in range(30)]
    assert skipped == [
        f"{folder}/mono/en.txt.xz:11: byte 0xe9 is not UTF-8",
        f"{folder}/parallel/made.tsv.xz:32: 2 columns where the header has 3",
        f"{folder}/parallel/made.tsv.xz:33: 'Finnish' is no language code",
    ]


def test_empty_cells_are_missing_translations(folder):
    write_lines(folder / "parallel" / "made.tsv.xz", ["en\tfi\tzh-Hant", "a\t b \t", "\t\tc", "d\te\tf\r"])
    assert read(folder)[1] == [{"en": "a", "fi": "b"}, {"en": "d", "fi": "e", "zh-Hant": "f"}]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("mono/en.txt.xz", b"plain text\n", r"mono/en\.txt\.xz: not a whole xz file"),
        ("mono/en.txt.xz", lzma.compress(b"cut short\n" * 99)[:-9], r"mono/en\.txt\.xz: not a whole xz file"),
        ("mono/en.txt.xz", b"", r"mono/en\.txt\.xz: not a whole xz file"),
        ("mono/en.txt.xz", lzma.compress(b"\n \n"), r"mono/en\.txt\.xz: the file holds no sentence"),
        ("mono/en.txt.xz", lzma.compress(b"caf\xe9\nno\n"), r"1 of 2 lines are corrupt.*en\.txt\.xz:1: byte"),
        ("mono/notes.txt.xz", lzma.compress(b"no\n"), "'notes' is no language code"),
        ("parallel/made.tsv.xz", lzma.compress(b""), r"made\.tsv\.xz:1: the first line must name the columns"),
        ("parallel/made.tsv.xz", lzma.compress(b"A cat\tKissa\n"), "must name the columns"),
        ("parallel/made.tsv.xz", lzma.compress(b"lang\ttext\nfi\tKissa\n"), "must name the columns"),
        ("parallel/made.tsv.xz", lzma.compress(b"en\nA cat\n"), "must name the columns"),
        ("parallel/made.tsv.xz", lzma.compress(b"en\ten\nA cat\tA dog\n"), "must name the columns"),
        ("parallel/made.tsv.xz", lzma.compress(b"en\tfi\nA cat, Kissa\n"), "1 of 2 lines are corrupt.*1 columns where"),
    ],
)
def test_corrupt_files_are_refused(folder, name, data, message):
    (folder / name).write_bytes(data)
    with pytest.raises(CorpusError, match=message):
        read(folder)
    with pytest.raises(CorpusError, match="give a corpus folder"):
        corpus.languages(folder / "mono")


def test_fingerprint_is_that_of_all_files(folder):
    seen = {corpus.fingerprint(folder)}
    write_lines(folder / "mono" / "sv.txt.xz", ["hus"])
    seen.add(corpus.fingerprint(folder))
    (folder / "mono" / "sv.txt.xz").rename(folder / "mono" / "no.txt.xz")
    seen.add(corpus.fingerprint(folder))
    write_lines(folder / "parallel" / "made.tsv.xz", ["en\tfi", "a\tb"])
    seen.add(corpus.fingerprint(folder))
    assert len(seen) == 4


def test_small_languages_count_for_more_than_their_size():
    sentences = {"en": ["e"] * 900, "yo": ["y"] * 100}
    assert corpus.balanced(sentences, 1000, 1.0, 0).count("y") == 100
    assert corpus.balanced(sentences, 1000, 0.5, 0).count("y") == 250
    assert corpus.balanced(sentences, 1000, 0.0, 0).count("y") == 500


def test_originals_are_in_the_language_that_most_rows_have():
    rows = [{"fi": "kissa", "en": "cat"}, {"sw": "mbwa", "en": "dog", "fi": "koira"}, {"fi": "talo", "sw": "nyumba"}]
    rows += [{"en": "sun", "sw": "jua"}, {"en": "sea", "sw": "bahari"}]
    translations = corpus.translations(rows)
    assert translations == {
        "fi": [("kissa", "cat"), ("koira", "dog")],
        "sw": [("mbwa", "dog"), ("jua", "sun"), ("bahari", "sea")],
    }
    assert corpus.translations([]) == {}
