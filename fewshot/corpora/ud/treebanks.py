"""Find Universal Dependencies treebanks by language, file code, or full name."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from fewshot.corpora.embedded import data_dir
from fewshot.errors import CorpusError, UnknownNameError, listed

ALIASES = {
    "arb": "ar",
    "cmn": "zh",
    "ekk": "et",
    "farsi": "fa",
    "iw": "he",
    "lvs": "lv",
    "mandarin": "zh",
    "nb": "no_bokmaal",
    "nn": "no_nynorsk",
    "nno": "no_nynorsk",
    "nob": "no_bokmaal",
    "northern_kurdish": "kmr",
    "pes": "fa",
    "uzn": "uz",
}
"""Further names of languages, and the names in the registry."""

_FULL_NAME = re.compile(r"UD_(?P<language>[A-Z][A-Za-z_]*)-(?P<treebank>[A-Za-z0-9]+)(?:=(?P<code>\S+))?")
_CODE = re.compile(r"[a-z]{2,3}_[a-z0-9]+")
_HINT = (
    "Any other treebank works by its full name, or UD_Swahili-OPUSGV=sw_opusgv where its language is not listed; "
    "any CoNLL-U file works by its path."
)


@dataclass(frozen=True, slots=True)
class Treebank:
    """A UD treebank.

    Args:
        lang: UD's code of the language, ISO 639-1 if possible, e.g. ``ja``.
        language: English name, e.g. ``Japanese``.
        name: of the repository, e.g. ``UD_Japanese-GSD``.
        code: prefix of its files, e.g. ``ja_gsd``.
        train_parts: suffixes of the parts of a train file that is too large for the repository, e.g. ``("a", "b")``.
    """

    lang: str
    language: str
    name: str
    code: str
    train_parts: tuple[str, ...] = ()


def treebanks(lang: str | None = None) -> list[Treebank]:
    """Return the listed treebanks of one language or of all, the default of each language first.

    Treebanks published without their words (NYUAD, BCCWJ, ...) are not listed.

    Raises:
        UnknownNameError: when no listed treebank has that language.
    """
    wanted = find(lang).lang if lang is not None else None
    return [treebank for treebank in dict.fromkeys(_by_name().values()) if wanted in (None, treebank.lang)]


def find(name: str, lang: str | None = None) -> Treebank:
    """Return the treebank that a name stands for; case does not matter for listed treebanks.

    Args:
        name: a language (``ja``, ``jpn``, ``Japanese``: its default treebank), a file code (``ja_gsd``), a full name
            (``UD_Japanese-GSD``, listed or not), or a full name and file code (``UD_Swahili-OPUSGV=sw_opusgv``).
        lang: language code of a treebank that is not listed.

    Raises:
        UnknownNameError: with the nearest names.
    """
    name = name.strip()
    known = _by_name().get(_key(ALIASES.get(_key(name), name)))
    if known:
        return known
    unlisted = _FULL_NAME.fullmatch(name)
    if unlisted:
        return _unlisted(unlisted, lang)
    offered = {t.code for t in treebanks()} | {t.language for t in treebanks()}
    if name.startswith("UD_"):
        offered = {t.name for t in treebanks()}
    elif len(name) <= 3:
        offered = {t.lang for t in treebanks()}
    raise UnknownNameError("language or treebank", name, offered, _HINT)


def language_names(codes: Sequence[str]) -> str:
    """Return the names of languages: ``English and Indonesian``; empty without codes."""
    return listed(list(map(language_name, codes))) if codes else ""


def language_name(code: str) -> str:
    """Return the name of a language, or its code if the name is unknown."""
    try:
        return find(code).language
    except UnknownNameError:
        return code


@cache
def _by_name() -> dict[str, Treebank]:
    """Return the listed treebanks by their names; the name of a language is that of its default."""
    path = data_dir() / "treebanks.csv"
    try:
        with path.open(encoding="utf-8", newline="") as file:
            table = list(csv.DictReader(file))
    except OSError as error:
        raise CorpusError(f"cannot be read ({error.strerror}); install fewshot again", path) from None
    by_name: dict[str, Treebank] = {}
    for row in table:
        parts = tuple(row["train_parts"].split())
        treebank = Treebank(row["lang"], row["language"], row["name"], row["code"], parts)
        names = [treebank.name, treebank.name.removeprefix("UD_"), treebank.code]
        if row["default"]:
            names += [treebank.lang, row["iso3"], treebank.language]
        by_name.update((_key(name), treebank) for name in names)
    return by_name


def _key(name: str) -> str:
    return name.strip().casefold().replace(" ", "_")


def _unlisted(match: re.Match[str], lang: str | None) -> Treebank:
    """Return an unlisted treebank; its file code is ``<language code>_<name in lower case>``."""
    language, treebank, code = match["language"].replace("_", " "), match["treebank"], match["code"]
    name = f"UD_{match['language']}-{treebank}"
    if code:
        if not _CODE.fullmatch(code):
            raise UnknownNameError("file code", code, [f"xx_{treebank.lower()}"], "File codes look like ja_gsd.")
        return Treebank(code.split("_")[0], language, name, code)
    known = _by_name().get(_key(language))
    lang_code = known.lang if known else lang or ""
    code = f"{lang_code}_{treebank.lower()}"
    if not _CODE.fullmatch(code):  # it is a part of paths
        names = {t.name for t in treebanks()}
        hint = f"If it exists, say how its files begin: {name}=xx_{treebank.lower()}, xx being its language code."
        raise UnknownNameError("treebank", name, names, hint)
    return Treebank(lang_code, known.language if known else language, name, code)
