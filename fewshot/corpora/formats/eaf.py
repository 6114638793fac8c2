"""Read and write transcripts of ELAN (.eaf): sentences on one tier, their words on another.

UPOS is a tier of its own below that of the words, ``upos``, as ELAN has one tier for each kind of annotation; what a
model has chosen is on ``upos-guess``. Everything else, media files and other tiers too, stays as it was. Lest anything
be lost, a file is written with all of its sentences or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path

from fewshot.corpora.files import read_lines, write_text
from fewshot.corpora.formats import eaf_fresh, parts
from fewshot.corpora.formats.eaf_tiers import (
    ASSOCIATED,
    Annotation,
    Tier,
    Transcript,
    comments_of,
    glosses_of,
    read_transcript,
    word_tiers,
)
from fewshot.corpora.formats.format import Format
from fewshot.corpora.formats.markup import Edit, Element, edited, indent, written
from fewshot.corpora.types import UNANNOTATED, Interlinear, Record, Sentence, file_lines
from fewshot.errors import CorpusError

UPOS, GUESS = "upos", "upos-guess"
LAST_ID = "lastUsedAnnotationId"
"""The property from which ELAN numbers new annotations."""

Said = tuple[Tier, Annotation, list[Annotation]]
"""Tier of words, sentence, its words."""


def read(path: str | Path) -> list[Sentence]:
    """Read the sentences of a file, in the order of time.

    Args:
        path: a UTF-8 file. Words stand on tiers that divide those of sentences; glosses are associated with them or
            with their morphs, translations with sentences, known by the names of the tiers or of their types.

    Returns:
        The sentences that have words, named ``<file stem>-<number>``.

    Raises:
        CorpusError: with ``file:line``, for a file that is not ELAN's or has no tier of words.
    """
    path = Path(path)
    text = "".join(read_lines(path))
    data = text.encode()
    transcript = read_transcript(data, path)
    tiers = word_tiers(transcript, path)
    found = [said for tier in tiers for said in _sentences(transcript, tier)]
    if not found:
        raise CorpusError(f"no words on the tier {tiers[0].id}; divide the sentences into words in ELAN", path)
    found.sort(key=lambda said: transcript.span(said[1]))
    beside = {
        tier.id: (glosses_of(transcript, tier), comments_of(transcript, tier), _tags(transcript, tier))
        for tier in tiers
    }
    file, sentences = parts.digest(data), []
    for number, (tier, annotation, words) in enumerate(found, start=1):
        part = parts.part(file, number, len(found), words=[word.id for word in words])
        piece = text[(number - 1) * len(text) // len(found) : number * len(text) // len(found)]
        glosses, comments, (tags, guesses) = beside[tier.id]
        decided = any(word.id in tags for word in words)  # guesses beside what people decided are still open
        upos = tuple((tags if decided else guesses).get(word.id, UNANNOTATED) for word in words)
        sentence = Sentence(
            id=f"{path.stem}-{number}",
            text=annotation.value or " ".join(word.value for word in words),
            words=tuple(word.value for word in words),
            upos=upos,
            record=Record(FORMAT.name, (part, piece)),
            interlinear=Interlinear(tuple(glosses.get(word.id, {}) for word in words), comments.get(annotation.id, {})),
            predicted=("upos",) if not decided and any(word.id in guesses for word in words) else (),
            where=f"{path}:{annotation.outer.line}",
        )
        sentences.append(sentence)
    return sentences


def write(sentences: Iterable[Sentence], path: str | Path) -> None:
    """Write UPOS, atomically.

    Sentences of other sources get a transcript of their own, of a second each.

    Raises:
        CorpusError: when some sentences of a file are there and others are not, or their words were repaired, a word
            has a character that XML has not, or the file cannot be written.
    """
    found = list(sentences)
    known = [parts.of(sentence, FORMAT.name) for sentence in found]
    if not any(known):
        return write_text(path, eaf_fresh.document(found, UPOS, GUESS))
    if not parts.are_whole(known):
        here, of = sum(map(bool, known)), next(each["of"] for each in known if each)
        message = f"an ELAN file is only written whole; of {of} sentences of the file {here} are here as they came"
        raise CorpusError(f"{message}: export all that came (--part all), or another format", path)
    if repaired := next((sentence for sentence in found if not file_lines(sentence, FORMAT.name)), None):
        message = "its words were repaired, which an ELAN file cannot hold; export as CoNLL-U"
        raise CorpusError(f"{repaired.id}: {message}", path)
    data = "".join(file_lines(sentence, FORMAT.name)[1] for sentence in found).encode()
    tags = {
        word: (tag, bool(sentence.predicted))
        for sentence, each in zip(found, known, strict=True)
        for word, tag in zip(each["words"], sentence.upos, strict=True)
    }
    return write_text(path, edited(data, _edits(data, read_transcript(data), tags, path)))


def _sentences(transcript: Transcript, tier: Tier) -> Iterator[Said]:
    parents = transcript.tiers[tier.parent].annotations
    below = transcript.below(tier, parents)
    for parent in parents:
        if words := [word for word in below.get(parent.id, ()) if word.value]:
            yield tier, parent, words


def _tags(transcript: Transcript, words: Tier) -> tuple[dict[str, str], dict[str, str]]:
    """Return the tags of people and those of a model, by the ids of words."""
    made = []
    for name in (UPOS, GUESS):
        tier = _tier(transcript, words, name)
        made.append({one.parent: one.value for one in tier.annotations if one.value} if tier else {})
    return made[0], made[1]


def _tier(transcript: Transcript, words: Tier, name: str) -> Tier | None:
    """Return the tier of tags of a tier of words."""
    return next(
        (tier for tier in transcript.children(words) if tier.id.partition("@")[0].partition(" ")[0] == name), None
    )


def _edits(
    data: bytes, transcript: Transcript, tags: Mapping[str, tuple[str, bool]], path: str | Path
) -> Iterator[Edit]:
    """Yield what changes where words get tags, or lose them."""
    numbers = [int(known[0]) for one in transcript.annotations if (known := re.findall(r"[0-9]{1,15}$", one))]
    ids = count(max(numbers, default=0) + 1)
    new: list[str] = []
    for words in word_tiers(transcript, path):
        for name, guessed in ((UPOS, False), (GUESS, True)):
            wanted = {
                word.id: tag
                for word in words.annotations
                if word.id in tags
                for tag, of_model in [tags[word.id]]
                if tag != UNANNOTATED and of_model == guessed
            }
            tier = _tier(transcript, words, name)
            had = {one.parent: one for one in tier.annotations} if tier else {}
            yield from _changed(data, had, wanted, tags, guessed)
            made = [_annotation(f"a{next(ids)}", word, tag) for word, tag in wanted.items() if word not in had]
            if made and tier:
                yield _appended(data, tier.element, made)
            elif made:
                new.append(_new_tier(transcript, words, name, made))
    if new:
        yield from _inserted(data, transcript, new)
    yield from _last_id(transcript, next(ids) - 1)


def _changed(
    data: bytes,
    had: Mapping[str, Annotation],
    wanted: Mapping[str, str],
    tags: Mapping[str, tuple[str, bool]],
    guessed: bool,
) -> Iterator[Edit]:
    left = (UNANNOTATED, False) if guessed else None  # a guess that nobody has decided on
    for word, annotation in had.items():
        outer = annotation.outer
        value = next((one for element in outer.children for one in element.find("ANNOTATION_VALUE")), None)
        if word in wanted and value and annotation.value != wanted[word]:
            yield value.start, value.end, written("ANNOTATION_VALUE", value.attributes, wanted[word])
        elif word in tags and word not in wanted and annotation.value and tags[word] != left:
            yield outer.start - len(indent(data, outer).encode()), outer.end, ""


def _annotation(name: str, word: str, tag: str) -> str:
    start = written("REF_ANNOTATION", {"ANNOTATION_ID": name, "ANNOTATION_REF": word}).removesuffix("/>")
    value = written("ANNOTATION_VALUE", {}, tag)
    return (
        f"        <ANNOTATION>\n            {start}>\n                {value}\n            </REF_ANNOTATION>\n"
        "        </ANNOTATION>\n"
    )


def _appended(data: bytes, tier: Element, made: Sequence[str]) -> Edit:
    """Return the edit that puts annotations at the end of a tier."""
    if tier.outer == tier.end:  # an empty element
        return tier.start, tier.end, _filled("TIER", tier.attributes, made)
    space = data[tier.inner : tier.outer]
    return tier.outer - (len(space) - len(space.rstrip())), tier.outer, "\n" + "".join(made) + "    "


def _filled(tag: str, attributes: Mapping[str, str], made: Sequence[str]) -> str:
    return written(tag, attributes).removesuffix("/>") + ">\n" + "".join(made) + f"    </{tag}>"


def _new_tier(transcript: Transcript, words: Tier, name: str, made: Sequence[str]) -> str:
    speaker = words.id.partition("@")[2]
    names = chain([f"{name}@{speaker}" if speaker else name, f"{name} {words.id}"], (f"{name} {n}" for n in count(2)))
    attributes = {
        "LINGUISTIC_TYPE_REF": _type(transcript)[0],
        "PARENT_REF": words.id,
        **{key: value for key, value in words.element.attributes.items() if key in ("DEFAULT_LOCALE", "PARTICIPANT")},
        "TIER_ID": next(each for each in names if each not in transcript.tiers),
    }
    return _filled("TIER", attributes, made)


def _type(transcript: Transcript) -> tuple[str, bool]:
    """Return the name of a type that is associated with words, and whether the file has it."""
    known = {one.attributes.get("LINGUISTIC_TYPE_ID"): one for one in transcript.root.find("LINGUISTIC_TYPE")}
    names = chain([UPOS], (f"{UPOS}-{n}" for n in count(2)))
    name = next(name for name in names if name not in known or known[name].attributes.get("CONSTRAINTS") == ASSOCIATED)
    return name, name in known


def _inserted(data: bytes, transcript: Transcript, tiers: Sequence[str]) -> Iterator[Edit]:
    """Yield the edits that put new tiers behind the last one, and their type behind the last type."""
    last = [*transcript.root.find("TIER")][-1]
    yield last.end, last.end, "".join(f"\n    {tier}" for tier in tiers)
    name, is_known = _type(transcript)
    if not is_known:
        before = ([last, *transcript.root.find("LINGUISTIC_TYPE")])[-1]
        attributes = {
            "CONSTRAINTS": ASSOCIATED,
            "GRAPHIC_REFERENCES": "false",
            "LINGUISTIC_TYPE_ID": name,
            "TIME_ALIGNABLE": "false",
        }
        yield before.end, before.end, "\n    " + written("LINGUISTIC_TYPE", attributes)


def _last_id(transcript: Transcript, last: int) -> Iterator[Edit]:
    for property_ in transcript.root.find("HEADER", "PROPERTY"):
        old = property_.text.strip()
        if property_.attributes.get("NAME") == LAST_ID and re.fullmatch("[0-9]{1,15}", old) and int(old) < last:
            yield property_.start, property_.end, written("PROPERTY", property_.attributes, str(last))


FORMAT = Format(
    name="eaf",
    title="ELAN transcript",
    rank=12,
    suffixes=(".eaf",),
    holds={Sentence.kind: ("upos",)},
    opens={Sentence.kind: Sentence.columns},
    read=lambda path, how: read(path),
    write=lambda sentences, path, columns: write(sentences, path),
    whole=True,
)
