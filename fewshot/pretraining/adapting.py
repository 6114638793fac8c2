"""From an encoder and raw text of a language to the folder of an encoder that has read it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import PreTrainedTokenizerFast

from fewshot import checkpoint
from fewshot.corpora import formats
from fewshot.corpora.files import file_hash, raw_lines, readable
from fewshot.corpora.formats import text as raw
from fewshot.corpora.segmentation import Segmentation
from fewshot.encoders import folder, vocabulary
from fewshot.encoders.load import Encoder, fingerprint
from fewshot.errors import CorpusError, FewshotError
from fewshot.pretraining import new_pieces, new_vectors, romanization
from fewshot.pretraining.continuing import Continuation, Learner, Outcome, train
from fewshot.pretraining.tokenizer import count_pieces
from fewshot.progress import Progress, Report

RECORD = "adapt.json"
"""What an encoder was made from, and the result."""

HELD_SHARE, HELD_OUT = 0.05, 500
"""Of the sentences of a text, which share is held out, and how many at most."""

FEWEST = 100
"""Sentences of a text, at least."""

ALSO = "also"
"""Name of the text beside that of the language."""

ALSO_SHARE, ALSO_LANG = 0.25, "en"
"""Of the sentences that are read, how many are of the other text; and whose full stops and abbreviations end its
sentences."""


@dataclass(frozen=True, slots=True)
class Source:
    """Raw text.

    Args:
        text: a file of UTF-8, a sentence or a paragraph a line.
        lang: its language.
        also: text of other languages, of which `ALSO_SHARE` of what is read is drawn; None: none.
    """

    text: Path
    lang: str
    also: Path | None = None


def adapt(  # noqa: PLR0913
    encoder: Encoder,
    source: Source,
    pieces: int,
    romanize: bool,
    how: Continuation,
    out: Path,
    device: torch.device,
    report: Report,
    warn: Callable[[str], None],
) -> Outcome | None:
    """Continue the pretraining of an encoder on raw text, and save it; a training that was stopped goes on.

    Args:
        encoder: stays as it is.
        pieces: new ones that its tokenizer gets, at most.
        romanize: whether its tokenizer is to read the script of the text in Latin letters.
        out: folder of the encoder, with what it is made from in ``adapt.json``.
        report: told the name of each stage when it begins, and every update.
        warn: called with a line about what is left out of the text.

    Returns:
        The result; None when the folder held the finished encoder already.

    Raises:
        FewshotError: when the folder holds another encoder, the text cannot be read, or the encoder cannot be trained
            in this way.
    """
    _check(encoder)
    made_from = {
        "encoder": encoder.name,
        "encoder_fingerprint": encoder.fingerprint,
        "lang": source.lang,
        "text": _hash(source.text),
        "also": _hash(source.also) if source.also else None,
        "pieces": pieces,
        "romanize": romanize,
        "settings": asdict(how) | {"lr": how.peak},
    }
    record = folder.EncoderRecord(out, RECORD, made_from)
    if record.is_finished():
        return None
    report(Progress(0, 0, "reading the text"))
    sentences, held = _read(source, how.seed, warn)
    known: Any = encoder.tokenizer
    if romanize:
        report(Progress(0, 0, "learning to read the script"))
        known = romanization.romanized(known, sentences[source.lang])
    record.write()
    tokenizer, module = known, vocabulary.copy_encoder(encoder.module)
    if pieces:
        report(Progress(0, 0, "learning new pieces"))
        tokenizer = _extended(known, sentences[source.lang], pieces, out)
        _extend_table(module, tokenizer, sentences[source.lang], len(known), how.seed)
    mixed = _mixed(sentences, how.seed)
    counts = count_pieces(tokenizer, [*mixed, *(sentence for each in held.values() for sentence in each)])
    counts[[*tokenizer.all_special_ids, *range(len(known), len(tokenizer))]] += 1
    with torch.random.fork_rng():
        torch.manual_seed(how.seed)
        learner = Learner(replace(encoder, module=module), counts, len(known), how.train, device)
    checkpointer = record.checkpointer()
    readable_length = replace(how, length=min(how.length, encoder.limit))
    outcome = train(learner, tokenizer, mixed, held, readable_length, checkpointer, device, report)
    outcome = replace(outcome, new_pieces=len(tokenizer) - len(known))
    module = learner.plain()
    folder.save(Encoder(str(out), module, tokenizer, fingerprint(module)), out)
    record.write(result=asdict(outcome))
    checkpointer.remove()
    return outcome


def _check(encoder: Encoder) -> None:
    """Refuse an encoder whose embeddings or tokenizer are not what this works with."""
    tokenizer: Any = encoder.tokenizer
    if not vocabulary.is_plain(encoder.module):
        raise FewshotError(f"the embeddings of {encoder.name} are no plain table, and cannot be trained here")
    if tokenizer.mask_token_id is None:
        raise FewshotError(f"{encoder.name} has no piece that hides others, and cannot be trained on raw text")
    last = max(tokenizer.get_vocab().values())
    if not last + 1 == len(tokenizer) <= len(vocabulary.table(encoder.module)):
        raise FewshotError(f"{encoder.name} does not number its pieces one by one, or has no embeddings for the last")


def _hash(path: Path) -> str:
    with readable(path):
        return file_hash(path)[:12]


def _read(source: Source, seed: int, warn: Callable[[str], None]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return by name the sentences of each text, in any order, and those that are held out of them."""
    sentences, held = {}, {}
    texts = [(source.lang, source.text, source.lang)]
    if source.also:
        texts.append((ALSO, source.also, ALSO_LANG))
    for name, path, lang in texts:
        distinct = list(dict.fromkeys(_sentences(path, lang, warn)))
        if len(distinct) < FEWEST:
            raise CorpusError(f"{len(distinct)} different sentences teach little; give {FEWEST} or more", path)
        random.Random(seed).shuffle(distinct)
        out = min(HELD_OUT, round(HELD_SHARE * len(distinct)))
        held[name], sentences[name] = distinct[:out], distinct[out:]
    return sentences, held


def _sentences(path: Path, lang: str, warn: Callable[[str], None]) -> list[str]:
    """Read raw text, of whose lines a tenth may be bad."""
    if next(raw_lines(path), None) is None:
        raise CorpusError("the file is empty", path)
    found = formats.detect(path)
    if found is not raw.FORMAT:
        raise CorpusError(f"this is {found.title}; give raw text, a sentence or a paragraph a line", path)
    bad: list[CorpusError] = []
    how = Segmentation("spaces", paragraphs=raw.has_paragraphs(path, lang))
    sentences = list(raw.read(path, how, lang, bad.append))
    if bad:
        lines = len({sentence.where for sentence in sentences}) + len(bad)
        if 10 * len(bad) > lines:
            raise CorpusError(f"{len(bad)} of {lines} lines cannot be read, the first: {bad[0]}", path)
        warn(f"{len(bad)} of {lines} lines are left out, the first: {bad[0]}")
    return [sentence.text for sentence in sentences]


def _mixed(sentences: Mapping[str, list[str]], seed: int) -> list[str]:
    """Return the sentences of the language, and as many others that they are `ALSO_SHARE` of all."""
    (own, *others) = sentences.values()
    count = round(len(own) * ALSO_SHARE / (1 - ALSO_SHARE))
    return [*own, *(sentence for other in others for sentence in random.Random(seed).choices(other, k=count))]


def _extended(
    tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str], count: int, out: Path
) -> PreTrainedTokenizerFast:
    """Return the tokenizer with new pieces; that of a training that was stopped is taken up again."""
    if (out / checkpoint.FILE).is_file():
        return PreTrainedTokenizerFast.from_pretrained(out)
    made = new_pieces.extended(tokenizer, sentences, count)
    folder.save_tokenizer(made, out)
    return made


def _extend_table(
    module: Any, tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str], old: int, seed: int
) -> None:
    rows = new_vectors.begin(vocabulary.table(module).data, tokenizer, sentences, old, seed)
    padding = module.get_input_embeddings().padding_idx
    module.set_input_embeddings(nn.Embedding.from_pretrained(rows, freeze=False, padding_idx=padding))
    module.config.vocab_size = len(rows)
