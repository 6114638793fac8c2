"""Turn lines of CoNLL-U into the model, and the model into lines; unchanged cells stay as they were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

from fewshot.corpora.documents.cells import UNANNOTATED, arcs, items
from fewshot.corpora.documents.layout import layout
from fewshot.corpora.documents.model import OPEN, ConlluSentence, EmptyNode, Token, Word
from fewshot.corpora.documents.rows import ID, NUMBER, cells, is_comment, is_row

MARK = "\ufeff"


def parse(lines: Sequence[str]) -> ConlluSentence:
    """Return the sentence of valid lines, see `fewshot.corpora.documents.rows.rows_of`."""
    words, tokens, nodes, are_rows = [], [], [], list(map(is_row, lines))
    first, end = are_rows.index(True), len(lines) - are_rows[::-1].index(True)
    for line in compress(lines, are_rows):
        id, row = _parsed(line)
        if id.isdecimal():
            words.append(Word(*row))
        elif "-" in id:
            tokens.append(Token(*row, *map(int, id.split("-"))))
        else:
            nodes.append(node_of(line))
    others = (line for line, is_one in zip(lines[:end], are_rows, strict=False) if not is_one)
    comments = tuple(line.lstrip(MARK).rstrip("\r\n") for line in others if is_comment(line))
    newline, mark = "\r\n" if lines[first].endswith("\r\n") else "\n", MARK * lines[0].startswith(MARK)
    made = layout(newline, mark, tuple(lines[end:]))
    sentence = ConlluSentence(tuple(words), tuple(tokens), tuple(nodes), comments, made)
    if _plain_lines(sentence) == list(lines):
        return sentence
    return replace(sentence, layout=layout(newline, mark, made.behind, tuple(lines)))


def node_of(line: str) -> EmptyNode:
    """Return the empty node of a valid line."""
    id, row = _parsed(line)
    return EmptyNode(*row, *map(int, id.split(".")))


def _parsed(line: str) -> tuple[str, tuple[Any, ...]]:
    id, form, lemma, upos, xpos, feats, head, deprel, deps, misc = cells(line.removeprefix(MARK))
    return id, (form, lemma, upos, xpos, items(feats), head_of(head), deprel, arcs(deps), items(misc))


def line_of(id: str, word: Word) -> str:
    """Return the line of a word, a multiword token or an empty node, without a line end."""
    return "\t".join(_cells(id, word))


def head_of(cell: str) -> int:
    """Return the head in a cell; `OPEN` unless the cell is a number."""
    return int(cell) if NUMBER.fullmatch(cell) else OPEN


def lines_of(sentence: ConlluSentence) -> list[str]:
    """Return the lines of a sentence, with those after it."""
    return list(_odd_lines(sentence)) if sentence.layout.lines else _plain_lines(sentence)


def _plain_lines(sentence: ConlluSentence) -> list[str]:
    end = sentence.layout.newline
    lines = [line + end for line in sentence.comments]
    lines += [line_of(id, word) + end for id, word in sentence.rows]
    lines[0] = sentence.layout.mark + lines[0]
    return [*lines, *sentence.layout.behind]


def _odd_lines(sentence: ConlluSentence) -> Iterator[str]:
    """Yield the lines of the file, with new cells and comments where the sentence was changed."""
    lines = sentence.layout.lines
    before, now = (dict(each.rows) for each in (parse(lines), sentence))
    if before.keys() != now.keys():
        yield from _plain_lines(replace(sentence, layout=sentence.layout.rewritten()))
        return
    comments, kept = {line.lstrip(MARK).rstrip("\r\n") for line in lines if is_comment(line)}, {*sentence.comments}
    new = [line + sentence.layout.newline for line in sentence.comments if line not in comments]
    last = max(place for place, line in enumerate(lines) if is_row(line))
    for place, line in enumerate(lines):
        if is_row(line):
            yield from new
            new = []
            yield _changed(line, before, now)
        elif place > last or not is_comment(line) or line.lstrip(MARK).rstrip("\r\n") in kept:
            yield line


def _changed(line: str, before: dict[str, Word], now: dict[str, Word]) -> str:
    raw = line.removeprefix(MARK).rstrip("\r\n").split("\t")
    id = _normal(raw[ID])
    old, new = _cells(id, before[id]), _cells(id, now[id])
    row = "\t".join(was if same == cell else cell for was, same, cell in zip(raw, old, new, strict=True))
    return MARK * line.startswith(MARK) + row + line[len(line.rstrip("\r\n")) :]


def _cells(id: str, word: Word) -> tuple[str, ...]:
    return (
        id, word.form, word.lemma, word.upos, word.xpos, word.feats.text or UNANNOTATED,
        UNANNOTATED if word.head == OPEN else str(word.head), word.deprel, word.deps.text, word.misc.text,
    )  # fmt: skip


def _normal(id: str) -> str:
    """Return an id without leading zeros."""
    sign = "-" if "-" in id else "."
    return sign.join(str(int(number)) for number in id.split(sign))
