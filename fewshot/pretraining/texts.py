"""What a pretraining run reads: a corpus folder, transformed, and the sentences that are held out of it."""

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
"""Of a sentence whether it follows: nothing to learn; the class that a cross-entropy leaves out."""

Input = tuple[str, str | None, int]
"""A sentence, the one it is paired with, and whether that one follows it: 1, 0 or `UNKNOWN`."""

HELD_OUT = 200
"""At most one in so many sentences of a language is held out."""

NAMED = 5
"""Lines that were left out that a warning names."""


@dataclass(frozen=True, slots=True)
class Texts:
    """A corpus as a run sees it.

    Args:
        rows: aligned sentences.
        sentences: by language, all there are: those of the monolingual text, then those of the rows.
        following: by language, the consecutive sentences of the monolingual text, the second one of every other pair
            replaced by any other sentence of that text; empty without next-sentence prediction.
        held: by language, sentences that occur nowhere above, neither alone nor in a row.
    """

    rows: list[corpus.Aligned]
    sentences: dict[str, list[str]]
    following: dict[str, list[Input]]
    held: dict[str, list[str]]


def read_texts(folder: Path, config: PretrainConfig, warn: Callable[[str], None]) -> Texts:
    """Read and transform a corpus; hold out sentences of it when there is language modelling to be scored.

    Args:
        folder: see `fewshot.pretraining.corpus`.
        config: transforms, held-out sentences, what the corpus must have.
        warn: called with one line when lines of the corpus were left out.

    Raises:
        CorpusError: when a file is corrupt, or the corpus lacks what the settings need.
        UnknownNameError: when a language that is to be transformed is not in the corpus.
    """
    skipped: corpus.Skipped = []
    raw = {lang: list(corpus.mono(folder, lang, skipped)) for lang in corpus.languages(folder)}
    alone = {lang: len(texts) for lang, texts in raw.items()}
    rows = list(corpus.parallel(folder, skipped))
    if skipped:
        more = f"; and {len(skipped) - NAMED} more" if len(skipped) > NAMED else ""
        warn(f"{len(skipped)} corrupt lines are left out: {'; '.join(map(str, skipped[:NAMED]))}{more}")
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
    """Hold out and transform sentences, and put the rows and pairs together again.

    Args:
        raw: by language, the sentences of the monolingual text, then those of the rows.
        alone: by language, how many of them are monolingual text.
        rows: aligned sentences.
    """
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
    """Draw sentences to hold out: before they are transformed, so that all copies of them are found."""
    distinct = list(dict.fromkeys(texts)) if config.updates else []
    count = min(config.held_out, len(distinct) // HELD_OUT)
    return set(random.Random(f"{config.seed} {lang}").sample(distinct, count))


def _following(texts: Sequence[str | None], seed: int) -> list[Input]:
    """Pair sentences with the next one or, every other time, with any (Devlin et al. 2019, section 3.1)."""
    rng = random.Random(seed)
    known = [text for text in texts if text is not None]
    return [
        (first, second, 1) if rng.random() < 0.5 else (first, rng.choice(known), 0)
        for first, second in pairwise(texts)
        if first is not None and second is not None
    ]
