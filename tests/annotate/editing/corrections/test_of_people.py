"""Corrections of several people: agreement, decisions of curators, consistency."""

import pytest
from corrections import AUX, TAGS, TREE, VERB

from annotate.exchange import exporting
from annotate.quality import adjudication, annotators, consistency, gold
from annotate.search import remarks
from annotate.store import Edit, ExampleFilter


def test_a_tree_never_corrects_the_decision_of_a_curator_unless_it_is_one(store, new_desk, sentences):
    desk = new_desk(sentences, "pos", "dep")
    *tags, tree, bens = desk.draw((0, "pos", "ana"), (0, "pos", "ben"), (0, "dep", "ana"), (0, "dep", "ben"))
    for item, made in zip(tags, (TAGS, AUX), strict=True):
        desk.send(item, made)
    desk.send(tree, TREE | VERB)
    assert [version["upos"][1] for version in desk.decide("pos", AUX)] == ["VERB", "AUX"]
    desk.send(tree, TREE | VERB | {"deprels": ["obj", "root", "case", "det", "obl"]})
    assert gold.gold(store, desk.project, "pos").annotations == {desk.ids[0]: AUX}
    assert "2\tva\tir\tAUX" in desk.export().read_text()
    desk.send(bens, TREE)
    desk.decide("dep", TREE | VERB)
    assert gold.gold(store, desk.project, "pos").annotations[desk.ids[0]]["upos"][1] == "VERB"


def test_a_tree_corrects_tags_of_other_people_on_their_words(store, new_desk, sentences):
    desk = new_desk(sentences, "pos", "dep")
    tags, tree = desk.draw((0, "pos", "ben"), (0, "dep", "ana"))
    bens = {"upos": ["PROPN", "NOUN", "ADP", "DET", "X", "X"]}
    bens |= {"words": ["Ana", "va", "a", "el", "m", "ar"], "ranges": [[3, 4, "al"]]}
    desk.send(tags, bens)
    anas = {"heads": [3, 1, 0, 6, 6, 3], "deprels": ["nsubj", "flat", "root", "case", "det", "obl"]}
    anas |= {"words": ["An", "a", "va", "a", "el", "mar"], "ranges": [[4, 5, "al"]]}
    desk.send(tree, anas | {"upos": [None, "X", "VERB", None, None, None]})
    corrected = bens | {"upos": ["PROPN", "VERB", "ADP", "DET", "X", "X"]}
    assert gold.gold(store, desk.project, "pos").annotations == {desk.ids[0]: corrected}
    (example,) = exporting.examples(
        store, desk.project, {task: gold.gold(store, desk.project, task) for task in desk.project.tasks}
    )
    assert (example.words[1], example.upos[1:3]) == ("a", ("X", "VERB"))


def test_people_with_the_same_tags_agree_wherever_they_set_them(store, new_desk, sentences):
    desk = new_desk(sentences, "pos", "dep")
    anas, tree, bens, bens_tree = desk.draw(*((0, task, who) for who in ("ana", "ben") for task in ("pos", "dep")))
    desk.send(anas, TAGS)
    desk.send(tree, TREE | {"upos": VERB["upos"]})
    desk.send(bens, {"upos": ["PROPN", "VERB", "ADP", "DET", "NOUN"]})
    desk.send(bens_tree, TREE)

    def disputed(task):
        (case,) = adjudication.cases(store, desk.project, task)
        row = store.list_examples(desk.project.id, ExampleFilter(task, annotator="ana"))[0]
        ((_, is_shown),) = remarks.confidence_and_disputes(store, [row], task, curates=True)
        assert case.differ == is_shown == bool(gold.gold(store, desk.project, task).open)
        return case.differ

    assert not disputed("pos") and not disputed("dep")
    desk.send(bens, TAGS)
    assert disputed("pos") and not disputed("dep")


def test_agreement_and_consistency_are_of_the_tags_that_people_see(store, new_desk, sentences):
    desk = new_desk(sentences, "pos", "dep", hides_gold=True)
    anas, tree, bens, bens_tree = desk.draw(*((0, task, who) for who in ("ana", "ben") for task in ("pos", "dep")))
    verb = {"upos": ["PROPN", "VERB", "ADP", "DET", "NOUN"]}
    desk.send(anas, TAGS)
    desk.send(tree, TREE | {"upos": VERB["upos"]})
    desk.send(bens_tree, TREE | {"upos": [None, "AUX", None, None, None]})
    desk.send(bens, verb)
    ((first, second),) = annotators.pairs(store, desk.project, "pos")
    assert first.upos == second.upos == tuple(verb["upos"])
    ana, ben = annotators.annotators(store, desk.project, "pos")
    assert (ana.others.value, ben.others.value, ana.gold.value) == (100, 100, 80)
    report = consistency.find_inconsistencies(store, desk.project, ExampleFilter("pos"))
    assert report.sentences == 2 and not report.findings

    change = gold.versions(store, desk.project, "dep")[desk.ids[0]][0].revision
    later = change.annotation | {"upos": [None, "X", None, None, None]}
    store.change("change 1 UPOS", "cora", [Edit(tree.id, change.id, later, True)])
    assert annotators.pairs(store, desk.project, "pos") == [(first, second)]


def test_the_reference_is_the_decision_of_a_curator_as_their_tree_corrects_it(store, new_desk, sentences):
    desk = new_desk(sentences, "pos", "dep")
    items = desk.draw(*((0, task, who) for task in ("pos", "dep") for who in ("ana", "ben")))
    trees = (TREE, TREE | {"deprels": ["obj", "root", "case", "det", "obl"]})
    for item, made in zip(items, (TAGS, AUX, *trees), strict=True):
        desk.send(item, made)
    for task, made in (("pos", AUX), ("dep", TREE | VERB)):
        desk.decide(task, made)
    assert [person.gold.value for person in annotators.annotators(store, desk.project, "pos")] == [80, 80]


@pytest.mark.parametrize("upos", [[None] * 4 + ["NOUN", "X"], [None, "NOUN", None, None, "NOUN", "X"]])
def test_a_correction_to_what_others_see_is_no_difference(store, desk, item, upos):
    (bens,) = desk.draw((0, "dep", "ben"))
    split = {"words": ["Ana", "va", "a", "el", "m", "ar"], "ranges": [[3, 4, "al"]]}
    tree = {"heads": [2, 0, 5, 5, 2, 5], "deprels": ["nsubj", "root", "case", "det", "obl", "flat"]} | split
    desk.keep(item, tree | {"upos": ["PROPN", "NOUN", "ADP", "DET", "NOUN", "X"]})  # all tags, as once saved
    desk.send(bens, tree | {"upos": upos})
    assert not gold.gold(store, desk.project, "dep").open
    desk.send(bens, tree | {"upos": ["X", *upos[1:]]})
    assert gold.gold(store, desk.project, "dep").open


def test_people_who_correct_differently_differ_and_the_first_correction_is_begun_with(store, desk, item):
    (bens,) = desk.draw((0, "dep", "ben"))
    desk.send(item, TREE | VERB)
    desk.send(bens, TREE)
    assert gold.gold(store, desk.project, "dep").open
    mine, theirs = desk.decide("dep", TREE | VERB)
    assert adjudication.merged(theirs, mine) == TREE | VERB
    other = {"upos": ["X", "AUX", None, None, None]}
    assert adjudication.merged(TREE | other, TREE | VERB)["upos"] == ["X", "AUX", None, None, None]
    rows = adjudication.compare({"ana": TREE | VERB, "ben": TREE}, ["Ana", "va", "a", "el", "mar"])
    assert {"where": "2 va", "what": "upos", "ana": "VERB", "ben": ""} in rows
    assert "2\tva\tir\tVERB" in desk.export().read_text()
