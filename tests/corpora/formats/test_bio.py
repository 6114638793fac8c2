from dataclasses import replace

import pytest

from fewshot.corpora.formats import bio
from fewshot.errors import CorpusError

TEXT = "Anna\tB-PER\nSmith\tI-PER\nsleeps\tO\n\nOslo\tB-LOC\n\n"


def test_round_trip(tmp_path):
    path = tmp_path / "a.bio"
    path.write_text(TEXT)
    first, second = bio.read(path)
    assert first.words == ("Anna", "Smith", "sleeps")
    assert second.entities == ("B-LOC",)
    assert second.where.endswith("a.bio:5")
    bio.write([first, second], tmp_path / "b.bio")
    assert (tmp_path / "b.bio").read_text() == TEXT


def test_last_sentence_needs_no_blank_line_and_comments_are_skipped(tmp_path):
    path = tmp_path / "a.bio"
    path.write_text("# sentence 1\n" + TEXT.strip())
    assert [sentence.length for sentence in bio.read(path)] == [3, 1]


@pytest.mark.parametrize("line", ["#\tO", "# O", "# SYM I-NP O", "# _ O B-X"])
def test_hash_token_is_no_comment(tmp_path, line):
    path = tmp_path / "a.bio"
    path.write_text(line + "\n")
    assert bio.read(path)[0].words == ("#",)


@pytest.mark.parametrize("line", ["# sent_id = a_1", "# text = _", "# text = Who am I - O", "#"])
def test_comments_are_skipped(tmp_path, line):
    path = tmp_path / "a.bio"
    path.write_text(f"{line}\na\tO\n")
    assert bio.read(path)[0].words == ("a",)


def test_columns_may_be_separated_by_spaces_and_documents_marked_as_in_conll_2003(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("-DOCSTART- -X- -X- O\n\nAnna NNP B-NP B-PER\nSmith NNP I-NP I-PER \n\nOslo B-LOC\n")
    first, second = bio.read(path)
    assert (first.id, first.words, first.entities) == ("a-1", ("Anna", "Smith"), ("B-PER", "I-PER"))
    assert (second.id, second.entities) == ("a-2", ("B-LOC",))


def test_any_scheme_of_another_source_is_written_as_iob2(tmp_path):
    path = tmp_path / "a.bio"
    path.write_text("".join(f"w\t{tag}\n" for tag in ["I-PER", "E-PER", "S-LOC", "_", "I-LOC"]))
    bio.write([replace(bio.read(path)[0], record=None)], path)
    assert bio.read(path)[0].entities == ("B-PER", "I-PER", "B-LOC", "_", "B-LOC")


def test_tags_stay_in_the_scheme_of_the_file(tmp_path):
    path = tmp_path / "a.bio"
    tags = ["B-PER", "I-PER", "E-PER", "S-LOC", "O", "B-ORG", "L-ORG", "U-LOC", "_"]
    path.write_text("".join(f"w\t{tag}\n" for tag in tags))
    assert bio.read(path)[0].entities == tuple(tags)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("Anna\tB-PER\nSmith\n", ":2: ", "'token TAB tag' on this line; a tag that is still to be given is _"),
        ("Anna\tPER\n", ":1: ", "'PER' is no entity tag"),
        ("in\tO\nOslo\tM-LOC\n", ":2: ", "'M-LOC' is no entity tag (O, B-TYPE, I-TYPE; or E-, S-, L-, U-TYPE)"),
        ("in\tO\nOslo\tS-\n", ":2: ", "'S-' is no entity tag"),
        ("\tO\n", ":1: ", "token TAB tag"),
        ("", ": ", "empty"),
        ("# nothing\n", ": ", "no sentence"),
    ],
)
def test_bad_lines_are_named(tmp_path, text, place, message):
    path = tmp_path / "a.bio"
    path.write_text(text)
    with pytest.raises(CorpusError) as caught:
        bio.read(path)
    assert str(caught.value).startswith(f"{path}{place}")
    assert message in str(caught.value)
