"""Warnings about enhanced dependencies: arcs that were not changed when the tree was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fewshot.corpora.formats.conllu import DEPREL, DEPS, FORM, HEAD, ID
from fewshot.corpora.formats.deps import TREE, make_relative
from fewshot.corpora.tokenization.lines import Columns, lines_of, rows_in
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.tasks.dep import ROOT


def warnings(sentence: Sentence) -> Iterator[tuple[int, str]]:
    """Yield the number of a word and a warning about its enhanced dependencies."""
    now = {row[ID]: row for row in rows_in(lines_of(sentence)) if "-" not in row[ID]}
    if all(row[DEPS] == UNANNOTATED for row in now.values()):
        return
    yield from _unreached(now)
    if sentence.lines:
        before = {row[ID]: row for row in rows_in(sentence.lines) if "-" not in row[ID]}
        yield from _stale(sentence, before, now)


def _stale(sentence: Sentence, before: Mapping[str, Columns], now: Mapping[str, Columns]) -> Iterator[tuple[int, str]]:
    """Yield warnings about arcs of the file between words whose path in the tree has changed."""
    for number, edited in enumerate(sentence.deps or (None,) * len(sentence.words), start=1):
        row = before[str(number)]
        if edited is not None or UNANNOTATED in (row[DEPS], now[row[ID]][HEAD]):
            continue
        for arc in make_relative(row[DEPS], row[HEAD], row[DEPREL]).split("|"):
            if reason := _outdated(arc, row, before, now):
                yield number, f"{row[FORM]!r} (word {number}) is still enhanced {reason}; check that this is meant"


def _outdated(arc: str, row: Columns, before: Mapping[str, Columns], now: Mapping[str, Columns]) -> str:
    """Return which arc may be outdated and why, or an empty string if the tree below it has not changed."""
    head, _, relation = arc.partition(":")
    if head == TREE:
        new = now[row[ID]][DEPREL]
        is_odd = relation and new not in (row[DEPREL], ROOT)
        return f"{f'{new}:{relation}'!r}, as when it was {row[DEPREL]!r}" if is_odd else ""
    between = [] if head == "0" or "." in head else _between(row[ID], head, before)
    changed = next((word for word in between if _is_changed(before[word], now[word])), None)
    if changed is None:
        return ""
    return f"{relation!r} of {before[head][FORM]!r}, as before {before[changed][FORM]!r} was attached otherwise"


def _is_changed(before: Columns, now: Columns) -> bool:
    return UNANNOTATED not in now[HEAD:DEPS] and before[HEAD:DEPS] != now[HEAD:DEPS]


def _between(word: str, head: str, rows: Mapping[str, Columns]) -> list[str]:
    """Return the words whose arcs form the path between two words in the tree."""
    up, down = _path_to_root(word, rows), _path_to_root(head, rows)
    return [each for each in up if each not in down] + [each for each in down if each not in up]


def _path_to_root(word: str, rows: Mapping[str, Columns]) -> list[str]:
    """Return a word and its ancestors in the tree, as far as heads are annotated."""
    path: list[str] = []
    while word in rows and word not in path:
        path.append(word)
        word = rows[word][HEAD]
    return path


def _unreached(rows: Mapping[str, Columns]) -> Iterator[tuple[int, str]]:
    """Yield a warning about a word that the enhanced graph does not reach (level 2 of UD)."""
    if any(row[HEAD] == UNANNOTATED for id, row in rows.items() if "." not in id):
        return
    heads = {id: _heads(row) for id, row in rows.items()}
    reached = {"0"}
    while more := {id for id in heads.keys() - reached if reached.intersection(heads[id])}:
        reached |= more
    for id, row in rows.items():
        if id not in reached:
            yield (
                int(id.partition(".")[0]) or 1,
                (f"no enhanced dependencies lead from the root to {row[FORM]!r} ({id}); give it some"),
            )
            return


def _heads(row: Sequence[str]) -> list[str]:
    return [arc.partition(":")[0] for arc in row[DEPS].split("|")]
