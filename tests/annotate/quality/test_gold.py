import pytest

from annotate.editing import session
from annotate.exchange import exporting
from annotate.quality import adjudication, gold
from annotate.store import REVIEW

SAME = {"upos": ["NOUN", "VERB", "X"]}
OTHER = {"upos": ["NOUN", "ADJ", "X"]}
TREE = {"heads": [0, 3, 1], "deprels": ["root", "case", "obl"]}
SEA = {"words": ["voy", "al", "mar"], "ranges": []}
SPLIT = {"words": ["voy", "a", "el", "mar"], "ranges": [[2, 3, "al"]]}


@pytest.fixture
def made(desk):
    """Saves what somebody made of an example."""

    def made(place, annotator, annotation, done=True, task="pos", purpose="shots"):
        (item,) = desk.draw((place, task, annotator), purpose=purpose)
        desk.keep(item, annotation, done)
        return item

    return made


@pytest.fixture
def disputed(made):
    """Ana and ben disagree about the first sentence and agree about the second one."""
    for place, who, annotation in ((0, "ana", SAME), (0, "ben", OTHER), (1, "ana", SAME), (1, "ben", SAME)):
        made(place, who, annotation)


def begin(store, project, curator="eva"):
    return adjudication.open_review(store, project, "pos", adjudication.cases(store, project, "pos")[0], curator)


def decide(store, project, annotation=SAME, done=True):
    store.save(begin(store, project).id, "eva", "page", 1, annotation, done, 1.0, 1)


def test_curators_who_open_a_case_at_the_same_moment_open_one_review(store, project, disputed, monkeypatch):
    case, add_round = adjudication.cases(store, project, "pos")[0], store.add_round
    opened = []

    def open_review(curator):
        opened.append(adjudication.open_review(store, project, "pos", case, curator))

    def add_later(**given):
        monkeypatch.undo()
        open_review("cora")
        return add_round(**given)

    monkeypatch.setattr(store, "add_round", add_later)
    open_review("eva")
    assert {(item.id, item.annotator) for item in opened} == {(opened[0].id, "cora")}
    assert [drawn.purpose for drawn in store.rounds(project.id)].count("review") == 1


def test_two_curators_whose_pages_list_the_same_cases_open_one_review(store, project, disputed):
    case = adjudication.cases(store, project, "pos")[0]
    first, second = (adjudication.open_review(store, project, "pos", case, curator) for curator in ("eva", "cora"))
    assert (second.id, second.annotator) == (first.id, "eva")


@pytest.mark.parametrize(
    ("saved", "annotations", "open_"),
    [
        pytest.param([("ana", SAME, False)], [], False, id="unfinished"),
        pytest.param([("ana", SAME, True), ("ben", OTHER, False)], [SAME], False, id="one finished"),
        pytest.param([("ana", SAME, True), ("ben", SAME, True)], [SAME], False, id="agreed"),
        pytest.param([("ana", SAME, True), ("ben", OTHER, True)], [], True, id="disputed"),
        pytest.param([("ana", SAME, True), ("ben", SAME | SEA, True)], [SAME | SEA], False, id="words put back"),
        pytest.param([("ana", SAME, True), ("ben", SAME | SEA | {"ends": [1]}, True)], [], True, id="a sentence more"),
        pytest.param([("ana", SAME, True), ("ana", OTHER, True)], [OTHER], False, id="newest"),
        pytest.param([("ana", SAME, True), ("ana", OTHER, False)], [], False, id="opened again"),
    ],
)
def test_gold_is_what_people_finished_and_agree_on(store, project, ids, desk, saved, annotations, open_):
    items = {who: desk.draw((0, "pos", who))[0] for who in {who for who, _, _ in saved}}
    for who, annotation, done in saved:
        desk.keep(items[who], annotation, done)
    found = gold.gold(store, project, "pos")
    assert (list(found.annotations.values()), found.open) == (annotations, (ids[0],) if open_ else ())
    assert gold.gold(store, project, "dep").annotations == {}
    finished = {who for who, _, done in saved if done}
    assert [case.differ for case in adjudication.cases(store, project, "pos")] == [open_] * (len(finished) == 2)


def test_a_finished_decision_counts_whatever_it_is_but_is_no_version(store, project, ids, disputed):
    decide(store, project, done=False)
    assert gold.gold(store, project, "pos") == gold.Gold({ids[1]: SAME}, (ids[0],))
    for seq, annotation in enumerate((OTHER, {"upos": ["X", "X", "X"]}), start=2):
        store.save(begin(store, project).id, "eva", "page", seq, annotation, True, 1.0, 1)
        assert gold.gold(store, project, "pos") == gold.Gold({ids[0]: annotation, ids[1]: SAME}, ())
    assert [one.item.annotator for one in gold.versions(store, project, "pos")[ids[0]]] == ["ana", "ben"]
    assert all(item.purpose != REVIEW for item in session.items(store, project, "pos", "eva"))


def test_gold_examples_hold_all_tasks_and_the_rest_of_the_corpus_in_their_split(store, project, made):
    made(0, "ana", TREE, task="dep")  # the corpus has its tags
    made(1, "ana", SAME)
    made(1, "ana", TREE, task="dep")
    made(3, "ana", SAME)
    by_task = {task: gold.gold(store, project, task) for task in ("pos", "dep")}
    first, second = exporting.examples(store, project, by_task, "pool")
    assert (first.upos, first.heads) == (("VERB", "ADP", "NOUN"), (0, 3, 1))
    assert (second.upos, second.heads, second.deprels) == (("NOUN", "VERB", "X"), (0, 3, 1), ("root", "case", "obl"))
    assert [one.id for one in exporting.examples(store, project, by_task, "test")] == ["s4"]
    assert [one.id for one in exporting.examples(store, project, by_task, None)] == ["s1", "s2", "s4"]


def test_cases_in_dispute_come_first_and_keep_their_order_once_they_are_decided(store, project, ids, made, disputed):
    made(2, "ana", OTHER)
    made(2, "ben", SAME)
    cases = [(case.example_id, case.differ) for case in adjudication.cases(store, project, "pos")]
    assert cases == [(ids[0], True), (ids[2], True), (ids[1], False)]
    decide(store, project)
    found = adjudication.cases(store, project, "pos")
    assert [case.example_id for case in found] == [ids[0], ids[2], ids[1]]
    steps = [(ids[2], "back", False), (ids[0], "back", True), (ids[0], "next", True), (ids[2], "next", True)]
    assert [adjudication.neighbour(found[:2], *step) for step in steps] == [ids[0], ids[0], ids[2], None]
    assert adjudication.neighbour([found[1], found[0]], ids[2], "next", False) == ids[0]  # to look at what is decided
    assert adjudication.neighbour([found[1], found[0]], ids[2], "next", True) is None


def test_a_case_is_decided_in_one_item_on_the_words_of_the_file(store, project, desk, made, disputed):
    made(0, "eva", {**TREE, "words": ["voya", "l", "mar"], "ranges": []}, task="dep")
    items = [begin(store, project, curator) for curator in ("eva", "eva", "max")]
    assert {(item.id, item.purpose, item.annotator) for item in items} == {(items[0].id, REVIEW, "eva")}
    assert desk.open(items[0]).example.words == ("voy", "al", "mar")


ANSWERS = {"q1": [{"text": "mar", "start": 0}], "q2": []}


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        (SAME, SAME, SAME),
        (SAME, OTHER, {"upos": ["NOUN", "_", "X"]}),
        (TREE, {**TREE, "heads": [0, 1, 1]}, {**TREE, "heads": [0, -1, 1]}),
        ({"entities": ["B-LOC", "O"]}, {"entities": ["O", "O"]}, {"entities": ["_", "O"]}),
        ({"entities": ["B-A", "I-A|B-B"]}, {"entities": ["B-A", "I-A"]}, {"entities": ["_", "_"]}),
        ({"entities": ["B-A|B-B", "B-A"]}, {"entities": ["B-A|B-B", "O"]}, {"entities": ["B-A|B-B", "_"]}),
        ({"label": "news"}, {"label": "news"}, {"label": "news"}),
        ({"label": "news"}, {"label": "sport"}, {"label": "_"}),
        ({"answers": ANSWERS}, {"answers": {**ANSWERS, "q1": []}}, {"answers": {"q2": []}}),
        ({"answers": ANSWERS}, {"answers": {"q1": ANSWERS["q1"]}}, {"answers": {"q1": ANSWERS["q1"]}}),
        ({"answers": {}}, {"answers": ANSWERS}, {"answers": {}}),
    ],
)
def test_merging_keeps_what_two_agree_on_and_opens_the_rest(first, second, wanted):
    assert adjudication.merged(first, second) == wanted
    assert adjudication.merged(second, first) == wanted


def tags(upos, **changes):
    return {"upos": upos.split()} | SPLIT | changes


FOUR = tags("VERB ADP DET NOUN")
SPLIT_TREE = {"heads": [0, 4, 4, 1], "deprels": ["root", "case", "det", "obl"]} | SPLIT
PLACES = {"entities": ["O", "O", "B-LOC", "I-LOC"]} | SPLIT


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        pytest.param(FOUR, {"upos": ["VERB", "ADP", "PROPN"]}, tags("VERB _ _ _"), id="tags"),
        pytest.param(TREE, SPLIT_TREE, {"heads": [0, -1, 1], "deprels": ["root", "_", "obl"]}, id="heads"),
        pytest.param(PLACES, {"entities": ["O", "O", "B-LOC"]}, PLACES | {"entities": ["O", *"___"]}, id="entities"),
        pytest.param(FOUR | {"ranges": []}, FOUR, tags("VERB _ _ NOUN", ranges=[]), id="multiword tokens"),
        pytest.param(FOUR, tags("VERB ADP X NOUN"), tags("VERB ADP _ NOUN"), id="the same words"),
    ],
)
def test_merging_versions_of_other_words_opens_what_they_do_not_share(first, second, wanted):
    assert adjudication.merged(SEA | first, SEA | second) == SEA | wanted


def test_merging_changes_neither_version():
    first, second = {"upos": ["X", "X"]}, {"upos": ["X", "VERB"]}
    adjudication.merged(first, second)["upos"].append("X")
    assert (first, second) == ({"upos": ["X", "X"]}, {"upos": ["X", "VERB"]})


def test_answers_are_named_by_their_question():
    assert adjudication.parts({"answers": ANSWERS}) == {("answers", "q1"): "mar", ("answers", "q2"): "∅"}


def test_versions_stand_beside_each_other_word_by_word_with_heads_named():
    versions = {
        "ana": {"heads": [0, 1], "deprels": ["root", "obj"]},
        "ben": {"heads": [0, -1], "deprels": ["root", "_"]},
    }
    assert adjudication.compare(versions, ["Rain", "fell"]) == [
        {"where": "1 Rain", "what": "heads", "ana": "root", "ben": "root"},
        {"where": "1 Rain", "what": "deprels", "ana": "root", "ben": "root"},
        {"where": "2 fell", "what": "heads", "ana": "1 Rain", "ben": ""},
        {"where": "2 fell", "what": "deprels", "ana": "obj", "ben": "_"},
    ]
