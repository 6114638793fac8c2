"""What is refused as a pattern, and where the mistake is said to be."""

import pytest

from fewshot.corpora import patterns

WRONG = [
    ("", 1, "the pattern is empty"),
    ("pattern { X [upos=] }", 19, 'write a value such as "ADP" here'),
    ("pattern { X [upos=VERB }", 24, "] is missing"),
    ("pattern { X [upos=VERB]", 24, "} is missing"),
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
    ("X -[label=E:extra]-> Y", 11, "enhanced arcs"),
    ("e: X -> Y; e.label <> E:extra", 23, "enhanced arcs"),
    ("without { X [] }", 1, "begin with pattern"),
    ("pattern { X [] } pattern { Y [] }", 18, "one block 'pattern' already"),
    ("A []; B []; C []; D []; E []; F []; G []; H []; I []", 49, "8 nodes at most"),
    ("pattern { A -> B; C -> D } without { E -> F; G -> H; I -> A }", 54, "8 nodes at most"),
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
