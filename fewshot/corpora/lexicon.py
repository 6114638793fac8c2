"""Lexicons: the readings of word forms, from tables, UniMorph and LIFT.

UniMorph's three columns are lemma, form and features (Kirov et al. 2018); its features are translated into those of
Universal Dependencies (McCarthy et al. 2018). LIFT is the exchange format of FieldWorks (`.lift`).
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fewshot.corpora import features
from fewshot.corpora.files import check_line_end, decode, raw_lines, read_lines
from fewshot.corpora.formats.common import markup
from fewshot.corpora.types import UNANNOTATED
from fewshot.corpora.upos import UPOS
from fewshot.errors import CorpusError

COLUMNS = ("form", "lemma", "upos", "feats", "gloss")
"""The columns of a table, in this order; the last ones may be missing. Empty cells and ``_`` are unknown values."""

LIFT = ".lift"
SUFFIXES = (".tsv", ".txt", LIFT)


@dataclass(frozen=True, slots=True)
class LexiconEntry:
    """One reading of a word form; ``_`` where a value is unknown."""

    form: str
    lemma: str = UNANNOTATED
    upos: str = UNANNOTATED
    feats: str = UNANNOTATED
    gloss: str = UNANNOTATED


TAGS: Mapping[str, str] = {
    "N": "NOUN", "PROPN": "PROPN", "ADJ": "ADJ", "PRO": "PRON", "DET": "DET", "ART": "DET", "V": "VERB", "AUX": "AUX",
    "ADV": "ADV", "ADP": "ADP", "CONJ": "CCONJ", "COMP": "SCONJ", "NUM": "NUM", "PART": "PART", "INTJ": "INTJ",
    "V.PTCP": "VERB", "V.CVB": "VERB", "V.MSDR": "VERB",
    "NOUN": "NOUN", "VERB": "VERB", "ADJECTIVE": "ADJ", "ADVERB": "ADV", "PRONOUN": "PRON", "DETERMINER": "DET",
    "PROPER NOUN": "PROPN", "NUMERAL": "NUM", "ADPOSITION": "ADP", "PREPOSITION": "ADP", "POSTPOSITION": "ADP",
    "COORDINATING CONNECTIVE": "CCONJ", "SUBORDINATING CONNECTIVE": "SCONJ", "PARTICLE": "PART",
    "INTERJECTION": "INTJ", "AUXILIARY": "AUX",
}  # fmt: skip
"""UPOS of the parts of speech of UniMorph and, spelled out, of FieldWorks."""

UNIMORPH: Mapping[str, str] = {
    tag: f"{name}={value}"
    for name, pairs in {
        "Animacy": "ANIM:Anim INAN:Inan HUM:Hum",
        "Aspect": "IPFV:Imp PFV:Perf PRF:Perf PROG:Prog PROSP:Prosp ITER:Iter HAB:Hab",
        "Case": "NOM:Nom ACC:Acc ERG:Erg ABS:Abs GEN:Gen DAT:Dat INS:Ins COM:Com VOC:Voc ESS:Ess FRML:Ess TRANS:Tra "
        "PRT:Par PRIV:Abe BEN:Ben EQTV:Equ CMPR:Cmp TERM:Ter IN+ESS:Ine IN+ALL:Ill IN+ABL:Ela AT+ESS:Ade AT+ALL:All "
        "AT+ABL:Abl ON+ESS:Sup ON+ALL:Sbl ON+ABL:Del LOC:Loc ABL:Abl ALL:All",
        "Definite": "DEF:Def INDF:Ind SPEC:Spec",
        "Degree": "CMPR:Cmp SPRL:Sup",
        "Gender": "MASC:Masc FEM:Fem NEUT:Neut",
        "Mood": "IND:Ind SBJV:Sub IMP:Imp COND:Cnd OPT:Opt POT:Pot JUS:Jus ADM:Adm",
        "Number": "SG:Sing PL:Plur DU:Dual TRI:Tri PAUC:Pauc",
        "Person": "0:0 1:1 2:2 3:3 4:4",
        "Polarity": "POS:Pos NEG:Neg",
        "Tense": "PRS:Pres PST:Past FUT:Fut",
        "VerbForm": "FIN:Fin NFIN:Inf V.PTCP:Part V.CVB:Conv V.MSDR:Vnoun",
        "Voice": "ACT:Act PASS:Pass MID:Mid ANTIP:Antip CAUS:Cau",
    }.items()
    for tag, value in (pair.split(":") for pair in pairs.split())
}
"""The feature of Universal Dependencies for each tag of UniMorph that has one; ``CMPR`` is the degree."""


def key_of(form: str) -> str:
    """Return a form without differences of case and of Unicode normalization."""
    return unicodedata.normalize("NFC", form).casefold()


def read(path: Path) -> Iterator[LexiconEntry]:
    """Yield the entries of a file.

    Raises:
        CorpusError: with ``file:line``, when a line cannot be read, or a feature resembles a universal one; when the
            file is of another kind, or has no entry.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise CorpusError(f"a lexicon is a file {', '.join(SUFFIXES)}", path)
    entry = None
    for entry in _lift(path) if path.suffix.lower() == LIFT else _table(path):
        yield entry
    if entry is None:
        raise CorpusError("no form with its readings in this file; choose another one", path)


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells of each line."""
    for number, line in raw_lines(path):
        text = decode(path, number, line)
        check_line_end(text, path, number)
        cells = [cell.strip() or UNANNOTATED for cell in text.split("\t")]
        if cells != [UNANNOTATED]:
            yield number, cells


def _table(path: Path) -> Iterator[LexiconEntry]:
    thirds = (cells[2] for number, cells in _rows(path) if len(cells) > 2 and not (number == 1 and _has_names(cells)))
    are_bundles = [";" in cell and _is_unimorph(cell) for cell in thirds]
    has_names, has_bundles = False, 2 * sum(are_bundles) > len(are_bundles)
    for number, cells in _rows(path):
        if number == 1 and _is_header(cells):
            has_names = True
            continue
        if number == 1 and _has_names(cells):
            if has_bundles and [cell.lower() for cell in cells[:2]] == ["lemma", "form"]:
                continue
            raise CorpusError(f"put the columns in this order: {', '.join(COLUMNS)}", path, number)
        if not 2 <= len(cells) <= len(COLUMNS):
            wanted = " ".join(COLUMNS)
            raise CorpusError(f"{len(cells)} columns; write {wanted}, or lemma form features, with tabs", path, number)
        is_bundle = len(cells) in (3, 4) and not has_names and (has_bundles or _is_unimorph(cells[2]))
        if is_bundle:  # newer files have a fourth column of segments
            yield _from_unimorph(*cells[:3])
            continue
        yield _checked(LexiconEntry(*cells), path, number)


def _checked(entry: LexiconEntry, path: Path, number: int) -> LexiconEntry:
    fault = features.fault(entry.feats)
    if entry.form == UNANNOTATED:
        fault = "no form in the first column; write one, or remove the line"
    elif entry.upos not in (UNANNOTATED, *UPOS):
        fault = f"UPOS {entry.upos!r} is none of {', '.join(UPOS)}"
    elif entry.feats != UNANNOTATED and not all("=" in item for item in entry.feats.split("|")):
        fault = f"features {entry.feats!r} are not in the format Case=Nom|Number=Sing"
    if fault:
        raise CorpusError(fault, path, number)
    return entry


def _has_names(cells: list[str]) -> bool:
    """Return whether cells are names of columns, in any order."""
    return {*COLUMNS[:2]} <= {cell.lower() for cell in cells}


def _is_header(cells: list[str]) -> bool:
    """Return whether cells are names of columns rather than an entry of the word "form"."""
    is_named = cells[1:2] and cells[1].lower() == COLUMNS[1]
    is_tagged = len(cells) < 3 or cells[2] in (UNANNOTATED, *UPOS) or _is_unimorph(cells[2])
    return cells[0].lower() == COLUMNS[0] and bool(is_named or not is_tagged)


def _is_unimorph(cell: str) -> bool:
    """Return whether a third cell is a bundle of UniMorph rather than UPOS."""
    return cell not in UPOS and any(tag in UNIMORPH or tag in TAGS for tag in cell.split(";"))


def _from_unimorph(lemma: str, form: str, bundle: str) -> LexiconEntry:
    tags = bundle.split(";")
    feats = sorted({UNIMORPH[tag] for tag in tags if tag in UNIMORPH}, key=str.lower)
    upos = next((TAGS[tag] for tag in tags if tag in TAGS), UNANNOTATED)
    return LexiconEntry(form, lemma, upos, "|".join(feats) or UNANNOTATED)


def _lift(path: Path) -> Iterator[LexiconEntry]:
    """Yield a reading for each sense of an entry, and for each of its variants.

    Forms are those in the writing system of most entries, or else the first.
    """
    root = markup.parse("".join(read_lines(path)).encode(), path)
    systems = Counter(form.attributes.get("lang", "") for form in root.find("entry", "lexical-unit", "form"))
    system = max(systems, key=systems.__getitem__, default="")
    for entry in root.find("entry"):
        lemma = _written(entry, system, "lexical-unit")
        variants = [text for variant in entry.find("variant") if (text := _written(variant, system))]
        senses = [(_tag(sense), _written(sense, system, "gloss") or UNANNOTATED) for sense in entry.nearest("sense")]
        for form in (each for each in (lemma, *variants) if each):
            for upos, gloss in senses or [(UNANNOTATED, UNANNOTATED)]:
                yield LexiconEntry(form, lemma or UNANNOTATED, upos, UNANNOTATED, gloss)


def _tag(sense: markup.Element) -> str:
    info = sense.first("grammatical-info")
    value = info.attributes.get("value", "") if info else ""
    return value if value in UPOS else TAGS.get(value.upper(), UNANNOTATED)


def _written(element: markup.Element, system: str, *path: str) -> str:
    """Return the text at a path of tags, in a writing system or else in the first one."""
    parent = element.first(*path) if path else element
    forms = [parent, *parent.find("form")] if parent else []
    forms.sort(key=lambda form: form.attributes.get("lang") != system)
    texts = (text.text.strip() for form in forms for text in form.find("text"))
    return next(filter(None, texts), "")
