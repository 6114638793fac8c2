import re
from itertools import permutations

import pytest

from fewshot.corpora import patterns
from fewshot.corpora.documents import misc
from fewshot.corpora.embedded import sample_dir
from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Sentence


class Word:
    def __init__(self, line):
        self.id, self.form, self.lemma, self.upos, self.xpos, feats, head, self.deprel, _, items = line.split("\t")
        self.id, self.head = int(self.id), int(head)
        self.feats, self.misc = misc.pairs(feats), misc.pairs(items)


def rows(sentence):
    return [Word(line.rstrip()) for line in sentence.lines if line.partition("\t")[0].isdecimal()]


def words(test):
    """Count the words of which something holds."""
    return lambda tree: sum(bool(test(word)) for word in tree)


def pairs(test):
    """Count the ordered pairs of words of which something holds."""
    return lambda tree: sum(test(one, other) for one, other in permutations(tree, 2))


def dependents(tree, relation):
    """The heads of words in a relation, with the place of the word."""
    return [(word.head, word.id) for word in tree if word.deprel == relation]


def verbs(test):
    """Count the verbs of which something holds, given the tree."""
    return lambda tree: sum(x.upos == "VERB" and bool(test(x, tree)) for x in tree)


def has(x, tree, *relations):
    return any(y.head == x.id and y.deprel in relations for y in tree)


QUERIES = {
    'pattern { X [upos<>"NOUN"|"PUNCT"] }': words(lambda x: x.upos not in ("NOUN", "PUNCT")),
    'pattern { X [lemma="be"|"have", upos="AUX"] }': words(lambda x: x.lemma in ("be", "have") and x.upos == "AUX"),
    'pattern { X [form=re".*ing"] }': words(lambda x: re.fullmatch(".*ing", x.form)),
    "pattern { X [form=/the/i] }": words(lambda x: x.form.lower() == "the"),
    "pattern { X [upos=NOUN, Number=Plur] }": words(lambda x: x.upos == "NOUN" and x.feats.get("Number") == "Plur"),
    "pattern { X [upos=NOUN, !Number] }": words(lambda x: x.upos == "NOUN" and "Number" not in x.feats),
    "pattern { X [Number] }": words(lambda x: "Number" in x.feats),
    "pattern { V [upos=VERB] } without { * -[root]-> V }": verbs(lambda x, tree: x.deprel != "root"),
    "pattern { X [SpaceAfter=No] }": words(lambda x: x.misc.get("SpaceAfter") == "No"),
    "pattern { X -[nsubj|obj]-> Y }": words(lambda x: x.deprel in ("nsubj", "obj")),
    "pattern { X -[^punct]-> Y }": words(lambda x: x.deprel != "punct"),
    "pattern { X -> Y }": len,
    "pattern { X -[1=nmod, 2=poss]-> Y }": words(lambda x: x.deprel == "nmod:poss"),
    "pattern { X -[1=nmod, !2]-> Y }": words(lambda x: x.deprel == "nmod"),
    'pattern { X -[re"aux.*"]-> Y }': words(lambda x: x.deprel.startswith("aux")),
    "pattern { X -[root]-> Y; Y [upos<>VERB] }": words(lambda x: x.deprel == "root" and x.upos != "VERB"),
    "pattern { Y -[case]-> X; X [upos=ADP]; Y [upos=NOUN|PROPN] }": pairs(
        lambda x, y: x.deprel == "case" and x.head == y.id and x.upos == "ADP" and y.upos in ("NOUN", "PROPN")
    ),
    "pattern { V [upos=VERB]; V -[nsubj]-> S; V << S }": pairs(
        lambda v, s: v.upos == "VERB" and s.deprel == "nsubj" and s.head == v.id and v.id < s.id
    ),
    'pattern { X [upos="DET"]; Y [upos="NOUN"]; X < Y }': pairs(
        lambda x, y: x.upos == "DET" and y.upos == "NOUN" and x.id + 1 == y.id
    ),
    "pattern { X > Y; X [upos=PUNCT] }": pairs(lambda x, y: x.upos == "PUNCT" and x.id == y.id + 1),
    "pattern { X []; Y []; X << Y; X.form = Y.form }": pairs(lambda x, y: x.id < y.id and x.form == y.form),
    "pattern { X -[conj]-> Y; X.upos <> Y.upos }": pairs(
        lambda x, y: y.deprel == "conj" and y.head == x.id and x.upos != y.upos
    ),
    "pattern { e: X -> Y; f: Y -> Z; e.label = f.label }": pairs(lambda y, z: z.head == y.id and y.deprel == z.deprel),
    'pattern { e: X -> Y; e.label = re"n.*" }': words(lambda x: x.deprel.startswith("n")),
    "pattern { V [upos=VERB] } without { V -[nsubj]-> * } without { V -[obj]-> * }": verbs(
        lambda x, tree: not has(x, tree, "nsubj", "obj")
    ),
    "pattern { V [upos=VERB] } with { V -[obj]-> O; V << O }": verbs(
        lambda x, tree: any(head == x.id < word for head, word in dependents(tree, "obj"))
    ),
}


def found(text, sentences):
    find = patterns.matches(patterns.parse(text))
    return [len(find(sentence)) for sentence in sentences]


@pytest.fixture(scope="module")
def sample():
    return [each for lang in ("en", "ja", "ar") for each in conllu.read(sample_dir(lang) / "test.conllu")[:60]]


@pytest.mark.parametrize("text", QUERIES)
def test_a_pattern_finds_what_is_counted_by_hand(text, sample):
    expected = [QUERIES[text](rows(sentence)) for sentence in sample]
    assert found(text, sample) == expected
    assert any(expected)


def test_a_match_names_its_words_in_their_order_and_no_more_are_looked_for_than_are_wanted():
    words = ("voy", "al", "mar")
    sentence = Sentence("1", "voy al mar", words, ("VERB", "ADP", "NOUN"), (0, 3, 1), ("root", "case", "obl"))
    find = patterns.matches(patterns.parse("pattern { X -[case]-> Y; Z -> X }"))
    assert find(sentence) == [{"X": 3, "Y": 2, "Z": 1}]
    assert patterns.matches(patterns.parse("X []"))(sentence) == [{"X": 1}, {"X": 2}, {"X": 3}]
    find = patterns.matches(patterns.parse("A []; B []; C []; D []"))  # 1.6 billion
    assert find(Sentence("1", "a " * 200, ("a",) * 200), 2) == [
        dict(zip("ABCD", (1, 2, 3, n), strict=True)) for n in (4, 5)
    ]


def test_required_values_are_those_that_some_word_or_arc_must_have():
    pattern = patterns.parse(
        'pattern { X [upos=A|B, lemma<>c, form=re"d"]; X -[e]-> Y; X -[1=f]-> Z } without { X [xpos=g] }'
    )
    assert [*pattern.required()] == [("upos", {"A", "B"}), ("label", {"e"})]


PART = Sentence("1", "voy al mar", ("voy", "al", "mar"), ("VERB", "_", "_"), (0, 3, -1), ("root", "_", "_"))
BARE = Sentence("1", "Ana canta", ("Ana", "canta"), entities=("B-PER", "O"))
APART = Sentence("1", "voy", ("voy",), lemmas=("ir",), feats=("Tense=Pres",))


@pytest.mark.parametrize(
    ("sentence", "text", "count"),
    [
        (PART, "X [!upos]", 2),
        (PART, "X [upos<>VERB]", 0),
        (PART, "X -[^root]-> Y", 0),
        (PART, "X -> Y", 2),
        (BARE, 'X [NER=re"B-.*"]', 1),
        (BARE.annotated(entities=("S-PER", "O")), 'X [NER="B-PER"]', 1),
        (BARE, 'X [lemma="cantar"]', 0),
        (BARE, "X [!lemma]", 2),
        (APART, "X [lemma=ir, Tense=Pres]", 1),
    ],
)
def test_a_column_that_is_not_annotated_has_no_value(sentence, text, count):
    assert found(text, [sentence]) == [count]


def test_annotation_counts_and_not_what_the_file_had(sample):
    sentence = sample[0]
    rest = sentence.length - 3
    changed = sentence.annotated(
        upos=("X",) * sentence.length,
        lemmas=("ir", "_", *["x"] * (rest + 1)),
        feats=("Case=Nom", "", "_", *["_"] * rest),
    )
    counts = {"X [upos=X]": sentence.length, "X [lemma=ir]": 1, "X [!lemma]": 1, "X [Case=Nom]": 1}
    counts["X [!Case]"] = sentence.length - 1
    assert {text: found(text, [changed])[0] for text in counts} == counts
    assert found("X [SpaceAfter=No]", [changed]) == found("X [SpaceAfter=No]", [sentence])


class Steps(patterns.Deadline):
    """One that counts how often it is asked, and comes after so many times."""

    def __init__(self, most=10**9):
        super().__init__(0.0)
        self.taken, self.most = 0, most

    @property
    def over(self):
        self.taken += 1
        return self.taken > self.most


@pytest.mark.parametrize(
    "text",
    [
        "A []; B []; C []; D []; C.form = D.form",
        "A []; B []; C []; D []; E []; F []; G []; H []; D.form = H.form",
        "A []; B []; C []; D [upos=VERB]",
        "A []; B []; C -[nsubj]-> D",
        "A []; B []; C [form=w3]; D []; C < D; D [form=w3]",
        "A [upos<>VERB]; B [upos<>VERB]; C [form=x]",
        "A []; B []; D << C; C -[^punct]-> E",
    ],
)
def test_what_few_words_can_be_is_found_first(text):
    """Of a sentence in which nothing matches, without trying all words for the free nodes."""
    sentence = Sentence("1", "", tuple(f"w{n}" for n in range(60)), ("NOUN",) * 60)
    steps = Steps()
    assert patterns.matches(patterns.parse(text), steps)(sentence) == []
    assert steps.taken < 200


def test_matches_that_were_found_before_the_deadline_are_kept():
    sentence = Sentence("1", "", ("a",) * 30)
    find = patterns.matches(patterns.parse("A []; B []; C []"), deadline := Steps(3))
    found = find(sentence)
    assert 0 < len(found) < 30 * 29 * 28
    assert deadline.over
    assert find(sentence) == []
