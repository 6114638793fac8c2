"""Gold annotation and how two people's versions become one."""

import pytest
from storing import made_items

from annotate.editing import session
from annotate.quality import adjudication, gold
from annotate.store import REVIEW

SAME = {"upos": ["NOUN", "VERB", "X"]}
OTHER = {"upos": ["NOUN", "ADJ", "X"]}
TREE = {"heads": [0, 3, 1], "deprels": ["root", "case", "obl"]}


@pytest.fixture
def made(store, project):
    """Saves what somebody made of an example."""

    def made(example, annotator, annotation, done=True, task="pos", purpose="shots"):
        (item,) = made_items(store, project, [(example, task, annotator)], purpose)
        store.save(item.id, annotator, "page", 1, annotation, done, 1.0, 1)
        return item

    return made


@pytest.fixture
def disputed(made, ids):
    """Ana and ben disagree about the first sentence and agree about the second one."""
    made(ids[0], "ana", SAME)
    made(ids[0], "ben", OTHER)
    made(ids[1], "ana", SAME)
    made(ids[1], "ben", SAME)


def decide(store, project, curator="eva", annotation=SAME, done=True):
    case = adjudication.cases(store, project, "pos")[0]
    item = adjudication.begin(store, project, "pos", case, curator)
    store.save(item.id, curator, "page", 1, annotation, done, 1.0, 1)
    return item


def test_nothing_is_gold_before_anybody_has_finished(store, project, ids, made):
    made(ids[0], "ana", SAME, done=False)
    assert gold.gold(store, project, "pos") == gold.Gold({}, ())


def test_what_one_person_finished_is_gold(store, project, ids, made):
    made(ids[0], "ana", SAME)
    made(ids[0], "ben", OTHER, done=False)
    assert gold.gold(store, project, "pos") == gold.Gold({ids[0]: SAME}, ())


def test_what_people_agree_on_is_gold_and_what_they_do_not_is_open(store, project, ids, disputed):
    assert gold.gold(store, project, "pos") == gold.Gold({ids[1]: SAME}, (ids[0],))


def test_the_newest_version_counts(store, project, ids, made):
    item = made(ids[0], "ana", SAME)
    store.save(item.id, "ana", "page", 2, OTHER, True, 1.0, 1)
    assert gold.gold(store, project, "pos").annotations == {ids[0]: OTHER}


def test_what_was_opened_again_is_no_longer_gold(store, project, ids, made):
    item = made(ids[0], "ana", SAME)
    store.save(item.id, "ana", "page", 2, OTHER, False, 1.0, 1)
    assert gold.gold(store, project, "pos").annotations == {}


def test_tasks_have_gold_of_their_own(store, project, ids, made):
    made(ids[0], "ana", SAME)
    assert gold.gold(store, project, "dep").annotations == {}


@pytest.mark.parametrize("annotation", [OTHER, {"upos": ["X", "X", "X"]}])
def test_a_decision_counts_whatever_it_is(store, project, ids, disputed, annotation):
    decide(store, project, annotation=annotation)
    assert gold.gold(store, project, "pos") == gold.Gold({ids[0]: annotation, ids[1]: SAME}, ())


def test_a_decision_that_is_not_done_does_not_count(store, project, ids, disputed):
    decide(store, project, done=False)
    assert gold.gold(store, project, "pos").open == (ids[0],)


def test_a_decision_is_no_version(store, project, ids, disputed):
    decide(store, project)
    assert [one.item.annotator for one in gold.versions(store, project, "pos")[ids[0]]] == ["ana", "ben"]
    assert all(item.purpose != REVIEW for item in session.items(store, project, "pos", "eva"))


def test_gold_examples_hold_all_tasks_and_nothing_of_the_corpus(store, project, ids, made):
    made(ids[0], "ana", TREE, task="dep")  # the corpus has its tags
    made(ids[1], "ana", SAME)
    made(ids[1], "ana", TREE, task="dep")
    by_task = {task: gold.gold(store, project, task) for task in ("pos", "dep")}
    first, second = gold.examples(store, project, by_task)
    assert (first.upos, first.heads) == (("_", "_", "_"), (0, 3, 1))
    assert (second.upos, second.heads, second.deprels) == (("NOUN", "VERB", "X"), (0, 3, 1), ("root", "case", "obl"))


def test_gold_examples_are_of_the_split_that_is_asked_for(store, project, ids, made):
    (test,) = (key for key, _ in store.lengths(project.id, "test"))
    made(ids[0], "ana", SAME)
    made(test, "ana", SAME)
    by_task = {"pos": gold.gold(store, project, "pos")}
    found = {
        split: [one.id for one in gold.examples(store, project, by_task, split)] for split in ("pool", "test", None)
    }
    assert found == {"pool": ["s1"], "test": ["s4"], None: ["s1", "s4"]}


def test_gold_examples_are_on_repaired_words(store, project, ids, made):
    repaired = {"upos": ["VERB", "ADP", "DET", "NOUN"], "words": ["voy", "a", "el", "mar"], "ranges": [[2, 3, "al"]]}
    made(ids[0], "ana", repaired)
    made(ids[0], "ana", TREE, task="dep")
    for order in (("pos", "dep"), ("dep", "pos")):
        (found,) = gold.examples(store, project, {task: gold.gold(store, project, task) for task in order})
        assert (found.words, found.heads) == (("voy", "a", "el", "mar"), (0, 4, -1, 1))


def test_cases_in_dispute_come_first_and_decided_ones_last(store, project, ids, made, disputed):
    made(ids[2], "ana", OTHER)
    made(ids[2], "ben", SAME)
    assert [(case.example_id, case.differ) for case in adjudication.cases(store, project, "pos")] == [
        (ids[0], True),
        (ids[2], True),
        (ids[1], False),
    ]
    decide(store, project)
    assert [case.example_id for case in adjudication.cases(store, project, "pos")] == [ids[2], ids[0], ids[1]]


def test_what_one_person_finished_is_no_case(store, project, ids, made):
    made(ids[0], "ana", SAME)
    made(ids[0], "ben", OTHER, done=False)
    assert adjudication.cases(store, project, "pos") == []


def test_a_case_is_decided_in_one_item_whoever_begins(store, project, disputed):
    case = adjudication.cases(store, project, "pos")[0]
    item = adjudication.begin(store, project, "pos", case, "eva")
    again = adjudication.begin(store, project, "pos", adjudication.cases(store, project, "pos")[0], "eva")
    assert (item.id, item.purpose, item.annotator) == (again.id, REVIEW, "eva")
    other = adjudication.begin(store, project, "pos", adjudication.cases(store, project, "pos")[0], "max")
    assert (other.id, other.annotator) == (item.id, "eva")


def test_the_item_of_a_review_is_not_on_the_words_of_the_curators_own_annotation(store, project, ids, made, disputed):
    made(ids[0], "eva", {**TREE, "words": ["voya", "l", "mar"], "ranges": []}, task="dep")
    case = adjudication.cases(store, project, "pos")[0]
    item = adjudication.begin(store, project, "pos", case, "eva")
    assert session.open_item(store, project, item).example.words == ("voy", "al", "mar")


ANSWERS = {"q1": [{"text": "mar", "start": 0}], "q2": []}


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        (SAME, SAME, SAME),
        (SAME, OTHER, {"upos": ["NOUN", "_", "X"]}),
        (TREE, {**TREE, "heads": [0, 1, 1]}, {**TREE, "heads": [0, -1, 1]}),
        ({"entities": ["B-LOC", "O"]}, {"entities": ["O", "O"]}, {"entities": ["_", "O"]}),
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


def test_merging_on_the_same_repaired_words_keeps_them():
    words = {"words": ["a", "el", "mar"], "ranges": [[1, 2, "al"]]}
    assert adjudication.merged({**SAME, **words}, {**OTHER, **words}) == {"upos": ["NOUN", "_", "X"], **words}


def test_merging_on_different_words_takes_those_of_the_first_version_and_decides_nothing():
    words = {"words": ["al", "mar"], "ranges": []}
    assert adjudication.merged({"upos": ["X", "X"], **words}, SAME) == {"upos": ["_", "_"], **words}
    assert adjudication.merged(SAME, {"upos": ["X", "X"], **words}) == {"upos": ["_", "_", "_"]}
    assert adjudication.merged({"entities": ["B-PER", "O"], **words}, {"entities": ["O"]}) == {
        "entities": ["_", "_"],
        **words,
    }


def test_merging_changes_neither_version():
    first, second = {"upos": ["X", "X"]}, {"upos": ["X", "VERB"]}
    adjudication.merged(first, second)["upos"].append("X")
    assert (first, second) == ({"upos": ["X", "X"]}, {"upos": ["X", "VERB"]})


@pytest.mark.parametrize(
    ("annotation", "wanted"),
    [
        (SAME, {("upos", 0): "NOUN", ("upos", 1): "VERB", ("upos", 2): "X"}),
        ({"label": "news"}, {("label", ""): "news"}),
        ({"answers": ANSWERS}, {("answers", "q1"): "mar", ("answers", "q2"): "∅"}),
        ({"upos": ["X"], "words": ["al", "mar"]}, {("upos", 0): "X", ("words", ""): "al mar"}),
    ],
)
def test_parts_are_named_by_column_and_place(annotation, wanted):
    assert adjudication.parts(annotation) == wanted


def test_versions_stand_beside_each_other_word_by_word_with_heads_named():
    versions = {
        "ana": {"heads": [0, 1], "deprels": ["root", "obj"]},
        "ben": {"heads": [0, -1], "deprels": ["root", "_"]},
    }
    assert adjudication.beside(versions, ["Rain", "fell"]) == [
        {"where": "1 Rain", "what": "heads", "ana": "root", "ben": "root"},
        {"where": "1 Rain", "what": "deprels", "ana": "root", "ben": "root"},
        {"where": "2 fell", "what": "heads", "ana": "1 Rain", "ben": ""},
        {"where": "2 fell", "what": "deprels", "ana": "obj", "ben": "_"},
    ]
