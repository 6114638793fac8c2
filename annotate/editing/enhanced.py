"""Warnings about enhanced dependencies: arcs that were not changed when the tree was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from fewshot.corpora.documents import model
from fewshot.corpora.documents.annotate import relative_deps
from fewshot.corpora.documents.cells import UNANNOTATED
from fewshot.corpora.documents.deps import TREE
from fewshot.corpora.documents.model import OPEN, Word
from fewshot.corpora.formats.conllu import to_model
from fewshot.corpora.types import Sentence
from fewshot.tasks.dep import ROOT

Rows: TypeAlias = Mapping[str, Word]
"""Words and empty nodes by their ids."""


def warnings(sentence: Sentence) -> Iterator[tuple[int, str]]:
    """Yield the number of a word and a warning about its enhanced dependencies."""
    now = _rows(to_model(sentence))
    if not any(map(len, (word.deps for word in now.values()))):
        return
    yield from _unreached(now)
    if sentence.source:
        yield from _stale(sentence, _rows(sentence.source), now)


def _rows(sentence: model.ConlluSentence) -> Rows:
    return {id: word for id, word in sentence.rows if "-" not in id}


def _stale(sentence: Sentence, before: Rows, now: Rows) -> Iterator[tuple[int, str]]:
    """Yield warnings about arcs of the file between words whose path in the tree has changed."""
    for number, edited in enumerate(sentence.deps or (None,) * len(sentence.words), start=1):
        id = str(number)
        if edited is not None or not before[id].deps or now[id].head == OPEN:
            continue
        for arc in relative_deps(before[id]).split("|"):
            if reason := _outdated(arc, id, before, now):
                form = before[id].form
                yield number, f"{form!r} (word {number}) is still enhanced {reason}; check that this is meant"


def _outdated(arc: str, id: str, before: Rows, now: Rows) -> str:
    """Return which arc may be outdated and why, or an empty string if the tree below it has not changed."""
    head, _, relation = arc.partition(":")
    if head == TREE:
        old, new = before[id].deprel, now[id].deprel
        is_odd = relation and new not in (old, ROOT)
        return f"{f'{new}:{relation}'!r}, as when it was {old!r}" if is_odd else ""
    between = [] if head == "0" or "." in head else _between(id, head, before)
    changed = next((word for word in between if _is_changed(before[word], now[word])), None)
    if changed is None:
        return ""
    return f"{relation!r} of {before[head].form!r}, as before {before[changed].form!r} was attached otherwise"


def _is_changed(before: Word, now: Word) -> bool:
    is_open = OPEN in (before.head, now.head) or UNANNOTATED in (before.deprel, now.deprel)
    return not is_open and (before.head, before.deprel) != (now.head, now.deprel)


def _between(word: str, head: str, rows: Rows) -> list[str]:
    """Return the words whose arcs form the path between two words in the tree."""
    up, down = _path_to_root(word, rows), _path_to_root(head, rows)
    return [each for each in up if each not in down] + [each for each in down if each not in up]


def _path_to_root(word: str, rows: Rows) -> list[str]:
    """Return a word and its ancestors in the tree, as far as heads are annotated."""
    path: list[str] = []
    while word in rows and word not in path:
        path.append(word)
        word = str(rows[word].head)
    return path


def _unreached(rows: Rows) -> Iterator[tuple[int, str]]:
    """Yield a warning about a word that the enhanced graph does not reach (level 2 of UD)."""
    if any(word.head == OPEN for id, word in rows.items() if "." not in id):
        return
    heads = {id: [arc.head for arc in word.deps] for id, word in rows.items()}
    reached = {"0"}
    while more := {id for id in heads.keys() - reached if reached.intersection(heads[id])}:
        reached |= more
    for id, word in rows.items():
        if id not in reached:
            yield (
                int(id.partition(".")[0]) or 1,
                (f"no enhanced dependencies lead from the root to {word.form!r} ({id}); give it some"),
            )
            return
