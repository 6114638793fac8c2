"""From a file of a language to the rows of a new project: what may be annotated, and what is kept for testing.

The rest is kept too, so that an export can give back all of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from annotate.editing import content
from fewshot.corpora.pool import Candidate, Candidates, PoolCount, candidates, digest
from fewshot.corpora.spelling import composed
from fewshot.corpora.types import Example, Sentence
from fewshot.errors import FewshotError, listed

Row = tuple[str, str, int, dict[str, Any]]
"""Split, the example's own id, its length in tokens, the example as JSON."""


@dataclass(frozen=True, slots=True)
class Intake:
    """What a project takes of its examples.

    Args:
        pool: places of the examples that may be drawn.
        test: places of those of the test set, in the same examples or in those that were given for it.
        count: how many of the others were left out of the pool, and why.
    """

    pool: frozenset[int]
    test: frozenset[int]
    count: PoolCount


def intake(
    examples: Iterable[Example],
    test: int | Iterable[Example],
    seed: int,
    shortest: int | None,
    longest: int | None,
    whole: bool = False,
) -> Intake:
    """Choose pool and test set, reading the examples once and keeping a few bytes of each.

    Args:
        examples: of one kind.
        test: how many are drawn at random for the test set, at most half of the different ones, and of those that share
            a text (pairs of one premise) all or none; or the examples of a test set, of which no text is then in the
            pool.
        seed: of that draw.
        shortest: least tokens of an example; None: that of the kind, see `fewshot.corpora.pool`.
        longest: most tokens, likewise.
        whole: whether a test set that is given stays as it is, whatever its lengths.

    Raises:
        FewshotError: when nothing is left to annotate, or to test on.
    """
    known = candidates(examples, shortest, longest)
    if isinstance(test, int):
        fitting = [each for each in known.first if each.fits]
        drawn = _drawn(fitting, min(test, len(fitting) // 2), seed)
        return _taken(known, _parts(drawn), frozenset(each.place for each in drawn))
    given = candidates(test, shortest, longest)
    drawn = [each for each in given.first if whole or each.fits]
    if not drawn:
        limits = f"{given.least}-{given.most} tokens"
        raise FewshotError(f"nothing to test on: of {given.read} examples of the test file none are of {limits}")
    return replace(_taken(known, _parts(drawn)), test=frozenset(each.place for each in drawn))


def beside(examples: Iterable[Example], test: Iterable[Example], held: Set[bytes]) -> Intake:
    """Choose more for a pool that there is, reading the examples once.

    Args:
        examples: of one kind, of which none becomes a test example.
        test: the test set.
        held: digests of what the project has already, see `same`.

    Raises:
        FewshotError: when nothing is left to annotate.
    """
    texts = (each.parts if each.parts != (each.key,) else (same(each),) for each in test)
    return _taken(candidates(examples, known=held, key=same), {digest(part) for parts in texts for part in parts})


def same(example: Example) -> Any:
    """Return what makes two examples the same text, however it is cut into words."""
    return composed("".join(example.text.split())) if isinstance(example, Sentence) else example.key


def _drawn(fitting: Sequence[Candidate], size: int, seed: int) -> list[Candidate]:
    """Return at most so many, drawn in groups that share a text."""
    groups, drawn = _sharing(fitting), list[Candidate]()
    for group in Random(seed).sample(groups, len(groups)):
        if len(drawn) + len(group) <= size:
            drawn += group
    return drawn


def _sharing(fitting: Sequence[Candidate]) -> list[list[Candidate]]:
    """Return groups of which no two share a text, as small as they can be."""
    if not fitting:
        return []
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    texts: dict[bytes, int] = {}
    links = [(one, texts.setdefault(part, len(texts))) for one, each in enumerate(fitting) for part in each.parts]
    size, (ones, parts) = len(fitting) + len(texts), zip(*links, strict=True)
    graph = coo_array(([True] * len(links), (ones, [len(fitting) + part for part in parts])), shape=(size, size))
    groups: dict[int, list[Candidate]] = {}
    for each, group in zip(fitting, connected_components(graph, directed=False)[1], strict=False):
        groups.setdefault(int(group), []).append(each)
    return list(groups.values())


def _parts(drawn: Iterable[Candidate]) -> set[bytes]:
    return {part for each in drawn for part in each.parts}


def _taken(known: Candidates, test_parts: Set[bytes], test_set: frozenset[int] = frozenset()) -> Intake:
    places, count = known.pool(test_parts, test_set)
    if not known.read:
        raise FewshotError("nothing to annotate: there is no example; give some text")
    if not places:
        counts = (
            (count.wrong_length, f"not of {known.least}-{known.most} tokens"),
            (count.repeated, "repeated"),
            (len(test_set) + count.in_test, "kept for the test set"),
        )
        why = listed([f"{some} are {reason}" for some, reason in counts if some])
        lengths = ", or other length limits" if count.wrong_length else ""
        raise FewshotError(f"nothing to annotate: of {known.read} examples {why}; give more text{lengths}")
    return Intake(frozenset(places), test_set, count)


Read = Callable[[], Iterable[Example]]
"""Reads examples again, in the same order."""


def rows(read: Read, taken: Intake, read_test: Read | None = None, held: Set[bytes] = frozenset()) -> Iterator[Row]:
    """Yield the rows of a project; what is left out is kept for exports, as split ``rest``.

    Args:
        read: of the same examples.
        taken: places of them.
        read_test: of those of the test set, where they were given.
        held: digests of what the project has already, of which nothing is kept again.
    """
    for place, example in enumerate(read()):
        own = "pool" if place in taken.pool else "test" if not read_test and place in taken.test else "rest"
        if own != "rest" or digest(same(example)) not in held:
            yield _row(own, example)
    for place, example in enumerate(read_test() if read_test else ()):
        if place in taken.test:
            yield _row("test", example)


def both(pool: Iterable[Example], test: Iterable[Example]) -> Iterator[Row]:
    """Yield the rows of a project whose pool and test set are given."""
    for split, examples in (("pool", pool), ("test", test)):
        for example in examples:
            yield _row(split, example)


def _row(split: str, example: Example) -> Row:
    return split, example.id, example.length, content.to_json(example)
