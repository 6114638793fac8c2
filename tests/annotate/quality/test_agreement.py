"""Agreement against hand-computed cases, scikit-learn, seqeval and krippendorff."""

import random
from dataclasses import replace

import krippendorff
import numpy as np
import pytest
from making import examples
from seqeval.metrics import classification_report, f1_score
from seqeval.scheme import IOB2
from sklearn.metrics import cohen_kappa_score

from annotate.quality.agreement import Confusion, agreement
from fewshot import tasks
from fewshot.corpora.types import Answer, Article, Pair, Paragraph, Question, Sentence
from fewshot.errors import FewshotError
from fewshot.tasks.ner import repair

POS, DEP, NER, NLI, QA = map(tasks.get, ("pos", "dep", "ner", "nli", "qa"))

UNDEFINED, ALIKE = "not defined: ", "an interval needs examples that differ"


def tagged(number, **columns):
    words = tuple(f"w{place}" for place in range(len(next(iter(columns.values())))))
    return cut(words, f"s{number}", " ".join(words), **columns)


def cut(words, id="s", text="you cannot go", **columns):
    words = tuple(words.split()) if isinstance(words, str) else words
    return Sentence(id, text, words, **{name: tuple(values) for name, values in columns.items()})


def pairs_of(column, one, other):
    """Sentences of two annotators, from rows of one column separated by spaces."""
    rows = enumerate(zip(one, other, strict=True))
    return [tuple(tagged(number, **{column: row.split()}) for row in both) for number, both in rows]


def flat(rows):
    return [value for row in rows for value in row]


def changed(values, choices, rng, share=0.3):
    return [rng.choice(choices) if rng.random() < share else value for value in values]


def items(labels, others):
    rows = enumerate(zip(labels, others, strict=True))
    return [tuple(Pair(f"p{number}", "a", "b", label) for label in row) for number, row in rows]


def values(task, pairs):
    return {measure.name: measure.value for measure in agreement(task, pairs).measures}


@pytest.fixture
def tags():
    """Tags of 30 sentences, and of a second annotator who disagrees on some."""
    rng = random.Random(0)
    one = [[rng.choice(POS.labels[:5]) for _ in range(rng.randint(1, 9))] for _ in range(30)]
    return one, [changed(row, POS.labels[:6], rng) for row in one]


def test_kappa_is_that_of_scikit_learn_and_alpha_that_of_krippendorff(tags):
    one, other = tags
    found = values(POS, [(tagged(0, upos=a), tagged(0, upos=b)) for a, b in zip(one, other, strict=True)])
    labels = [flat(one), flat(other)]
    assert found["Cohen's kappa of words"] == pytest.approx(cohen_kappa_score(*labels))
    ids = [[POS.labels.index(tag) for tag in row] for row in labels]
    assert found["Krippendorff's alpha of words"] == pytest.approx(
        krippendorff.alpha(reliability_data=ids, level_of_measurement="nominal")
    )
    assert found["observed agreement of words"] == pytest.approx(100 * np.mean(np.array(ids[0]) == ids[1]))


def test_span_f1_is_that_of_seqeval_whoever_is_gold():
    rng = random.Random(3)
    one = [["O", *(rng.choice(["O", "B-PER", "B-LOC"]) for _ in range(6))] for _ in range(40)]
    one = [list(repair([f"I{t[1:]}" if t != "O" and rng.random() < 0.4 else t for t in row])) for row in one]
    other = [list(repair(["O" if rng.random() < 0.2 else tag for tag in row])) for row in one]
    pairs = [(tagged(0, entities=a), tagged(0, entities=b)) for a, b in zip(one, other, strict=True)]
    strict = {"mode": "strict", "scheme": IOB2}
    assert values(NER, pairs)["F1"] == pytest.approx(100 * f1_score(one, other, **strict))
    assert values(NER, [(b, a) for a, b in pairs])["F1"] == pytest.approx(values(NER, pairs)["F1"])
    kappa = cohen_kappa_score(flat(one), flat(other))
    assert values(NER, pairs)["Cohen's kappa of words"] == pytest.approx(kappa)
    report = classification_report(one, other, output_dict=True, **strict)
    for label in agreement(NER, pairs).by_label:
        assert label.f1 == pytest.approx(100 * report[label.label]["f1-score"])
        assert label.count_a == report[label.label]["support"]


def test_spans_of_other_type_and_of_one_annotator_are_told_apart():
    pairs = pairs_of("entities", ["B-PER I-PER O", "O B-LOC O"], ["B-ORG I-ORG O", "O O B-LOC"])
    found = agreement(NER, pairs)
    confused = [("", "LOC", 1, ("s1",)), ("LOC", "", 1, ("s1",)), ("PER", "ORG", 1, ("s0",))]
    assert found.confused == tuple(Confusion(*one) for one in confused)


@pytest.mark.parametrize(
    ("task", "pairs", "note", "kind"),
    [
        (NER, pairs_of("entities", ["O O"] * 3, ["O O"] * 3), f"{UNDEFINED}neither annotator marked anything", "words"),
        (NLI, items(["neutral"] * 5, ["neutral"] * 5), None, "items"),
    ],
)
def test_measures_of_one_label_are_undefined_with_a_note(task, pairs, note, kind):
    notes = [*[note] * bool(note), ALIKE, *[f"{UNDEFINED}all {kind} have one label"] * 2]
    for found, wanted in zip(agreement(task, pairs).measures, notes, strict=True):
        assert (found.note, found.low, found.high) == (wanted, None, None)
        assert found.value == (100 if wanted == ALIKE else None)


def test_attachment_and_relations_of_words_with_the_same_head():
    one = tagged(0, heads=(2, 0, 2, 3), deprels=("nsubj", "root", "obl", "case"))
    other = tagged(0, heads=(2, 0, 2, 2), deprels=("obj", "root", "obl", "advmod"))
    found = values(DEP, [(one, other)])
    assert (found["UAS"], found["LAS"]) == (75, 50)
    measure = agreement(DEP, [(one, other)]).measures[0]
    assert (measure.low, measure.high, measure.note) == (None, None, "an interval needs two examples")
    assert found["observed agreement of words with the same head"] == pytest.approx(200 / 3)
    labels = ["nsubj", "root", "obl"], ["obj", "root", "obl"]
    assert found["Cohen's kappa of words with the same head"] == pytest.approx(cohen_kappa_score(*labels))


def test_relations_are_confused_whatever_the_head():
    one = tagged(0, heads=(2, 0), deprels=("obl", "root"))
    other = tagged(0, heads=(0, 1), deprels=("root", "nmod:poss"))
    assert [(c.a, c.b) for c in agreement(DEP, [(one, other)]).confused] == [("obl", "root"), ("root", "nmod")]
    whole = agreement(tasks.get("dep+subtypes"), [(one, other)])
    assert [(c.a, c.b) for c in whole.confused] == [("obl", "root"), ("root", "nmod:poss")]
    assert "LAS with subtypes" in [measure.name for measure in whole.measures]
    assert {measure.note for measure in whole.measures[3:]} == {"not defined: no words with the same head"}


def asked(*answers, context="in Turku Oulu Helsinki"):
    found = [() if answer is None else (Answer(answer, context.index(answer)),) for answer in answers]
    questions = (Question(f"q{number}", "?", answer) for number, answer in enumerate(found))
    return Article("a", (Paragraph(context, tuple(questions)),))


def test_answers_agree_exactly_or_by_words_and_silence_of_one_is_disagreement():
    one, other = asked("Turku", "Turku Oulu", "in", None), asked("Turku", "Oulu", None, None)
    for pair in ([(one, other)], [(other, one)]):
        assert values(QA, pair) == pytest.approx({"exact match": 100 / 3, "F1": 100 * (1 + 2 / 3) / 3})
    found = agreement(QA, [(one, other)])
    assert found.by_label == ()
    assert Confusion("turku oulu", "oulu", 1, ("a",)) in found.confused


def test_any_answer_of_several_may_agree_in_either_order():
    one = asked("Turku")
    (question,) = one.paragraphs[0].questions
    several = replace(question, answers=(Answer("Oulu", 9), *question.answers))
    other = replace(one, paragraphs=(replace(one.paragraphs[0], questions=(several,)),))
    assert values(QA, [(one, other)]) == values(QA, [(other, one)]) == {"exact match": 100, "F1": 100}


def test_labels_and_confusions_are_counted_most_frequent_first():
    one, other = ["NOUN NOUN VERB", "NOUN ADJ", "NOUN", "NOUN"], ["NOUN VERB VERB", "VERB ADJ", "VERB", "VERB"]
    found = agreement(POS, pairs_of("upos", one, other))
    assert (found.examples, found.other_words, found.unfinished) == (4, 0, 0)
    assert found.confused == (Confusion("NOUN", "VERB", 4, ("s0", "s1", "s2")),)
    counts = [(x.label, x.count_a, x.count_b, x.agreed) for x in found.by_label]
    assert counts == [("NOUN", 5, 1, 1), ("VERB", 1, 5, 1), ("ADJ", 1, 1, 1)]
    assert found.by_label[0].f1 == pytest.approx(100 * 2 / 6)


def test_interval_of_observed_agreement_is_close_to_the_normal_one():
    rng = random.Random(1)
    labels = [rng.choice(NLI.labels) for _ in range(600)]
    found = agreement(NLI, items(labels, changed(labels, NLI.labels, rng))).measures[0]
    share = found.value / 100
    half = 196 * (share * (1 - share) / 600) ** 0.5
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half), abs=0.8)


def test_examples_are_resampled_whole():
    words = agreement(POS, pairs_of("upos", ["NOUN VERB " * 20] * 10, ["NOUN VERB " * 20, "VERB NOUN " * 20] * 5))
    assert words.measures[0].high - words.measures[0].low >= 50


def test_unfinished_annotations_are_left_out():
    same = pairs_of("upos", ["NOUN VERB"] * 2, ["NOUN VERB"] * 2)
    unfinished = (tagged(9, upos=["NOUN", "VERB"]), tagged(9, upos=["NOUN", "_"]))
    assert agreement(POS, [*same, unfinished]) == replace(agreement(POS, same), unfinished=1)
    no_head = (tagged(0, heads=(0,), deprels=("root",)), tagged(0, heads=(-1,), deprels=("root",)))
    no_tag = (tagged(0, entities=("B-PER", "O")), tagged(0, entities=("B-PER", "_")))
    for task, pair in ((DEP, no_head), (NER, no_tag)):
        with pytest.raises(FewshotError, match=r"none of 1 examples is finished by both annotators"):
            agreement(task, [pair])
    with pytest.raises(FewshotError, match=r"no example has pos annotations by two people; assign some"):
        agreement(POS, [])


def test_shared_words_are_compared_wherever_they_stand():
    relations = {"heads": (2, 0, 2, 2), "deprels": ("nsubj", "root", "advmod", "xcomp")}
    one = cut("you can not go", upos=("PRON", "AUX", "PART", "VERB"), **relations)
    relations = {"heads": (2, 0, 1), "deprels": ("nsubj", "root", "xcomp")}
    other = cut("you cannot go", upos=("PRON", "AUX", "NOUN"), **relations)
    tags = agreement(POS, [(one, other)])
    assert (tags.measures[0].value, tags.other_words) == (50.0, 3)
    counts = [(each.label, each.count_a, each.count_b) for each in tags.by_label]
    assert counts == [("PRON", 1, 1), ("NOUN", 0, 1), ("VERB", 1, 0)]
    for pair in ((one, other), (other, one)):
        assert values(DEP, [pair])["UAS"] == 50.0  # you hangs on the same letters in both


def test_entities_are_those_of_the_same_letters():
    one = cut("you can not go", entities=("O", "B-X", "I-X", "B-Y"))
    for words, entities, f1 in (
        ("you cannot go", "O B-X B-Y", 100.0),
        ("youcan not go", "O B-X B-Y", 50.0),
        ("you cann ot go", "O B-X O B-Y", 50.0),
    ):
        other = cut(words, entities=entities.split())
        assert values(NER, [(one, other)])["F1"] == values(NER, [(other, one)])["F1"] == f1


@pytest.mark.parametrize("name", tasks.registry())
def test_every_task_agrees_wholly_with_itself_and_alike_in_both_directions(name):
    gold = examples(tasks.get(name).example.kind, 20, seed=1)
    task = tasks.get(name).fitted(gold)
    found = agreement(task, [(one, one) for one in gold])
    assert [measure.value for measure in found.measures if measure.value not in (1, 100)] == []
    assert found.confused == ()
    assert all(label.count_a == label.count_b == label.agreed for label in found.by_label)
    assert bool(found.by_label) == bool(task.nominal)
    rng = random.Random(0)
    other = [disturbed(example, rng) for example in gold]
    there, back = (agreement(task, list(zip(*both, strict=True))) for both in ((gold, other), (other, gold)))
    assert any(measure.value not in (1, 100) for measure in there.measures)
    for one, two in zip(there.measures, back.measures, strict=True):
        assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high))


def disturbed(example, rng):
    """Another annotation of the same example: labels exchanged within it, or changed at random."""
    if isinstance(example, Sentence):
        order = rng.sample(range(example.length), example.length)
        columns = {name: getattr(example, name) for name in ("upos", "deprels", "entities")}
        exchanged = {name: tuple(values[place] for place in order) for name, values in columns.items()}
        return example.annotated(heads=tuple(rng.randint(0, example.length) for _ in order), **exchanged)
    if isinstance(example, Article):
        (paragraph,) = example.paragraphs
        first, *rest = paragraph.questions
        questions = (replace(first, answers=(Answer("Oulu", 0),)), *rest)
        return replace(example, paragraphs=(replace(paragraph, questions=questions),))
    return replace(example, label=rng.choice(NLI.labels if isinstance(example, Pair) else ("sports", "health")))
