"""Similarity of languages, and sizes of pretraining corpora (Lauscher et al. 2020, section 3.3).

Similarities are cosines between vectors of lang2vec (Littell et al. 2017); for SYN, PHON and INV the predicted vectors
(``knn``), which have no gaps. A language without relatives, such as Basque, has a FAM of zeros and the cosine 0.

``languages.csv`` holds the articles of each Wikipedia (List of Wikipedias on Meta-Wiki, August 2020), the millions of
tokens of CC-100 (Conneau et al. 2020, appendix A, corrected for Swedish and Ukrainian; Chinese is the simplified one),
and the WikiSize of Wu & Dredze 2020, Table 1: log2 of the megabytes of a Wikipedia's compressed articles, rounded down.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import langcodes
import numpy as np

from fewshot.corpora.language_codes import language
from fewshot.errors import FewshotError

FEATURES = {"SYN": "S_", "PHON": "P_", "INV": "INV_", "FAM": "F_", "GEO": "GC_"}
"""Kinds of similarity, with the prefix of their features in lang2vec."""

SIZE = "SIZE"
"""The size of a language's pretraining corpus."""

FEATURE_FILES = {**dict.fromkeys(("SYN", "PHON", "INV"), "feature_predictions"), "FAM": "family_features"}
FEATURE_FILES |= {"GEO": "geocoord_features"}
FILE = Path(__file__).with_name("languages.csv")

SIZES = {
    "mbert": "wikipedia_articles",
    "bert-base-multilingual": "wikipedia_articles",
    "xlm-r": "cc100_million_tokens",
}
"""Column of the CSV that SIZE is read from, by the beginning of an encoder's name."""

NO_LANGUAGE = (None, "und", "mul", "zxx", "mis")
"""Codes of ISO 639 that stand for no single language."""


def similarities(langs: Iterable[str], source: str) -> dict[str, dict[str, float]]:
    """Return the similarity of languages to a source language, by language and feature, from 0 to 1."""
    start = {name: vector(source, name) for name in FEATURES}
    return {lang: {name: _cosine(vector(lang, name), start[name]) for name in FEATURES} for lang in langs}


def vector(lang: str, feature: str) -> np.ndarray:
    """Return a language's vector for one of `FEATURES`; FewshotError if it is unknown."""
    rows, columns, values = _store(feature)
    code = _alpha3(lang)
    if code not in rows:
        raise FewshotError(f"lang2vec has no features of language {lang!r}; choose another language")
    return values[rows[code]][columns].astype(float)


def size(encoder: str, lang: str) -> float | None:
    """Return how much of a language an encoder was pretrained on, None if unknown.

    The unit is articles for ``mbert``, millions of tokens for ``xlm-r``; hub ids and folders begin with these names.
    """
    column = next((column for name, column in SIZES.items() if Path(encoder).name.lower().startswith(name)), None)
    rows = {language(code): row for code, row in _table().items()}  # the table has tl for Filipino
    return rows.get(language(lang), {}).get(column) if column else None


def wikisize(lang: str) -> int | None:
    """Return the WikiSize of a language, None if the paper has none."""
    value = _table().get(lang, {}).get("wikisize")
    return None if value is None else int(value)


def with_wikisize() -> list[str]:
    """Return the languages that have a WikiSize, the smallest Wikipedias first."""
    sizes = {lang: row["wikisize"] for lang, row in _table().items() if "wikisize" in row}
    return sorted(sizes, key=sizes.__getitem__)


@cache
def _table() -> dict[str, dict[str, float]]:
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = [{name: value for name, value in row.items() if value} for row in csv.DictReader(file)]
    return {row.pop("lang"): {name: float(value) for name, value in row.items()} for row in rows}


@cache
def _store(feature: str) -> tuple[dict[str, int], np.ndarray, np.ndarray]:
    """Return the rows by language, the columns of a feature, and the whole table ``[languages, columns]``."""
    langs, names, values = _read(FEATURE_FILES[feature])
    columns = np.flatnonzero([str(name).startswith(FEATURES[feature]) for name in names])
    return langs, columns, values


@cache
def _read(name: str) -> tuple[dict[str, int], Any, np.ndarray]:
    """Read a file of lang2vec, without importing its module, which needs ``pkg_resources``."""
    try:
        path = distribution("lang2vec").locate_file(f"lang2vec/data/{name}.npz")
    except PackageNotFoundError:
        raise FewshotError("lang2vec, the data on languages, is missing; pip install 'fewshot[analyze]'") from None
    with np.load(str(path)) as data:
        return {str(lang): row for row, lang in enumerate(data["langs"])}, data["feats"], data["data"][:, :, 0]


def _alpha3(lang: str) -> str:
    try:
        language = langcodes.Language.get(lang)
        if language.is_valid() and language.language not in NO_LANGUAGE:
            return language.to_alpha3()
    except (LookupError, ValueError):
        pass
    raise FewshotError(f"{lang!r} is not a language code; write e.g. sw or swh (ISO 639)")


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    norm = np.linalg.norm(a) * np.linalg.norm(b)
    return float(a @ b / norm) if norm else 0.0
