"""Choose pool and test set of a project from its data, and make the rows of the database.

All other examples are stored too, so that an export can return the whole file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from annotate.editing import content
from annotate.language import _, gettext_noop
from fewshot.corpora.pool import Candidate, Candidates, PoolCount, candidates, digest
from fewshot.corpora.spelling import composed
from fewshot.corpora.types import Example, Sentence
from fewshot.errors import FewshotError, listed

Row = tuple[str, str, int, dict[str, Any]]
"""Split, id, length in tokens and JSON of an example."""


@dataclass(frozen=True, slots=True)
class Intake:
    """The choice of pool and test set.

    Args:
        pool: places of the pool's examples in the data.
        test: places of the test set's examples, in the data or in the given test set.
        count: how many other examples are left out of the pool, and why.
        lengths: fewest and most tokens of an example of the pool.
    """

    pool: frozenset[int]
    test: frozenset[int]
    count: PoolCount
    lengths: tuple[int, int] = (0, 0)


def intake(
    examples: Iterable[Example],
    test: int | Iterable[Example],
    seed: int,
    shortest: int | None,
    longest: int | None,
    whole: bool = False,
    everything: bool = False,
) -> Intake:
    """Choose pool and test set, reading the examples once and keeping a few bytes of each.

    Args:
        examples: of one kind.
        test: number of examples to draw at random for the test set, at most half of the different ones; examples that
            share a text (pairs with one premise) are drawn together. Or the examples of a given test set, whose texts
            are left out of the pool.
        seed: of that draw.
        shortest: minimum tokens of an example; None: the default of the kind, see `fewshot.corpora.pool`.
        longest: maximum tokens of an example; None: the default of the kind.
        whole: whether a given test set is not limited by length.
        everything: whether all examples outside of the test set are the pool, whatever their length and text.

    Raises:
        FewshotError: when no example is left for the pool or the test set.
    """
    known = candidates(examples, shortest, longest)
    if isinstance(test, int):
        fitting = [each for each in known.first if each.fits]
        drawn = _drawn(fitting, min(test, len(fitting) // 2), seed)
        return _taken(known, _parts(drawn), frozenset(each.place for each in drawn), everything)
    given = candidates(test, shortest, longest)
    drawn = [each for each in given.first if whole or each.fits]
    if not drawn:
        limits = f"{given.least}-{given.most} tokens"
        raise FewshotError(f"nothing to test on: of {given.read} examples of the test file none are of {limits}")
    return replace(_taken(known, _parts(drawn), everything=everything), test=frozenset(each.place for each in drawn))


def beside(examples: Iterable[Example], test: Iterable[Example], held: Set[bytes]) -> Intake:
    """Choose examples to add to an existing pool, reading the examples once.

    Args:
        test: the test set of the project.
        held: digests of the examples that the project already has, see `same`.

    Raises:
        FewshotError: when no example is left.
    """
    texts = (each.parts if each.parts != (each.key,) else (same(each),) for each in test)
    return _taken(candidates(examples, known=held, key=same), {digest(part) for parts in texts for part in parts})


def same(example: Example) -> Any:
    """Return a key that is equal for examples with the same text, however it is cut into words."""
    return composed("".join(example.text.split())) if isinstance(example, Sentence) else example.key


def _drawn(fitting: Sequence[Candidate], size: int, seed: int) -> list[Candidate]:
    """Draw at most ``size`` candidates; those that share a text are drawn together."""
    groups, drawn = _sharing(fitting), list[Candidate]()
    for group in Random(seed).sample(groups, len(groups)):
        if len(drawn) + len(group) <= size:
            drawn += group
    return drawn


def _sharing(fitting: Sequence[Candidate]) -> list[list[Candidate]]:
    """Divide candidates into the smallest groups of which no two share a text."""
    if not fitting:
        return []
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    texts: dict[bytes, int] = {}
    links = [(number, texts.setdefault(part, len(texts))) for number, each in enumerate(fitting) for part in each.parts]
    size, (numbers, parts) = len(fitting) + len(texts), zip(*links, strict=True)
    graph = coo_array(([True] * len(links), (numbers, [len(fitting) + part for part in parts])), shape=(size, size))
    groups: dict[int, list[Candidate]] = {}
    for each, group in zip(fitting, connected_components(graph, directed=False)[1], strict=False):
        groups.setdefault(int(group), []).append(each)
    return list(groups.values())


def _parts(drawn: Iterable[Candidate]) -> set[bytes]:
    return {part for each in drawn for part in each.parts}


def _taken(
    known: Candidates, test_parts: Set[bytes], test_set: frozenset[int] = frozenset(), everything: bool = False
) -> Intake:
    places, count = known.pool(test_parts, test_set)
    if everything:
        places = [place for place in range(known.read) if place not in test_set]
        count = PoolCount(len(places), 0, 0, 0)
    if not known.read:
        raise FewshotError("nothing to annotate: there is no example; give some text")
    if not places:
        counts = (
            (count.wrong_length, f"not of {known.least}-{known.most} tokens"),
            (count.repeated, "repeated"),
            (len(test_set) + count.in_test, "kept for the test set"),
        )
        reasons = listed([f"{number} are {reason}" for number, reason in counts if number])
        lengths = ", or other length limits" if count.wrong_length else ""
        raise FewshotError(f"nothing to annotate: of {known.read} examples {reasons}; give more text{lengths}")
    return Intake(frozenset(places), test_set, count, (known.least, known.most))


def left_out(intake: Intake, added: bool = False) -> str:
    """Return how many examples no sampler draws and why, to append to a count; empty if there is none.

    Args:
        added: whether the data are added to a project, which stores no example again.
    """
    count, (least, most) = intake.count, intake.lengths
    length = gettext_noop("{number} with more than {most} words")
    if least > 1:
        length = gettext_noop("{number} with fewer than {least} or more than {most} words")
    counts = (
        (count.repeated, gettext_noop("{number} repeated")),
        (count.wrong_length, length),
        (count.in_test, gettext_noop("{number} with a text of the test set")),
    )
    reasons = ", ".join(_(reason, number=f"{number:,}", least=least, most=most) for number, reason in counts if number)
    said = (
        gettext_noop("left out: {reasons}") if added else gettext_noop("not drawn: {reasons}; see the page Sentences")
    )
    return "; " + _(said, reasons=reasons) if reasons else ""


Read = Callable[[], Iterable[Example]]
"""Reads examples again, in the same order."""


def rows(read: Read, taken: Intake, read_test: Read | None = None, held: Set[bytes] = frozenset()) -> Iterator[Row]:
    """Yield the rows of a project; split ``rest`` is for examples outside of pool and test set.

    Args:
        read: reads the same examples as before.
        taken: their places, see `intake`.
        read_test: reads the given test set.
        held: digests of the examples that the project already has, which are not stored again.
    """
    for place, example in enumerate(read()):
        own = "pool" if place in taken.pool else "test" if not read_test and place in taken.test else "rest"
        if own != "rest" or digest(same(example)) not in held:
            yield _row(own, example)
    for place, example in enumerate(read_test() if read_test else ()):
        if place in taken.test:
            yield _row("test", example)


def _row(split: str, example: Example) -> Row:
    return split, example.id, example.length, content.to_json(example)
