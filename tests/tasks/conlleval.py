"""conlleval.pl (Tjong Kim Sang & Buchholz 2000), written from its rules of where chunks begin and end."""

from itertools import pairwise

ENDS = {("B", "B"), ("B", "O"), ("I", "B"), ("I", "O")}
BEGINS = {("B", "B"), ("I", "B"), ("O", "B"), ("O", "I")}
"""Pairs of a tag's letter and the next one's that end and begin a chunk, whatever its type."""


def parts(tag):
    return (tag, "") if tag == "O" else tuple(tag.split("-", 1))


def ends(before, tag):
    (mark, kind), (next_mark, next_kind) = parts(before), parts(tag)
    return (mark, next_mark) in ENDS or (mark != "O" and kind != next_kind)


def begins(before, tag):
    (mark, kind), (next_mark, next_kind) = parts(before), parts(tag)
    return (mark, next_mark) in BEGINS or (next_mark != "O" and kind != next_kind)


def conlleval(gold, guess):
    """Return precision, recall and F1 in percent, of sentences of tags."""
    right = found = true = 0
    inside = False  # whether a chunk that both see is under way
    gold, guess = (["O", *(tag for tags in side for tag in [*tags, "O"])] for side in (gold, guess))  # O between them
    for (a, b), (c, d) in zip(pairwise(gold), pairwise(guess), strict=True):
        if inside and ends(a, b) and ends(c, d) and parts(a)[1] == parts(c)[1]:
            right, inside = right + 1, False
        elif inside and (ends(a, b) != ends(c, d) or parts(b)[1] != parts(d)[1]):
            inside = False
        if begins(a, b) and begins(c, d) and parts(b)[1] == parts(d)[1]:
            inside = True
        true, found = true + begins(a, b), found + begins(c, d)
    precision, recall = 100 * right / found if found else 0, 100 * right / true if true else 0
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0
