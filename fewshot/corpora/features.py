"""The morphological features of Universal Dependencies, and misspellings of them.

Treebanks may have features of their own, so a name that resembles none is not wrong.
Source: https://universaldependencies.org/u/feat/
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches

UNIVERSAL: Mapping[str, frozenset[str]] = {
    name: frozenset(values.split())
    for name, values in {
        "Abbr": "Yes",
        "Animacy": "Anim Hum Inan Nhum",
        "Aspect": "Hab Imp Iter Perf Prog Prosp",
        "Case": "Abe Abl Abs Acc Add Ade All Ben Cau Cmp Cns Com Dat Del Dis Ela Equ Erg Ess Gen Ill Ine Ins Lat Loc "
        "Nom Par Per Sbe Sbl Spl Sub Sup Tem Ter Tra Voc",
        "Clusivity": "Ex In",
        "Definite": "Com Cons Def Ind Spec",
        "Degree": "Abs Aug Cmp Dim Equ Pos Sup",
        "Deixis": "Abv Bel Even Med Nvis Prox Remt",
        "DeixisRef": "1 2",
        "Evident": "Fh Nfh",
        "ExtPos": "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN SCONJ SYM VERB X",
        "Foreign": "Yes",
        "Gender": "Com Fem Masc Neut",
        "Mood": "Adm Cnd Des Imp Ind Int Irr Jus Nec Opt Pot Prp Qot Sub",
        "NounClass": "",
        "NumType": "Card Dist Frac Mult Ord Range Sets",
        "Number": "Coll Count Dual Grpa Grpl Inv Pauc Plur Ptan Sing Tri",
        "Person": "0 1 2 3 4",
        "Polarity": "Neg Pos",
        "Polite": "Elev Form Humb Infm",
        "Poss": "Yes",
        "PronType": "Art Dem Emp Exc Ind Int Neg Prs Rcp Rel Tot",
        "Reflex": "Yes",
        "Tense": "Fut Imp Nfut Past Pqp Pres",
        "Typo": "Yes",
        "VerbForm": "Conv Fin Gdv Ger Inf Part Sup Vnoun",
        "Voice": "Act Antip Bfoc Cau Dir Inv Lfoc Mid Pass Rcp",
    }.items()
}
"""The values of each universal feature; the values of ``NounClass`` depend on the language family."""

ALIKE = 0.8
"""Least similarity of two names, by `difflib`, of which one is taken for a misspelling of the other."""

LAYER = re.compile(r"\[[^][]*\]$")
"""The layer in a name such as ``Number[psor]``."""


def known(columns: Iterable[str]) -> dict[str, set[str]]:
    """Return the universal features and those of FEATS columns, as names with their values."""
    features = {name: set(values) for name, values in UNIVERSAL.items()}
    for item in (item for column in columns for item in column.split("|") if "=" in item):
        name, _, values = item.partition("=")
        features.setdefault(LAYER.sub("", name), set()).update(values.split(","))
    return features


def fault(column: str, features: Mapping[str, Collection[str]] = UNIVERSAL) -> str:
    """Return what is wrong with a FEATS column, such as ``Numbr=Sing: Number?``; empty if nothing.

    Args:
        features: the names and values that are right, see `known`.
    """
    for item in (item for item in column.split("|") if "=" in item):
        name, _, values = item.partition("=")
        name = LAYER.sub("", name)
        if name not in features:
            meant = _alike(name, features)
            if meant:
                return f"{item}: {meant}?"
            continue
        for value in values.split(","):
            meant = None if value in features[name] else _meant(value, features[name])
            if meant:
                return f"{item}: {name}={meant}?"
    return ""


def _alike(name: str, names: Iterable[str]) -> str | None:
    by_lower = {other.lower(): other for other in names}
    close = get_close_matches(name.lower(), by_lower, 1, ALIKE)
    return by_lower[close[0]] if close else None


def _meant(value: str, values: Iterable[str]) -> str | None:
    """Return the value that is meant by another spelling of it, such as ``sing`` or ``Singular``."""
    named = ((other, value[: len(other)], value[len(other) :]) for other in sorted(values) if len(other) > 2)
    return next(
        (other for other, start, rest in named if start.lower() == other.lower() and rest == rest.lower()), None
    )
