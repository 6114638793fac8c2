"""The texts of a pretraining run: a corpus folder, transformed, and its held-out sentences."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from fewshot.errors import CorpusError, UnknownNameError
from fewshot.pretraining import corpus, transforms
from fewshot.pretraining.config import PretrainConfig

UNKNOWN = -100
"""Class of a sentence without next-sentence prediction; the cross-entropy ignores it."""

SentencePair = tuple[str, str | None, int]
"""A sentence, an optional second sentence, and whether the second one follows: 1, 0 or `UNKNOWN`."""

HELD_OUT_DIVISOR = 200
"""At most one in so many sentences of a language is held out."""

MAX_NAMED_LINES = 5
"""Number of corrupt lines that a warning names."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a run.

    Args:
        rows: aligned sentences.
        sentences: by language, all sentences: those of the monolingual text, then those of the rows.
        following: by language, the consecutive sentences of the monolingual text, where a random sentence of the text
            replaces the second one of every other pair; empty without next-sentence prediction.
        held: by language, held-out sentences, which occur in none of the others.
    """

    rows: list[corpus.Aligned]
    sentences: dict[str, list[str]]
    following: dict[str, list[SentencePair]]
    held: dict[str, list[str]]


def read_texts(folder: Path, config: PretrainConfig, warn: Callable[[str], None]) -> Texts:
    """Read and transform a corpus; hold out sentences if there is language modelling.

    Args:
        folder: see `fewshot.pretraining.corpus`.
        config: transforms, held-out sentences, what the corpus must have.
        warn: called with a line when lines of the corpus are left out.

    Raises:
        CorpusError: when a file is corrupt, or the corpus lacks what the settings need.
        UnknownNameError: when the corpus lacks a language that is transformed.
    """
    skipped: corpus.Skipped = []
    raw = {lang: list(corpus.mono(folder, lang, skipped)) for lang in corpus.languages(folder)}
    alone = {lang: len(texts) for lang, texts in raw.items()}
    rows = list(corpus.parallel(folder, skipped))
    if skipped:
        more = f"; and {len(skipped) - MAX_NAMED_LINES} more" if len(skipped) > MAX_NAMED_LINES else ""
        warn(f"{len(skipped)} corrupt lines are left out: {'; '.join(map(str, skipped[:MAX_NAMED_LINES]))}{more}")
    for row in rows:
        for lang, text in row.items():
            raw.setdefault(lang, []).append(text)
    for lang in config.transforms:
        if lang not in raw:
            raise UnknownNameError("language in transforms", lang, raw)
    texts = _arranged(raw, alone, rows, config)
    if config.alignment == "sentences" and not texts.rows:
        raise CorpusError('no translations in parallel/*.tsv.xz; give some, or set alignment = "none"', folder)
    if config.alignment == "lexicon" and not any(config.pivot in row for row in texts.rows):
        what = f"no translations from or into {config.pivot} in parallel/*.tsv.xz"
        raise CorpusError(f'{what}; give some, or set pivot, or alignment = "none"', folder)
    if config.nsp and not any(texts.following.values()):
        raise CorpusError("no two sentences in a row in mono/*.txt.xz, which nsp = true needs", folder)
    return texts


def _arranged(
    raw: dict[str, list[str]], alone: dict[str, int], rows: list[corpus.Aligned], config: PretrainConfig
) -> Texts:
    kept: dict[str, list[str | None]] = {}
    held: dict[str, list[str]] = {}
    for lang, texts in raw.items():
        out = _held_out(texts, config, lang)
        changed = transforms.apply(config.transforms.get(lang, []), texts, config.seed)
        both = list(zip(texts, changed, strict=True))
        held[lang] = list({before: after for before, after in both if before in out}.values())
        kept[lang] = [None if before in out else after for before, after in both]

    cells = {lang: iter(texts[alone.get(lang, 0) :]) for lang, texts in kept.items()}
    changed_rows = [{lang: cell for lang in row if (cell := next(cells[lang])) is not None} for row in rows]
    following = {lang: _following(kept[lang][:count], config.seed) for lang, count in alone.items() if config.nsp}
    return Texts(
        [row for row in changed_rows if len(row) > 1],
        {lang: [text for text in texts if text is not None] for lang, texts in kept.items()},
        following,
        held,
    )


def _held_out(texts: Sequence[str], config: PretrainConfig, lang: str) -> set[str]:
    """Draw held-out sentences before transforms, so that all copies of a sentence are found."""
    distinct = list(dict.fromkeys(texts)) if config.updates else []
    count = min(config.held_out, len(distinct) // HELD_OUT_DIVISOR)
    return set(random.Random(f"{config.seed} {lang}").sample(distinct, count))


def _following(texts: Sequence[str | None], seed: int) -> list[SentencePair]:
    """Pair each sentence with the next or, half of the time, a random one (Devlin et al. 2019, 3.1)."""
    rng = random.Random(seed)
    known = [text for text in texts if text is not None]
    return [
        (first, second, 1) if rng.random() < 0.5 else (first, rng.choice(known), 0)
        for first, second in pairwise(texts)
        if first is not None and second is not None
    ]
