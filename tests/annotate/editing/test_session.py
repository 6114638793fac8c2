from itertools import pairwise

import pytest
import storing

from annotate.editing import session
from annotate.exchange.exporting import export_annotations
from annotate.store import ConflictError, GoneError
from fewshot.corpora.lexicon import LexiconEntry
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError

TAGS = {"upos": ["NOUN", "VERB", "X"]}
GAP = {"upos": ["NOUN", "_", "X"]}
OLD_WORDS = {"words": ["voy", "al", "mar"], "ranges": []}
NEW_WORDS = {"words": ["voy", "a", "el", "mar"], "ranges": [[2, 3, "al"]]}
REPAIRED = {"upos": ["VERB", "ADP", "DET", "NOUN"]} | NEW_WORDS
TREE = {"heads": [0, 3, 1], "deprels": ["root", "case", "obl"]}


@pytest.fixture
def items(desk):
    return desk.draw(*((place, "pos", "ana") for place in range(3)))


@pytest.fixture
def both(desk):
    return desk.draw((0, "pos", "ana"), (0, "dep", "ana"))


@pytest.fixture
def start(store, project):
    """Returns the id of the item that somebody begins with."""

    def start(who="ana", wanted=None):
        item = session.start(store, project, "pos", who, wanted)
        return item and item.id

    return start


def suggest(desk, item, *tags, source="encoder", **columns):
    """Store a suggestion of a model; tags come with their confidence and ranks."""
    data = {"annotation": columns or {"upos": list(tags)}, "confidence": [0.9] * 3}
    data |= {"upos_ranked": [[[tag, 0.9]] for tag in tags]} if tags else {}
    desk.store.add_suggestions([(item.example_id, item.task, f"pos tiny-{source} 5bd1", data)], source)


def suggested(desk, item):
    found = desk.open(item).suggestion
    return found and found["annotation"]["upos"]


def statuses(desk, items):
    return [desk.status(item) for item in items]


def test_what_is_decided_or_listed_is_suggested_at_once_but_not_of_a_sentence_that_another_person_annotates(desk):
    items = desk.draw(
        (0, "pos", "ana"), (1, "pos", "ben"), (0, "pos", "ben"), (2, "pos", "ben"), (1, "pos", "eve", True)
    )
    assert suggested(desk, items[1]) is None
    desk.store.set_lexicon(desk.project.id, "es.tsv", [LexiconEntry("el", "el", "DET", "_", "the")])
    desk.keep(items[0], {"upos": ["VERB", "ADP", "NOUN"]})
    assert suggested(desk, items[1]) == ["DET", "_", "_"], "ben annotates the sentence of mar, too"
    desk.keep(items[3], {"upos": ["VERB", "ADV", "ADV"]})
    found = desk.open(items[1]).suggestion
    assert (found["id"], found["by"], found["annotation"]) == (None, "", {"upos": ["DET", "_", "VERB"]})
    assert (found["decided"], found["listed"], found["glosses"]) == ([0, 0, 1], [True, False, False], ["the", "", ""])
    assert desk.open(items[4]).suggestion is None, "it is blind"


def test_parts_of_a_split_word_are_tagged_where_trees_stand_on_the_tags_of_a_file(store, new_desk):
    tagged = Sentence("s", "voy al mar", ("voy", "al", "mar"), upos=("VERB", "ADP", "NOUN"))
    desk = new_desk([tagged], "dep")
    (item,) = desk.draw((0, "dep", "ana"))
    assert desk.open(item).asks_tags
    split = {"heads": [0, 4, 4, 1], "deprels": ["root", "case", "det", "obl"]} | NEW_WORDS
    for tags in ({}, {"upos": ["VERB", "ADP", "_", "NOUN"]}):
        assert "'el' (word 3) has no UPOS" in desk.send(item, split | tags).reason
    with pytest.raises(FewshotError, match="'Noun' is not a UPOS tag"):
        desk.send(item, split | {"upos": ["VERB", "ADP", "Noun", "NOUN"]})
    whole = split | {"upos": ["VERB", "ADP", "DET", "NOUN"]}
    assert desk.save(item, whole) == whole and desk.status(item) == "done"
    (exported,) = export_annotations(store, desk.project, ["dep"], None, "annotated").examples
    assert exported.upos == ("VERB", "ADP", "DET", "NOUN")
    both = new_desk([tagged], "pos", "dep")
    assert not any(both.open(item).asks_tags for item in both.draw((0, "pos", "ana"), (0, "dep", "ana")))


def test_work_begins_with_the_item_of_a_link_or_the_first_open_one_and_skipped_ones_come_last(
    store, project, desk, items, start
):
    assert start(wanted=items[2].id) == items[2].id
    (bens,), (review,) = desk.draw((2, "pos", "ben")), desk.draw((1, "pos", "ana"), purpose="review")
    assert [start(wanted=wanted) for wanted in (bens.id, review.id, 999)] == [items[0].id] * 3
    assert [one.id for one in session.items(store, project, "pos", "ana")] == [item.id for item in items]
    desk.go(items[0], "skip")
    for item in (items[1], items[2], items[0]):
        assert start() == item.id
        desk.send(item, TAGS)
    assert start() is None


def test_an_unassigned_item_goes_to_whoever_comes_first_until_it_is_left(store, desk, start):
    first, second = desk.draw((0, "pos"), (1, "pos"))
    assert start("ana") == first.id
    assert desk.go(store.item(first.id), "back") == first.id  # the first item stays held
    assert not store.claim(first.id, "ben")
    assert desk.go(store.item(first.id), "next", TAGS) == second.id
    assert start("ben") is None
    desk.go(store.item(second.id), "back")
    assert start("ben") == second.id


def test_an_item_is_held_for_longer_after_each_look_and_save(store, desk, start, later):
    looked, saved = desk.draw((0, "pos"), (1, "pos"))
    for item in (looked, saved):
        assert store.claim(item.id, "ana")
    later(200)
    start("ana", looked.id)
    desk.send(store.item(saved.id), GAP, done=False)
    later(400)
    for item in (looked, saved):
        assert store.other_holder(item.example_id, "ben") == "ana"
        assert not store.claim(item.id, "ben")


def test_a_repeated_message_is_saved_once_and_acknowledged(store, desk, items):
    first = desk.send(items[0], TAGS | OLD_WORDS, seq=4)
    again = desk.send(items[0], {"upos": ["X"] * 3}, seq=4)
    assert (again.newest, again.done) == (first.newest, first.done)
    desk.send(items[0], GAP, seq=2, client="other page", done=False)
    assert desk.open(items[0]).acks == {"page": 4, "other page": 2}
    saved = [revision.annotation for revision in storing.history(store, items[0].id)]
    assert saved == [TAGS, GAP], "and words that were put back are as if never touched"


def test_a_window_that_does_not_know_the_newest_version_saves_nothing_over_it(store, desk, items):
    desk.send(items[0], TAGS, seq=1, client="elsewhere")
    for event in ({}, {"left": True}):
        with pytest.raises(ConflictError, match="saved in another window"):
            desk.send(items[0], GAP, seen=0, **event)
    assert [revision.annotation for revision in storing.history(store, items[0].id)] == [TAGS]
    assert (desk.status(items[0]), desk.open(items[0]).acks) == ("done", {"elsewhere": 1})
    desk.send(items[0], GAP, done=False)
    desk.send(items[0], TAGS, seen=0)  # the newest version is this page's own
    assert [revision.annotation for revision in storing.history(store, items[0].id)] == [TAGS, GAP, TAGS]


def test_an_annotation_with_a_gap_is_saved_but_not_as_done(store, desk, items):
    saved = desk.send(items[0], GAP)
    assert not saved.done and saved.reason.startswith("'al'") and saved.reason.endswith("(saved, but not as done)")
    assert (store.latest(items[0].id).annotation, store.latest(items[0].id).done) == (GAP, False)
    desk.send(items[1], TAGS)
    desk.send(items[1], GAP, done=False)  # a part is cleared again
    assert statuses(desk, items[:2]) == ["open", "open"]


@pytest.mark.parametrize(
    ("place", "done", "go", "target"),
    [
        (0, False, "next", 1),
        (2, True, "next", 0),
        (1, False, "back", 0),
        (0, False, "back", 0),
        (2, False, "skip", 0),
        (1, True, "skip", 2),
    ],
)
def test_keys_lead_to_the_neighbours(desk, items, place, done, go, target):
    assert desk.go(items[place], go, TAGS, done=done) == items[target].id
    assert desk.status(items[place]) == ("done" if done else "skipped" if go == "skip" else "open")


def test_a_finished_item_leads_past_finished_ones_but_looking_around_does_not(desk, items):
    desk.send(items[1], TAGS)
    assert desk.go(items[0], "next") == items[1].id
    assert desk.go(items[0], "next", TAGS) == items[2].id
    assert desk.go(items[0], "skip") == items[2].id
    assert desk.go(items[2], "next", TAGS) is None
    assert statuses(desk, items) == ["done"] * 3


def test_a_sentence_is_finished_in_all_tasks_before_the_next_one(desk):
    tags = desk.draw(*((place, "pos", "ana") for place in range(3)))
    trees = desk.draw(*((place, "dep", "ana") for place in (0, 1)))  # the third sentence has tags alone
    order = [tags[1], trees[1], tags[2], tags[0], trees[0], None]
    for item, following in pairwise(order):
        target = desk.go(item, "next", TAGS if item.task == "pos" else TREE, through_tasks=True)
        assert target == (following and following.id)
    desk.send(tags[0], GAP, done=False)
    assert desk.go(tags[0], "skip", through_tasks=True) == tags[0].id
    assert desk.go(trees[1], "next", through_tasks=True) == tags[0].id, "what was skipped comes last"


def test_what_is_begun_in_one_task_is_finished_in_the_others_before_anything_else(desk):
    tags = desk.draw(*((place, "pos", "ana") for place in range(3)))
    trees = desk.draw(*((place, "dep", None) for place in range(2)))
    test = desk.draw((3, "pos", None), (3, "dep", None), purpose="test")
    for item in tags:
        desk.send(item, TAGS)
    assert desk.go(tags[0], "next", through_tasks=True) == trees[0].id
    desk.store.claim(trees[0].id, "ana")
    first = desk.store.item(trees[0].id)
    assert desk.go(first, "next", TREE, through_tasks=True) == trees[1].id, "not the test set"
    second = desk.store.item(trees[1].id)
    assert desk.go(second, "skip", through_tasks=True) == test[0].id, "and no other task of what is skipped"


def test_what_somebody_else_only_looked_at_is_free_in_every_task(desk, later):
    tags, trees = desk.draw((0, "pos", "ben"), (0, "dep", None))
    assert desk.store.claim(trees.id, "ana") and desk.go(tags, "task after") == tags.id, "ana has it open"
    later(400)
    assert desk.go(tags, "task after") == trees.id


def test_keys_lead_to_the_same_sentence_in_the_other_task(desk):
    tags = desk.draw((0, "pos", "ana"), (1, "pos", None), (2, "pos", "ana"))
    trees = desk.draw((0, "dep", "ana"), (1, "dep", "ben"), (1, "dep", None), (2, "dep", "ben"))
    for item, target in ((tags[0], trees[0]), (trees[0], tags[0]), (tags[2], tags[2])):
        for direction in ("task after", "task before"):
            assert desk.go(item, direction) == target.id
    taken = desk.store.next_item(desk.project.id, "pos", "ana", "shots")
    assert taken.id == tags[0].id
    desk.send(tags[0], TAGS)
    desk.send(tags[2], TAGS)
    (free,) = [desk.store.next_item(desk.project.id, "pos", "ana")]
    assert (free.id, desk.go(free, "task after")) == (tags[1].id, trees[2].id), "what is nobody's becomes ana's"
    assert desk.store.item(trees[2].id).annotator == "ana"


def test_a_suggestion_is_shown_and_kept_with_what_was_made_of_it(store, desk, items):
    for item, tags in ((items[0], "XXX"), (items[1], "XXX")):
        suggest(desk, item, *tags)
    shown = desk.open(items[0]).suggestion
    assert shown["annotation"] == {"upos": ["X", "X", "X"]}
    suggest(desk, items[0], "NOUN", "VERB", "X")  # of a newer model, before the window sends
    desk.send(items[0], TAGS, suggestion=shown["id"])
    kept = store.latest(items[0].id).suggestion_id
    assert (kept, store.suggestions([kept])[kept].data["annotation"]) == (shown["id"], shown["annotation"])
    for other in (store.suggestion(items[1].example_id, "pos").id, None):  # of another example; not shown
        desk.send(items[0], TAGS, suggestion=other)
        assert store.latest(items[0].id).suggestion_id is None


ENCODER, LLM = ("tiny-encoder", "X"), ("tiny-llm", "NOUN")


@pytest.mark.parametrize(
    ("suggester", "purpose", "blind", "shown"),
    [
        ("encoder", "shots", False, [ENCODER, None]),
        ("llm", "shots", False, [LLM, None]),
        ("both", "shots", False, [ENCODER, LLM]),
        ("both", "shots", True, [None, None]),
        ("both", "review", False, [None, None]),
    ],
)
def test_the_suggestions_that_a_project_shows(store, desk, suggester, purpose, blind, shown):
    desk.project = store.update_project(desk.project.id, suggester=suggester)
    (item,) = desk.draw((0, "pos", "ana", blind), purpose=purpose)
    for source, tag in (("encoder", "X"), ("llm", "NOUN")):
        suggest(desk, item, *[tag] * 3, source=source)
    opened = [desk.open(item).suggestion, desk.open(item).second]
    assert [one and (one["by"], one["annotation"]["upos"][0]) for one in opened] == shown
    sent = [one and one["id"] for one in opened]
    desk.send(item, TAGS, suggestion=sent[0], second=sent[1])
    saved = store.latest(item.id)
    kept = [saved.suggestion_id, saved.second_suggestion]
    if blind:  # what was not shown is measured
        assert [store.suggestions(kept)[number].source for number in kept] == ["encoder", "llm"]
    else:
        assert kept == sent


def test_where_the_encoder_has_none_the_suggestion_of_the_language_model_comes_first(store, desk, items):
    desk.project = store.update_project(desk.project.id, suggester="both")
    suggest(desk, items[0], "X", "X", "X", source="llm")
    assert (suggested(desk, items[0]), desk.open(items[0]).second) == (["X"] * 3, None)
    suggest(desk, items[1], "X", "X")  # about other words
    assert suggested(desk, items[1]) is None


REJOINED = {"upos": ["VERB", "ADP", "NOUN"], "words": ["vo", "yal", "mar"], "ranges": []}


def test_a_suggestion_names_the_words_it_is_about_whatever_is_repaired(desk, both):
    pos, dep = both
    suggest(desk, dep, **TREE)
    before = desk.open(dep).suggestion
    assert {name: before[name] for name in OLD_WORDS} == OLD_WORDS
    for repaired in (REPAIRED, REJOINED):  # more words, as many words
        desk.send(pos, repaired)
        assert desk.open(dep).example.words == tuple(repaired["words"])
        assert desk.open(dep).suggestion == before


def test_an_item_shows_the_annotators_other_tasks_but_not_the_corpus_or_other_people(desk, both):
    (bens,) = desk.draw((0, "pos", "ben"))
    desk.send(bens, REPAIRED)
    shown = desk.open(both[1]).example
    assert (shown.words, shown.upos, shown.heads) == (("voy", "al", "mar"), ("_", "_", "_"), (-1, -1, -1))
    desk.send(both[0], TAGS)
    assert desk.open(both[1]).example.upos == ("NOUN", "VERB", "X")


def test_words_repaired_in_one_task_appear_in_the_other_with_its_annotation(desk, both):
    pos, dep = both
    desk.send(dep, TREE)
    desk.send(pos, TAGS)
    assert statuses(desk, both) == ["done", "done"]
    desk.send(pos, REPAIRED)
    shown = desk.open(dep)
    assert shown.example.words == ("voy", "a", "el", "mar")
    assert shown.annotation == {"heads": [0, 4, -1, 1], "deprels": ["root", "case", "_", "obl"]}
    assert (statuses(desk, both), desk.latest(dep)) == (["done", "open"], TREE)  # a word has no head
    whole = {"heads": [0, 4, 4, 1], "deprels": ["root", "case", "det", "obl"]}
    assert desk.save(dep, whole | NEW_WORDS) == whole | NEW_WORDS
    assert desk.open(dep).annotation["heads"] == [0, 4, 4, 1]


def test_the_words_that_a_window_means_stay_whatever_was_repaired_elsewhere(desk, both):
    pos, dep = both
    desk.send(pos, REPAIRED)
    for sent in (TREE, TREE | OLD_WORDS):
        assert desk.save(dep, sent) == TREE | OLD_WORDS
        shown = desk.open(pos)  # the last repair counts
        assert (shown.example.words, shown.annotation["upos"]) == (("voy", "al", "mar"), ["VERB", "ADP", "NOUN"])
    assert desk.save(dep, TREE | REJOINED) == TREE | REJOINED


@pytest.mark.parametrize("repair", [{"ranges": [[1, 2, "voyal"]]}, {"ends": [1]}, REJOINED, NEW_WORDS])
def test_a_repair_that_is_undone_stays_undone_where_another_task_has_its_words(desk, both, repair):
    pos, dep = both
    desk.send(pos, {"upos": [*"XXXX"][: len(repair.get("words", "voy"))]} | OLD_WORDS | repair, done=False)
    heads = [0, *range(1, len(desk.open(dep).example.words))]
    desk.send(dep, {"heads": heads, "deprels": ["dep" for _ in heads]} | OLD_WORDS | repair, done=False)
    assert desk.save(pos, TAGS) == desk.save(pos, TAGS | OLD_WORDS) == TAGS | OLD_WORDS


def test_words_that_a_curator_decides_on_open_what_people_did_in_other_tasks_on_others(store, project, desk, both):
    pos, dep = both
    (bens,) = desk.draw((0, "pos", "ben"))
    desk.send(pos, TAGS)
    desk.send(dep, TREE)
    desk.send(bens, REPAIRED)
    (review,) = desk.draw((0, "pos", "eva"), purpose="review")
    desk.send(review, TAGS)
    assert desk.status(dep) == "done"
    desk.send(review, REPAIRED)
    assert desk.status(dep) == "open"
    desk.send(dep, {"heads": [0, 4, 4, 1], "deprels": ["root", "case", "det", "obl"]} | NEW_WORDS)
    assert desk.save(review, TAGS) == TAGS | OLD_WORDS  # which are others than those of the tree
    (exported,) = export_annotations(store, project, ["pos", "dep"], None, "annotated").examples
    assert (exported.words, exported.upos) == (("voy", "al", "mar"), tuple(TAGS["upos"]))


def test_direction_is_that_of_the_first_letter():
    expected = {"": "ltr", "12 .": "ltr", "(1) שלום a": "rtl", "مرحبا": "rtl", "a שלום": "ltr", "猫": "ltr"}
    assert {text: session.direction(text) for text in expected} == expected


def test_a_window_of_a_deleted_project_saves_nothing_in_a_new_one_with_its_ids(
    store, new_desk, project, desk, items, later
):
    assert desk.save(items[0], TAGS) == TAGS
    store.delete_project(project.id)
    later(1)
    sentences = [Sentence(f"n{n}", "no se nada", ("no", "se", "nada")) for n in range(3)]
    new = new_desk(sentences, "pos")
    again = new.draw(*((place, "pos", "ana") for place in range(3)))[0]
    assert (new.project.id, again.id) == (project.id, items[0].id)  # SQLite gives ids of deleted rows again
    with pytest.raises(GoneError, match="the project of this page was deleted"):
        desk.send(items[0], TAGS)
    assert new.latest(again) is None
    assert new.open(again).example.words == ("no", "se", "nada")


def test_suggestions_follow_what_the_person_finished_before(desk, items):
    for item in items:
        suggest(desk, item, "X", "X", "X")
    desk.send(items[1], {"upos": ["DET", "NOUN", "VERB"]})  # el mar canta; the model was wrong three times
    following = desk.open(items[2]).suggestion  # canta mucho hoy
    assert following["annotation"]["upos"] == ["VERB", "X", "X"]
    assert following["decided"] == [1, 0, 0]
    assert following["confidence"][1:] == [0.9, 0.9]
    assert suggested(desk, items[0]) == ["X", "X", "NOUN"]  # voy al mar
    desk.send(items[0], REPAIRED)  # voy a el mar
    assert suggested(desk, items[1]) == ["DET", "NOUN", "VERB"]
    (blind,) = desk.draw((3, "pos", "ana", True))
    suggest(desk, blind, "X", "X", "X")
    assert desk.open(blind).suggestion is None


def test_suggestions_follow_neither_unfinished_items_nor_other_people_nor_the_test_set(desk, items):
    suggest(desk, items[2], "X", "X", "X")
    desk.send(items[1], {"upos": ["DET", "NOUN", "_"]}, done=False)
    for who, purpose in (("ben", "shots"), ("ana", "test")):
        desk.send(*desk.draw((2, "pos", who), purpose=purpose), {"upos": ["VERB", "ADV", "ADV"]})
    assert suggested(desk, items[2]) == ["X", "X", "X"]
