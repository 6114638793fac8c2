"""What is written in any format is read again the same, for any words, texts and annotation."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from corpora.drawn import article, document, numbered, pair, sentence, some
from hypothesis import given
from hypothesis import strategies as st

from fewshot.corpora.formats import (
    bio,
    conll2003,
    conllu,
    eaf,
    flextext,
    jsonl,
    label_studio,
    sfm,
    squad,
    tsv,
    webanno,
)
from fewshot.corpora.types import Article, Sentence
from fewshot.errors import CorpusError


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("written") / "x.file"


def texts_of_words(sentences, stem):
    """Sentences as formats without texts and ids give them back."""
    return [replace(s, id=f"{stem}-{n}", text=" ".join(s.words)) for n, s in enumerate(sentences, start=1)]


@some
@given(made=numbered(sentence, columns=("entities",)))
def test_bio(path, made):
    bio.write(made, path)
    assert bio.read(path) == texts_of_words(made, path.stem)


@some
@given(made=numbered(sentence, columns=("entities",)))
def test_conll2003(path, made):
    conll2003.write(made, path)
    assert bio.read(path) == texts_of_words(made, path.stem)


@some
@given(made=numbered(sentence, columns=("entities",)))
def test_webanno_keeps_texts_too(path, made):
    webanno.write(made, path)
    assert webanno.read(path) == [replace(s, id=f"{path.stem}-{n}") for n, s in enumerate(made, start=1)]


@some
@given(made=numbered(sentence, label=st.sampled_from(["PER", "a=b", "NER"])))
def test_conllu_of_sentences_from_elsewhere(path, made):
    conllu.write(made, path)
    assert conllu.read(path) == made


@some
@given(made=numbered(sentence, label=st.sampled_from(["PER", "a=b", "NER"])))
def test_conllu_of_sentences_from_elsewhere_says_where_no_space_is(path, made):
    conllu.write(made, path)
    for read in conllu.read(path):
        rows = [line.rstrip("\n").split("\t") for line in read.lines if line[0].isdigit()]
        rebuilt = "".join(row[1] + ("" if "SpaceAfter=No" in row[9].split("|") else " ") for row in rows)
        assert rebuilt.rstrip() == " ".join(read.text.split())


@pytest.mark.parametrize("module", [flextext, sfm, eaf], ids=lambda module: module.FORMAT.name)
@some
@given(data=st.data())
def test_interlinear_texts(path, module, data):
    made = data.draw(numbered(sentence, columns=("upos",)))
    if any(char in "\ufffe\uffff" for one in made for char in one.text) and module is not sfm:
        with pytest.raises(CorpusError, match=r"U\+FFF[EF] cannot be written as XML; remove it"):
            module.write(made, path)
        return
    module.write(made, path)
    named = [replace(one, id=f"{path.stem}-{number}") for number, one in enumerate(made, start=1)]
    wanted = texts_of_words(made, path.stem) if module is sfm else [replace(one, text=plain(one.text)) for one in named]
    assert module.read(path) == wanted


def plain(text):
    """A text as formats keep it that have no line ends in it."""
    return re.sub(" +", " ", text)


@some
@given(made=st.one_of(numbered(pair), numbered(document)))
def test_tsv(path, made):
    tsv.write(made, path)
    assert tsv.read(path) == made


@some
@given(made=st.one_of(numbered(pair), numbered(document), numbered(sentence), numbered(sentence, columns=("heads",))))
def test_jsonl(path, made):
    jsonl.write(made, path, made[0].columns)
    assert jsonl.read(path) == made


@some
@given(made=numbered(sentence, columns=("entities",)))
def test_jsonl_with_entities_as_stretches(path, made):
    jsonl.write(made, path, ["entities"], stretches=True)
    assert jsonl.read(path) == made


@some
@given(made=numbered(article))
def test_squad(path, made):
    squad.write(made, path)
    assert squad.read(path) == made


@some
@given(made=numbered(article))
def test_label_studio_of_articles(path, made):
    label_studio.write(made, path, ["answers"])
    assert label_studio.read(path, "articles", ["answers"]) == made


@pytest.mark.parametrize(("make", "kind"), [(pair, "pairs"), (document, "documents")])
@some
@given(data=st.data())
def test_label_studio_of_pairs_and_documents(path, make, kind, data):
    made = data.draw(numbered(make))
    label_studio.write(made, path, ["label"])
    assert label_studio.read(path, kind, ["label"]) == made


@pytest.mark.parametrize("columns", [("upos",), ("heads", "deprels"), ("entities",), Sentence.columns], ids="-".join)
@some
@given(data=st.data())
def test_label_studio_of_sentences(path, columns, data):
    made = data.draw(numbered(sentence, columns=columns))
    label_studio.write(made, path, columns)
    assert label_studio.read(path, "sentences", columns) == made


def test_a_label_that_conllu_cannot_hold_is_refused(tmp_path):
    (made,) = bio_sentences(tmp_path)
    with pytest.raises(CorpusError, match=r"without '\|'"):
        conllu.write([made.annotated(entities=("B-a|b",))], tmp_path / "x.conllu")
    with pytest.raises(CorpusError, match="a label with a tab"):
        conllu.write([made.annotated(upos=("NOUN\t",))], tmp_path / "x.conllu")


def test_a_text_with_half_a_character_is_refused_and_nothing_is_left(tmp_path):
    with pytest.raises(CorpusError, match="half a character"):
        squad.write([Article("\ud83d", ())], tmp_path / "x.json")
    assert not list(tmp_path.iterdir())


def test_writers_leave_the_old_file_where_the_new_one_cannot_be_written(tmp_path):
    path = Path(tmp_path) / "x.bio"
    path.write_text("old")
    bad = [replace(made, words=("a\tb",), record=None) for made in bio_sentences(tmp_path)]
    for write in (bio.write, conllu.write, conll2003.write):
        with pytest.raises(CorpusError, match="cannot be written"):
            write(bad, path)
    assert path.read_text() == "old"


def bio_sentences(folder):
    (folder / "y.bio").write_text("a\tO\n")
    return bio.read(folder / "y.bio")
