import pytest

from fewshot.corpora import patterns
from fewshot.corpora.patterns import Deadline
from fewshot.corpora.patterns.expressions import Expression, Literal
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError

WRONG = [
    ("", 1, "the pattern is empty"),
    ("pattern { X [upos=] }", 19, 'write a value such as "ADP" here'),
    ("pattern { X [upos=VERB }", 24, "] is missing"),
    ("pattern { X [upos=VERB] Y [] }", 25, "write ; between"),
    ("pattern { X -[nsubj-> Y }", 20, "]-> is missing"),
    ("pattern { X -> X }", 13, "connect two different nodes"),
    ("pattern { X => Y }", 13, "X must be followed by one of"),
    ("pattern { e: X -> Y; Z.label = nsubj }", 22, "no arc is called Z"),
    ("pattern { e: X -> Y; e.upos = NOUN }", 22, "e is an arc"),
    ("pattern { X []; X.upos = Y.upos }", 26, "no node is called Y"),
    ("pattern { e: X -> Y; e: Y -> Z }", 22, "name of a node or an arc already"),
    ("pattern { e: X -> * }", 11, "must lead to a named node"),
    ('pattern { X [form=re"("] }', 19, "invalid regular expression"),
    ("pattern { * [upos=X] }", 13, "* is only allowed in an arc"),
    ("X -[E:extra]-> Y", 5, "enhanced arcs (E:) are not searched; write a relation of the tree"),
    ('X -[nsubj|"E:extra"]-> Y', 11, "enhanced arcs"),
    ("e: X -> Y; e.label <> E:extra", 23, "enhanced arcs"),
    ("without { X [] }", 1, "begin with pattern"),
    ("pattern { X [] } pattern { Y [] }", 18, "one block 'pattern' already"),
    ("A []; B []; C []; D []; E []; F []; G []; H []; I []", 49, "8 nodes at most"),
    ("pattern { X [] } global { is_projective }", 18, "only without"),
    ("pattern { X$ [upos=VERB] }", 12, ""),  # with which Grew lets two nodes be one word
]


@pytest.mark.parametrize(("text", "column", "message"), WRONG, ids=[text for text, _, _ in WRONG])
def test_the_column_of_a_mistake_is_said(text, column, message):
    with pytest.raises(patterns.PatternError) as raised:
        patterns.parse(text)
    assert message in str(raised.value)
    assert raised.value.column == column
    assert f"column {column}: " in str(raised.value)


def test_in_several_lines_the_line_is_said_too():
    with pytest.raises(patterns.PatternError, match=r"line 3, column 3: write a feature"):
        patterns.parse("pattern {\n X [upos=VERB,\n  =NOUN] }")


def test_comments_and_line_ends_are_space_and_quoted_values_may_hold_anything():
    written = patterns.parse(
        'pattern { % verbs\n V [ upos = "VERB" , ! Tense ] ;\n V -[ nsubj | obj ]-> N ; }\nwithout{N<V}'
    )
    assert written == patterns.parse("pattern{V[upos=VERB,!Tense];V-[nsubj|obj]->N}without{N < V}")
    pattern = patterns.parse(r'X [form="\"", lemma="a|b", Number[psor]=Sing]')
    assert [*pattern.required()] == [("form", {'"'}), ("lemma", {"a|b"}), ("Number[psor]", {"Sing"})]
    for order in ("<", "<<", ">", ">>"):
        assert list(patterns.parse(f"X {order} Y").nodes) == ["X", "Y"]


def test_spans_are_of_what_is_matched_and_never_empty():
    assert Expression("a*").spans("baac", Deadline()) == [(1, 3)]
    assert Expression("É", any_case=True).spans("été", Deadline()) == [(0, 1), (2, 3)]
    assert Expression("É").spans("été", Deadline()) == []
    assert Expression("a+").is_whole("aa", Deadline())
    assert not Expression("a+").is_whole("aab", Deadline())


@pytest.mark.parametrize(
    ("source", "text", "found"),
    [
        (Literal("NÍ"), "ani\u0301, aní", ["ni\u0301", "ní"]),
        (Literal("ni\u0301"), "ani\u0301, aní", ["ni\u0301", "ní"]),
        (Literal("ni"), "ni\u0301 ní nim\u0303 ni", ["ni", "ni"]),
        (Literal("ni", accents=False), "ni\u0301 ní ni", ["ni\u0301", "ní", "ni"]),
        (Literal("ní", accents=False), "ni", ["ni"]),
        (Literal("aa"), "aaa", ["aa"]),
        *(
            (Literal(part), whole, [])
            for part, whole in (("m", "m\u0303"), ("ɔ", "ɔ́"), ("क", "कि"), ("क्", "क्ष"), ("👩", "👩‍👧"))
        ),
        *((Literal(text, accents=False), "कि กี่ が", []) for text in ("क", "ก", "か")),
        (Literal("كتب", accents=False), "كَتَبَ", ["كَتَبَ"]),
        (Literal("ספר", accents=False), "סֵפֶר", ["סֵפֶר"]),
        (Literal("각", accents=False), "각", ["각"]),
        (Expression("n.$"), "ani\u0301", ["ni\u0301"]),
        (Expression("[áí]"), "ani\u0301", ["i\u0301"]),
        (Expression("ɔ|\u0301"), "kɔ\u0301", ["ɔ\u0301"]),
    ],
)
def test_letters_are_found_whole_with_accents_of_their_own_or_without(source, text, found):
    assert [text[slice(*span)] for span in source.spans(text, Deadline())] == found


@pytest.mark.parametrize("accent", ["í", "i\u0301"])
def test_letters_of_patterns_are_the_same_with_accents_of_their_own(accent):
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
