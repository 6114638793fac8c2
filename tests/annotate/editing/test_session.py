from datetime import timedelta

import pytest
from storing import made_items, made_project

from annotate.editing import session
from annotate.exchange import pool
from annotate.store import NewItem, OvertakenError
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError
from fewshot.tasks.pos import UPOS

TAGS = {"upos": ["NOUN", "VERB", "X"]}
GAP = {"upos": ["NOUN", "_", "X"]}
REPAIRED = {"upos": ["VERB", "ADP", "DET", "NOUN"], "words": ["voy", "a", "el", "mar"], "ranges": [[2, 3, "al"]]}
TREE = {"heads": [0, 3, 1], "deprels": ["root", "case", "obl"]}


@pytest.fixture
def items(store, project, ids):
    """Ana's three sentences."""
    return made_items(store, project, [(key, "pos", "ana") for key in ids])


@pytest.fixture
def both(store, project, ids):
    """Ana's first sentence, once for each task."""
    return made_items(store, project, [(ids[0], "pos", "ana"), (ids[0], "dep", "ana")])


@pytest.fixture
def send(store, project):
    """Does what an editor's event does; each event has the next number."""
    numbers = iter(range(1, 100))

    def send(item, annotation=None, annotator="ana", project=project, **changes):
        event = {"item": item.id, "seq": next(numbers) if annotation else 0, "annotation": annotation, "done": False}
        newest = store.latest(item.id)
        event |= {"client": "page", "seen": newest.id if newest else 0, "seconds": 2.5, "edits": 3, "at": 0} | changes
        target = session.receive(store, project, annotator, event)
        return target and target.id

    return send


def suggested(store, item, **columns):
    store.add_suggestions([(item.example_id, item.task, "model", {"annotation": columns, "confidence": [0.5] * 3})])


def opened(store, project, item):
    return session.open_item(store, project, store.item(item.id))


def statuses(store, items):
    return [store.item(item.id).status for item in items]


def test_work_begins_with_the_first_open_item(store, project, items, send):
    send(items[0], TAGS, done=True)
    assert session.start(store, project, "pos", "ana").id == items[1].id


def test_work_begins_with_the_item_of_a_link(store, project, items):
    assert session.start(store, project, "pos", "ana", items[2].id).id == items[2].id


def test_a_link_to_what_is_anothers_or_a_review_or_of_no_item_is_passed_over(store, project, items, ids):
    bens = made_items(store, project, [(ids[2], "pos", "ben")])[0]
    review = made_items(store, project, [(ids[1], "pos", "ana")], purpose="review")[0]
    for wanted in (bens.id, review.id, 999):
        assert session.start(store, project, "pos", "ana", wanted).id == items[0].id


def test_what_was_skipped_comes_last_and_then_nothing(store, project, items, send):
    send(items[0], go="skip")
    assert session.start(store, project, "pos", "ana").id == items[1].id
    send(items[1], TAGS, done=True)
    send(items[2], TAGS, done=True)
    assert session.start(store, project, "pos", "ana").id == items[0].id
    send(items[0], TAGS, done=True)
    assert session.start(store, project, "pos", "ana") is None


def test_what_is_nobodys_goes_to_whoever_comes_first(store, project, ids):
    item = made_items(store, project, [NewItem(ids[0], "pos")])[0]
    assert session.start(store, project, "pos", "ben").id == item.id
    assert session.start(store, project, "pos", "ana") is None


def test_what_is_sent_is_saved_and_the_item_stays(store, project, items, send, monkeypatch):
    later = store.now() + timedelta(seconds=60)
    monkeypatch.setattr(store, "now", lambda: later)
    assert send(items[0], GAP) == items[0].id
    saved = store.latest(items[0].id)
    assert (saved.annotation, saved.done, saved.client, saved.seconds, saved.edits) == (GAP, False, "page", 2.5, 3)
    assert opened(store, project, items[0]).annotation == GAP


def test_what_is_sent_again_is_saved_once_and_acknowledged(store, project, items, send):
    send(items[0], TAGS, seq=4)
    send(items[0], GAP, seq=4)
    send(items[0], GAP, seq=2, client="other page")
    assert opened(store, project, items[0]).acks == {"page": 4, "other page": 2}
    assert [revision.annotation for revision in store.history(items[0].id)] == [TAGS, GAP]


def test_a_window_that_does_not_know_the_newest_version_saves_nothing_over_it(store, project, items, send):
    send(items[0], TAGS, done=True, client="elsewhere")
    for event in ({}, {"done": True, "go": "next"}, {"left": True}):
        with pytest.raises(OvertakenError, match="saved in another window since"):
            send(items[0], GAP, seen=0, **event)
    assert [revision.annotation for revision in store.history(items[0].id)] == [TAGS]
    assert (statuses(store, items[:1]), opened(store, project, items[0]).acks) == (["done"], {"elsewhere": 1})
    send(items[0], GAP)
    send(items[0], TAGS, seen=0)  # what the newest is, this page said itself
    assert [revision.annotation for revision in store.history(items[0].id)] == [TAGS, GAP, TAGS]


def test_what_has_a_gap_is_saved_but_not_as_done(store, items, send):
    with pytest.raises(session.NotDoneError, match=r"'al'.*\(saved, but not as done\)$"):
        send(items[0], GAP, done=True, go="next")
    saved = store.latest(items[0].id)
    assert (saved.annotation, saved.done) == (GAP, False)
    assert statuses(store, items[:1]) == ["open"]


def test_what_was_done_is_open_again_once_a_part_is_cleared(store, items, send):
    send(items[0], TAGS, done=True)
    assert statuses(store, items[:1]) == ["done"]
    send(items[0], GAP)
    assert statuses(store, items[:1]) == ["open"]


def test_anothers_item_is_refused_in_one_line(store, items, send):
    with pytest.raises(FewshotError, match=r"^this item is assigned to ana; open the next one$"):
        send(items[0], TAGS, annotator="ben")
    assert store.history(items[0].id) == []


def test_an_item_of_another_project_is_refused(store, project, items, send):
    other = made_project(store, name="other")
    event = {"item": items[0].id, "seq": 1, "annotation": TAGS, "done": False, "client": "page", "seen": 0}
    with pytest.raises(FewshotError, match="is not of project other; open it there"):
        session.receive(store, other, "ana", event | {"seconds": 1.0, "edits": 1})


@pytest.mark.parametrize(
    "annotation",
    [
        {"upos": ["NOUN"]},
        {"upos": [1, 2, 3]},
        {"upos": "NOUN"},
        ["NOUN", "VERB", "X"],
        "NOUN",
        {"upos": ["X", "X"], "words": ["a\tb", "c"], "ranges": []},
        {"upos": ["X", "X"], "words": ["al", "mar"]},
        {"upos": ["X", "X"], "words": 3, "ranges": []},
        {"upos": ["X", "X"], "words": ["al", "mar"], "ranges": [[1, 9, "almar"]]},
    ],
    ids=str,
)
def test_an_annotation_that_does_not_fit_is_refused_in_one_line(store, items, send, annotation):
    with pytest.raises(FewshotError) as refused:
        send(items[0], annotation, done=True)
    assert len(str(refused.value).splitlines()) == 1
    assert store.history(items[0].id) == []


@pytest.mark.parametrize(
    ("here", "done", "go", "there"),
    [
        (0, False, "next", 1),
        (0, True, "next", 1),
        (1, False, "back", 0),
        (0, False, "back", 0),
        (2, False, "next", 0),
        (2, True, "next", 0),
        (0, False, "skip", 1),
        (2, False, "skip", 0),
        (1, True, "skip", 2),
    ],
)
def test_keys_lead_to_the_neighbours(store, items, send, here, done, go, there):
    assert send(items[here], TAGS, done=done, go=go) == items[there].id
    status = "done" if done else "skipped" if go == "skip" else "open"
    assert statuses(store, [items[here]]) == [status]


def test_what_is_done_leads_past_what_is_done_but_looking_around_does_not(items, send):
    send(items[1], TAGS, done=True)
    assert send(items[0], go="next") == items[1].id
    assert send(items[0], TAGS, done=True, go="next") == items[2].id


def test_after_the_last_item_comes_nothing(items, send):
    assert [send(item, TAGS, done=True, go="next") for item in items] == [items[1].id, items[2].id, None]


def test_skipping_goes_round_where_all_is_skipped(items, send):
    assert [send(items[place], go="skip") for place in (0, 1, 2, 0, 1)] == [items[at].id for at in (1, 2, 0, 1, 2)]


def test_what_is_done_is_not_skipped_without_a_change(store, items, send):
    send(items[0], TAGS, done=True)
    assert send(items[0], go="skip") == items[1].id
    assert statuses(store, items) == ["done", "open", "open"]


def test_leaving_what_was_nobodys_lets_others_take_it(store, project, ids, send):
    first, second = made_items(store, project, [NewItem(key, "pos") for key in ids[:2]])
    session.start(store, project, "pos", "ana")
    assert send(first, TAGS, done=True, go="next") == second.id
    assert session.start(store, project, "pos", "ben") is None
    send(second, go="back")
    assert session.start(store, project, "pos", "ben").id == second.id


def test_a_suggestion_is_shown_and_kept_with_what_was_made_of_it(store, project, items, send):
    suggested(store, items[0], upos=["X", "X", "X"])
    shown = opened(store, project, items[0]).suggestion
    assert shown["annotation"] == {"upos": ["X", "X", "X"]}
    suggested(store, items[0], upos=["NOUN", "VERB", "X"])  # of a newer model, before the window sends
    send(items[0], TAGS, suggestion=shown["id"])
    kept = store.latest(items[0].id).suggestion_id
    assert (kept, store.suggestions([kept])[kept].data["annotation"]) == (shown["id"], shown["annotation"])


def test_a_suggestion_of_another_example_is_not_kept(store, items, send):
    suggested(store, items[1], upos=["X", "X", "X"])
    send(items[0], TAGS, suggestion=store.suggestion(items[1].example_id, "pos").id)
    assert store.latest(items[0].id).suggestion_id is None


def test_a_suggestion_that_came_after_the_window_showed_the_item_is_not_kept_with_it(store, items, send):
    suggested(store, items[0], upos=["X", "X", "X"])
    send(items[0], TAGS, suggestion=None)
    assert store.latest(items[0].id).suggestion_id is None


@pytest.mark.parametrize("purpose", ["shots", "review"])
def test_a_blind_item_and_a_review_show_no_suggestion(store, project, ids, send, purpose):
    (item,) = made_items(store, project, [NewItem(ids[0], "pos", "ana", blind=purpose == "shots")], purpose)
    suggested(store, item, upos=["X", "X", "X"])
    assert opened(store, project, item).suggestion is None
    send(item, TAGS, suggestion=None)
    assert (store.latest(item.id).suggestion_id is None) == (purpose == "review")  # of a blind one it is measured


@pytest.fixture
def two(store, ids):
    """Makes a project with a suggester, and an item of it with suggestions of an encoder and of a language model."""

    def make(suggester, blind=False):
        project = store.update_project(store.projects()[0].id, suggester=suggester)
        (item,) = made_items(store, project, [NewItem(ids[0], "pos", "ana", blind)])
        for source, tag in (("encoder", "X"), ("llm", "NOUN")):
            data = {"annotation": {"upos": [tag] * 3}}
            store.add_suggestions([(ids[0], "pos", f"pos tiny-{source} 5bd1", data)], source)
        return project, item

    return make


@pytest.mark.parametrize(
    ("suggester", "first", "second"),
    [
        ("encoder", ("tiny-encoder", "X"), None),
        ("llm", ("tiny-llm", "NOUN"), None),
        ("both", ("tiny-encoder", "X"), ("tiny-llm", "NOUN")),
    ],
)
def test_a_project_shows_whose_suggestions_it_says(store, project, two, suggester, first, second):
    project, item = two(suggester)
    shown = opened(store, project, item)
    found = [one and (one["by"], one["annotation"]["upos"][0]) for one in (shown.suggestion, shown.second)]
    assert found == [first, second]


def test_where_the_encoder_has_none_the_language_models_is_laid_out(store, project, items):
    project = store.update_project(project.id, suggester="both")
    store.add_suggestions([(items[0].example_id, "pos", "m", {"annotation": {"upos": ["X"] * 3}})], "llm")
    shown = opened(store, project, items[0])
    assert (shown.suggestion["annotation"], shown.second) == ({"upos": ["X"] * 3}, None)


def test_both_suggestions_are_kept_with_what_was_made_of_them(store, project, two, send):
    project, item = two("both")
    shown = opened(store, project, item)
    send(item, TAGS, suggestion=shown.suggestion["id"], second=shown.second["id"])
    kept = store.latest(item.id)
    assert (kept.suggestion_id, kept.second_suggestion) == (shown.suggestion["id"], shown.second["id"])


def test_a_blind_item_shows_neither_suggestion_and_both_are_measured(store, project, two, send):
    project, item = two("both", blind=True)
    shown = opened(store, project, item)
    assert (shown.suggestion, shown.second) == (None, None)
    send(item, TAGS, project=project, suggestion=None, second=None)
    kept = store.latest(item.id)
    proposed = store.suggestions([kept.suggestion_id, kept.second_suggestion])
    assert [proposed[id].source for id in (kept.suggestion_id, kept.second_suggestion)] == ["encoder", "llm"]


def test_a_suggestion_about_other_words_is_hidden(store, project, items):
    suggested(store, items[0], upos=["X", "X"])
    assert opened(store, project, items[0]).suggestion is None


REJOINED = {"upos": ["VERB", "ADP", "NOUN"], "words": ["vo", "yal", "mar"], "ranges": []}


@pytest.mark.parametrize("repaired", [REPAIRED, REJOINED], ids=["more words", "as many words"])
def test_a_suggestion_names_the_words_it_is_about_whatever_is_repaired(store, project, both, send, repaired):
    pos, dep = both
    suggested(store, dep, heads=[0, 3, 1], deprels=["root", "case", "obl"])
    before = opened(store, project, dep).suggestion
    send(pos, repaired)
    shown = opened(store, project, dep)
    assert shown.example.words == tuple(repaired["words"])
    assert shown.suggestion == before
    assert (before["words"], before["ranges"]) == (["voy", "al", "mar"], [])


def test_the_open_item_shows_no_annotation_of_the_corpus(store, project, items):
    assert opened(store, project, items[0]).example.upos == ("_", "_", "_")
    assert opened(store, project, items[0]).example.heads == (-1, -1, -1)


def test_tags_of_the_annotator_are_shown_in_the_other_task(store, project, both, send):
    pos, dep = both
    send(pos, TAGS)
    assert opened(store, project, dep).example.upos == ("NOUN", "VERB", "X")


def test_words_repaired_in_one_task_appear_in_the_other_with_its_annotation(store, project, both, send):
    pos, dep = both
    send(dep, TREE)
    send(pos, REPAIRED)
    shown = opened(store, project, dep)
    assert shown.example.words == ("voy", "a", "el", "mar")
    assert shown.annotation == {"heads": [0, 4, -1, 1], "deprels": ["root", "case", "_", "obl"]}


def test_a_tree_that_was_done_is_open_again_where_a_repair_makes_words_without_a_head(store, project, both, send):
    pos, dep = both
    send(dep, TREE, done=True)
    send(pos, TAGS, done=True)
    assert statuses(store, both) == ["done", "done"]
    send(pos, REPAIRED, done=True)
    assert statuses(store, both) == ["done", "open"]
    assert store.latest(dep.id).annotation == TREE


def test_what_is_saved_after_a_repair_names_its_words(store, project, both, send):
    pos, dep = both
    send(pos, REPAIRED)
    whole = {"heads": [0, 4, 4, 1], "deprels": ["root", "case", "det", "obl"]}
    send(dep, whole, done=True)
    assert store.latest(dep.id).annotation == {**whole, "words": REPAIRED["words"], "ranges": REPAIRED["ranges"]}
    assert opened(store, project, dep).annotation["heads"] == [0, 4, 4, 1]


def test_a_window_that_knows_of_no_repair_is_about_the_old_words(store, project, both, send):
    pos, dep = both
    send(pos, REPAIRED)
    send(dep, TREE)
    assert store.latest(dep.id).annotation == {**TREE, "words": ["voy", "al", "mar"], "ranges": []}


def test_words_that_an_annotation_names_stay_whatever_was_repaired_elsewhere(store, project, both, send):
    pos, dep = both
    send(pos, REPAIRED)
    other = {**TREE, "words": ["vo", "yal", "mar"], "ranges": []}
    send(dep, other)
    assert store.latest(dep.id).annotation == other


def test_the_last_repair_counts(store, project, both, send):
    pos, dep = both
    send(pos, REPAIRED)
    send(dep, {**TREE, "words": ["voy", "al", "mar"], "ranges": []})
    shown = opened(store, project, pos)
    assert shown.example.words == ("voy", "al", "mar")
    assert shown.annotation == {"upos": ["VERB", "ADP", "NOUN"]}


def test_words_repaired_and_put_back_are_as_if_never_touched(store, items, send):
    send(items[0], {**TAGS, "words": ["voy", "al", "mar"], "ranges": []})
    assert store.latest(items[0].id).annotation == TAGS


def test_repairs_of_another_person_are_not_shown(store, project, ids, items, send):
    bens = made_items(store, project, [(ids[0], "pos", "ben")])[0]
    send(bens, REPAIRED, annotator="ben")
    assert opened(store, project, items[0]).example.words == ("voy", "al", "mar")


def test_what_is_to_do_is_a_list_without_reviews(store, project, ids, items, send):
    made_items(store, project, [(ids[0], "pos", "ana")], purpose="review")
    send(items[2], TAGS, done=True)
    mine = session.items(store, project, "pos", "ana")
    assert [(one.id, one.status) for one in mine] == [
        (items[0].id, "open"), (items[1].id, "open"), (items[2].id, "done"),
    ]  # fmt: skip


def test_a_save_that_stays_says_whether_the_item_is_done_now(store, project, items):
    event = {"item": items[0].id, "client": "page", "seen": 0, "seconds": 1.0, "edits": 1, "annotation": TAGS}
    saved = [
        session.receive(store, project, "ana", event | {"seq": seq, "done": done})
        for seq, done in ((1, True), (2, False))
    ]
    assert [(one.id, one.status) for one in saved] == [(items[0].id, "done"), (items[0].id, "open")]


def test_back_at_the_first_item_keeps_it_held(store, project, ids, send):
    first = made_items(store, project, [(ids[0], "pos")])[0]
    session.start(store, project, "pos", "ana")
    assert send(first, go="back") == first.id
    assert not store.claim(first.id, "ben")


def test_a_look_at_the_newest_version_holds_the_item_for_longer(store, project, ids, send, monkeypatch):
    item = made_items(store, project, [(ids[0], "pos")])[0]
    later = store.now() + timedelta(seconds=200)
    session.start(store, project, "pos", "ana")
    monkeypatch.setattr(store, "now", lambda: later)
    send(item)
    monkeypatch.setattr(store, "now", lambda: later + timedelta(seconds=200))
    assert not store.claim(item.id, "ben")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("", "ltr"), ("12 .", "ltr"), ("(1) שלום a", "rtl"), ("مرحبا", "rtl"), ("a שלום", "ltr"), ("猫", "ltr")],
)
def test_direction_is_that_of_the_first_letter(text, wanted):
    assert session.direction(text) == wanted


def test_a_window_of_a_deleted_project_saves_nothing_in_a_new_one_with_its_ids(store, project, items, send):
    assert send(items[0], GAP) == items[0].id
    store.delete_project(project.id)
    sentences = [Sentence(f"n{n}", "no se nada", ("no", "se", "nada")) for n in range(3)]
    new = made_project(store, pool.both(sentences, ()), tasks=("pos",), labels={"pos": list(UPOS)})
    again = made_items(store, new, [(row.id, "pos", "ana") for row in store.examples(new.id)])
    assert (new.id, again[0].id) == (project.id, items[0].id)  # SQLite gives ids of deleted rows again
    with pytest.raises(FewshotError, match=f"{project.name} was deleted"):
        send(items[0], TAGS, done=True)
    assert store.latest(again[0].id) is None
    assert session.open_item(store, new, again[0]).example.words == ("no", "se", "nada")


def guessed(store, item, tags, model="model"):
    data = {"annotation": {"upos": tags}, "confidence": [0.9] * 3, "upos_ranked": [[[tag, 0.9]] for tag in tags]}
    store.add_suggestions([(item.example_id, item.task, model, data)])


def test_suggestions_follow_what_the_person_finished_before(store, project, items, send):
    for item in items:
        guessed(store, item, ["X", "X", "X"])
    send(items[1], {"upos": ["DET", "NOUN", "VERB"]}, done=True)  # el mar canta; the model was wrong three times
    following = opened(store, project, items[2]).suggestion  # canta mucho hoy
    assert following["annotation"]["upos"] == ["VERB", "X", "X"]
    assert following["decided"] == [1, 0, 0]
    assert following["confidence"][1:] == [0.9, 0.9]
    assert opened(store, project, items[0]).suggestion["annotation"]["upos"] == ["X", "X", "NOUN"]  # voy al mar


def test_suggestions_follow_neither_what_is_not_finished_nor_other_people_nor_the_test_set(
    store, project, items, send, ids
):
    guessed(store, items[2], ["X", "X", "X"])
    bens, tested = (
        made_items(store, project, [(ids[2], "pos", who)], purpose=purpose)[0]
        for who, purpose in (("ben", "shots"), ("ana", "test"))
    )
    send(items[1], {"upos": ["DET", "NOUN", "_"]})
    send(bens, {"upos": ["VERB", "ADV", "ADV"]}, annotator="ben", done=True)
    send(tested, {"upos": ["VERB", "ADV", "ADV"]}, done=True)
    assert opened(store, project, items[2]).suggestion["annotation"]["upos"] == ["X", "X", "X"]


def test_suggestions_follow_repaired_words(store, project, items, send):
    guessed(store, items[2], ["X", "X", "X"])
    send(items[0], REPAIRED, done=True)  # voy a el mar
    assert opened(store, project, items[2]).suggestion["decided"] == [0, 0, 0]
    guessed(store, items[1], ["X", "X", "X"])  # el mar canta
    assert opened(store, project, items[1]).suggestion["annotation"]["upos"] == ["DET", "NOUN", "X"]


def test_what_a_blind_item_would_have_shown_stays_hidden(store, project, ids, send):
    seen, blind = made_items(store, project, [NewItem(ids[1], "pos", "ana"), NewItem(ids[2], "pos", "ana", blind=True)])
    guessed(store, blind, ["X", "X", "X"])
    send(seen, {"upos": ["DET", "NOUN", "VERB"]}, done=True)
    assert opened(store, project, blind).suggestion is None
