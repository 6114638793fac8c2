"""Rewriting rules change what they match, and are refused where they would break the tree."""

import pytest

from fewshot.corpora.patterns import PatternError, matches, parse_rule
from fewshot.corpora.patterns.commands import RefusedError, rewrite
from fewshot.corpora.types import Sentence

SENTENCE = Sentence(
    "s", "the dogs of Ana bark", ("the", "dogs", "of", "Ana", "bark"),
    upos=("DET", "NOUN", "ADP", "PROPN", "VERB"), heads=(2, 5, 4, 2, 0),
    deprels=("det", "nsubj", "case", "nmod:poss", "root"), feats=("Definite=Def", "Case=Nom|Number=Plur", "", "_", ""),
    lemmas=("the", "dog", "of", "Ana", "bark"),
)  # fmt: skip
DOGS = "N [form=dogs]"


def changed(pattern, commands):
    """Return what a rule changes at its only match."""
    rule = parse_rule(f"pattern {{ {pattern} }} commands {{ {commands} }}")
    (match,) = matches(rule.pattern)(SENTENCE)
    after = rewrite(SENTENCE, match, rule.commands)
    columns = ("upos", "lemmas", "feats", "xpos", "heads", "deprels")
    return {
        (name, word): new
        for name in columns
        for word, (old, new) in enumerate(
            zip(getattr(SENTENCE, name) or getattr(after, name), getattr(after, name), strict=True), start=1
        )
        if old != new
    }


@pytest.mark.parametrize(
    ("pattern", "commands", "expected"),
    [
        (DOGS, "N.upos = PROPN; N.lemma = N.form", {("upos", 2): "PROPN", ("lemmas", 2): "dogs"}),
        (DOGS, "N.Case = Acc; N.Animacy = Anim", {("feats", 2): "Animacy=Anim|Case=Acc|Number=Plur"}),
        (DOGS, 'del_feat N.Case; N.Gender[psor] = "Fem"', {("feats", 2): "Gender[psor]=Fem|Number=Plur"}),
        (DOGS, "N.upos = NOUN", {}),
        ("e: N -[1=nmod]-> M", "e.2 = gen", {("deprels", 4): "nmod:gen"}),
        ("e: N -[1=nmod]-> M", "del_feat e.2", {("deprels", 4): "nmod"}),
        ("e: N -[1=nmod]-> M", "e.label = obl", {("deprels", 4): "obl"}),
        ("e: N -[1=nmod]-> M; V -> N", "del_edge e; add_edge V -[obl]-> M", {("heads", 4): 5, ("deprels", 4): "obl"}),
        ("e: N -[1=nmod]-> M; V -> N", "add_edge e: V -> M; del_edge N -> M", {("heads", 4): 5}),
        (
            "e: N -[1=nmod]-> M; c: M -[case]-> P",  # the preposition becomes the head
            "del_edge c; shift_in M ==> P; del_edge N -> M; add_edge N -[nmod]-> P; add_edge P -[obj]-> M",
            {("heads", 3): 2, ("heads", 4): 3, ("deprels", 3): "nmod", ("deprels", 4): "obj"},
        ),
        ("V -[nsubj]-> N", "shift_out N ==> V", {("heads", 1): 5, ("heads", 4): 5}),
    ],
)  # fmt: skip
def test_commands_change_what_they_name_alone(pattern, commands, expected):
    assert changed(pattern, commands) == expected


@pytest.mark.parametrize(
    ("pattern", "commands", "reason"),
    [
        ("V -[nsubj]-> N; M [form=Ana]", "add_edge V -[obl]-> M", "'Ana' would have two heads"),
        ("N -[1=nmod]-> M", "del_edge N -[obj]-> M", "the arc to delete is not there"),
        ("M [form=Ana]", "M.Case = Gen", "not annotated yet"),
        ("M [form=Ana]", "M.xpos = N", "not annotated yet"),
        ("R -[root]-> V", "R.upos = X", "the root is no word"),
        ("M [form=Ana]", "M.lemma = M.Case", "there is no value to copy"),
    ],
)
def test_a_command_that_is_impossible_at_a_match_is_refused_there(pattern, commands, reason):
    with pytest.raises(RefusedError, match=reason):
        changed(pattern, commands)


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        ("", "there is no command"),
        ("M.upos = X", "no node of the pattern is called M"),
        ("del_edge f", "no arc is called f"),
        ("N.form = x", "form cannot be set"),
        ("N.Gloss = x", "Gloss cannot be set"),
        ("del_feat N.upos", "upos cannot be deleted"),
        ("N.upos = _", "write a value"),
        ("add_node X", "not supported"),
        ("N.upos = X N.upos = Y", "write ; between two commands"),
        ("add_edge N -> N", r"-\[ is missing"),
    ],
)
def test_a_rule_that_cannot_be_read_is_refused_with_its_place(commands, message):
    with pytest.raises(PatternError, match=f"column .*{message}"):
        parse_rule(f"pattern {{ N [] }} commands {{ {commands} }}")


def test_a_rule_has_a_name_and_blocks_without_as_patterns_have():
    rule = parse_rule("rule r { pattern { N [] } without { N [upos=X] } commands { N.upos = X; } }")
    assert (rule.text, len(rule.commands), len(rule.pattern.exclusions)) == ("N.upos = X;", 1, 1)
    assert parse_rule("N []").commands == ()
