"""Raw text for pretraining: monolingual sentences and sentences aligned across languages.

A corpus folder holds ``mono/<lang>.txt.xz`` (one sentence per line) and ``parallel/*.tsv.xz``: either a column for each
language, named in the header, where an empty cell is a missing translation, or the columns ``lang  en  text``.

A corrupt line is left out and noted in `Skipped`: bytes that are not UTF-8, another number of columns than the header,
an invalid language code. A corrupt file is refused: an incomplete xz file, no sentences, a header without languages, or
more than a tenth corrupt lines.
"""

from __future__ import annotations

import hashlib
import lzma
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar

from fewshot.corpora.files import file_hash, readable
from fewshot.errors import CorpusError, UnknownNameError

Aligned = dict[str, str]
"""One sentence in several languages, by language code."""

Translation = tuple[str, str]
"""A sentence, and its original."""

Skipped = list[CorpusError]
"""The errors of the lines that were left out, with their ``file:line``."""

CODE = re.compile(r"[a-z]{2,3}([-_]\w+)*")
"""A language code, such as ``fi``, ``yue`` or ``zh-Hant``."""

T = TypeVar("T")


def languages(folder: Path) -> list[str]:
    """Return the languages with monolingual text, sorted.

    Raises:
        CorpusError: when there are none, or a file is not named after a language code.
    """
    langs = sorted(path.name.removesuffix(".txt.xz") for path in (folder / "mono").glob("*.txt.xz"))
    if not langs:
        raise CorpusError("no mono/*.txt.xz here; give a corpus folder", folder)
    for lang in langs:
        if not CODE.fullmatch(lang):
            raise CorpusError(f"{lang!r} is no language code; name the file like en.txt.xz", _mono(folder, lang))
    return langs


def check_languages(folder: Path, langs: Sequence[str]) -> None:
    """Raise `UnknownNameError` when a corpus lacks text of a language."""
    known = languages(folder)
    for lang in langs:
        if lang not in known:
            raise UnknownNameError("language of the corpus", lang, known)


def fingerprint(folder: Path) -> str:
    """Return a hash of the files of a corpus; `CorpusError` when a file cannot be read."""
    digest = hashlib.sha256()
    for path in [*(_mono(folder, lang) for lang in languages(folder)), *_parallel(folder)]:
        with readable(path):
            digest.update(path.name.encode() + bytes.fromhex(file_hash(path)))
    return digest.hexdigest()[:12]


def mono(folder: Path, lang: str, skipped: Skipped) -> Iterator[str]:
    """Yield the sentences of a language in file order; ``skipped`` receives the errors of lines left out.

    Raises:
        CorpusError: when the file is corrupt or holds no sentence.
    """
    path = _mono(folder, lang)
    empty = True
    for _, line in _lines(path, skipped):
        if text := line.strip():
            empty = False
            yield text
    if empty:
        raise CorpusError("the file holds no sentence", path)


def parallel(folder: Path, skipped: Skipped) -> Iterator[Aligned]:
    """Yield rows of at least two languages; ``skipped`` receives the errors of lines left out.

    Raises:
        CorpusError: when a file is corrupt.
    """
    for path in _parallel(folder):
        lines = _lines(path, skipped)
        number, line = next(lines, (1, ""))
        header = line.split("\t")
        triples = sorted(header) == ["en", "lang", "text"]
        if not triples and not (1 < len(set(header)) == len(header) and all(map(CODE.fullmatch, header))):
            raise CorpusError("the first line must name the columns: language codes, or lang, en, text", path, number)
        for number, line in lines:
            cells = line.split("\t")
            if len(cells) != len(header):
                skipped.append(CorpusError(f"{len(cells)} columns where the header has {len(header)}", path, number))
                continue
            row = dict(zip(header, map(str.strip, cells), strict=True))
            if triples and not CODE.fullmatch(row["lang"]):
                skipped.append(CorpusError(f"{row['lang']!r} is no language code", path, number))
                continue
            if triples:
                row = {"en": row["en"], row["lang"]: row["text"]}
            row = {lang: text for lang, text in row.items() if text}
            if len(row) > 1:
                yield row


def balanced(items: Mapping[str, Sequence[T]], total: int, exponent: float, seed: int) -> list[T]:
    """Draw sentences or pairs so that small languages get more than their share.

    A language with share p of the sentences is drawn with weight p^exponent (Devlin et al. 2019 use 0.7); its sentences
    are repeated where there are too few.

    Args:
        items: what is drawn, by language.
        total: approximate number to draw.
        exponent: 1 keeps the shares, 0 makes all languages equal.
    """
    rng = random.Random(seed)
    weights = {lang: len(texts) ** exponent for lang, texts in items.items() if texts}
    whole = sum(weights.values())
    drawn: list[T] = []
    for lang, weight in weights.items():
        drawn += rng.choices(items[lang], k=max(1, round(total * weight / whole)))
    rng.shuffle(drawn)
    return drawn


def draw_pair(row: Aligned, rng: random.Random) -> tuple[str, str]:
    """Draw two languages of a row; return the sentence in each."""
    first, second = rng.sample(sorted(row), 2)
    return row[first], row[second]


def translations(rows: Sequence[Aligned]) -> dict[str, list[Translation]]:
    """Return by language its sentences with their originals.

    The originals are in the language that most rows have; a row without it is left out.
    """
    counts = Counter(chain.from_iterable(rows))
    source = max(counts, key=counts.__getitem__, default="")
    pairs: dict[str, list[Translation]] = {}
    for row in rows:
        for lang, text in row.items():
            if lang != source and source in row:
                pairs.setdefault(lang, []).append((text, row[source]))
    return pairs


def _mono(folder: Path, lang: str) -> Path:
    return folder / "mono" / f"{lang}.txt.xz"


def _parallel(folder: Path) -> list[Path]:
    return sorted((folder / "parallel").glob("*.tsv.xz"))


def _lines(path: Path, skipped: Skipped) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of an xz file; refuse the file if over a tenth of its lines are skipped."""
    before, number = len(skipped), 0
    try:
        with lzma.open(path) as file:
            for number, data in enumerate(file, start=1):
                try:
                    line = data.decode().rstrip("\r\n")
                except UnicodeDecodeError as error:
                    skipped.append(CorpusError(f"byte 0x{data[error.start]:02x} is not UTF-8", path, number))
                    continue
                yield number, line
    except (lzma.LZMAError, EOFError) as error:
        raise CorpusError(f"not a whole xz file: {error}", path) from None
    except OSError as error:
        raise CorpusError(f"cannot be read: {error.strerror}", path) from None
    if (corrupt := len(skipped) - before) > number / 10:
        raise CorpusError(f"{corrupt} of {number} lines are corrupt, the last: {skipped[-1]}", path)
