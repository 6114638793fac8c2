from dataclasses import replace

import pytest

from fewshot.corpora.formats import bio


def test_columns_may_be_separated_by_spaces_and_documents_marked_as_in_conll_2003(upload):
    text = "-DOCSTART- -X- -X- O\n\nAnna NNP B-NP B-PER\nSmith NNP I-NP I-PER \n\nOslo B-LOC\n"
    first, second = bio.read(upload(text, "a.conll"))
    assert (first.id, first.words, first.entities) == ("a-1", ("Anna", "Smith"), ("B-PER", "I-PER"))
    assert (second.id, second.entities) == ("a-2", ("B-LOC",))


def test_tags_stay_in_the_scheme_of_the_file_and_are_written_as_iob2_elsewhere(upload):
    tags = ["I-PER", "E-PER", "S-LOC", "_", "I-LOC", "B-ORG", "L-ORG", "U-LOC", "O"]
    (found,) = bio.read(path := upload("".join(f"w\t{tag}\n" for tag in tags), "a.bio"))
    assert found.entities == tuple(tags)
    bio.write([replace(found, record=None)], path)
    assert bio.read(path)[0].entities == ("B-PER", "I-PER", "B-LOC", "_", "B-LOC", "B-ORG", "I-ORG", "B-LOC", "O")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("#\tO", ("#", "a")), ("# O", ("#", "a")), ("# SYM I-NP O", ("#", "a")), ("# _ O B-X", ("#", "a")),
        ("#word _", ("#word", "a")), ("#x=1 O", ("#x=1", "a")), ("#Text= NOUN O O", ("#Text=", "a")),
        ("# id fcf8\tdomain=en", ("a",)), ("# 1\tO", ("# 1", "a")), ("#x = 1 O", ("a",)), ("-DOCSTART- (1)\tO", ("a",)),
        ("# sent_id = a_1", ("a",)), ("# text = _", ("a",)), ("# text = Who am I - O", ("a",)), ("#", ("a",)),
    ],
)  # fmt: skip
def test_a_line_that_begins_with_a_hash_is_a_comment_unless_it_ends_in_a_tag(upload, line, words):
    assert bio.read(upload(f"{line}\na\tO", "a.bio"))[0].words == words


@pytest.mark.parametrize("comment", ["## predicted = NER", "# see # predicted = NER"])
def test_a_comment_that_holds_the_mark_of_predictions_stays(upload, comment):
    path = upload(text := f"{comment}\nAnna\tB-PER\n\n", "a.bio")
    bio.write(bio.read(path), path)
    assert path.read_text() == text


def test_tags_in_another_column_than_the_last_are_warned_of_unless_they_are_of_chunks(upload):
    sentences = bio.read(upload("Ana\tB-NP\tB-PER\nOslo\tB-NP\tO\n\nOslo\tB-LOC\tB-ORG\na\tO\tO\n", "a.bio"))
    found = [odd for sentence in sentences for odd in bio.oddities(sentence)]
    assert found == [(sentences[1].where, "the tags in column 2 are not read; the last column is")]
