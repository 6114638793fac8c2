from dataclasses import replace

import numpy as np
import pytest
from tasks.official import official_scores

from fewshot import tasks
from fewshot.corpora.load import load
from fewshot.corpora.types import Sentence
from fewshot.errors import CorpusError
from fewshot.heads.classifier import IGNORE
from fewshot.heads.trees import best_tree
from fewshot.tasks.dep import RELATIONS
from fewshot.tasks.pos import UPOS

DEP = tasks.get("dep")


def sentence(*rows, upos=()):
    words, heads, deprels = zip(*rows, strict=True)
    return Sentence("s", " ".join(words), words, upos=upos, heads=heads, deprels=deprels)


FINE = (("iso", 2, "amod"), ("kala", 3, "nsubj"), ("nukkuu", 0, "root"), (".", 3, "punct"))


@pytest.mark.parametrize(
    ("word", "row", "problem"),
    [
        (1, ("iso", 5, "amod"), r"head 5 of 'iso' \(word 1\) is not a word of this sentence \(0-4\)"),
        (2, ("kala", 3, "subj"), r"relation 'subj' of 'kala' \(word 2\) is none of acl, "),
        (2, ("kala", 0, "nsubj"), r"head 0 of 'kala' \(word 2\) goes with relation 'nsubj'"),
        (2, ("kala", 3, "root"), r"head 3 of 'kala' \(word 2\) goes with relation 'root'"),
        (2, ("kala", 0, "root"), r"'kala' \(word 2\) and 'nukkuu' \(word 3\) all have head 0"),
        (3, ("nukkuu", 4, "conj"), r"no word has head 0"),
        (1, ("iso", 1, "amod"), r"'iso' \(word 1\) is its own head"),
        (2, ("kala", 1, "obj"), r"'iso' \(word 1\) -> 'kala' \(word 2\) -> 'iso' \(word 1\) is a cycle"),
    ],
)
def test_what_is_no_tree_is_named(word, row, problem):
    rows = [row if number == word else other for number, other in enumerate(FINE, start=1)]
    assert DEP.check(sentence(*FINE)) is None
    with pytest.raises(Exception, match=problem):
        tasks.check_gold(DEP, [sentence(*rows)])


@pytest.mark.parametrize("relation", ["amod:", "amod:Gen", "amod:a:b", "amod:x_y"])
def test_a_subtype_that_ud_cannot_write_is_read_but_not_done(relation):
    odd = sentence(("iso", 2, relation), *FINE[1:])
    assert DEP.check(odd) is None
    (problem,) = DEP.errors(odd)
    assert (problem.level, problem.word) == ("error", 1)
    assert f"relation {relation!r} of 'iso' (word 1) has an invalid subtype; write letters a to z" in problem.message
    assert tasks.get("dep+subtypes", [relation]).errors(odd) == []  # it came with the data, or from the form
    assert DEP.errors(sentence(("iso", 2, "amod:att"), *FINE[1:])) == []


def test_partly_annotated_sentences_are_fine_unless_there_is_a_cycle():
    partly = sentence(FINE[0], ("kala", -1, "_"), ("nukkuu", -1, "obj"), (".", 3, "_"))
    tasks.check_gold(DEP, [partly])
    assert DEP.targets(partly) == [[[2, RELATIONS.index("amod")], *[[IGNORE, IGNORE]] * 3]]
    ring = sentence(("a", 2, "obj"), ("b", 3, "obj"), ("c", 2, "obj"), ("d", -1, "_"))
    assert DEP.check(ring).startswith("'b' (word 2) -> 'c' (word 3) -> 'b' (word 2) is a cycle")
    roots = sentence(("a", 0, "root"), ("b", 0, "root"), ("c", -1, "_"))
    assert "all have head 0" in DEP.check(roots)
    assert not DEP.is_annotated(sentence(("a", 0, "_"), ("b", -1, "obj")))


def test_scores_by_hand():
    tags = ("ADJ", "NOUN", "VERB", "PUNCT")
    gold = sentence(("iso", 2, "amod"), ("kala", 3, "nsubj:pass"), *FINE[2:], upos=tags)
    guess = sentence(("iso", 3, "amod"), ("kala", 3, "nsubj"), *FINE[2:], upos=("X",) * 4)
    without_punctuation = dict.fromkeys(("las_without_punctuation", "uas_without_punctuation"), pytest.approx(200 / 3))
    scores = {"las": 75, "uas": 75, "las_with_subtypes": 50}
    assert DEP.metrics(DEP.counts(gold, guess)) == scores | without_punctuation
    symbol = gold.annotated(upos=("SYM", *tags[1:]))
    assert DEP.metrics(DEP.counts(symbol, guess))["las_without_punctuation"] == 100
    partly = sentence(*FINE[:2], ("nukkuu", -1, "_"), (".", 3, "_"))
    guess = sentence(*FINE[:2], ("nukkuu", 4, "obj"), (".", 0, "root"))
    assert DEP.metrics(DEP.counts(partly, guess))["las"] == 100
    assert DEP.counts(partly, guess)[0] == 2


def test_label_space():
    assert len(set(RELATIONS)) == 37
    rows = sentence(("a", 0, "root"), ("b", 1, "nsubj"), ("c", 1, "acl:relcl"), ("d", 1, "aux:own"), ("e", 1, "x:y"))
    plain, fine = DEP.fitted([rows]), tasks.get("dep+subtypes").fitted([rows])
    assert plain.labels == plain.choices == (*RELATIONS, "x")
    assert fine.labels == fine.choices == (*RELATIONS, "acl:relcl", "aux:own", "x:y")
    assert "relation 'x:y' of 'e' (word 5) is none of acl, advcl" in DEP.check(rows)
    assert plain.check(rows) is fine.check(rows) is None
    unheard = sentence(("a", 0, "root"), ("b", 1, "acl:unheard"))  # counts as its relation
    assert [fine.labels[label] for _, label in fine.targets(unheard)[0]] == ["root", "acl"]
    none = [sentence(("a", 0, "root"), ("b", 1, relation)) for relation in ("", "_", ":x", "root:x")]
    assert DEP.fitted(none).labels == tasks.get("dep+subtypes").fitted(none).labels == RELATIONS


def test_a_relation_that_ud_has_not_is_one_of_the_tree_where_it_was_added():
    rows = sentence(("a", 0, "root"), ("b", 1, "foo"), ("c", 1, "obl:x_y"))
    assert [problem.word for problem in DEP.errors(rows)] == [2, 3]
    added = DEP.fitted([rows])
    assert added.errors(rows) == tasks.get("dep", ["foo", "obl:x_y"]).errors(rows) == []
    assert (added.labels, added.choices) == ((*RELATIONS, "foo"), (*RELATIONS, "foo", "obl:x_y"))
    assert [added.labels[label] for _, label in added.targets(rows)[0]] == ["root", "foo", "obl"]
    assert added.errors(sentence(("a", 0, "root"), ("b", 1, "foo:bar"))) == []
    assert [problem.word for problem in added.errors(sentence(("a", 0, "root"), ("b", 1, "foo:Bar")))] == [2]


def test_upos_travels_as_features_of_which_none_is_zero_or_as_targets():
    words = sentence(*FINE, upos=("ADJ", "_", "VERB", "other"))
    (read,) = tasks.get("dep+upos").inputs(words)
    assert read.features == (UPOS.index("ADJ") + 1, 0, UPOS.index("VERB") + 1, 0)
    assert DEP.inputs(words)[0].features == ()
    tags = [tag for _, _, tag in tasks.get("dep+tags").targets(words)[0]]
    assert tags == [UPOS.index("ADJ"), IGNORE, UPOS.index("VERB"), IGNORE]


@pytest.mark.parametrize("option", ["upos", "tags"])
@pytest.mark.parametrize("tags", [(), ("NN", "NN", "VV", "_")])
def test_trees_without_upos_are_refused_where_an_option_needs_it(option, tags):
    words = replace(sentence(*FINE, upos=tags), where="x.conllu:7")
    tasks.check_gold(DEP, [words])
    task = tasks.get(f"dep+{option}")
    with pytest.raises(CorpusError, match=rf"^x\.conllu:7: no word has a UPOS tag, which task dep\+{option} needs"):
        tasks.check_gold(task, [words])
    tasks.check_gold(task, [words.annotated(upos=("_", "NOUN", "_", "_"))])


def careless(gold, rng):
    """What a parser that is often wrong makes of a sentence: always a tree."""
    words = len(gold.words)
    scores = rng.normal(size=(words, words + 1))
    scores[np.arange(words), gold.heads] += 2
    heads = best_tree(scores)
    others = [relation for relation in (*RELATIONS, "acl:relcl", "obl:tmod") if relation != "root"]
    kept = [right if rng.random() < 0.7 and right != "root" else rng.choice(others) for right in gold.deprels]
    deprels = ["root" if head == 0 else str(relation) for head, relation in zip(heads, kept, strict=True)]
    return gold.annotated(heads=tuple(heads.tolist()), deprels=tuple(deprels))


def test_scores_equal_the_official_scorer(tmp_path):
    rng = np.random.default_rng(0)
    gold = load("ja").test
    tasks.check_gold(DEP, gold)
    guess = [careless(one, rng) for one in gold]
    tasks.check_gold(DEP, guess)
    official = official_scores(gold, guess, tmp_path)
    metrics = DEP.metrics(sum(DEP.counts(a, b) for a, b in zip(gold, guess, strict=True)))
    assert metrics["uas"] == pytest.approx(100 * official["UAS"].f1)
    assert metrics["las"] == pytest.approx(100 * official["LAS"].f1)
