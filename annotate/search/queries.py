"""Find what is looked for in a project's examples: a text, a regular expression, or a pattern over tags and arcs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.editing import view
from annotate.language import gettext_noop
from annotate.search.versions import Version, versions
from annotate.store import ExampleFilter, Project, Store
from fewshot.corpora import patterns
from fewshot.corpora.offsets import lay_out
from fewshot.corpora.patterns import Deadline
from fewshot.corpora.patterns.expressions import Expression, literal
from fewshot.corpora.patterns.matching import Finder
from fewshot.corpora.spelling import composed
from fewshot.corpora.tokenization.repair import separated
from fewshot.corpora.tokenization.surface import word_places
from fewshot.corpora.types import Article, Sentence
from fewshot.errors import FewshotError

TEXT, EXPRESSION, PATTERN = gettext_noop("text"), gettext_noop("regular expression"), gettext_noop("pattern")
"""The kinds of queries."""

MOST = 1000
"""Hits that are kept; others are counted."""

COUNTED = 100_000
"""Hits of a pattern after which no more are looked for."""

SECONDS = 10.0
"""Of computing, after which a search ends with what it has found."""

FOUND = "what was found"
"""The node of a text or an expression."""

CONTEXT = 60
"""Characters that are shown on either side of a hit."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One place where something was found.

    Args:
        version: the example, as one person has it.
        before: what is written before it, shortened.
        found: what is written there: of a pattern the word of its first node.
        after: what is written behind it, shortened.
        words: the number of the word of each node of a pattern; of a text or an expression, if that is a word, of
            `FOUND`.
        span: the numbers of the first and the last word of a sentence that were found, where these are whole words
            and, of a pattern, next to each other; else None.
    """

    version: Version
    before: str
    found: str
    after: str
    words: Mapping[str, int]
    span: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Found:
    """What was found.

    Args:
        hits: the first `MOST`.
        total: number of all, or of those that were counted.
        examples: in how many examples they are, each counted once for each person who has it.
        nodes: of a pattern, or `FOUND`.
        complete: whether there are no more than `total`.
        seconds: of computing, after which no more is looked for.
        cut_off: whether the search ended so before it had looked at everything.
    """

    hits: Sequence[Hit]
    total: int
    examples: int
    nodes: Sequence[str] = ()
    complete: bool = True
    seconds: float = SECONDS
    cut_off: bool = False

    @property
    def whole(self) -> bool:
        """Whether `hits` are all that there are."""
        return self.complete and len(self.hits) == self.total


def kinds(project: Project) -> list[str]:
    """Return the kinds of queries that a project can answer."""
    return [TEXT, EXPRESSION, *([PATTERN] if project.kind == Sentence.kind else [])]


def find(
    store: Store, project: Project, kind: str, query: str, wanted: ExampleFilter, seconds: float = SECONDS
) -> Found:
    """Look through the examples that are wanted.

    Args:
        kind: `TEXT`, whatever the case of its letters, `EXPRESSION` or `PATTERN`.
        query: what to look for.
        seconds: of computing, after which no more is looked for.

    Raises:
        FewshotError: when it is no such query.
    """
    if not query.strip():
        raise FewshotError("nothing to look for; write some text")
    deadline = Deadline(seconds)
    if kind == PATTERN:
        return _counted(store, project, patterns.parse(query), wanted, deadline)
    return _texts(store, project, *_expression(kind, query), wanted, deadline)


def hits(
    store: Store, project: Project, kind: str, query: str, wanted: ExampleFilter, deadline: Deadline
) -> Iterator[Hit]:
    """Yield each hit, as long as somebody asks for more and the deadline has not come.

    Raises:
        FewshotError: when it is no such query.
    """
    if kind == PATTERN:
        for version, found in _matched(store, project, patterns.parse(query), wanted, deadline):
            yield from (_at_word(version, match) for match in found)
        return
    expression, part = _expression(kind, query)
    ids = [example for example, text in _read(store, project, wanted, part) if expression.spans(text, deadline)]
    for version in versions(store, project, wanted, ids=ids):
        yield from (_in_text(version, place) for place in expression.spans(_text(version.example), deadline))


def _expression(kind: str, query: str) -> tuple[Expression, str]:
    """Return the expression of a text or an expression, and what stands in the JSON of all that has it."""
    if kind == TEXT:
        return Expression(literal(query), any_case=True), _within(composed(query))
    return Expression(query), ""


def _texts(
    store: Store, project: Project, expression: Expression, part: str, wanted: ExampleFilter, deadline: Deadline
) -> Found:
    """Look through the texts alone, and read the rest of the first examples that have a hit."""
    spans: dict[int, list[tuple[int, int]]] = {}
    total = examples = 0
    for example, text in _read(store, project, wanted, part):
        found = expression.spans(text, deadline)
        if found and total < MOST:
            spans[example] = found
        total += len(found)
        examples += bool(found)
        if deadline.over:
            break
    cut_off = deadline.over
    read = versions(store, project, wanted, ids=spans)
    hits = [_in_text(version, span) for version in read for span in _spans(version, spans, expression, deadline)]
    nodes = (FOUND,) if project.kind == Sentence.kind else ()
    return Found(hits[:MOST], total, examples, nodes, not cut_off, deadline.seconds, cut_off)


def _spans(
    version: Version, found: Mapping[int, list[tuple[int, int]]], expression: Expression, deadline: Deadline
) -> list[tuple[int, int]]:
    """Return where something is in an example as one person has it: to which others may have joined more."""
    joined = isinstance(version.example, Sentence) and version.example.following
    return expression.spans(_text(version.example), deadline) if joined else found[version.row.id]


def _text(example: Any) -> str:
    return example.text if isinstance(example, Sentence) else view.whole(example)


def _read(store: Store, project: Project, wanted: ExampleFilter, part: str) -> Iterable[tuple[int, str]]:
    """Return id and text of each example."""
    if project.kind != Article.kind:
        return store.texts(project.id, wanted, part)
    found = versions(store, project, wanted)
    return ((version.row.id, view.whole(version.example)) for version in found)


def _counted(
    store: Store, project: Project, pattern: patterns.Pattern, wanted: ExampleFilter, deadline: Deadline
) -> Found:
    """Keep the first hits of a pattern, and count them all."""
    hits: list[Hit] = []
    total = examples = 0
    for version, found in _matched(store, project, pattern, wanted, deadline):
        hits += [_at_word(version, match) for match in found[: MOST - len(hits)]]
        total += len(found)
        examples += bool(found)
        if total > COUNTED:
            return Found(hits, COUNTED, examples, pattern.nodes, False, deadline.seconds)
    cut_off = deadline.over
    return Found(hits, total, examples, pattern.nodes, not cut_off, deadline.seconds, cut_off)


def _matched(
    store: Store, project: Project, pattern: patterns.Pattern, wanted: ExampleFilter, deadline: Deadline
) -> Iterator[tuple[Version, list[patterns.Match]]]:
    """Yield each example with its matches, of which there may be none."""
    find = patterns.matches(pattern, deadline)
    for version in versions(store, project, wanted, _held(project, pattern)):
        yield version, _in_each_sentence(find, searched(project, version.example))
        if deadline.over:
            return


def _in_each_sentence(find: Finder, sentence: Sentence) -> list[patterns.Match]:
    """Return the matches of a pattern within each sentence that people see, by the numbers of all words."""
    if not sentence.ends:
        return find(sentence, COUNTED + 1)
    return [
        {node: word and word + first - 1 for node, word in match.items()}
        for (first, _), part in zip(sentence.sentences, separated([sentence]), strict=True)
        for match in find(part, COUNTED + 1)
    ]


def searched(project: Project, sentence: Sentence) -> Sentence:
    """Return what patterns see of a sentence: where gold is hidden, nothing of what its file had beside the words."""
    return sentence.annotated(record=None) if project.hides_gold else sentence


def _held(project: Project, pattern: patterns.Pattern) -> list[list[str]]:
    """Return what stands in the JSON of an example that a pattern can match, unless somebody has annotated it."""
    if project.hides_gold and pattern.needs_annotation:
        return [[]]
    return [
        [written for value in values for written in _written(feature, value)] for feature, values in pattern.required()
    ]


def _written(feature: str, value: str) -> list[str]:
    """Return how a feature of a word may stand in JSON: in a list of its own, or in a line of its file."""
    alone = json.dumps(value, ensure_ascii=False)
    if feature in ("form", "label", *patterns.COLUMNS):
        return [alone]
    in_line = f"\t{value}\t" if feature in patterns.FILE else f"{feature}={value}"
    return [_within(in_line), *([alone] if feature in patterns.FILE else [])]


def _within(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _in_text(version: Version, place: tuple[int, int]) -> Hit:
    text = _text(version.example)
    stands = word_places(version.example, text) if isinstance(version.example, Sentence) else ()
    span = _words_at(stands, *place)
    return _hit(version, text, *place, {FOUND: span[0]} if span and span[0] == span[1] else {}, span)


def _words_at(stands: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int] | None:
    """Return the numbers of the first and the last word of a stretch of text, None where it cuts a word."""
    first = next((number for number, (begins, _) in enumerate(stands, start=1) if begins == start), None)
    last = next((number for number in range(len(stands), 0, -1) if stands[number - 1][1] == end), None)
    return (first, last) if first and last else None


def _at_word(version: Version, match: patterns.Match) -> Hit:
    text, stands = lay_out(version.example)
    words = sorted({word for word in match.values() if word})
    together = bool(words) and words[-1] - words[0] == len(words) - 1
    first = next((word for word in match.values() if word), 0)
    start, end = stands[first - 1] if first else (0, 0)
    return _hit(version, text, start, end, match, (words[0], words[-1]) if together else None)


def _hit(
    version: Version, text: str, start: int, end: int, words: Mapping[str, int], span: tuple[int, int] | None
) -> Hit:
    before = ("…" if start > CONTEXT else "") + text[max(0, start - CONTEXT) : start]
    after = text[end : end + CONTEXT] + ("…" if len(text) > end + CONTEXT else "")
    before, found, after = (part.replace("\n", " ") for part in (before, text[start:end], after))
    return Hit(version, before, found, after, words, span)
