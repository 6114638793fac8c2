"""Sentences inside one example of a file: where they end, their annotation and CoNLL-U lines.

They stay one example in a project, see `Sentence.ends`; heads are numbers of its words. Exports write them as separate
sentences, named like those of `util.SplitSentence` of Udapi: ``s1`` becomes ``s1A`` and ``s1B``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from string import ascii_uppercase
from typing import Any

from fewshot.corpora.formats import deps
from fewshot.corpora.formats.conllu import ANNOTATED, SENT_ID, comment
from fewshot.corpora.formats.conllu_rows import DEPREL, DEPS, FORM, HEAD, ID, MISC, cells, is_comment, is_row
from fewshot.corpora.offsets import places
from fewshot.corpora.tokenization.lines import (
    NO_SPACE,
    Columns,
    Range,
    are_changed,
    changed_in,
    lines_of,
)
from fewshot.corpora.types import UNANNOTATED, Record, Sentence
from fewshot.errors import CorpusError

ROOT = "root"


def set_ends(sentence: Sentence, ends: Sequence[int], ranges: Sequence[Range]) -> Sentence:
    """Return a sentence with other `ends`; arcs and entities that would cross an end are cut.

    An entity becomes two. A head in another sentence becomes open, unless all other words of its sentence have heads
    there: then the word is the root.

    Args:
        ends: numbers of words that end sentences, ascending, without the last word.
        ranges: the multiword tokens.

    Raises:
        CorpusError: for invalid numbers, or an end inside a multiword token.
    """
    where, words = sentence.where or sentence.id, len(sentence.words)
    if not all(type(end) is int for end in ends) or [0, *ends, words] != sorted({0, *ends, words}):
        raise CorpusError(
            f"invalid sentence ends {list(ends)}; give ascending numbers of words before the last, {words}", where
        )
    for first, last, form in ranges:
        if bisect_left(ends, first) < bisect_left(ends, last):
            raise CorpusError(f"a sentence ends within the multiword token {form!r}; end it before or after it", where)
    new = replace(sentence, ends=tuple(ends))
    heads, relations = list(new.heads), list(new.deprels)
    for first, last in new.sentences:
        inside = range(first, last + 1)
        across = [word for word in inside if heads[word - 1] > 0 and heads[word - 1] not in inside]
        open_or_root = any(heads[word - 1] <= 0 for word in inside)
        for word in across:
            alone = len(across) == 1 and not open_or_root
            heads[word - 1], relations[word - 1] = (0, ROOT) if alone else (-1, UNANNOTATED)
    behind = set(ends)
    tags = [_as_beginning(tag) if number in behind else tag for number, tag in enumerate(new.entities)]
    return new.annotated(heads=tuple(heads), deprels=tuple(relations), entities=tuple(tags))


def separated(examples: Iterable[Any]) -> list[Any]:
    """Return each sentence inside an example as an example of its own; other examples stay unchanged.

    Comments stay with the first sentence, including ``newdoc`` and ``newpar``; each gets its own ``sent_id`` and
    ``text``. Multiword tokens, empty nodes and all columns stay with their words. Arcs of DEPS to another sentence are
    removed; a word without any other gets that of its head, an empty node that of the root.

    Args:
        examples: of one kind; their ids count as used.
    """
    examples = list(examples)
    used = {example.id for example in examples}
    separate: list[Any] = []
    for example in examples:
        several = isinstance(example, Sentence) and bool(example.ends)
        separate += _parts(example, _unused_ids(example, used)) if several else [example]
    return separate


def cut_after(sentence: Sentence, last: int, nodes: int = 0) -> Sentence:
    """Return the part of a sentence up to a word, which must not be inside a multiword token.

    Args:
        last: number of the word.
        nodes: how many of the empty nodes after it belong to the removed part.
    """
    cut = set_ends(replace(sentence, ends=()), (last,), ())
    first = next(_parts(cut, (sentence.id, sentence.id)))
    lines = tuple(_without_nodes(first.lines, last, nodes))
    ends = tuple(end for end in sentence.ends if end < last)
    return replace(first, ends=ends, record=Record("conllu", lines), **changed_in(lines, are_changed(sentence)))


def letter(place: int) -> str:
    """Return A to Z, then AA and so on, like spreadsheet columns."""
    rest, last = divmod(place, len(ascii_uppercase))
    return (letter(rest - 1) if rest else "") + ascii_uppercase[last]


def _as_beginning(tag: str) -> str:
    return f"B-{tag[2:]}" if tag.startswith("I-") else tag


def _unused_ids(sentence: Sentence, used: set[str]) -> list[str]:
    """Return unused ids and add them to ``used``."""
    letters = [letter(place) for place in range(len(sentence.sentences))]
    for number in count(1):
        names = [f"{sentence.id}{suffix}{number if number > 1 else ''}" for suffix in letters]
        if used.isdisjoint(names):
            used.update(names)
            return names
    raise AssertionError("numbers do not end")


def _parts(sentence: Sentence, names: Sequence[str]) -> Iterator[Sentence]:
    lines = lines_of(sentence)
    rows = [place for place, line in enumerate(lines) if is_row(line)]
    comments = [line for line in lines[: rows[-1]] if is_comment(line)]
    end = "\r\n" if lines[rows[0]].endswith("\r\n") else "\n"
    all_rows = [cells(lines[place]) for place in rows]
    texts = _texts(sentence, all_rows)
    for place, ((first, last), name, text) in enumerate(zip(sentence.sentences, names, texts, strict=True)):
        kept = [
            line.lstrip("\ufeff") if place else line
            for line in comments
            if not place or SENT_ID.match(line) or _is_text(line) or ANNOTATED.match(line)
        ]
        mine = [row for row in all_rows if _within(row[ID], first, last)]
        behind = lines[rows[-1] + 1 :] if last == len(sentence.words) else [end]
        body = [
            *_with_id_and_text(kept, name, text, end),
            *("\t".join(_renumbered(row, first, last)) + end for row in mine),
            *behind,
        ]
        yield _part(sentence, first, last, id=name, text=text, record=Record("conllu", tuple(body)))


def _part(sentence: Sentence, first: int, last: int, **changes: Any) -> Sentence:
    columns = {column: getattr(sentence, column)[first - 1 : last] for column in ("words", *sentence.columns)}
    columns["heads"] = tuple(head - first + 1 if head > 0 else head for head in columns["heads"])
    return replace(sentence, ends=(), misc=(), deps=(), interlinear=None, **columns, **changes)


def _with_id_and_text(comments: Sequence[str], name: str, text: str, end: str) -> list[str]:
    own = f"# text = {text}{end}"
    named = [own if _is_text(line) else SENT_ID.sub(lambda said: said[1] + name, line) for line in comments]
    if not any(SENT_ID.match(line) for line in comments):
        named.append(f"# sent_id = {name}{end}")
    return named if own in named else [*named, own]


def _is_text(line: str) -> bool:
    return "=" in line and comment(line)[0] == "text"


def _renumbered(row: Columns, first: int, last: int) -> Columns:
    moved = list(row)
    moved[ID] = "-".join(_numbered(number, first) for number in row[ID].split("-"))
    if row[HEAD].isdecimal() and first <= int(row[HEAD]) <= last:
        moved[HEAD] = str(int(row[HEAD]) - first + 1)
    if row[DEPS] != UNANNOTATED:
        kept = deps.renumber(row[DEPS], lambda head: _numbered(head, first) if _within(head, first, last) else None)
        basic = f"{moved[HEAD]}:{row[DEPREL]}" if UNANNOTATED not in (row[HEAD], row[DEPREL]) else UNANNOTATED
        moved[DEPS] = kept if kept != UNANNOTATED else "0:root" if "." in row[ID] else basic
    return moved


def _without_nodes(lines: Sequence[str], word: int, count: int) -> Iterator[str]:
    """Yield lines without the last ``count`` empty nodes after a word, and without arcs from them."""
    behind = [row[ID] for row in map(cells, filter(is_row, lines)) if row[ID].startswith(f"{word}.")]
    gone = set(behind[max(0, len(behind) - count) :])
    for line in lines:
        row = cells(line)
        if not gone or not is_row(line):
            yield line
        elif row[ID] not in gone:
            row[DEPS] = deps.renumber(row[DEPS], lambda head: None if head in gone else head)
            yield "\t".join(row) + line[len(line.rstrip("\r\n")) :]


def _within(id: str, first: int, last: int) -> bool:
    """Return whether a row is part of a sentence; empty nodes before word 1 belong to the first sentence."""
    return first - (first == 1) <= _word(id) <= last


def _numbered(id: str, first: int) -> str:
    word, point, node = id.partition(".")
    return f"{int(word) - first + 1}{point}{node}"


def _word(id: str) -> int:
    """Return the word number of a row: the first of a range, the preceding word of an empty node."""
    return int(id.partition("-")[0].partition(".")[0])


def _texts(sentence: Sentence, rows: Sequence[Columns]) -> list[str]:
    """Return the text of each sentence: cut from the whole, or built from tokens where these disagree."""
    inside = {word for row in rows if "-" in row[ID] for word in range(_word(row[ID]), int(row[ID].split("-")[1]) + 1)}
    tokens = [row for row in rows if "-" in row[ID] or (row[ID].isdecimal() and int(row[ID]) not in inside)]
    spans = places(sentence.text, [row[FORM] for row in tokens])
    texts = []
    for first, last in sentence.sentences:
        mine = [number for number, row in enumerate(tokens) if first <= _word(row[ID]) <= last]
        if spans:
            texts.append(sentence.text[spans[mine[0]][0] : spans[mine[-1]][1]])
        else:
            forms = (
                tokens[number][FORM] + ("" if NO_SPACE in tokens[number][MISC].split("|") else " ") for number in mine
            )
            texts.append("".join(forms).strip())
    return texts
