"""Corpora of an analysis: equal amounts of monolingual text of a few languages, and nothing parallel."""

from __future__ import annotations

import lzma
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from tokenizers.pre_tokenizers import BertPreTokenizer

from fewshot.errors import CorpusError
from fewshot.experiments.plan import digest
from fewshot.papers.small_encoders.design import base
from fewshot.pretraining import corpus

BLOCK = 50
"""Consecutive sentences that are drawn together, so that next-sentence prediction has something to learn."""


def build(source: Path, langs: Sequence[str], sentences: int, root: Path, warn: Callable[[str], None]) -> Path:
    """Write a corpus folder for pretraining, unless it is there.

    Punctuation is set apart from words by spaces: the tokenizer does so with real punctuation, but knows none of
    Fake-English, which is to differ from English in its characters alone.

    Args:
        source: corpus folder with ``mono/``; its parallel text is not used.
        langs: a language and its fake get different sentences.
        sentences: of each language, or as many as there are.
        root: of all corpora of the analysis.
        warn: called with a line for a language that has fewer sentences, or corrupt lines, which are left out.

    Returns:
        The folder; its name says all that it is made from.

    Raises:
        CorpusError: when the source is not as it should be, or too small.
    """
    made_from = [corpus.fingerprint(source), list(langs), sentences]
    folder = root / digest(made_from)
    if folder.is_dir():
        return folder
    partial = root / f"{folder.name}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    try:
        (partial / "mono").mkdir(parents=True)
        for lang in langs:
            skipped: corpus.Skipped = []
            texts = list(dict.fromkeys(corpus.mono(source, base(lang), skipped)))
            alike = [other for other in langs if base(other) == base(lang)]
            drawn = draw(texts, sentences, alike.index(lang), len(alike))
            if not drawn:
                raise CorpusError(f"too few sentences of {base(lang)}", source)
            if len(drawn) <= sentences - BLOCK or skipped:
                warn(f"{len(drawn)} sentences of {lang} where {sentences} are wanted; {len(skipped)} corrupt lines")
            with lzma.open(partial / "mono" / f"{lang}.txt.xz", "wt", encoding="utf-8", preset=0) as file:
                file.writelines(f"{separated(text)}\n" for text in drawn)
        partial.replace(folder)
    except OSError as error:
        raise CorpusError(f"cannot be written: {error.strerror}", folder) from None
    return folder


def draw(texts: Sequence[str], count: int, part: int, parts: int) -> list[str]:
    """Draw blocks of consecutive sentences, in their order.

    Args:
        texts: to draw from.
        count: sentences wanted.
        part: number of this draw among those that may have no block in common.
        parts: how many these are.
    """
    starts = list(range(0, len(texts), BLOCK))
    random.Random(0).shuffle(starts)
    chosen = sorted(starts[part::parts][: -(-count // BLOCK)])
    return [text for start in chosen for text in texts[start : start + BLOCK]][:count]


def separated(text: str) -> str:
    """Set punctuation apart from words as the tokenizers of `fewshot.pretraining.tokenizer` do."""
    return " ".join(piece for piece, _ in BertPreTokenizer().pre_tokenize_str(text))
