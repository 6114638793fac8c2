"""Raw text for pretraining: monolingual sentences and sentences aligned across languages.

A corpus folder holds ``mono/<lang>.txt.xz`` (one sentence a line) and ``parallel/*.tsv.xz``: either one column a
language, named in the header, where an empty cell is a missing translation, or the columns ``lang  en  text``.
"""

from __future__ import annotations

import lzma
import random
from collections.abc import Iterator
from pathlib import Path

from fewshot.errors import CorpusError

Aligned = dict[str, str]
"""One sentence in several languages, by language code."""


def languages(folder: Path) -> list[str]:
    """Return the languages with monolingual text, sorted.

    Raises:
        CorpusError: when there are none.
    """
    found = sorted(path.name.removesuffix(".txt.xz") for path in (folder / "mono").glob("*.txt.xz"))
    if not found:
        raise CorpusError("no mono/*.txt.xz here; give a corpus folder", folder)
    return found


def mono(folder: Path, lang: str) -> Iterator[str]:
    """Yield the sentences of a language."""
    with lzma.open(folder / "mono" / f"{lang}.txt.xz", "rt", encoding="utf-8", newline="\n") as lines:
        yield from (line.strip() for line in lines if line.strip())


def parallel(folder: Path) -> Iterator[Aligned]:
    """Yield the rows of all parallel files that hold at least two languages.

    Raises:
        CorpusError: with ``file:line``, when a row has other columns than its header.
    """
    for path in sorted((folder / "parallel").glob("*.tsv.xz")):
        with lzma.open(path, "rt", encoding="utf-8", newline="\n") as lines:
            header = next(lines).rstrip("\n").split("\t")
            for number, line in enumerate(lines, start=2):
                cells = line.rstrip("\n").split("\t")
                if len(cells) != len(header):
                    raise CorpusError(f"{len(cells)} columns where the header has {len(header)}", path, number)
                row = dict(zip(header, cells, strict=True))
                if "text" in row:
                    row = {"en": row["en"], row["lang"]: row["text"]}
                row = {lang: text.strip() for lang, text in row.items() if text.strip()}
                if len(row) > 1:
                    yield row


def balanced(sentences: dict[str, list[str]], total: int, exponent: float, seed: int) -> list[str]:
    """Draw sentences so that small languages count for more than their size.

    A language with share p of the sentences is drawn with weight p^exponent (Devlin et al. 2019 use 0.7); a language
    that has too few is repeated.

    Args:
        sentences: by language.
        total: how many to draw, about.
        exponent: 1 keeps the shares, 0 makes all languages equal.
        seed: of the draw.
    """
    rng = random.Random(seed)
    weights = {lang: len(texts) ** exponent for lang, texts in sentences.items() if texts}
    whole = sum(weights.values())
    drawn: list[str] = []
    for lang, weight in weights.items():
        drawn += rng.choices(sentences[lang], k=round(total * weight / whole))
    rng.shuffle(drawn)
    return drawn
