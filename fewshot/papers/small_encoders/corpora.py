"""Data of small encoders: pretraining text of equal size by language, and transformed probe data."""

from __future__ import annotations

import lzma
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tokenizers.pre_tokenizers import BertPreTokenizer

from fewshot.corpora.types import UNANNOTATED, Pair, Sentence
from fewshot.errors import CorpusError
from fewshot.experiments.plan import digest
from fewshot.papers.small_encoders.design import base
from fewshot.pretraining import corpus, transforms

BLOCK_SENTENCES = 50
"""Consecutive sentences that are drawn together, so that next-sentence prediction has something to learn."""

PROBE_TRANSFORMS = ("fake", "mark")
"""Transforms of a pretraining corpus that are applied to probe data too; those of order and frequency are not."""


def build(source: Path, langs: Sequence[str], sentences: int, root: Path, warn: Callable[[str], None]) -> Path:
    """Write a corpus folder for pretraining unless it exists, and return it.

    Spaces separate punctuation from words: the tokenizer separates real punctuation, but does not know the punctuation
    of Fake-English, which should differ from English in its characters alone.

    Args:
        source: corpus folder with ``mono/``; its parallel text is not used.
        langs: a language and its fake get different sentences.
        sentences: maximum for each language.
        root: folder of all corpora of the analysis.

    Raises:
        CorpusError: when the source is invalid or too small.
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
            same_base = [name for name in langs if base(name) == base(lang)]
            drawn = draw(texts, sentences, same_base.index(lang), len(same_base))
            if not drawn:
                raise CorpusError(f"too few sentences of {base(lang)}", source)
            if len(drawn) <= sentences - BLOCK_SENTENCES or skipped:
                warn(f"{len(drawn)} sentences of {lang} where {sentences} are wanted; {len(skipped)} corrupt lines")
            with lzma.open(partial / "mono" / f"{lang}.txt.xz", "wt", encoding="utf-8", preset=0) as file:
                file.writelines(f"{separated(text)}\n" for text in drawn)
        partial.replace(folder)
    except OSError as error:
        raise CorpusError(f"cannot be written: {error.strerror}", folder) from None
    return folder


def draw(texts: Sequence[str], count: int, part: int, parts: int) -> list[str]:
    """Draw blocks of consecutive sentences, in their order; the blocks of one part occur in no other part."""
    starts = list(range(0, len(texts), BLOCK_SENTENCES))
    random.Random(0).shuffle(starts)
    chosen = sorted(starts[part::parts][: -(-count // BLOCK_SENTENCES)])
    return [text for start in chosen for text in texts[start : start + BLOCK_SENTENCES]][:count]


def separated(text: str) -> str:
    """Separate punctuation from words as the tokenizers of `fewshot.pretraining.tokenizer` do."""
    return " ".join(piece for piece, _ in BertPreTokenizer().pre_tokenize_str(text))


def change(example: Any, names: Sequence[str]) -> Any:
    """Apply those transforms of a language that are in `PROBE_TRANSFORMS` to an example; labels stay."""
    for name in names:
        if name.partition("-")[0] not in PROBE_TRANSFORMS:
            continue
        if isinstance(example, Pair):
            premise, hypothesis = transforms.apply([name], [example.premise, example.hypothesis])
            example = replace(example, premise=premise, hypothesis=hypothesis)
        else:
            example = _changed(example, name)
    return example


def _changed(sentence: Sentence, name: str) -> Sentence:
    (text,) = transforms.apply([name], [sentence.text])
    if name != "fake":
        return _marked(sentence, text)
    words = transforms.fake([separated(word) for word in sentence.words])
    return replace(sentence, words=tuple(words), text=text, record=None)


def _marked(sentence: Sentence, text: str) -> Sentence:
    """Insert the first word of a text, which has no annotation, before the words."""
    return replace(
        sentence,
        text=text,
        words=(text.split(maxsplit=1)[0], *sentence.words),
        upos=(UNANNOTATED, *sentence.upos),
        heads=(-1, *(head + (head > 0) for head in sentence.heads)),
        deprels=(UNANNOTATED, *sentence.deprels),
        entities=(UNANNOTATED, *sentence.entities),
        lemmas=(),
        feats=(),
        record=None,
    )
