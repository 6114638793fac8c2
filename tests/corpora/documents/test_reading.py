import doctest
import re
from dataclasses import replace
from pathlib import Path

import pytest

import fewshot
from fewshot.corpora.documents.cells import Arc, items
from fewshot.corpora.documents.model import ConlluDocument, EntitySpan
from fewshot.corpora.documents.reading import read_conllu, write_conllu
from fewshot.errors import CorpusError

FILE = """\
# sent_id = s1
# text = Vas al mar.
# text_en = You go to the sea.
1\tVas\tir\tVERB\t_\tMood=Ind|Person=2\t0\troot\t0:root\tGloss=go
2-3\tal\t_\t_\t_\tTypo=Yes\t_\t_\t_\tGloss=to.the
2\ta\ta\tADP\t_\t_\t4\tcase\t4:case\t_
3\tel\tel\tDET\t_\t_\t4\tdet\t4:det\tNER=B-LOC
4\tmar\tmar\tNOUN\t_\tNumber=Sing\t1\tobl\t1:obl:a|4.1:nsubj\tNER=I-LOC|Bare|SpaceAfter=No
4.1\tes\tser\tVERB\t_\t_\t_\t_\t1:conj\t_
5\t.\t.\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_

"""


def test_what_a_file_has_can_be_asked_for_by_name(upload):
    (sentence,) = fewshot.read(upload(FILE)).sentences
    first, sea = sentence.words[0], sentence.words[3]
    assert (sentence.id, sentence.text, sentence.metadata["text_en"]) == ("s1", "Vas al mar.", "You go to the sea.")
    assert (first.form, first.lemma, first.upos, first.feats["Mood"], first.misc["Gloss"]) == (
        "Vas", "ir", "VERB", "Ind", "go"
    )  # fmt: skip
    assert (sea.head, sea.deprel, sentence.children(4), sentence.children(0)) == (1, "obl", [2, 3], [1])
    assert list(sea.deps) == [Arc("1", "obl:a"), Arc("4.1", "nsubj")]
    assert dict(sea.misc) == {"NER": "I-LOC", "SpaceAfter": "No"} and "Bare" in str(sea.misc)
    (token,), (node,) = sentence.tokens, sentence.nodes
    assert (token.first, token.last, token.form, token.feats["Typo"], node.id, node.lemma) == (
        2, 3, "al", "Yes", "4.1", "ser"
    )  # fmt: skip
    assert sentence.entities == [EntitySpan(3, 4, "LOC")]


ODD = (
    "\ufeff\n# own\r\n\n"
    + FILE.replace("\t4\tcase", "\t04\tcase").replace("4.1\tes", "# inside\n4.1\tes")
    + "\n \n# end"
)


@pytest.mark.parametrize(
    "text",
    [FILE, FILE.replace("\n", "\r\n"), "\ufeff" + FILE, FILE.rstrip("\n"), FILE * 2 + "\n\n" + FILE, ODD],
    ids=["plain", "crlf", "byte order mark", "no line end", "blank lines", "odd"],
)
def test_a_document_is_written_as_it_was_read(text):
    assert write_conllu(read_conllu(text.encode())) == text.encode()
    assert read_conllu(text.encode()).to_conllu() == text


@pytest.mark.parametrize("text", [FILE, ODD], ids=["plain", "odd"])
def test_only_a_changed_cell_is_written_anew(text):
    (sentence,) = read_conllu(text.encode()).sentences
    words = list(sentence.words)
    words[0] = replace(words[0], upos="AUX", feats=items("_"))
    words[3] = replace(words[3], head=3)
    changed = ConlluDocument((replace(sentence, words=tuple(words), comments=(*sentence.comments, "# new = 1")),))
    expected = text.replace("VERB\t_\tMood=Ind|Person=2", "AUX\t_\t_").replace("\t1\tobl", "\t3\tobl")
    assert changed.to_conllu() == expected.replace("1\tVas", "# new = 1\n1\tVas")


def test_entities_of_other_formats_are_spans(upload):
    (sentence,) = fewshot.read(upload("Ana B-PER\nin O\nSan B-LOC\nJuan I-LOC\n\n", "x.bio")).sentences
    assert [word.form for word in sentence.words] == ["Ana", "in", "San", "Juan"]
    assert sentence.entities == [EntitySpan(1, 1, "PER"), EntitySpan(3, 4, "LOC")]


def test_entity_tags_that_are_none_begin_no_entity_and_bars_are_unescaped():
    text = FILE.replace("NER=B-LOC", "NER=B-").replace("NER=I-LOC", "NER=I-")
    assert read_conllu(text.encode()).sentences[0].entities == []
    text = FILE.replace("NER=B-LOC", r"NER=B-A\pB").replace("NER=I-LOC", r"NER=I-A\pB")
    assert read_conllu(text.encode()).sentences[0].entities == [EntitySpan(3, 4, "A|B")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FILE.replace("4\tmar", "5\tmar"), "x.conllu:8: word id 5 where 4 was expected"),
        (FILE.replace("\t4\tcase", "\t9\tcase"), "x.conllu:6: head '9' is not a word"),
        ("# only = this\n", "x.conllu: no sentence in this file"),
    ],
)
def test_a_fault_is_named_with_its_line(upload, text, message):
    with pytest.raises(CorpusError, match=message):
        fewshot.read(upload(text))


def test_the_page_about_documents_shows_what_happens(tmp_path, monkeypatch):
    page = Path(__file__).parents[3] / "docs" / "researchers" / "documents.md"
    monkeypatch.chdir(tmp_path)
    Path("sea.conllu").write_text(re.search("```\n(# sent_id.*?)```", page.read_text("utf-8"), re.S)[1], "utf-8")
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert (failed, tried > 5) == (0, True)


def test_a_file_without_sentences_is_refused(upload):
    with pytest.raises(CorpusError, match="pairs"):
        fewshot.read(upload('{"premise": "a", "hypothesis": "b", "label": "entailment"}\n', "x.jsonl"))
