from collections import Counter

import pytest
from corpora import drawn
from hypothesis import given
from hypothesis import strategies as st

from fewshot import tasks
from fewshot.corpora.types import Sentence
from fewshot.tasks.subtrees import recombine, subtrees

DEP = tasks.get("dep")


def tree(words, heads, deprels, id="one"):
    return Sentence(id, words, tuple(words.split()), heads=tuple(heads), deprels=tuple(deprels.split()))


CAT = tree("the old cat saw a mouse there", (3, 3, 4, 0, 6, 4, 4), "det amod nsubj root det obj advmod")
GIRL = tree(
    "she gave the girl of my brother books", (2, 0, 4, 2, 7, 7, 4, 2), "nsubj root det obj case det nmod obj", "two"
)
GAP = tree("what did you see", (4, 4, 4, 0), "obj aux nsubj root", "three")
CROSSING = tree("a hearing is today on it", (2, 4, 4, 0, 6, 2), "det nsubj cop root case nmod", "four")


def spans(sentence):
    return {" ".join(sentence.words[part.first - 1 : part.last]): part.relation for part in subtrees(sentence)}


def test_subtrees_are_words_and_all_below_them_but_neither_the_whole_nor_any_with_a_gap():
    assert spans(CAT) == {
        "the": "det", "old": "amod", "the old cat": "nsubj", "a": "det", "a mouse": "obj", "there": "advmod",
    }  # fmt: skip
    assert spans(GIRL)["the girl of my brother"] == "obj"
    assert "nsubj" not in spans(CROSSING).values()
    assert spans(CROSSING)["on it"] == "nmod"


@pytest.mark.parametrize("column", [{"heads": (3, 3, 4, 0, 6, 4, -1)}, {"deprels": ("_", *CAT.deprels[1:])}])
def test_a_tree_that_is_annotated_in_part_has_none(column):
    part = CAT.annotated(**column)
    assert subtrees(part) == []
    assert recombine([part], 3, 5.0, seed=0) == [part] * 3


@st.composite
def random_tree(draw, number):
    heads = draw(drawn.tree(draw(st.integers(1, 12))))
    relations = [draw(st.sampled_from(("nsubj", "obj", "advmod"))) if head else "root" for head in heads]
    words = tuple(f"{number}.{place}" for place in range(len(heads)))
    return Sentence(f"r{number}", "", words, ("NOUN",) * len(heads), heads, tuple(relations))


def labelled_ends(trees):
    arcs = [
        arc for one in trees for arc in zip(one.words, one.heads, one.deprels, [one.words] * one.length, strict=True)
    ]
    heads = {(words[head - 1] if head else "", relation) for _, head, relation, words in arcs}
    return {(word, relation) for word, _, relation, _ in arcs}, heads


@given(trees=st.tuples(*(random_tree(number) for number in range(4))), seed=st.integers(0, 100))
def test_whatever_is_swapped_is_a_tree_in_which_words_keep_their_relations_and_heads_theirs(trees, seed):
    words, heads = labelled_ends(trees)
    for made in recombine(trees, 20, 3.0, seed):
        assert DEP.check(made) is None
        assert made.length == len(made.upos) == len(made.entities)
        made_words, made_heads = labelled_ends([made])
        assert made_words <= words and made_heads <= heads


def test_sentences_take_turns_the_seed_decides_and_more_swaps_leave_fewer_as_they_were():
    made = recombine([CAT, GIRL, GAP], 30, 2.0, seed=1)
    assert Counter(one.id for one in made) == {"one": 10, "two": 10, "three": 10}
    assert made == recombine([CAT, GIRL, GAP], 30, 2.0, seed=1)
    assert made != recombine([CAT, GIRL, GAP], 30, 2.0, seed=2)
    same = [sum(one in (CAT, GIRL) for one in recombine([CAT, GIRL], 200, swaps, seed=0)) for swaps in (0, 1, 4)]
    assert same[0] == 200 > same[1] > same[2]
