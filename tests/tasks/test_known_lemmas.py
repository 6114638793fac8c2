from dataclasses import replace

import pytest
import torch
from making import made_up, small_recipe, with_morphology

from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError
from fewshot.evaluation import predict, suggest
from fewshot.tasks import known_lemmas
from fewshot.tasks.known_lemmas import KnownLemmas, dictionary_of
from fewshot.training.adapt import adapt
from fewshot.training.model import load_model


def sentence(*rows):
    words, upos, lemmas = zip(*rows, strict=True)
    return Sentence("s", " ".join(words), words, upos, lemmas=lemmas)


SHOTS = [
    sentence(("Talossa", "NOUN", "talo"), ("kuusi", "NUM", "kuusi"), ("Turku", "PROPN", "Turku")),
    sentence(("talossa", "NOUN", "talo"), ("talossa", "NOUN", "koti"), ("puita", "NOUN", "_"), ("on", "_", "olla")),
]


@pytest.mark.parametrize(
    ("form", "tag", "lemma"),
    [
        ("talossa", "NOUN", "talo"),  # the most frequent one
        ("TALOSSA", "NOUN", "talo"),
        ("turku", "PROPN", "Turku"),
        ("kuusi", "NOUN", None),  # another word: spruce, not six
        ("puita", "NOUN", None),
        ("on", "_", None),
    ],
)
def test_a_form_has_the_lemma_that_it_has_in_the_shots_with_the_same_tag(form, tag, lemma):
    assert KnownLemmas().learned_from(SHOTS).lemma(form, tag) == lemma


def test_a_shot_without_lemmas_says_nothing():
    assert KnownLemmas().learned_from([SHOTS[0].annotated(lemmas=())]) == KnownLemmas()


def test_later_shots_win_and_earlier_ones_stay():
    known = KnownLemmas(annotated={"NOUN talossa": "maja", "NOUN puita": "puu"}).learned_from(SHOTS)
    assert [known.lemma(form, "NOUN") for form in ("talossa", "puita")] == ["talo", "puu"]


def test_the_dictionary_has_what_the_shots_lack():
    pytest.importorskip("simplemma", reason="pip install '.[lemmas]'")
    known = KnownLemmas(dictionary_of("fin")).learned_from(SHOTS[1:])
    assert [known.lemma(*word) for word in (("puissa", "NOUN"), ("talossa", "NOUN"))] == ["puu", "talo"]
    assert [known.lemma(*word) for word in ((".", "PUNCT"), ("3.", "NUM"))] == [None, None]


def test_languages_have_the_dictionary_of_their_code():
    pytest.importorskip("simplemma", reason="pip install '.[lemmas]'")
    codes = {"fi": "fi", "hr": "hbs", "no": "nb", "wo": "", "qaa": "", "no code": ""}
    assert {lang: dictionary_of(lang) for lang in codes} == codes


def test_a_model_of_lemmas_takes_the_dictionary_of_a_language(trained):
    pytest.importorskip("simplemma", reason="pip install '.[lemmas]'")
    with_lemmas, without = trained.source("pos+feats+lemma"), trained.source("pos")
    assert [model.with_dictionary("fi").known_lemmas.dictionary for model in (with_lemmas, without)] == ["fi", ""]
    assert with_lemmas.known_lemmas == KnownLemmas()
    adapted = with_lemmas.with_dictionary("fi")
    adapted.known_lemmas = adapted.known_lemmas.learned_from(SHOTS)
    assert adapted.with_dictionary("").known_lemmas == KnownLemmas(annotated=adapted.known_lemmas.annotated)


def test_a_model_without_its_dictionary_is_refused_and_a_language_has_none(monkeypatch):
    monkeypatch.setattr(known_lemmas, "find_spec", lambda name: None)
    assert dictionary_of("fi") == ""
    with pytest.raises(FewshotError, match=r"pip install 'fewshot\[lemmas\]'"):
        KnownLemmas("fi")


def test_a_predicted_sentence_and_a_suggestion_have_the_known_lemmas():
    predicted = sentence(("talossa", "NOUN", "talos"), ("meni", "VERB", "men"))
    known = KnownLemmas().learned_from(SHOTS)
    assert known.fill(predicted).lemmas == ("talo", "men")
    suggestion = {
        "annotation": {"upos": list(predicted.upos), "lemmas": list(predicted.lemmas)},
        "lemmas_ranked": [[["talos", 0.6], ["talo", 0.3], ["tal", 0.1]], [["men", 0.9]]],
    }
    known.fill_suggestion(predicted, suggestion)
    assert suggestion["annotation"]["lemmas"] == ["talo", "men"]
    assert suggestion["lemmas_ranked"] == [[["talo", 0.9], ["tal", 0.1]], [["men", 0.9]]]


def test_a_model_keeps_the_lemmas_of_its_shots(trained, tmp_path):
    source = trained.source("pos+feats+lemma")
    source.known_lemmas = KnownLemmas(annotated={"NOUN puissa": "puu"})
    shots = [with_morphology(one) for one in made_up(6, seed=2)]
    shots = [replace(one, lemmas=tuple(f"{word}-x" for word in one.words)) for one in shots]
    adapted = adapt(source, shots, small_recipe(regime="sequential", updates=1, average=1), 0, torch.device("cpu"))
    adapted.save(tmp_path)
    for model in (adapted, load_model(tmp_path, adapted.encoder)):
        known = model.known_lemmas
        assert known.annotated.keys() > source.known_lemmas.annotated.keys()
        for one in predict(model, shots):
            wanted = [known.lemma(*word) for word in zip(one.words, one.upos, strict=True)]
            assert all(lemma in (None, right) for lemma, right in zip(wanted, one.lemmas, strict=True))
        (suggestion, *_) = suggest(model, shots)
        assert suggestion["annotation"]["lemmas"] == list(predict(model, shots)[0].lemmas)
