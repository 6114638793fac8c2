"""Match the examples of a file with those of a project.

Examples match by words or text, and by id among examples with the same text.

An export has the sentences that people see: a sentence that was split is several sentences there, and joined sentences
are one. Matching recognizes both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from annotate.editing import content
from annotate.exchange.pool import same
from annotate.store import Project, Store, StoredExample
from fewshot.corpora.spelling import composed
from fewshot.corpora.tokenization.joining import find_separated, rejoin
from fewshot.corpora.types import Sentence

SPLITS = ("pool", "test")
"""Splits whose examples can be annotated."""

INDEXED_LETTERS = 12
"""Number of first letters by which sentences of a file are indexed that may begin a sentence of the project."""

Rows: TypeAlias = dict[Any, "Match"]
"""Matches by each of their keys."""


@dataclass(frozen=True, slots=True)
class Match:
    """The example of a project that matches an example of a file.

    Args:
        id: of its row.
        split: ``pool`` or ``test``.
        example: as it was imported.
        joined: number of following sentences of the project that are part of the file's sentence.
        is_one_of_several: whether other examples of the project have the same key.
    """

    id: int
    split: str
    example: Any
    joined: int = 0
    is_one_of_several: bool = False


def matched(store: Store, project: Project, examples: Sequence[Any]) -> tuple[list[Any], Rows]:
    """Return the examples of a file, joined where the project has one sentence, and their matches."""
    wholes = {run[0].id: [rejoin(run[:count]) for count in range(len(run), 1, -1)] for run in find_separated(examples)}
    rows = _rows(store, project, [*examples, *(whole for each in wholes.values() for whole in each)])
    examples = _joined_as_in_project(examples, wholes, rows)
    if unknown := [each for each in examples if isinstance(each, Sentence) and not rows.keys() & keys(each)]:
        several = (whole for sentence in unknown for whole in wholes.get(sentence.id, ()))
        more = _joined_rows(store, project, [*unknown, *several])
        examples, rows = _joined_as_in_project(examples, wholes, more), more | rows
        examples, rows = _joined_without_ids(store, project, examples, rows)
    return examples, rows


def _joined_without_ids(store: Store, project: Project, examples: Sequence[Any], rows: Rows) -> tuple[list[Any], Rows]:
    """Return examples of a file without ids, unknown ones joined where the project has one sentence.

    Args:
        rows: matches of the examples so far.
    """
    unknown = [isinstance(example, Sentence) and not rows.keys() & keys(example) for example in examples]
    begins: dict[str, list[int]] = defaultdict(list)
    for place, (example, is_unknown) in enumerate(zip(examples, unknown, strict=True)):
        if is_unknown and unknown[place + 1 : place + 2] == [True]:
            begins[same(example)[:INDEXED_LETTERS]].append(place)
    wholes: dict[int, tuple[int, Sentence]] = {}  # place of the first part: place after the last part, and the whole
    matches: Rows = {}
    for row in store.examples(project.id) if begins else ():
        letters = _letters([row]) if row.split in SPLITS else ""
        lengths = range(1, min(len(letters), INDEXED_LETTERS) + 1)
        for place in [place for length in lengths for place in begins.get(letters[:length], ())]:
            end = _end_of(letters, examples, unknown, place)
            if end < place + 2:
                continue
            whole = rejoin(examples[place:end])
            _add(matches, whole.key, row, content.from_json(row.content))
            wholes[place] = end, whole
    merged, place = [], 0
    while place < len(examples):
        place, example = wholes.get(place, (place + 1, examples[place]))
        merged.append(example)
    return merged, rows | matches


def _end_of(letters: str, examples: Sequence[Any], unknown: Sequence[bool], place: int) -> int:
    """Return the place after the unknown examples whose texts together are ``letters``.

    Returns:
        0 if there are no such examples.
    """
    while letters and place < len(examples) and unknown[place] and letters.startswith(same(examples[place])):
        letters = letters.removeprefix(same(examples[place]))
        place += 1
    return 0 if letters else place


def _joined_as_in_project(examples: Sequence[Any], wholes: Mapping[str, Sequence[Sentence]], rows: Rows) -> list[Any]:
    """Return examples, joined where the project has one sentence.

    Args:
        wholes: joined sentences that may begin with an example, by the example's id.
        rows: matches in the project.
    """
    merged: list[Any] = []
    inside = 0  # number of following parts that belong to the last whole
    for example in examples:
        if inside:
            inside -= 1
            continue
        whole = next((each for each in wholes.get(example.id, ()) if rows.keys() & keys(each)), None)
        merged.append(whole or example)
        inside = len(whole.ends) if whole else 0
    return merged


def keys(example: Any) -> list[Any]:
    """Return the keys of an example, best first: words or text with the id, then without it.

    The text of a sentence is a key because its words may have changed.
    """
    texts = [composed(example.text)] if isinstance(example, Sentence) else []
    return [*ids(example), example.key, *texts]


def ids(example: Any) -> list[Any]:
    """Return the keys that contain the id of an example."""
    texts = [composed(example.text)] if isinstance(example, Sentence) else []
    return [(example.id, text) for text in (example.key, *texts)]


def _rows(store: Store, project: Project, examples: Sequence[Any]) -> Rows:
    """Return the matches of examples in the project.

    Drawn examples are searched first: usually they include all, and the pool may have a million others.
    """
    wanted = {key for example in examples for key in keys(example)}
    matches: Rows = {}
    for drawn in (store.drawn_examples(project.id), None):
        for row in store.examples(project.id, ids=drawn):
            if row.split in SPLITS:
                example = content.from_json(row.content)
                for key in wanted.intersection(keys(example)):
                    _add(matches, key, row, example)
        if all(matches.keys() & ids(example) for example in examples):
            break
    return matches


def _add(matches: Rows, key: Any, row: StoredExample, example: Any) -> None:
    known = matches.setdefault(key, Match(row.id, row.split, example))
    if known.id != row.id:
        matches[key] = replace(known, is_one_of_several=True)


def _joined_rows(store: Store, project: Project, sentences: Sequence[Sentence]) -> Rows:
    """Return the matches of sentences that are several consecutive sentences in the project."""
    by_letter: dict[str, list[Sentence]] = defaultdict(list)
    for sentence in sentences:
        by_letter[same(sentence)[:1]].append(sentence)
    matches: Rows = {}
    begun: list[tuple[Sentence, list[StoredExample]]] = []  # sentences whose text begins with the rows so far
    for row in store.examples(project.id):
        first = by_letter.get(_letters([row])[:1], ()) if row.split in SPLITS else ()
        more = [(sentence, [*rows, row]) for sentence, rows in [*begun, *((sentence, []) for sentence in first)]]
        begun = [(sentence, rows) for sentence, rows in more if same(sentence).startswith(_letters(rows))]
        for sentence, rows in begun:
            if len(rows) > 1 and _letters(rows) == same(sentence):
                matches.setdefault(sentence.key, _match(rows))
    return matches


def _letters(rows: Sequence[StoredExample]) -> str:
    return "".join(composed("".join(str(row.content.get("text", "")).split())) for row in rows)


def _match(rows: Sequence[StoredExample]) -> Match:
    sentences: list[Any] = [content.from_json(row.content) for row in rows]
    first, *others = sentences
    return Match(rows[0].id, rows[0].split, replace(first, following=tuple(others)), len(others))
