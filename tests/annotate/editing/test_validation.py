import random
from collections import defaultdict
from dataclasses import replace
from itertools import chain

import pytest
from corpora.official import validator
from hypothesis import given
from hypothesis import strategies as st
from making import examples

from annotate.editing.validation import RULES, problems, tree_of
from fewshot import tasks
from fewshot.corpora.embedded import sample_dir, sample_languages
from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Answer, Article, Document, Pair, Paragraph, Question, Sentence
from fewshot.tasks.dep import RELATIONS
from fewshot.tasks.pos import UPOS

DEP = tasks.get("dep")
FILES = [sample_dir(lang) / f"{part}.conllu" for lang in sample_languages() for part in ("pool", "test")]


def tree(*rows):
    """A sentence of ``(word, tag, head, relation)``."""
    words, upos, heads, deprels = zip(*rows, strict=True)
    return Sentence("s", " ".join(words), words, upos=upos, heads=heads, deprels=deprels)


def found(task, example, level=2):
    return [(problem.level, problem.word, problem.message) for problem in problems(tasks.get(task), example, level)]


def check(problems, expected):
    """Assert that the problems are about these words and that their messages have these parts."""
    assert [word for _, word, _ in problems] == [word for word, _ in expected]
    assert all(part in message for (_, _, message), (_, part) in zip(problems, expected, strict=True))


@pytest.mark.parametrize("name", tasks.registry())
def test_gold_has_no_error_and_bare_examples_have_errors_that_say_what_to_do(name):
    plain = tasks.get(name)
    gold = examples(plain.example.kind, 40, seed=1)
    task = plain.fitted(gold)
    for example in gold:
        assert not [problem for problem in problems(task, example) if problem.level == "error"]
        left = problems(task, example.unannotated())
        assert {problem.level for problem in left} == {"error"}
        assert all(any(verb in problem.message for verb in ("choose", "answer it")) for problem in left)
        for wrong in (example, example.unannotated()):
            fault = task.check(wrong) if task.is_annotated(wrong) else None
            assert fault is None or fault in [problem.message for problem in task.errors(wrong)]


def test_every_word_without_a_tag_or_with_an_unknown_one_is_an_error():
    sentence = tree(("iso", "ADJ", 2, "amod"), ("kala", "_", 0, "root"), (".", "PUNKT", 2, "punct"))
    first, second = found("pos", sentence)
    assert first == ("error", 2, "'kala' (word 2) has no UPOS; choose one")
    assert second[:2] == ("error", 3)
    assert second[2].startswith("UPOS 'PUNKT' of '.' is none of ADJ, ")


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (["B-PER", "I-PER", "O", "B-PER", "B-PER"], []),
        (["I-PER", "O", "O", "O", "O"], [(1, "I-PER of 'a' (word 1) follows O; begin the entity with B-PER")]),
        (["O", "B-LOC", "I-PER", "O", "O"], [(3, "I-PER of 'c' (word 3) follows B-LOC; begin the entity with B-PER")]),
        (["O", "_", "I-PER", "O", "O"], [(2, "has no entity tag"), (3, "follows _")]),
        (["O", "O", "O", "O", "B-MISC"], [(5, "entity tag 'B-MISC' of 'e' is none of O, B-PER")]),
        (["O", "O", "O", "O", "S-PER"], [(5, "entity tag 'S-PER' of 'e' is none of O, B-PER")]),
    ],
)
def test_entities_that_are_not_strict_iob2_are_errors(tags, expected):
    sentence = Sentence("s", "a b c d e", tuple("abcde"), entities=tuple(tags))
    check(found("ner", sentence), expected)


def test_a_label_that_is_missing_or_unknown_is_an_error():
    assert found("nli", Pair("p", "a", "b")) == [("error", None, "not annotated yet; choose a label")]
    assert "'maybe' is none of entailment" in found("nli", Pair("p", "a", "b", "maybe"))[0][2]
    topic = tasks.get("topic", ["art", "sport"])
    assert not problems(topic, Document("d", "a", "art"))
    assert "'law' is none of art, sport" in problems(topic, Document("d", "a", "law"))[0].message


def test_every_question_without_an_answer_at_its_place_is_an_error():
    answers = {"a": (Answer("kala", 4),), "b": (), "c": (Answer("kala", 3),), "d": (Answer(" ", 3), Answer("iso", 0))}
    questions = tuple(Question(name, "mikä?", answer) for name, answer in answers.items())
    left = found("qa", Article("x", (Paragraph("iso kala.", questions),)))
    assert [message[:14] for _, _, message in left] == ["question 'b' h", "question 'c': ", "question 'd': "]
    assert "'kala' is not at offset 3 of the paragraph" in left[1][2]
    assert "holds no word" in left[2][2]


FINE = (("iso", "ADJ", 2, "amod"), ("kala", "NOUN", 3, "nsubj"), ("ui", "VERB", 0, "root"), (".", "PUNCT", 3, "punct"))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({1: (-1, "_")}, [(1, "'iso' (word 1) has no head; choose a word, or make it the root")]),
        ({1: (2, "_")}, [(1, "'iso' (word 1) has no relation to its head")]),
        ({1: (2, "adj")}, [(1, "relation 'adj' of 'iso' (word 1) is none of acl")]),
        ({1: (2, "root")}, [(1, "head 0 and relation 'root' go together")]),
        ({3: (0, "obj")}, [(3, "head 0 and relation 'root' go together")]),
        ({3: (4, "obj")}, [(None, "no word has head 0"), (3, "is a cycle of heads")]),
        ({1: (1, "x"), 2: (-1, "_"), 4: (4, "punct")}, [(2, "no head"), (1, "'x'"), (1, "own head"), (4, "own head")]),
    ],
)
def test_words_that_are_no_tree_have_errors(changes, expected):
    rows = [(*row[:2], *changes.get(number, row[2:])) for number, row in enumerate(FINE, start=1)]
    check([problem for problem in found("dep", tree(*rows)) if problem[0] == "error"], expected)


CROSSING = (("a", "NOUN", 3, "nsubj"), ("b", "VERB", 0, "root"), ("c", "NOUN", 2, "obl"))


def test_warnings_come_with_their_level_after_the_errors():
    assert found("dep", tree(*CROSSING), level=1) == []
    ((level, word, message),) = found("dep", tree(*CROSSING))
    assert (level, word) == ("warning", 1)
    assert "from 'c' (word 3) to 'a' (word 1) passes over 'b' (word 2)" in message
    leaf = (*FINE, ("!", "PUNCT", 4, "nsubj"))
    assert found("dep", tree(*leaf)) == []
    assert [(level, word) for level, word, _ in found("dep", tree(*leaf), level=3)] == [("warning", 5)] * 2
    both = (("a", "NOUN", -1, "_"), *CROSSING[1:], ("d", "NOUN", 5, "conj"), ("e", "NOUN", 2, "obj"))
    assert [level for level, _, _ in found("dep", tree(*both), level=3)] == ["error", "warning"]


@given(st.data())
def test_any_unfinished_or_wrong_tree_can_be_checked(data):
    n = data.draw(st.integers(1, 7))
    rows = st.tuples(
        st.just("w"), st.sampled_from(("_", *UPOS)), st.integers(-1, n + 1), st.sampled_from(("_", "x", *RELATIONS))
    )
    sentence = tree(*data.draw(st.lists(rows, min_size=n, max_size=n)))
    assert all(problem.word is None or 1 <= problem.word <= n for problem in problems(DEP, sentence, level=3))


@given(st.data())
def test_a_tree_has_crossing_arcs_exactly_if_there_is_a_hint(data):
    n = data.draw(st.integers(1, 8))
    order = data.draw(st.permutations(range(1, n + 1)))
    heads = {word: data.draw(st.sampled_from(order[:place])) if place else 0 for place, word in enumerate(order)}
    sentence = tree(*(("w", "X", heads[word], "dep" if heads[word] else "root") for word in range(1, n + 1)))
    arcs = [sorted(arc) for arc in heads.items()]
    crossing = any(a < c < b < d for a, b in arcs for c, d in arcs)
    assert bool(problems(DEP, sentence)) == crossing


def legal(heads):
    def reaches_the_root(word):
        for _ in heads:
            word = heads[word - 1] if word else 0
        return word == 0

    return all(reaches_the_root(word) for word in range(1, len(heads) + 1))


def mutated(sentence, rng):
    """Three changes of a head, a relation or a tag; the tree stays one."""
    heads, deprels, upos = list(sentence.heads), list(sentence.deprels), list(sentence.upos)
    for _ in range(3):
        word = rng.randrange(len(heads))
        kind = rng.choice(["head", "relation", "tag"])
        if kind == "tag":
            upos[word] = rng.choice(UPOS)
        elif heads[word] and kind == "relation":
            deprels[word] = rng.choice([relation for relation in RELATIONS if relation != "root"])
        elif heads[word]:
            old, heads[word] = heads[word], rng.randint(1, len(heads))
            heads[word] = heads[word] if legal(heads) else old
    return sentence.annotated(heads=tuple(heads), deprels=tuple(deprels), upos=tuple(upos))


TESTS = {
    "_leaves": ("leaf-",),
    "_directions": ("right-to-left-",),
    "_parts_of_speech": ("rel-upos-", "upos-rel-"),
    "_punctuation": ("punct-",),
    "_twice": ("too-many-",),
    "_obliques": ("obl-should-be-nmod",),
    "_orphans": ("orphan-parent",),
}
"""The rules that are to agree with the official validator, and how its tests are called."""


def official(sentences, path):
    """Sentence and word that the official validator names, for each of `TESTS`."""
    conllu.write(sentences, path)
    places, line = {}, 0
    for number, sentence in enumerate(conllu.read(path)):
        for text in sentence.lines:
            line += 1
            places[line] = number, text.split("\t")[0]
    named = defaultdict(set)
    for incident in validator(3).validate_files([str(path)]).error_tracker:
        for rule, names in TESTS.items():
            if incident.testid.startswith(names):
                named[rule].add(places[incident.lineno])
    return named


def ours(sentences):
    named = defaultdict(set)
    for number, sentence in enumerate(sentences):
        checked = tree_of(sentence)
        for _, rule in RULES:
            named[rule.__name__] |= {(number, str(word)) for word, _ in rule(checked)}
    return {rule: named[rule] for rule in TESTS if named[rule]}


def test_the_sample_has_no_warning_and_changed_trees_get_those_of_the_official_validator(tmp_path):
    sentences = [sentence for file in FILES for sentence in conllu.read(file)]
    assert not any(problems(DEP, sentence, level=1) for sentence in sentences)
    assert ours(sentences) == {}
    rng = random.Random(3)
    changed = [replace(mutated(sentence, rng), id=str(number)) for number, sentence in enumerate(sentences)]
    found = ours(changed)
    assert found.keys() == TESTS.keys()
    assert found == official(changed, tmp_path / "changed.conllu")


def test_every_relation_takes_the_dependants_and_tags_of_the_official_validator(tmp_path):
    relations = [relation for relation in RELATIONS if relation not in ("root", "goeswith")]
    root, sentences = ("r", "VERB", 0, "root"), []
    for row, above in enumerate(relations):
        pairs = (
            (("p", ("NOUN", "PUNCT")[(row + column) % 2], 1, above), ("c", "X", 2 * column + 2, below))
            for column, below in enumerate(relations)
        )
        sentences.append(tree(root, *chain(*pairs)))
    for tag in UPOS:
        for suffix, below in (("", (tag, "goeswith")), (":x", ("X", "fixed"))):
            pairs = (
                (("p", tag, 1, relation + suffix), ("q", below[0], 2 * place + 2, below[1]))
                for place, relation in enumerate(relations)
            )
            sentences.append(tree(root, *chain(*pairs)))
        place = len(relations) + 1
        before = (("p", "X", place, relation) for relation in relations)
        behind = (("q", "PRON", place, f"{relation}:outer") for relation in relations)
        sentences.append(tree(*before, ("r", tag, 0, "root"), *behind))
    sentences = [replace(sentence, id=str(number)) for number, sentence in enumerate(sentences)]
    assert ours(sentences) == official(sentences, tmp_path / "table.conllu")
