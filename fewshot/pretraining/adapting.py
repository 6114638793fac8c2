"""Continue the pretraining of an encoder on raw text of a language, and save it as a folder."""

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
from fewshot.pretraining.continuing import AdaptResult, Continuation, Learner, train
from fewshot.pretraining.tokenizer import count_pieces
from fewshot.progress import Progress, Report

RECORD = "adapt.json"
"""The file in the folder of an encoder that records what made it, and the result."""

HELD_OUT_SHARE, MAX_HELD_OUT = 0.05, 500
"""Share of the sentences of a text that is held out, and the maximum number."""

MIN_SENTENCES = 100
"""Different sentences that a text needs."""

OTHER_TEXT = "also"
"""Name of the text of other languages in scores."""

OTHER_SHARE, OTHER_LANG = 0.25, "en"
"""Share of the other text in training; the language whose rules split the other text into sentences."""


@dataclass(frozen=True, slots=True)
class RawText:
    """Raw text of a language.

    Args:
        text: UTF-8 file with a sentence or a paragraph in each line.
        also: text of other languages, which makes up `OTHER_SHARE` of the training; None for no other text.
    """

    text: Path
    lang: str
    also: Path | None = None


def adapt(  # noqa: PLR0913
    encoder: Encoder,
    source: RawText,
    pieces: int,
    romanize: bool,
    how: Continuation,
    out: Path,
    device: torch.device,
    report: Report,
    warn: Callable[[str], None],
) -> AdaptResult | None:
    """Continue the pretraining of an encoder on raw text, and save it; a stopped training continues.

    Args:
        encoder: not changed.
        pieces: maximum number of new pieces of its tokenizer.
        romanize: whether its tokenizer learns to read the script of the text in Latin letters.
        out: folder of the encoder; ``adapt.json`` there records what made it.
        report: receives the name of each stage, and every update.
        warn: called with a line about lines of the text that are left out.

    Returns:
        The result, or None when the folder holds the finished encoder already.

    Raises:
        FewshotError: when the folder holds another encoder, the text cannot be read, or the encoder cannot be trained
            with these settings.
    """
    _check(encoder)
    record = folder.EncoderRecord(out, RECORD, _made_from(encoder, source, pieces, romanize, how))
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
    counts = count_pieces(tokenizer, [*mixed, *(sentence for texts in held.values() for sentence in texts)])
    counts[[*tokenizer.all_special_ids, *range(len(known), len(tokenizer))]] += 1
    with torch.random.fork_rng():
        torch.manual_seed(how.seed)
        learner = Learner(replace(encoder, module=module), counts, len(known), how.train, device)
    checkpointer = record.checkpointer()
    readable_length = replace(how, length=min(how.length, encoder.limit))
    result = train(learner, tokenizer, mixed, held, readable_length, checkpointer, device, report)
    result = replace(result, new_pieces=len(tokenizer) - len(known))
    module = learner.plain()
    folder.save(Encoder(str(out), module, tokenizer, fingerprint(module)), out)
    record.write(result=asdict(result))
    checkpointer.remove()
    return result


def _made_from(encoder: Encoder, source: RawText, pieces: int, romanize: bool, how: Continuation) -> dict[str, Any]:
    """Return the data and settings that identify an adapted encoder."""
    return {
        "encoder": encoder.name,
        "encoder_fingerprint": encoder.fingerprint,
        "lang": source.lang,
        "text": _hash(source.text),
        "also": _hash(source.also) if source.also else None,
        "pieces": pieces,
        "romanize": romanize,
        "settings": asdict(how) | {"lr": how.peak},
    }


def _check(encoder: Encoder) -> None:
    tokenizer: Any = encoder.tokenizer
    module: Any = encoder.module
    if not vocabulary.is_plain(module):
        raise FewshotError(f"cannot train {encoder.name}: its embeddings are not a plain table")
    if tokenizer.mask_token_id is None:
        raise FewshotError(f"cannot train {encoder.name} on raw text: its tokenizer has no mask piece")
    last = max(tokenizer.get_vocab().values())
    if not last + 1 == len(tokenizer) <= module.get_input_embeddings().num_embeddings:
        raise FewshotError(f"cannot train {encoder.name}: its piece ids have gaps, or some pieces have no embedding")


def _hash(path: Path) -> str:
    with readable(path):
        return file_hash(path)[:12]


def _read(source: RawText, seed: int, warn: Callable[[str], None]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the training sentences and the held-out sentences of each text, by its name."""
    sentences, held = {}, {}
    texts = [(source.lang, source.text, source.lang)]
    if source.also:
        texts.append((OTHER_TEXT, source.also, OTHER_LANG))
    for name, path, lang in texts:
        distinct = list(dict.fromkeys(_sentences(path, lang, warn)))
        if len(distinct) < MIN_SENTENCES:
            raise CorpusError(f"{len(distinct)} different sentences are too few; give {MIN_SENTENCES} or more", path)
        random.Random(seed).shuffle(distinct)
        out = min(MAX_HELD_OUT, round(HELD_OUT_SHARE * len(distinct)))
        held[name], sentences[name] = distinct[:out], distinct[out:]
    return sentences, held


def _sentences(path: Path, lang: str, warn: Callable[[str], None]) -> list[str]:
    """Return the sentences of raw text, of whose lines at most a tenth may be unreadable."""
    if next(raw_lines(path), None) is None:
        raise CorpusError("the file is empty", path)
    formats.check_raw(path)
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
    (own, *others) = sentences.values()
    count = round(len(own) * OTHER_SHARE / (1 - OTHER_SHARE))
    return [*own, *(sentence for other in others for sentence in random.Random(seed).choices(other, k=count))]


def _extended(
    tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str], count: int, out: Path
) -> PreTrainedTokenizerFast:
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
