import pytest

from fewshot.corpora.features import fault, known
from fewshot.corpora.lexicon import LexiconEntry, read
from fewshot.errors import CorpusError

LIFT = """<lift version="0.13"><entry id="e"><lexical-unit><form lang="x"><text>mar</text></form></lexical-unit>
<variant><form lang="x"><text>mares</text></form></variant>
<sense id="s"><grammatical-info value="Noun"/><gloss lang="en"><text>sea</text></gloss></sense></entry></lift>"""
IN_TWO_SYSTEMS = """<entry><lexical-unit><form lang="y"><text>S</text></form><form lang="x"><text>sol</text></form>
</lexical-unit></entry></lift>"""
SEA = ("mar", "NOUN", "_", "sea")


@pytest.mark.parametrize(
    ("name", "text", "entries"),
    [
        ("a.tsv", "form\tlemma\tupos\tfeats\tgloss\nmares\tmar\tNOUN\tNumber=Plur\n\n", [
            LexiconEntry("mares", "mar", "NOUN", "Number=Plur")
        ]),
        ("spa.tsv", "ir\tvoy\tV;IND;PRS;1;SG;ARGX\n", [
            LexiconEntry("voy", "ir", "VERB", "Mood=Ind|Number=Sing|Person=1|Tense=Pres")
        ]),
        ("spa.tsv", "mar\tmares\tN;PL\nmar\tmar\tN;SG\nmar\tmarino\tADJ\n", [
            LexiconEntry("mares", "mar", "NOUN", "Number=Plur"), LexiconEntry("mar", "mar", "NOUN", "Number=Sing"),
            LexiconEntry("marino", "mar", "ADJ"),
        ]),
        ("eng.tsv", "form\tforms\tN;PL\n", [LexiconEntry("forms", "form", "NOUN", "Number=Plur")]),
        ("spa.tsv", "lemma\tform\tfeatures\nmar\tmares\tN;PL\n", [
            LexiconEntry("mares", "mar", "NOUN", "Number=Plur")
        ]),
        ("a.lift", LIFT.replace("mares<", "m<span>a<span>r</span>e</span>s<"), [
            LexiconEntry("mar", *SEA), LexiconEntry("mares", *SEA)
        ]),
        ("a.lift", LIFT.replace("mares<", "ma<span class='s'>re</span>s<").replace("</lift>", IN_TWO_SYSTEMS), [
            LexiconEntry("mar", *SEA), LexiconEntry("mares", *SEA), LexiconEntry("sol", "sol")
        ]),
        ("a.lift", LIFT, [LexiconEntry("mar", *SEA), LexiconEntry("mares", *SEA)]),
    ],
)  # fmt: skip
def test_lexicons_are_read(tmp_path, name, text, entries):
    (tmp_path / name).write_text(text)
    assert list(read(tmp_path / name)) == entries


@pytest.mark.parametrize("text", ["", "\n\n", "form\tlemma\tupos\n"])
def test_a_file_without_an_entry_is_refused_for_it_would_remove_what_is_stored_under_its_name(tmp_path, text):
    (tmp_path / "a.tsv").write_text(text)
    with pytest.raises(CorpusError, match="no form"):
        list(read(tmp_path / "a.tsv"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "form\tlemma\tupos\nmares\tmar\tN", "2: UPOS 'N' is none of"),
        ("a.tsv", "mar\tmar\n\tmar", "2: no form"), ("a.tsv", "Lemma\tForm\nmar\tmares", "1: put the columns in this"),
        ("a.tsv", "mar\tmar\tNoun\t_", "1: UPOS 'Noun'"), ("a.tsv", "mar\tmar\tNOUN\tNumbr=Sing", "Number"),
        ("a.tsv", "mar", "1 column"), ("a.tsv", "mar\tmar\tNOUN\rsol\tsol\tNOUN\r", "1: a carriage return"),
        ("a.lift", LIFT.encode("utf-16").decode("latin-1"), "UTF-16"), ("a.lift", "\n\xe9", "2: byte 0xe9"),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_an_entry_is_refused(tmp_path, name, text, message):
    (tmp_path / name).write_bytes(text.encode("latin-1"))
    with pytest.raises(CorpusError, match=message):
        list(read(tmp_path / name))


@pytest.mark.parametrize(
    ("column", "wrong"),
    [
        ("Case=Nom|Number[psor]=Sing", ""),
        ("Numbr=Sing", "Numbr=Sing: Number?"),
        ("Number=Singular", "Number=Singular: Number=Sing?"),
        ("Tone=High", ""),  # of the language's own
        ("[" * 1_000_000 + "=A", ""),  # in linear time
        ("Voice=CauPass", ""),
    ],
)
def test_a_feature_that_resembles_a_universal_one_is_a_misspelling(column, wrong):
    assert fault(column) == wrong
    assert not fault(column, known([column]))
