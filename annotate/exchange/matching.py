"""Which examples of a project those of a file are: by their ids among those of the same words or text, else by these.

Sentences may be others there.

An export has the sentences that people see: one that they ended early is several there, and one that goes on in the
next ones is one. Both are known again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from annotate.editing import content
from annotate.exchange.pool import same
from annotate.store import Example, Project, Store
from fewshot.corpora.spelling import composed
from fewshot.corpora.tokenization.joining import find_separated, rejoin
from fewshot.corpora.types import Sentence

SPLITS = ("pool", "test")
"""What can be annotated."""

LOOKED_UP = 12
"""Letters by which the sentences of a file are looked up that may be the beginning of one of the project."""

Rows: TypeAlias = dict[Any, "Match"]
"""What the project has, by each of its keys."""


@dataclass(frozen=True, slots=True)
class Match:
    """What a project has of an example of a file.

    Args:
        id: of its row.
        split: ``pool`` or ``test``.
        example: as it came.
        joined: how many of the sentences that follow it goes on in there.
        is_one_of_several: whether the project has other examples that the same key finds.
    """

    id: int
    split: str
    example: Any
    joined: int = 0
    is_one_of_several: bool = False


def matched(store: Store, project: Project, examples: Sequence[Any]) -> tuple[list[Any], Rows]:
    """Return the examples of a file, those that are one in the project as one, and what the project has of them."""
    wholes = {run[0].id: [rejoin(run[:count]) for count in range(len(run), 1, -1)] for run in find_separated(examples)}
    rows = _rows(store, project, [*examples, *(one for each in wholes.values() for one in each)])
    found = _as_here(examples, wholes, rows)
    if unknown := [one for one in found if isinstance(one, Sentence) and not rows.keys() & keys(one)]:
        several = (whole for one in unknown for whole in wholes.get(one.id, ()))
        more = _joined_rows(store, project, [*unknown, *several])
        found, rows = _as_here(found, wholes, more), more | rows
        found, rows = _whole_here(store, project, found, rows)
    return found, rows


def _whole_here(store: Store, project: Project, examples: Sequence[Any], rows: Rows) -> tuple[list[Any], Rows]:
    """Return examples, unknown ones as one that are one in the project: a file without ids has them apart.

    Args:
        rows: what the project has of the examples.
    """
    unknown = [isinstance(one, Sentence) and not rows.keys() & keys(one) for one in examples]
    begins: dict[str, list[int]] = defaultdict(list)
    for place, (one, is_unknown) in enumerate(zip(examples, unknown, strict=True)):
        if is_unknown and unknown[place + 1 : place + 2] == [True]:
            begins[same(one)[:LOOKED_UP]].append(place)
    wholes: dict[int, tuple[int, Sentence]] = {}  # by the place of the first part: that behind the last one
    found: Rows = {}
    for row in store.examples(project.id) if begins else ():
        letters = _letters([row]) if row.split in SPLITS else ""
        lengths = range(1, min(len(letters), LOOKED_UP) + 1)
        for place in [place for length in lengths for place in begins.get(letters[:length], ())]:
            end = _end_of(letters, examples, unknown, place)
            if end < place + 2:
                continue
            whole = rejoin(examples[place:end])
            known = found.setdefault(whole.key, Match(row.id, row.split, content.from_json(row.content)))
            if known.id != row.id:
                found[whole.key] = replace(known, is_one_of_several=True)
            wholes[place] = end, whole
    made, place = [], 0
    while place < len(examples):
        place, one = wholes.get(place, (place + 1, examples[place]))
        made.append(one)
    return made, rows | found


def _end_of(letters: str, examples: Sequence[Any], unknown: Sequence[bool], place: int) -> int:
    """Return the place behind the unknown examples from a place on that have these letters, one after the other.

    Returns:
        0 where they have others, or more, or fewer.
    """
    while letters and place < len(examples) and unknown[place] and letters.startswith(same(examples[place])):
        letters = letters.removeprefix(same(examples[place]))
        place += 1
    return 0 if letters else place


def _as_here(examples: Sequence[Any], wholes: Mapping[str, Sequence[Sentence]], rows: Rows) -> list[Any]:
    """Return examples, those as one that are one in the project.

    Args:
        wholes: what the parts from one on may be parts of, by its id.
        rows: of the project.
    """
    found: list[Any] = []
    inside = 0  # of the parts that follow, how many are of the whole that was found last
    for example in examples:
        if inside:
            inside -= 1
            continue
        whole = next((one for one in wholes.get(example.id, ()) if rows.keys() & keys(one)), None)
        found.append(whole or example)
        inside = len(whole.ends) if whole else 0
    return found


def keys(example: Any) -> list[Any]:
    """Return what an example is found by, best first: its key; else a sentence, whose words may change, by its text.

    Both stand first with the id, since a project may have one text several times.
    """
    texts = [composed(example.text)] if isinstance(example, Sentence) else []
    return [*ids(example), example.key, *texts]


def ids(example: Any) -> list[Any]:
    """Return the keys that hold the id of an example."""
    texts = [composed(example.text)] if isinstance(example, Sentence) else []
    return [(example.id, text) for text in (example.key, *texts)]


def _rows(store: Store, project: Project, examples: Sequence[Any]) -> Rows:
    """Return what the project has of some examples.

    What was drawn is looked through first: mostly that is all, by ids, and the rest may be a million.
    """
    wanted = {key for example in examples for key in keys(example)}
    found: Rows = {}
    for drawn in (store.drawn_examples(project.id), None):
        for row in store.examples(project.id, ids=drawn):
            if row.split in SPLITS:
                example = content.from_json(row.content)
                for key in wanted.intersection(keys(example)):
                    known = found.setdefault(key, Match(row.id, row.split, example))
                    if known.id != row.id:
                        found[key] = replace(known, is_one_of_several=True)
        if all(found.keys() & ids(example) for example in examples):
            break
    return found


def _joined_rows(store: Store, project: Project, sentences: Sequence[Sentence]) -> Rows:
    """Return what the project has of sentences whose text is that of several which follow on each other there."""
    by_letter: dict[str, list[Sentence]] = defaultdict(list)
    for sentence in sentences:
        by_letter[same(sentence)[:1]].append(sentence)
    found: Rows = {}
    begun: list[tuple[Sentence, list[Example]]] = []  # whose text the rows so far are the beginning of
    for row in store.examples(project.id):
        first = by_letter.get(_letters([row])[:1], ()) if row.split in SPLITS else ()
        more = [(one, [*rows, row]) for one, rows in [*begun, *((one, []) for one in first)]]
        begun = [(one, rows) for one, rows in more if same(one).startswith(_letters(rows))]
        for one, rows in begun:
            if len(rows) > 1 and _letters(rows) == same(one):
                found.setdefault(one.key, _match(rows))
    return found


def _letters(rows: Sequence[Example]) -> str:
    return "".join(composed("".join(str(row.content.get("text", "")).split())) for row in rows)


def _match(rows: Sequence[Example]) -> Match:
    sentences: list[Any] = [content.from_json(row.content) for row in rows]
    first, *others = sentences
    return Match(rows[0].id, rows[0].split, replace(first, following=tuple(others)), len(others))
