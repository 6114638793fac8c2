"""Search in a project's examples for a text, a regular expression, or a pattern over tags and arcs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.editing import view
from annotate.language import gettext_noop
from annotate.search.context import around
from annotate.search.versions import Version, versions
from annotate.store import ExampleFilter, Project, Store
from fewshot.corpora import patterns
from fewshot.corpora.offsets import lay_out
from fewshot.corpora.patterns import Deadline, Rule
from fewshot.corpora.patterns.expressions import Expression, Literal
from fewshot.corpora.patterns.matching import Finder
from fewshot.corpora.spelling import composed
from fewshot.corpora.tokenization.sentences import separated
from fewshot.corpora.tokenization.surface import word_places
from fewshot.corpora.types import Article, Sentence
from fewshot.errors import FewshotError

TEXT, EXPRESSION, PATTERN = gettext_noop("text"), gettext_noop("regular expression"), gettext_noop("pattern")
"""The kinds of queries, see `annotate.search.typed`."""

MAX_HITS = 1000
"""Hits returned; further ones are only counted."""

MAX_COUNTED = 100_000
"""Hits of a pattern after which the search stops."""

MAX_SECONDS = 10.0
"""Computing time after which a search stops."""

MATCH_NODE = "what was found"
"""Name of the node of a text or an expression."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One place where something was found, with some text before and after it.

    Args:
        text: the match; for a pattern the word of its first node.
        words: word number of each node of a pattern; for a text or an expression of `MATCH_NODE`, if it matches one
            word.
        span: numbers of the first and last matched word, if whole words match and, for a pattern, are adjacent; else
            None.
    """

    version: Version
    before: str
    text: str
    after: str
    words: Mapping[str, int]
    span: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The first `MAX_HITS` hits of a search, and the number of counted ones.

    Args:
        examples: number of examples with hits, counted once for each annotator.
        nodes: of the pattern, or `MATCH_NODE`.
        rule: of a query with commands.
        complete: whether all hits were counted.
        seconds: limit of the computing time.
        cut_off: whether the limit was reached.
    """

    hits: Sequence[Hit]
    total: int
    examples: int
    nodes: Sequence[str] = ()
    complete: bool = True
    seconds: float = MAX_SECONDS
    cut_off: bool = False
    rule: Rule | None = None

    @property
    def whole(self) -> bool:
        """Whether `hits` are all hits."""
        return self.complete and len(self.hits) == self.total


def find(
    store: Store,
    project: Project,
    kind: str,
    query: str,
    wanted: ExampleFilter,
    seconds: float = MAX_SECONDS,
    accents: bool = True,
) -> SearchResult:
    """Search the examples that match a filter, for a `TEXT` (ignoring case), `EXPRESSION` or `PATTERN`.

    Args:
        accents: whether accents count in a text.

    Raises:
        FewshotError: when the query is empty or invalid.
    """
    if not query.strip():
        raise FewshotError("nothing to look for; enter some text")
    deadline = Deadline(seconds)
    if kind == PATTERN:
        return _search_pattern(store, project, patterns.parse_rule(query), wanted, deadline)
    return _search_texts(store, project, *_expression(kind, query, accents), wanted, deadline)


def hits(
    store: Store,
    project: Project,
    kind: str,
    query: str,
    wanted: ExampleFilter,
    deadline: Deadline,
    accents: bool = True,
) -> Iterator[Hit]:
    """Yield the hits of a query until the deadline; FewshotError if the query is invalid."""
    if kind == PATTERN:
        for version, matches in _matched(store, project, patterns.parse_rule(query).pattern, wanted, deadline):
            yield from (hit_at_word(version, match) for match in matches)
        return
    expression, part = _expression(kind, query, accents)
    ids = [example for example, text in _read_texts(store, project, wanted, part) if expression.spans(text, deadline)]
    for version in versions(store, project, wanted, ids=ids):
        yield from (_hit_in_text(version, place) for place in expression.spans(_text(version.example), deadline))


def _expression(kind: str, query: str, accents: bool) -> tuple[Literal | Expression, str]:
    """Return what is looked for, and the part that the JSON of all matching examples contains."""
    if kind == TEXT:
        return Literal(query, accents), _json_part(composed(query)) if accents else ""
    return Expression(query), ""


def _search_texts(
    store: Store,
    project: Project,
    expression: Literal | Expression,
    part: str,
    wanted: ExampleFilter,
    deadline: Deadline,
) -> SearchResult:
    """Search the texts alone, and read the rest of the first examples with a hit."""
    spans: dict[int, list[tuple[int, int]]] = {}
    total = examples = 0
    for example, text in _read_texts(store, project, wanted, part):
        matches = expression.spans(text, deadline)
        if matches and total < MAX_HITS:
            spans[example] = matches
        total += len(matches)
        examples += bool(matches)
        if deadline.over:
            break
    cut_off = deadline.over
    read = versions(store, project, wanted, ids=spans)
    hits = [_hit_in_text(version, span) for version in read for span in _spans(version, spans, expression, deadline)]
    nodes = (MATCH_NODE,) if project.kind == Sentence.kind else ()
    return SearchResult(hits[:MAX_HITS], total, examples, nodes, not cut_off, deadline.seconds, cut_off)


def _spans(
    version: Version, spans: Mapping[int, list[tuple[int, int]]], expression: Literal | Expression, deadline: Deadline
) -> list[tuple[int, int]]:
    """Return the matches in one person's version, searched again if it has joined sentences."""
    joined = isinstance(version.example, Sentence) and version.example.following
    return expression.spans(_text(version.example), deadline) if joined else spans[version.row.id]


def _text(example: Any) -> str:
    return example.text if isinstance(example, Sentence) else view.whole(example)


def _read_texts(store: Store, project: Project, wanted: ExampleFilter, part: str) -> Iterable[tuple[int, str]]:
    if project.kind != Article.kind:
        return store.texts(project.id, wanted, part)
    all_versions = versions(store, project, wanted)
    return ((version.row.id, view.whole(version.example)) for version in all_versions)


def _search_pattern(
    store: Store, project: Project, rule: Rule, wanted: ExampleFilter, deadline: Deadline
) -> SearchResult:
    """Return the first hits of a pattern, and count all."""
    pattern, commands = rule.pattern, rule if rule.commands else None
    hits: list[Hit] = []
    total = examples = 0
    for version, matches in _matched(store, project, pattern, wanted, deadline):
        hits += [hit_at_word(version, match) for match in matches[: MAX_HITS - len(hits)]]
        total += len(matches)
        examples += bool(matches)
        if total > MAX_COUNTED:
            return SearchResult(hits, MAX_COUNTED, examples, pattern.nodes, False, deadline.seconds, rule=commands)
    cut_off = deadline.over
    return SearchResult(hits, total, examples, pattern.nodes, not cut_off, deadline.seconds, cut_off, commands)


def _matched(
    store: Store, project: Project, pattern: patterns.Pattern, wanted: ExampleFilter, deadline: Deadline
) -> Iterator[tuple[Version, list[patterns.Match]]]:
    find = patterns.matches(pattern, deadline)
    for version in versions(store, project, wanted, _required_json(project, pattern)):
        yield version, _match_sentences(find, hide_gold(project, version.example))
        if deadline.over:
            return


def _match_sentences(find: Finder, sentence: Sentence) -> list[patterns.Match]:
    """Return the matches within each sentence of a split example, with word numbers of the whole."""
    if not sentence.ends:
        return find(sentence, MAX_COUNTED + 1)
    return [
        {node: word and word + first - 1 for node, word in match.items()}
        for (first, _), part in zip(sentence.sentences, separated([sentence]), strict=True)
        for match in find(part, MAX_COUNTED + 1)
    ]


def hide_gold(project: Project, sentence: Sentence) -> Sentence:
    """Return a sentence without the imported columns if the project hides gold."""
    return sentence.annotated(record=None) if project.hides_gold else sentence


def _required_json(project: Project, pattern: patterns.Pattern) -> list[list[str]]:
    """Return the alternatives that the JSON of an unannotated example must contain to match a pattern."""
    if project.hides_gold and pattern.needs_annotation:
        return [[]]
    return [
        [form for value in values for form in _json_forms(feature, value)] for feature, values in pattern.required()
    ]


def _json_forms(feature: str, value: str) -> list[str]:
    """Return the forms of a feature's value in JSON: a list item, or part of a line of the file."""
    alone = json.dumps(value, ensure_ascii=False)
    if feature in ("form", "label", *patterns.COLUMNS):
        return [alone]
    in_line = f"\t{value}\t" if feature in patterns.FILE else f"{feature}={value}"
    return [_json_part(in_line), *([alone] if feature in patterns.FILE else [])]


def _json_part(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _hit_in_text(version: Version, place: tuple[int, int]) -> Hit:
    text = _text(version.example)
    places = word_places(version.example, text) if isinstance(version.example, Sentence) else ()
    span = _words_at(places, *place)
    return _hit(version, text, *place, {MATCH_NODE: span[0]} if span and span[0] == span[1] else {}, span)


def _words_at(places: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int] | None:
    """Return the numbers of the first and last word of a text range, or None if it cuts a word."""
    first = next((number for number, (begins, _) in enumerate(places, start=1) if begins == start), None)
    last = next((number for number in range(len(places), 0, -1) if places[number - 1][1] == end), None)
    return (first, last) if first and last else None


def hit_at_word(version: Version, match: patterns.Match) -> Hit:
    """Return the hit of a pattern, given by the word number of each of its nodes."""
    text, places = lay_out(version.example)
    words = sorted({word for word in match.values() if word})
    together = bool(words) and words[-1] - words[0] == len(words) - 1
    first = next((word for word in match.values() if word), 0)
    start, end = places[first - 1] if first else (0, 0)
    return _hit(version, text, start, end, match, (words[0], words[-1]) if together else None)


def _hit(
    version: Version, text: str, start: int, end: int, words: Mapping[str, int], span: tuple[int, int] | None
) -> Hit:
    before, after = around(text, start, end)
    return Hit(version, before, text[start:end].replace("\n", " "), after, words, span)
