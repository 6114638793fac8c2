"""Annotators side by side."""

import pytest
from making import made_up
from storing import made_items, made_project

from annotate.editing import content
from annotate.exchange import pool
from annotate.quality import adjudication, annotators, gold
from annotate.rounds import effort
from annotate.store import Edit, NewItem
from fewshot.corpora.types import UNANNOTATED

SENTENCES = made_up(8, seed=1, shortest=4)


@pytest.fixture
def make(store):
    """Makes a project where ana annotates all as it came, at 2 s a token, and ben the first four, half X, at 4 s."""

    def make(sentences=SENTENCES, **changes):
        rows = pool.both(sentences, ())
        project = made_project(store, rows, tasks=("pos",), labels={"pos": []}, wage=36.0, **changes)
        ids = [row[0] for row in store.lengths(project.id, "pool")]
        for who, count, pace in (("ana", 8, 2.0), ("ben", 4, 4.0)):
            for item, sentence in zip(
                made_items(store, project, [(key, "pos", who) for key in ids[:count]]), SENTENCES, strict=False
            ):
                tags = list(sentence.upos)
                if who == "ben":
                    tags[: len(tags) // 2] = ["X"] * (len(tags) // 2)
                seconds = pace * sentence.length
                store.save(item.id, who, "page", 1, {"upos": tags}, True, seconds, 1)
        return project

    return make


def test_pace_price_and_agreement_of_each(store, make):
    project = make()
    ana, ben = annotators.annotators(store, project, "pos")
    tokens = [sentence.length for sentence in SENTENCES]
    assert [(one.name, one.done) for one in (ana, ben)] == [("ana", 8), ("ben", 4)]
    assert ana.minutes == pytest.approx(2.0 * sum(tokens) / 60)
    assert ben.price == pytest.approx(4.0 * sum(tokens[:4]) / 3600 * 36)
    assert (ana.per_token.value, ben.per_token.value) == pytest.approx((2.0, 4.0))
    assert ana.per_example.value == pytest.approx(2.0 * sum(tokens) / 8)
    assert ana.per_example.low < ana.per_example.value < ana.per_example.high
    assert ana.gold.value == 100
    changed = sum(tag != "X" for one in SENTENCES[:4] for tag in one.upos[: one.length // 2])
    agreed = pytest.approx(100 * (1 - changed / sum(tokens[:4])))
    assert (ben.gold.value, ben.others.value, ana.others.value) == (agreed, agreed, agreed)
    assert ben.gold.low < ben.gold.value < ben.gold.high
    assert ben.kappa.value == pytest.approx(ana.kappa.value)


def test_what_was_decided_is_gold_before_what_came_with_the_data(store, make):
    project = make()
    case = adjudication.cases(store, project, "pos")[0]
    item = adjudication.begin(store, project, "pos", case, "eva")
    bens = next(one for one in case.versions if one.item.annotator == "ben")
    before = annotators.annotators(store, project, "pos")
    store.save(item.id, "eva", "page", 1, bens.revision.annotation, True, 50.0, 1)
    ana, ben = annotators.annotators(store, project, "pos")
    assert ana.gold.value < before[0].gold.value
    assert ben.gold.value > before[1].gold.value
    assert (ana.minutes, ben.minutes) == (before[0].minutes, before[1].minutes)


def test_what_people_agree_on_is_not_gold_by_itself(store, make):
    project = make(sentences=[one.unannotated() for one in SENTENCES])
    last = store.items(project.id, annotator="ben")[-1]
    store.save(last.id, "ben", "page", 2, {"upos": list(SENTENCES[3].upos)}, True, 1.0, 1)  # as ana did
    ana, ben = annotators.annotators(store, project, "pos")
    assert (ana.gold, ben.gold) == (None, None)
    case = adjudication.cases(store, project, "pos")[0]
    item = adjudication.begin(store, project, "pos", case, "eva")
    anas = next(one for one in case.versions if one.item.annotator == "ana")
    store.save(item.id, "eva", "page", 1, anas.revision.annotation, True, 50.0, 1)
    ana, ben = annotators.annotators(store, project, "pos")
    assert ana.gold.value == 100 > ben.gold.value


def test_without_gold_or_company_there_is_nothing_to_agree_with(store):
    rows = pool.both([one.unannotated() for one in SENTENCES[:2]], ())
    project = made_project(store, rows, tasks=("pos",), labels={"pos": []})
    key = store.lengths(project.id, "pool")[0][0]
    assert annotators.annotators(store, project, "pos") == []
    (item,) = made_items(store, project, [NewItem(key, "pos", "ana")])
    annotation = content.annotation_of("pos", SENTENCES[0])
    store.save(item.id, "ana", "page", 1, annotation, True, 9.0, 1)
    (ana,) = annotators.annotators(store, project, "pos")
    assert (ana.done, ana.gold, ana.others, ana.kappa, ana.per_token) == (1, None, None, None, None)
    assert UNANNOTATED not in annotation["upos"]


def test_a_row_a_person_with_a_dash_where_nothing_is_known(store, make):
    ana, ben = annotators.table(annotators.annotators(store, make(), "pos"), "sentences", "€")
    assert (ana["annotator"], ana["done"], ana["s a token"]) == ("ana", 8, "2.00 [2.00, 2.00]")
    assert ben["cost"].startswith("€")
    nothing = annotators.Annotator("eva", 1, 0.0, 0.0, None, None, None, None, None)
    (row,) = annotators.table([nothing], "documents", "$")
    assert (row["s a document"], row["gold %"], row["kappa"]) == ("–", "–", "–")


def change_all(store, project, author, tag="X"):
    """Let somebody set each tag of all that is annotated."""
    edits = [
        Edit(item.id, store.latest(item.id).id, {"upos": [tag] * len(store.latest(item.id).annotation["upos"])}, True)
        for item in store.items(project.id)
    ]
    store.change("change 1 UPOS", author, edits)


def test_a_curators_change_of_many_places_is_not_measured_as_the_annotators_own(store, make):
    project = make()
    before = annotators.annotators(store, project, "pos")
    pairs = annotators.pairs(store, project, "pos")
    assert len(pairs) == 4
    assert all(ana != ben for ana, ben in pairs)
    change_all(store, project, "eva")
    assert annotators.annotators(store, project, "pos") == before
    assert annotators.pairs(store, project, "pos") == pairs
    assert all(set(made["upos"]) == {"X"} for made in gold.gold(store, project, "pos").annotations.values())


def test_what_annotators_change_in_many_places_is_their_own(store, make):
    project = make()
    change_all(store, project, "ana")
    ana, _ = annotators.annotators(store, project, "pos")
    assert ana.gold.value < 100


def test_what_was_first_changed_by_a_curator_is_begun_and_finished_by_its_annotator(store, project, ids):
    (item,) = made_items(store, project, [(ids[0], "pos", "ana")])
    store.change("change 1 UPOS", "eva", [Edit(item.id, 0, {"upos": ["X"] * 3}, True)])
    save = {"annotator": "ana", "client": "page", "annotation": {"upos": ["NOUN"] * 3}, "seconds": 30.0, "edits": 3}
    store.save(item.id, seq=1, done=True, **save)
    assert [one.annotator for one in store.first_of(project.id, "pos").values()] == ["ana"]
    assert [(one.annotator, one.seconds) for one in effort.measured(store, project, "pos")] == [("ana", 30.0)]
