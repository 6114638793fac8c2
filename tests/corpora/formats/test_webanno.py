import pytest

from fewshot.corpora.formats import conll2003, webanno
from fewshot.corpora.types import Sentence
from fewshot.errors import CorpusError

FILE = """#FORMAT=WebAnno TSV 3.3
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value


#Text=😊 Anna Smith's \\\\.
1-1\t0-2\t😊\t_\t
1-2\t3-7\tAnna\tPER\\_X[1]\t
1-3\t8-13\tSmith\tPER\\_X[1]\t
1-4\t13-15\t's\t_\t
1-5\t16-18\t\\\\.\t_\t

#Text=Oslo
2-1\t19-23\tOslo\tLOC\t
"""
WORDS = ("😊", "Anna", "Smith", "'s", "\\.")
SENTENCES = [
    Sentence("x-1", "😊 Anna Smith's \\.", WORDS, entities=("O", "B-PER_X", "I-PER_X", "O", "O")),
    Sentence("x-2", "Oslo", ("Oslo",), entities=("B-LOC",)),
]


def test_offsets_in_utf16_escapes_and_numbers_of_entities(tmp_path):
    webanno.write(SENTENCES, tmp_path / "x.tsv")
    assert (tmp_path / "x.tsv").read_text() == FILE
    assert webanno.read(tmp_path / "x.tsv") == SENTENCES


def test_other_layers_parts_of_words_and_neighbouring_entities(tmp_path):
    text = """#FORMAT=WebAnno TSV 3.2
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue|coarseValue
#T_SP=webanno.custom.Bare
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value


#Sentence.id=s1
#Text=a b c d
1-1\t0-1\ta\tX\tX\t*\t*[1]\tPER[1]\t
1-2\t2-3\tb\tX\tX\t_\t*[1]\tPER[1]\t
1-2.1\t2-3\tb\t_\t_\t_\t_\t_\t
1-3\t4-5\tc\tX\tX\t_\t*[2]\tPER[2]\t
1-4\t6-7\td\tX\tX\t_\t*\tLOC\t
"""
    path = tmp_path / "x.tsv"
    path.write_text(text)
    assert webanno.read(path)[0].entities == ("B-PER", "I-PER", "B-PER", "B-LOC")
    path.write_text(text.replace("b\t_\t_\t_\t_\t_", "b\t_\t_\t_\t_\tPER"))
    with pytest.raises(CorpusError, match=r"x.tsv:11: an entity on a part of a word"):
        webanno.read(path)


def test_conll2003_has_four_columns(tmp_path):
    made = [SENTENCES[1].annotated(upos=("PROPN",)), SENTENCES[1].unannotated()]
    conll2003.write(made, tmp_path / "x.conll")
    assert (tmp_path / "x.conll").read_text() == "Oslo PROPN O B-LOC\n\nOslo _ O O\n\n"
