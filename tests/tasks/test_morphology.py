import numpy as np
import pytest
import torch
from corpora.drawn import chars
from hypothesis import given
from hypothesis import strategies as st
from making import made_up, small_recipe, with_morphology
from tasks.official import official_scores

from fewshot import tasks
from fewshot.corpora.load import load
from fewshot.corpora.types import Sentence
from fewshot.errors import CorpusError
from fewshot.evaluation import predict
from fewshot.heads.classifier import IGNORE
from fewshot.tasks.edit_scripts import apply_script, is_script, script_of
from fewshot.training.adapt import adapt

CPU = torch.device("cpu")
BOTH = tasks.get("pos+lemma+feats")
ALL = tasks.get("pos+lemma+feats+xpos")


def word(form, upos="NOUN", feats="", lemma="_"):
    return Sentence("s", form, (form,), (upos,), feats=(feats,), lemmas=(lemma,))


SCRIPTS = {
    ("Talossa", "talo"): "↓0;0,3,0;",
    ("Turkuun", "Turku"): "↑0|↓1;0,2,0;",
    ("USA:n", "USA"): "↑0;0,2,0;",
    ("is", "be"): "=be",
}


def test_lemmas_are_edits_of_the_form():
    assert {pair: script_of(*pair) for pair in SCRIPTS} == SCRIPTS


letters = st.text(st.sampled_from("İistßSﬁnaAbB日本のقه_;,=|12:") | chars, min_size=1, max_size=8)


@given(letters, letters)
def test_every_script_makes_its_lemma_again_and_fits_any_form(form, lemma):
    script = script_of(form, lemma)
    assert is_script(script)
    assert apply_script(script, form) == lemma
    for pair in (("talossa", "talo"), ("gegangen", "gehen"), ("Turkuun", "Turku")):
        assert apply_script(script_of(*pair), form)


def careless(gold, rng):
    def mixed(right, others):
        return tuple(value if rng.random() < 0.7 else wrong for value, wrong in zip(right, others, strict=True))

    more = ["|".join(sorted([*filter(None, value.split("|")), "Own=X"])) for value in gold.feats]
    feats = mixed(mixed(gold.feats, rng.permutation(gold.feats).tolist()), more)
    wrong = ["X"] * gold.length
    upos, xpos, lemmas = mixed(gold.upos, wrong), mixed(gold.xpos, wrong), mixed(gold.lemmas, gold.words)
    return gold.annotated(upos=upos, feats=feats, lemmas=lemmas, xpos=xpos)


def test_scores_equal_the_official_scorer(tmp_path):
    rng = np.random.default_rng(0)
    gold = list(load("sw", task=BOTH).test)
    tasks.check_gold(BOTH, gold)
    for place, one in enumerate(gold):
        xpos = tuple(f"{tag}-{form[0]}" for tag, form in zip(one.upos, one.words, strict=True))
        gold[place] = one.annotated(xpos=xpos, lemmas=("_", *one.lemmas[1:]))  # an open lemma counts as right
    guess = [careless(one, rng) for one in gold]
    tasks.check_gold(ALL, guess)
    official = official_scores(gold, guess, tmp_path)
    metrics = ALL.metrics(sum(ALL.counts(a, b) for a, b in zip(gold, guess, strict=True)))
    for metric, name in (("accuracy", "UPOS"), ("ufeats", "UFeats"), ("lemmas", "Lemmas"), ("xpos", "XPOS")):
        assert metrics[metric] == pytest.approx(100 * official[name].f1), name


def test_options_stand_in_one_order_and_the_score_is_that_of_the_first():
    assert (BOTH.name, BOTH.metric) == ("pos+feats+lemma", "ufeats")
    assert BOTH.score_label == "morphological tagging and lemmatization UFeats (%)"


def test_what_cannot_be_written_so_is_refused():
    for feats in ("", "Gender[psor]=Masc|Number=Sing", "Case=Nom,Acc"):
        tasks.check_gold(ALL, [word("talo", feats=feats, lemma="talo").annotated(xpos=("N",))])
    for feats in ("Number=Sing|Number=Plur", "Number=Sing=Plur", "Sing", "Case=", "Case=Nom|", "Case=Nom Number=Sing"):
        with pytest.raises(CorpusError, match="of 'talo' are not in the format Case=Nom"):
            tasks.check_gold(tasks.get("pos+feats"), [word("talo", feats=feats)])
    with pytest.raises(CorpusError, match="XPOS 'N N' of 'talo' is empty or has a space in it"):
        tasks.check_gold(tasks.get("pos+xpos"), [word("talo").annotated(xpos=("N N",))])


@pytest.mark.parametrize(
    ("name", "example", "messages"),
    [
        ("pos+feats+lemma", word("talo"), ["'talo' (word 1) has no lemma; choose one"]),
        ("pos+feats+lemma", word("_"), []),
        ("pos+xpos", word("talo"), ["'talo' (word 1) has no XPOS; choose one"]),
        ("pos+feats", word("talo"), []),  # no features are a choice too
        ("pos+feats", word("talo", feats="_"), ["'talo' (word 1) has no choice of features; choose one"]),
    ],
)
def test_a_word_without_a_choice_is_not_done(name, example, messages):
    assert [problem.message for problem in tasks.get(name).errors(example)] == messages


def test_a_corpus_without_the_column_is_refused():
    plain = made_up(3, seed=1)
    for name, option in (("FEATS", "feats"), ("LEMMA", "lemma"), ("XPOS", "xpos")):
        with pytest.raises(CorpusError, match=rf"{name} is empty everywhere.*leave \+{option} out"):
            tasks.check_corpus(tasks.get(f"pos+{option}"), plain)
    tasks.check_corpus(BOTH, [*plain, with_morphology(plain[0])])
    none = [one.annotated(feats=("",) * one.length) for one in plain]
    tasks.check_corpus(tasks.get("pos+feats"), none)  # no features of any word are features of all
    assert all(map(tasks.get("pos+feats").is_whole, none))


def test_lemmas_that_nobody_has_annotated_are_neither_learned_nor_scored():
    gold, other = map(with_morphology, made_up(2, seed=1))
    assert {row[2] for row in BOTH.targets(gold.annotated(lemmas=("_",) * gold.length))[0]} == {IGNORE}
    counts = BOTH.counts(gold.annotated(lemmas=()), gold) + BOTH.counts(other, other)
    assert counts.reshape(-1, 2).tolist() == [[gold.length + other.length] * 2] * 2 + [[other.length] * 2]


def test_new_features_are_like_those_that_share_most():
    task = tasks.get("pos+feats", ["Case=Nom|Number=Sing", "Case=Nom|Number=Plur", "Mood=Ind", ""])
    singular, plural = "Case=Nom|Number=Sing", "Case=Nom|Number=Plur"
    like = {"Case=Ela|Number=Sing": [singular], "Case=Nom": [singular, plural], "X=Y": list(task.given)}
    assert {new: [task.labels[place] for place in task.similar_labels(new)] for new in like} == like


def test_a_label_is_of_the_columns_that_were_chosen():
    labels = ["Case=Nom", "↓0;0,0,0;", "NOUN", "=be", "xpos NOUN", "xpos A=b"]
    assert tasks.get("pos+xpos", labels).given == ("xpos NOUN", "xpos A=b")  # a tag too, and one like features
    assert tasks.get("pos", labels).labels == tasks.get("pos").labels
    assert tasks.get("pos+lemma", labels).given == ("↓0;0,0,0;", "=be")
    assert tasks.get("pos+feats", labels).given == ("Case=Nom",)


def test_what_only_the_shots_have_is_learned(trained):
    source = trained.source(BOTH.name)
    shots = [
        one.annotated(feats=tuple(feats.replace("Nom", "Abs") for feats in one.feats))
        for one in map(with_morphology, made_up(16, seed=2))
    ]
    recipe = small_recipe(regime="sequential", updates=30, batch=16, head_lr=2e-2, encoder_lr=3e-3, average=1)
    adapted = adapt(source, shots, recipe, 0, CPU)
    assert set(adapted.task.given) - set(source.task.given) == {"Case=Abs|Number=Sing"}
    assert "Case=Abs|Number=Sing" in {feats for one in predict(adapted, shots) for feats in one.feats}
