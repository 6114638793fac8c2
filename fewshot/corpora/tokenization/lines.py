"""The CoNLL-U lines of a sentence: parts for editors, and rewriting for other words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import Any, TypeAlias

from fewshot.corpora.formats import conllu, deps, misc
from fewshot.corpora.formats.conllu_rows import (
    COLUMNS,
    DEPREL,
    DEPS,
    FEATS,
    FORM,
    HEAD,
    ID,
    LEMMA,
    MISC,
    XPOS,
    bounds,
    cells,
    is_comment,
    is_row,
)
from fewshot.corpora.tokenization.alignment import Change
from fewshot.corpora.types import UNANNOTATED, Sentence

Range: TypeAlias = tuple[int, int, str]
"""First word, last word (from 1) and form of a multiword token."""

Columns: TypeAlias = list[str]

NO_SPACE = "SpaceAfter=No"


def ranges_of(sentence: Sentence) -> list[Range]:
    """Return the multiword tokens of a sentence in order."""
    return [_range(row) for row in rows_in(sentence.lines) if "-" in row[ID]]


def comments_of(sentence: Sentence) -> dict[str, str]:
    """Return the comments of a sentence that have a value, such as ``text_en``."""
    return dict(conllu.comment(line) for line in conllu.comments_above(lines_of(sentence)) if "=" in line)


def misc_of(sentence: Sentence) -> list[str]:
    """Return the MISC column of each word."""
    return [row[MISC] for row in words_of(sentence)]


def nodes_of(sentence: Sentence) -> list[tuple[str, str, str]]:
    """Return id, form and DEPS of each empty node."""
    return [(row[ID], row[FORM], row[DEPS]) for row in rows_in(sentence.lines) if "." in row[ID]]


def lemmas_of(sentence: Sentence) -> list[str]:
    """Return the lemma of each word, ``"_"`` where the file has none."""
    return [row[LEMMA] for row in words_of(sentence)]


def words_of(sentence: Sentence) -> list[Columns]:
    """Return the CoNLL-U columns of each word."""
    return words_in(lines_of(sentence))


def words_in(lines: Iterable[str]) -> list[Columns]:
    """Return the CoNLL-U columns of each word in some lines."""
    return _words(rows_in(lines))


def are_changed(sentence: Sentence) -> dict[str, list[bool]]:
    """Return for each word whether people have edited MISC and DEPS, see `Sentence`."""
    unchanged = (None,) * len(sentence.words)
    return {name: [value is not None for value in getattr(sentence, name) or unchanged] for name in ("misc", "deps")}


def changed_in(lines: Iterable[str], changed: Mapping[str, Sequence[bool]]) -> dict[str, Any]:
    """Return the `Sentence` columns ``misc`` and ``deps`` of people after the lines were rewritten.

    Args:
        changed: flags as returned by `are_changed`; may be longer than the lines have words.
    """
    rows = words_in(lines)
    now = {
        "misc": [misc.editable(row[MISC]) for row in rows],
        "deps": [deps.make_relative(row[DEPS], row[HEAD], row[DEPREL]) for row in rows],
    }
    columns = {}
    for name, values in now.items():
        made = tuple(value if is_made else None for value, is_made in zip(values, changed[name], strict=False))
        columns[name] = made if any(value is not None for value in made) else ()
    return columns


def rewrite(sentence: Sentence, words: Sequence[str], ranges: Sequence[Range], change: Change) -> tuple[str, ...]:
    """Return the lines of a sentence for other words; `conllu.to_text` adds UPOS, DEPREL and entities.

    Args:
        sentence: before the repair.
        ranges: the new multiword tokens, in order.
        change: what becomes of the words.
    """
    lines = lines_of(sentence)
    places = [place for place, line in enumerate(lines) if is_row(line)]
    comments = [line for line in lines[: places[-1]] if is_comment(line)]
    end = "\r\n" if lines[places[0]].endswith("\r\n") else "\n"
    if "text" not in comments_of(sentence):
        comments.append(f"# text = {sentence.text}{end}")
    old = rows_in(lines)
    old_words = _words(old)
    new = [_new_row(old_words, form, change, place) for place, form in enumerate(words)]
    nodes, names = _empty_nodes(old, change)
    for row in (*new, *nodes):
        arcs = deps.renumber(row[DEPS], names.get).split("|")
        row[DEPS] = deps.join_arcs(arc for arc in arcs if not arc.startswith(f"{row[ID]}:"))
        row[HEAD] = names.get(row[HEAD], UNANNOTATED)
    tokens = _range_rows(old, ranges, change)
    _set_spaces(new, tokens, sentence.text, dict(zip(change.lasts, _old_spaces(old), strict=True)))
    rows = ["\t".join(row) + end for row in sorted([*new, *tokens, *nodes], key=_place)]
    return (*comments, *rows, *lines[places[-1] + 1 :])


def lines_of(sentence: Sentence) -> list[str]:
    """Return the CoNLL-U lines of a sentence from any source, with its current annotation."""
    return list(StringIO(conllu.to_text(sentence), newline="\n"))


def _new_row(old: Sequence[Columns], form: str, change: Change, new: int) -> Columns:
    """Return the columns of a new word; DEPS keeps the old ids."""
    parts = [old[word] for word in change.sources[new]]
    row = list(parts[0]) if parts else [UNANNOTATED] * COLUMNS
    row[ID], row[FORM] = str(new + 1), form
    if not change.kept[new]:
        row[LEMMA] = UNANNOTATED
        if len(parts) == 1:  # the first part of a split word: its old XPOS and FEATS no longer hold
            row[XPOS : FEATS + 1] = [UNANNOTATED] * 2
    if len(parts) > 1:
        row[DEPS] = "|".join(part[DEPS] for part in parts if part[DEPS] != UNANNOTATED) or UNANNOTATED
        row[MISC] = _merged_misc([part[MISC] for part in parts])
    return row


def _merged_misc(columns: Sequence[str]) -> str:
    """Merge the items of several MISC columns; for a repeated key, the first column wins."""
    items: list[str] = []
    for column in columns:
        keys = {item.partition("=")[0] for item in (UNANNOTATED, *items)}
        items += [item for item in column.split("|") if item.partition("=")[0] not in keys]
    return "|".join(items) or UNANNOTATED


def _empty_nodes(old: Sequence[Columns], change: Change) -> tuple[list[Columns], dict[str, str]]:
    """Return the empty nodes with new ids, and a map from every old id that DEPS may use to its new id."""
    names = {"0": "0"} | {str(word): str(new + 1) for word, new in enumerate(change.targets, start=1)}
    behind: Counter[int] = Counter()
    nodes = []
    for row in old:
        if "." in row[ID]:
            word, _ = deps.place(row[ID])
            place = change.lasts[min(word, len(change.lasts)) - 1] + 1 if word else 0
            behind[place] += 1
            names[row[ID]] = f"{place}.{behind[place]}"
            nodes.append([names[row[ID]], *row[1:]])
    return nodes, names


def _range_rows(old: Sequence[Columns], ranges: Sequence[Range], change: Change) -> list[Columns]:
    known = {
        (change.targets[first - 1] + 1, change.lasts[last - 1] + 1, form): row
        for row in old
        if "-" in row[ID]
        for first, last, form in [_range(row)]
    }
    rows = []
    for first, last, form in ranges:
        row = known.get((first, last, form), ["", form, *[UNANNOTATED] * (COLUMNS - 2)])
        rows.append([f"{first}-{last}", *row[1:]])
    return rows


def _set_spaces(words: list[Columns], tokens: list[Columns], text: str, known: Mapping[int, bool]) -> None:
    """Set SpaceAfter as in the text, or as before where text and tokens disagree.

    Args:
        words: rows in order.
        tokens: rows of the multiword tokens, in order.
        known: by index of the last new word of an old one, whether a space followed.
    """
    inside = {word for row in tokens for word in range(_place(row)[0], _last(row) + 1)}
    surface = sorted([*tokens, *(row for row in words if int(row[ID]) not in inside)], key=_place)
    spaces = [known.get(_last(row) - 1, False) for row in surface]
    spaces[:-1] = _spaces(text, [row[FORM] for row in surface]) or spaces[:-1]
    for row in words:
        row[MISC] = _with_space(row[MISC], True)
    for row, space in zip(surface, spaces, strict=True):
        row[MISC] = _with_space(row[MISC], space)


def _spaces(text: str, forms: Sequence[str]) -> list[bool]:
    """Return whether a space follows each token but the last; empty where tokens and text disagree."""
    place, spaces = 0, []
    for form in forms:
        start = len(text) - len(text[place:].lstrip())
        spaces.append(start > place)
        if not text.startswith(form, start):
            return []
        place = start + len(form)
    return [] if text[place:].strip() else spaces[1:]


def _old_spaces(old: Sequence[Columns]) -> list[bool]:
    """Return whether a space follows each word; never inside a multiword token."""
    spaces = [NO_SPACE not in row[MISC].split("|") for row in _words(old)]
    for row in old:
        if "-" in row[ID]:
            first, last, _ = _range(row)
            spaces[first - 1 : last] = [*[False] * (last - first), NO_SPACE not in row[MISC].split("|")]
    return spaces


def _with_space(misc: str, space: bool) -> str:
    items = misc.split("|")
    if space == (NO_SPACE not in items):
        return misc
    if not space:
        return NO_SPACE if misc == UNANNOTATED else f"{misc}|{NO_SPACE}"
    return "|".join(item for item in items if item != NO_SPACE) or UNANNOTATED


def _place(row: Columns) -> tuple[int, int]:
    """Return the sort key of a row: ranges before their first word, empty nodes after their word."""
    return (int(row[ID].partition("-")[0]), -1) if "-" in row[ID] else deps.place(row[ID])


def _last(row: Columns) -> int:
    return int(row[ID].rpartition("-")[2])


def _range(row: Columns) -> Range:
    return (*bounds(row), row[FORM])


def _words(rows: Sequence[Columns]) -> list[Columns]:
    return [row for row in rows if row[ID].isdecimal()]


def rows_in(lines: Iterable[str]) -> list[Columns]:
    """Return the columns of all rows: words, multiword tokens and empty nodes."""
    return [cells(line.lstrip("\ufeff")) for line in lines if is_row(line)]
