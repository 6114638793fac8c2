"""Read and write transcripts of ELAN (.eaf): sentences on one tier, their words on another.

UPOS has a tier of its own below that of the words, ``upos``, and predicted tags ``upos-guess``, since ELAN has one tier
per kind of annotation. Everything else stays, including media files and other tiers. So that nothing is lost, a file is
only written with all of its sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from fewshot.corpora.files import Report, fail, read_lines, write_text
from fewshot.corpora.formats.common import parts
from fewshot.corpora.formats.common.markup import apply_edits, writable
from fewshot.corpora.formats.eaf import edits, fresh
from fewshot.corpora.formats.eaf.faults import faults
from fewshot.corpora.formats.eaf.glosses import comments_of, glosses_of
from fewshot.corpora.formats.eaf.media import media_of
from fewshot.corpora.formats.eaf.tags import tags_of
from fewshot.corpora.formats.eaf.tiers import GUESS, UPOS, EafAnnotation, Tier, Transcript, read_transcript
from fewshot.corpora.formats.eaf.words import word_tiers
from fewshot.corpora.formats.format import Format
from fewshot.corpora.spelling import composed
from fewshot.corpora.types import UNANNOTATED, Interlinear, Record, Sentence, file_lines
from fewshot.errors import CorpusError

TierSentence = tuple[Tier, EafAnnotation, list[EafAnnotation]]
"""Tier of words, sentence, and its words."""


def read(path: str | Path, report: Report = fail) -> list[Sentence]:
    """Read the sentences that have words, in the order of time.

    Words are on tiers that divide those of sentences. Glosses are associated with words or morphs, translations with
    sentences; they are recognized by the names of their tiers or types.

    Args:
        report: receives an error for each sentence without words, word without a sentence, tag without a word, and
            annotation without a place in the file.
    """
    path = Path(path)
    text = "".join(read_lines(path))
    data = text.encode()
    transcript = read_transcript(data, path, report)
    tiers = word_tiers(transcript, path)
    for line, fault in faults(transcript, tiers):
        report(CorpusError(fault, path, line))
    rows = [row for tier in tiers for row in _sentences(transcript, tier)]
    if not rows:
        raise CorpusError(f"no words on the tier {tiers[0].id}; divide the sentences into words in ELAN", path)
    rows.sort(key=lambda row: transcript.stretch(row[1]))
    annotations = {tier.id: _WordData.of(transcript, tier, [row for row in rows if row[0] is tier]) for tier in tiers}
    file, media, sentences = parts.digest(data), media_of(transcript), []
    for number, (tier, annotation, words) in enumerate(rows, start=1):
        part = parts.write_part(file, number, len(rows), words=[word.id for word in words])
        piece = text[(number - 1) * len(text) // len(rows) : number * len(text) // len(rows)]
        sentence = replace(
            _sentence(annotation, words, annotations[tier.id]),
            id=f"{path.stem}-{number}",
            record=Record(FORMAT.name, (part, piece)),
            where=f"{path}:{annotation.outer.line}",
            recording=media.heard(transcript, annotation),
        )
        sentences.append(sentence)
    return sentences


@dataclass(frozen=True, slots=True)
class _WordData:
    """Glosses, comments and tags of the words of one tier, by ids of annotations."""

    glosses: Mapping[str, Mapping[str, str]]
    comments: Mapping[str, Mapping[str, str]]
    tags: Mapping[str, str]
    guesses: Mapping[str, str]
    are_texts: bool

    @classmethod
    def of(cls, transcript: Transcript, tier: Tier, rows: Sequence[TierSentence]) -> Self:
        tags, guesses = (tags_of(transcript, tier, name) for name in (UPOS, GUESS))
        return cls(glosses_of(transcript, tier), comments_of(transcript, tier), tags, guesses, _are_texts(rows))


def _sentence(annotation: EafAnnotation, words: Sequence[EafAnnotation], data: _WordData) -> Sentence:
    decided = any(word.id in data.tags for word in words)  # guesses besides decisions of people are open
    tags = data.tags if decided else data.guesses
    forms = [word.value for word in words]
    is_text = data.are_texts and annotation.value != ""
    reference = {} if is_text or not annotation.value else {"ref": annotation.value}
    return Sentence(
        id="",
        text=annotation.value if is_text else " ".join(forms),
        words=tuple(forms),
        upos=tuple(tags.get(word.id, UNANNOTATED) for word in words),
        interlinear=Interlinear(
            tuple(data.glosses.get(word.id, {}) for word in words),
            {**data.comments.get(annotation.id, {}), **reference},
        ),
        predicted=("upos",) if not decided and any(word.id in data.guesses for word in words) else (),
    )


def _are_texts(rows: Sequence[TierSentence]) -> bool:
    """Return whether the annotations that words divide are texts (for most words) rather than numbers."""
    known = [(sentence.value, [word.value for word in words]) for _, sentence, words in rows if sentence.value]
    return 2 * sum(len(words) for value, words in known if _is_text(value, words)) >= sum(
        len(words) for _, words in known
    )


def _is_text(value: str, words: Sequence[str]) -> bool:
    """Return whether words occur in a text in order as whole tokens, or make up all of it."""
    written, spoken = (re.findall(r"\w+", composed(text).casefold()) for text in (value, " ".join(words)))
    rest = iter(written)
    return "".join(written) == "".join(spoken) or all(token in rest for token in spoken)


def write(sentences: Iterable[Sentence], path: str | Path) -> None:
    """Write UPOS; sentences of other sources get a new transcript, one second each.

    Raises:
        CorpusError: when sentences of a file are missing or their words were repaired, or a word has a character that
            XML cannot hold.
    """
    checked = writable(sentences)
    known = [parts.read_part(sentence, FORMAT.name) for sentence in checked]
    if not any(known):
        return write_text(path, fresh.document(checked, UPOS, GUESS))
    if len({part.get("file") for part in known}) > 1:
        message = "an ELAN file holds no sentences of other files; make a project of each file, or export as CoNLL-U"
        raise CorpusError(message, path)
    if not parts.are_whole(known):
        unchanged, total = sum(map(bool, known)), next(part["of"] for part in known if part)
        message = f"an ELAN file is only written whole; of {total} sentences of the file {unchanged} are unchanged"
        raise CorpusError(f"{message}: export all that came (--part all), or another format", path)
    if repaired := next((sentence for sentence in checked if not file_lines(sentence, FORMAT.name)), None):
        message = "its words were repaired, which an ELAN file cannot hold; export as CoNLL-U"
        raise CorpusError(f"{repaired.id}: {message}", path)
    data = "".join(file_lines(sentence, FORMAT.name)[1] for sentence in checked).encode()
    tags = {
        word: (tag, bool(sentence.predicted))
        for sentence, part in zip(checked, known, strict=True)
        for word, tag in zip(part["words"], sentence.upos, strict=True)
    }
    transcript = read_transcript(data, path, lambda error: None)  # reported when the file was read
    return write_text(path, apply_edits(data, edits.edits(data, transcript, tags, path)))


def _sentences(transcript: Transcript, tier: Tier) -> Iterator[TierSentence]:
    parents = transcript.tiers[tier.parent].annotations
    below = transcript.below(tier, parents)
    for parent in parents:
        if words := [word for word in below.get(parent.id, ()) if word.value]:
            yield tier, parent, words


FORMAT = Format(
    name="eaf",
    title="ELAN transcript",
    rank=12,
    suffixes=(".eaf",),
    holds={Sentence.kind: ("upos",)},
    opens={Sentence.kind: Sentence.columns},
    read=lambda path, options: read(path, options.report),
    write=lambda sentences, path, columns: write(sentences, path),
    whole=True,
    units=True,
    marks_begun=False,
)
