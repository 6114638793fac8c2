import pytest
from making import made_up

from annotate.quality import adjudication, agreement, annotators, gold
from annotate.rounds import effort
from annotate.store import Edit
from fewshot import tasks

SENTENCES = made_up(8, seed=1, shortest=4)


@pytest.fixture
def make(new_desk):
    """Makes a project where ana annotates all as it came, at 2 s a token, and ben the first four, half X, at 4 s."""

    def make(sentences=SENTENCES):
        desk = new_desk(sentences, "pos", wage=36.0, hides_gold=True)
        for who, count, pace in (("ana", 8, 2.0), ("ben", 4, 4.0)):
            items = desk.draw(*((place, "pos", who) for place in range(count)))
            for item, sentence in zip(items, SENTENCES, strict=False):
                half = sentence.length // 2 if who == "ben" else 0
                desk.keep(item, {"upos": ["X"] * half + list(sentence.upos[half:])}, seconds=pace * sentence.length)
        return desk.project

    return make


def decide(store, project, who):
    case = adjudication.cases(store, project, "pos")[0]
    item = adjudication.open_review(store, project, "pos", case, "eva")
    version = next(one for one in case.versions if one.item.annotator == who)
    store.save(item.id, "eva", "page", 1, version.revision.annotation, True, 50.0, 1)


def test_pace_price_and_agreement_of_each_a_decision_before_gold_and_a_dash_where_nothing_is_known(store, make):
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
    decide(store, project, "ben")
    decided = annotators.annotators(store, project, "pos")
    assert decided[0].gold.value < ana.gold.value and decided[1].gold.value > ben.gold.value
    assert [one.minutes for one in decided] == [ana.minutes, ben.minutes]
    eva = annotators.Annotator("eva", 1, 0.0, 0.0, *[None] * 5)
    first, second, third = annotators.table([ana, ben, eva], "sentences", "€")
    assert (first["annotator"], first["done"], first["s per token"]) == ("ana", 8, "2.00 [2.00, 2.00]")
    assert second["cost"].startswith("€")
    assert (third["s per sentence"], third["gold %"], third["kappa"]) == ("–", "–", "–")


def test_kappa_is_that_of_the_two_people_in_whatever_order_they_annotate(store, new_desk):
    desk = new_desk(SENTENCES[:4], "pos", hides_gold=True)
    people = [(place, "pos", who) for place in range(4) for who in (("ana", "ben"), ("ben", "ana"))[place % 2]]
    for item in desk.draw(*people):
        words = SENTENCES[desk.ids.index(item.example_id)].words
        tags = ["X" if item.annotator == "ben" and place % 2 else "NOUN" for place in range(len(words))]
        desk.keep(item, {"upos": [*tags[:-1], "VERB"]})
    kind = tasks.get("pos", desk.project.labels["pos"])
    measures = agreement.agreement(kind, annotators.pairs(store, desk.project, "pos")).measures
    (kappa,) = [measure.value for measure in measures if measure.key == "kappa"]
    ana, ben = annotators.annotators(store, desk.project, "pos")
    assert kappa == pytest.approx(ana.kappa.value) == pytest.approx(ben.kappa.value)


def test_agreement_of_two_people_is_not_gold_by_itself(store, make):
    project = make(sentences=[one.unannotated() for one in SENTENCES])
    last = store.items(project.id, annotator="ben")[-1]
    store.save(last.id, "ben", "other page", 1, {"upos": list(SENTENCES[3].upos)}, True, 1.0, 1)  # as ana did
    ana, ben = annotators.annotators(store, project, "pos")
    assert (ana.gold, ben.gold) == (None, None)
    decide(store, project, "ana")
    ana, ben = annotators.annotators(store, project, "pos")
    assert ana.gold.value == 100 > ben.gold.value


def test_without_gold_or_other_people_there_is_nothing_to_agree_with(store, new_desk):
    desk = new_desk([one.unannotated() for one in SENTENCES[:2]], "pos", hides_gold=True)
    assert annotators.annotators(store, desk.project, "pos") == []
    desk.keep(*desk.draw((0, "pos", "ana")), {"upos": list(SENTENCES[0].upos)}, seconds=9.0)
    (ana,) = annotators.annotators(store, desk.project, "pos")
    assert (ana.done, ana.gold, ana.others, ana.kappa, ana.per_token) == (1, None, None, None, None)


def change_all(store, project, author, number=1):
    newest = {item.id: store.latest(item.id) for item in store.items(project.id)}
    edits = [Edit(id, one.id, {"upos": ["X"] * len(one.annotation["upos"])}, True) for id, one in newest.items()]
    store.change(f"change {number} UPOS", author, edits)


def test_a_change_of_many_places_is_measured_where_it_is_the_annotators_own_and_not_a_curators(store, make):
    project = make()
    before, pairs = annotators.annotators(store, project, "pos"), annotators.pairs(store, project, "pos")
    assert len(pairs) == 4
    assert all(ana != ben for ana, ben in pairs)
    change_all(store, project, "eva")
    assert annotators.annotators(store, project, "pos") == before
    assert annotators.pairs(store, project, "pos") == pairs
    assert all(set(made["upos"]) == {"X"} for made in gold.gold(store, project, "pos").annotations.values())
    change_all(store, project, "ana", 2)
    ana, _ = annotators.annotators(store, project, "pos")
    assert ana.gold.value < 100


def test_an_item_that_a_curator_changed_first_is_begun_and_finished_by_its_annotator(store, project, desk):
    (item,) = desk.draw((0, "pos", "ana"))
    store.change("change 1 UPOS", "eva", [Edit(item.id, 0, {"upos": ["X"] * 3}, True)])
    desk.keep(item, {"upos": ["NOUN"] * 3}, seconds=30.0)
    assert [one.annotator for one in store.first_revisions(project.id, "pos").values()] == ["ana"]
    assert [(one.annotator, one.seconds) for one in effort.measured_items(store, project, "pos")] == [("ana", 30.0)]
