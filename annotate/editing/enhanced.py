"""What is odd about enhanced dependencies: arcs that stay as the file has them while the tree below them changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fewshot.corpora.formats.conllu import DEPREL, DEPS, FORM, HEAD, ID
from fewshot.corpora.formats.deps import TREE, make_relative
from fewshot.corpora.tokenization.lines import Columns, lines_of, rows_in
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.tasks.dep import ROOT


def warnings(sentence: Sentence) -> Iterator[tuple[int, str]]:
    """Yield the number of a word and what may be wrong with its enhanced dependencies; none where there are none."""
    now = {row[ID]: row for row in rows_in(lines_of(sentence)) if "-" not in row[ID]}
    if all(row[DEPS] == UNANNOTATED for row in now.values()):
        return
    yield from _unreached(now)
    if sentence.lines:
        before = {row[ID]: row for row in rows_in(sentence.lines) if "-" not in row[ID]}
        yield from _stale(sentence, before, now)


def _stale(sentence: Sentence, before: Mapping[str, Columns], now: Mapping[str, Columns]) -> Iterator[tuple[int, str]]:
    """Find arcs of the file between words whose way to each other in the tree is another one now."""
    for number, made in enumerate(sentence.deps or (None,) * len(sentence.words), start=1):
        row = before[str(number)]
        if made is not None or UNANNOTATED in (row[DEPS], now[row[ID]][HEAD]):
            continue
        for arc in make_relative(row[DEPS], row[HEAD], row[DEPREL]).split("|"):
            if said := _outdated(arc, row, before, now):
                yield number, f"{row[FORM]!r} (word {number}) is still enhanced {said}; check that this is meant"


def _outdated(arc: str, row: Columns, before: Mapping[str, Columns], now: Mapping[str, Columns]) -> str:
    """Return what an arc is, and since when it may be wrong; empty where the tree is as it was."""
    head, _, relation = arc.partition(":")
    if head == TREE:
        new = now[row[ID]][DEPREL]
        is_odd = relation and new not in (row[DEPREL], ROOT)
        return f"{f'{new}:{relation}'!r}, as when it was {row[DEPREL]!r}" if is_odd else ""
    between = [] if head == "0" or "." in head else _between(row[ID], head, before)
    other = next((word for word in between if _is_changed(before[word], now[word])), None)
    if other is None:
        return ""
    return f"{relation!r} of {before[head][FORM]!r}, as before {before[other][FORM]!r} was attached otherwise"


def _is_changed(before: Columns, now: Columns) -> bool:
    return UNANNOTATED not in now[HEAD:DEPS] and before[HEAD:DEPS] != now[HEAD:DEPS]


def _between(word: str, head: str, rows: Mapping[str, Columns]) -> list[str]:
    """Return the words whose arcs in the tree lead from one word to another."""
    up, down = _way_up(word, rows), _way_up(head, rows)
    return [one for one in up if one not in down] + [one for one in down if one not in up]


def _way_up(word: str, rows: Mapping[str, Columns]) -> list[str]:
    """Return a word and those above it in the tree, as far as they are annotated."""
    way: list[str] = []
    while word in rows and word not in way:
        way.append(word)
        word = rows[word][HEAD]
    return way


def _unreached(rows: Mapping[str, Columns]) -> Iterator[tuple[int, str]]:
    """Find words to which no way leads from the root in the enhanced graph (level 2 of UD's validation)."""
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
