"""Regular expressions that somebody types."""

import time

import pytest

from fewshot.corpora import patterns
from fewshot.corpora.patterns.expressions import Expression
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError


def test_spans_are_of_what_is_matched_and_never_empty():
    assert Expression("a*").spans("baac") == [(1, 3)]
    assert Expression("É", any_case=True).spans("été") == [(0, 1), (2, 3)]
    assert Expression("É").spans("été") == []


def test_a_whole_match_is_from_end_to_end():
    assert Expression("a+").is_whole("aa")
    assert not Expression("a+").is_whole("aab")


def test_an_expression_nested_too_deep_is_refused():
    with pytest.raises(FewshotError, match="too many groups"):
        Expression("(" * 3000 + ")" * 3000)


def test_an_expression_that_takes_too_long_is_stopped():
    slow, text = "(a|aa)+$", "a" * 60 + "b"
    sentence = Sentence("s", text, (text,))
    begun = time.perf_counter()
    for look in (
        lambda: Expression(slow).spans(text),
        lambda: Expression(slow).is_whole(text),
        lambda: patterns.matches(patterns.parse(f'pattern {{ X [form=re"{slow}"] }}'))(sentence),
    ):
        with pytest.raises(FewshotError, match="takes over a second on one text"):
            look()
    assert time.perf_counter() - begun < 60  # without an end it would be years
