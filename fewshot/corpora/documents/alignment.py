"""Align two tokenizations of a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

MAX_STEPS = 4_000_000
"""Most steps of the exact edit distance (product of the lengths), about a second."""


def aligned(old: Sequence[str], new: Sequence[str]) -> list[list[int]]:
    """Return, for each new word, the old words that it shares characters with.

    The alignment is exact where both are pieces of the same text. Otherwise (``al`` and ``a el``) characters are
    aligned by the fewest edits (Levenshtein 1966), or, above `MAX_STEPS`, in proportion to the lengths. Every word gets
    a partner, and partners never cross.

    Args:
        old: at least one word.
        new: at least one word.

    Returns:
        One ascending list of indices per new word; a split word is in several lists.
    """
    start, end = _same_ends(old, new)
    middle = _by_characters(old[start : len(old) - end], new[start : len(new) - end])
    moved = [[start + word for word in words] for words in middle]
    return [[word] for word in range(start)] + moved + [[len(old) - word] for word in range(end, 0, -1)]


def blocks(alignment: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the smallest runs of (old words, new words) without a partner outside: ``([3], [3, 4])``."""
    olds: list[int] = []
    news: list[int] = []
    for new, partners in enumerate(alignment):
        if olds and partners[0] > olds[-1]:
            yield olds, news
            olds, news = [], []
        olds += [old for old in partners if not olds or old > olds[-1]]
        news.append(new)
    if news:
        yield olds, news


def _same_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return how many words are equal at the start and at the end; both sides keep a word between them."""
    least = min(len(old), len(new))
    start = next((place for place in range(least) if old[place] != new[place]), least)
    end = next((place for place in range(least - start) if old[-1 - place] != new[-1 - place]), least - start)
    if start + end < least:
        return start, end
    return (start - 1, end) if start else (0, end - 1)


def _by_characters(old: Sequence[str], new: Sequence[str]) -> list[list[int]]:
    left = [word for word, form in enumerate(old) for _ in form]
    right = [word for word, form in enumerate(new) for _ in form]
    steps = _steps("".join(old), "".join(new))
    links = {(right[y], left[x]) for x, y, both in steps if both}
    linked_new, linked_old = {word for word, _ in links}, {word for _, word in links}
    for x, y, both in steps:
        if not both and (right[y] not in linked_new or left[x] not in linked_old):
            links.add((right[y], left[x]))
            linked_new.add(right[y])
            linked_old.add(left[x])
    partners: list[list[int]] = [[] for _ in new]
    for word, partner in sorted(links):
        partners[word].append(partner)
    return partners


def _steps(old: str, new: str) -> list[tuple[int, int, bool]]:
    """Return the steps that turn one text into the other, see `_edits`."""
    if old == new:
        return [(place, place, True) for place in range(len(old))]
    if len(old) * len(new) <= MAX_STEPS:
        return _edits(old, new)
    longer = max(len(old), len(new))
    return [(place * len(old) // longer, place * len(new) // longer, True) for place in range(longer)]


def _edits(old: str, new: str) -> list[tuple[int, int, bool]]:
    """Return the fewest edits: index in old, index in new, whether the step consumes both characters."""
    table = [[*range(len(new) + 1)]]
    for x, a in enumerate(old):
        row = [x + 1]
        for y, b in enumerate(new):
            row.append(min(table[x][y] + (a != b), table[x][y + 1] + 1, row[y] + 1))
        table.append(row)
    x, y, steps = len(old), len(new), []
    while x or y:
        both = bool(x and y) and table[x][y] == table[x - 1][y - 1] + (old[x - 1] != new[y - 1])
        removed = not both and x > 0 and table[x][y] == table[x - 1][y] + 1
        steps.append((max(x - 1, 0), max(y - 1, 0), both))
        x, y = (x - (both or removed), y - (both or not removed))
    return steps[::-1]
