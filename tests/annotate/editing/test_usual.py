"""Values that are offered where columns are typed: those that words of the same tag have had."""

from storing import made_items, made_project

from annotate.editing import session
from annotate.exchange import pool
from fewshot.corpora.types import Sentence
from fewshot.corpora.upos import UPOS

TASK = "pos+feats+lemma+xpos"


def sentence(key, xpos):
    words = ("talo", "puu", "ui")
    return Sentence(
        key, " ".join(words), words, ("NOUN", "NOUN", "VERB"), lemmas=words, feats=("Case=Nom", "", ""), xpos=xpos
    )


def opened(store, *, hides_gold):
    files = [sentence("s1", ("NNP", "NNP", "VB")), sentence("s2", ("_", "NN", "_"))]
    project = made_project(store, pool.both(files, ()), tasks=(TASK,), labels={TASK: list(UPOS)}, hides_gold=hides_gold)
    rows = [row[0] for row in store.lengths(project.id, "pool")]
    done, item = made_items(store, project, [(row, TASK, "ana") for row in rows])
    annotation = {"upos": ["NOUN", "NOUN", "VERB"], "feats": ["", "", "_"], "lemmas": ["_"] * 3, "xpos": ["NN"] * 3}
    store.save(done.id, "ana", "page", 1, annotation, True, 1.0, 1)
    return session.open_item(store, project, item).usual


def test_the_commonest_values_of_a_tag_come_first(store):
    usual = opened(store, hides_gold=False)
    assert usual["xpos"] == {"NOUN": ["NN", "NNP"], "VERB": ["NN", "VB"]}
    assert usual["feats"]["NOUN"] == ["", "Case=Nom"]
    assert "lemmas" not in usual


def test_of_hidden_gold_nothing_is_offered(store):
    assert opened(store, hides_gold=True)["xpos"] == {"NOUN": ["NN"], "VERB": ["NN"]}
