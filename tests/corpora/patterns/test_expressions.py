"""Regular expressions that somebody types."""

import pytest

from fewshot.corpora import patterns
from fewshot.corpora.patterns import Deadline
from fewshot.corpora.patterns.expressions import Expression, literal
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError


def test_spans_are_of_what_is_matched_and_never_empty():
    assert Expression("a*").spans("baac", Deadline()) == [(1, 3)]
    assert Expression("É", any_case=True).spans("été", Deadline()) == [(0, 1), (2, 3)]
    assert Expression("É").spans("été", Deadline()) == []
    assert Expression("a+").is_whole("aa", Deadline())
    assert not Expression("a+").is_whole("aab", Deadline())


@pytest.mark.parametrize(
    ("source", "text", "spans"),
    [
        (literal("ní"), "ani\u0301, aní", [(1, 4), (7, 9)]),
        (literal("ni\u0301"), "ani\u0301, aní", [(1, 4), (7, 9)]),
        (literal("ni"), "ni\u0301 ní nim\u0303 ni", [(7, 9), (12, 14)]),  # no part of a letter
        (literal("m"), "m\u0303", []),
        ("n.$", "ani\u0301", [(1, 4)]),
        ("[áí]", "ani\u0301", [(2, 4)]),
    ],
)
def test_letters_are_the_same_with_accents_of_their_own(source, text, spans):
    assert Expression(source).spans(text, Deadline()) == spans


@pytest.mark.parametrize("accent", ["í", "i\u0301"])
def test_so_are_those_of_patterns(accent):
    for form in ("aní", "ani\u0301"):
        for pattern in (f"X [form=an{accent}]", f'X [form="an{accent}"]', f'X [form=re".*{accent}"]'):
            assert patterns.matches(patterns.parse(pattern))(Sentence("s", form, (form,))), (form, pattern)


def test_an_expression_nested_too_deep_is_refused():
    with pytest.raises(FewshotError, match="too many groups"):
        Expression("(" * 3000 + ")" * 3000)


def test_an_expression_that_takes_too_long_keeps_what_it_found_before_the_deadline():
    """Without an end it would be years: each call takes the rest of the time, and none is left for the next."""
    slow, text = "(a|aa)+$|b", "b" + "a" * 60 + "c"
    deadline = Deadline(0.05)
    assert Expression(slow).spans(text, deadline) == [(0, 1)]
    assert deadline.over
    assert Expression("a").spans("a" * 100_000, deadline) == []
    with pytest.raises(TimeoutError):
        Expression(slow).is_whole(text[1:], Deadline(0.05))
    find = patterns.matches(patterns.parse('X [form=re"(a|aa)+|b"]'), deadline := Deadline(0.05))
    assert find(Sentence("s", "", ("b", text[1:]))) == []
    assert deadline.over
