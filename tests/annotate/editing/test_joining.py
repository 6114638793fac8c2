"""A sentence that is joined with the next one: what each person has of both in each task, and who is refused."""

import pytest
import storing
from desk import new_project

from annotate.editing import session, view
from annotate.quality import adjudication
from annotate.rounds import draw
from annotate.rounds.training_data import training_data
from annotate.search import queries
from annotate.search.settings import Setting
from annotate.store import ExampleFilter
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Record, Sentence
from fewshot.errors import FewshotError

FIRST = Sentence("s1", "voy z.", ("voy", "z."), where="in.txt:1")
SECOND = Sentence("s2", "B. a el mar", ("B.", "a", "el", "mar"), where="in.txt:2")
THIRD = Sentence("s3", "canta", ("canta",), where="in.txt:3")
TEST = Sentence("t1", "hoy", ("hoy",), where="in.txt:4")
OWN = {"words": list(FIRST.words), "ranges": []}
WORDS = [*FIRST.words, *SECOND.words]
JOINED = {"words": WORDS, "ranges": [], "joined": 1}
TAGS = ["VERB", "X", "X", "ADP", "X", "NOUN"]
BOTH = {"upos": TAGS} | JOINED
SECOND_TAGS = {"upos": ["X", "ADP", "X", "NOUN"]}
TREES = [
    {"heads": [0, 1], "deprels": ["root", "obl"]},
    {"heads": [0, 4, 4, 1], "deprels": ["root", "case", "det", "obl"]},
]


@pytest.fixture
def project(store):
    return new_project(store, [FIRST, SECOND, THIRD], "pos", "dep", test=[TEST])


@pytest.fixture
def items(desk):
    """Ana's first two sentences and ben's, in both tasks, by number, task and person."""
    wanted = [(place, task, who) for who in ("ana", "ben") for place in (0, 1) for task in ("pos", "dep")]
    return {(place + 1, task, who): item for (place, task, who), item in zip(wanted, desk.draw(*wanted), strict=True)}


@pytest.fixture
def mine(items):
    return items[1, "pos", "ana"]


@pytest.fixture
def splits(store, project):
    return lambda: [row.split for row in store.examples(project.id)]


def test_an_annotation_of_both_takes_the_next_sentence_in(store, project, desk, items, mine, splits):
    assert desk.save(mine, BOTH) == BOTH
    assert splits() == ["pool", "joined pool", "pool", "test"]
    assert [item.example_id for item in session.items(store, project, "pos", "ana")] == [mine.example_id]
    again = desk.open(mine)
    assert (again.annotation, again.item.status) == (BOTH, "done")
    assert [one.refused for one in again.following] == ["", ""]
    assert view.texts(store, project, [mine.example_id]) == {mine.example_id: "voy z. B. a el mar"}
    bens = items[2, "pos", "ben"]
    with pytest.raises(FewshotError, match="joined with the one before"):
        desk.send(bens, SECOND_TAGS)
    assert session.start(store, project, "pos", "ben", bens.id).id == items[1, "pos", "ben"].id


def test_the_editor_gets_the_next_sentence_as_the_person_has_it(desk, items, mine):
    repaired = {"upos": ["X", "ADP", "NOUN"], "words": ["B.", "ael", "mar"], "ranges": []}
    desk.send(items[2, "pos", "ana"], repaired)
    (shown,) = desk.show(mine)["following"]
    assert (shown["text"], shown["annotation"], shown["refused"]) == (SECOND.text, repaired, "")
    (shown,) = desk.show(items[1, "dep", "ana"])["following"]
    assert (shown["words"], shown["annotation"]) == (["B.", "ael", "mar"], None)


def test_what_others_made_of_the_next_sentence_is_shown_in_a_review_alone(desk):
    desk.send(*desk.draw((1, "pos", "ben")), SECOND_TAGS)
    for purpose, shown in (("shots", None), ("test", None), ("review", SECOND_TAGS)):
        (item,) = desk.draw((0, "pos", "ana"), purpose=purpose)
        assert desk.open(item).following[0].annotation == shown


def test_of_a_next_sentence_that_cannot_be_joined_nothing_is_shown(desk):
    item, theirs = *desk.draw((2, "pos", "ana")), *desk.draw((3, "pos", "ben"), purpose="test")
    desk.send(theirs, {"upos": ["ADV"]})
    for one, reason in ((item, "the next sentence is in the test set"), (theirs, "no sentence follows")):
        (shown,) = desk.show(one)["following"]
        assert shown == {"annotation": None, "refused": reason, "spaced": True}


def test_all_tasks_of_the_person_follow_a_join_and_its_end(desk, items, mine, splits):
    desk.send(items[2, "pos", "ana"], SECOND_TAGS)
    first, second = items[1, "dep", "ana"], items[2, "dep", "ana"]
    for item, tree in zip((first, second), TREES, strict=True):
        desk.send(item, tree)
    desk.send(mine, BOTH)
    tree = {"heads": [0, 1, 0, 6, 6, 3], "deprels": ["root", "obl", "root", "case", "det", "obl"]} | JOINED
    assert (desk.latest(first), desk.status(first)) == (tree, "open")  # two roots
    mended = {"heads": [0, 1, 1, 6, 6, 3], "deprels": ["root", "obl", "obl", "case", "det", "nmod"]} | JOINED
    assert (desk.save(first, mended), desk.status(first)) == (mended, "done")
    desk.send(first, tree, done=False)
    assert desk.save(mine, {"upos": TAGS[:2]} | OWN) == {"upos": TAGS[:2]} | OWN
    assert splits() == ["pool", "pool", "pool", "test"]
    assert (desk.latest(first), desk.open(second).annotation) == (TREES[0], TREES[1])
    seconds = [items[2, "pos", "ana"], second, items[2, "pos", "ben"]]
    assert [desk.status(item) for item in seconds] == ["done", "done", "open"]


def test_a_sentence_is_let_go_once_nobody_joins_it(desk, items, splits):
    for who in ("ana", "ben"):
        desk.send(items[1, "pos", who], BOTH)
    for who, split in (("ana", "joined pool"), ("ben", "pool")):
        desk.send(items[1, "pos", who], {"upos": TAGS[:2]})
        assert splits()[1] == split


def test_a_sentence_that_is_joined_or_decided_itself_is_not_joined_nor_a_number_that_no_editor_sends(
    desk, items, mine, splits
):
    for count in (-1, 21, "1", 1.5, True):
        with pytest.raises(FewshotError):
            desk.send(mine, BOTH | {"joined": count})
    assert splits()[1] == "pool"
    tags = {"upos": ["X"] * 5, "words": [*SECOND.words, "canta"], "ranges": [], "joined": 1}
    desk.send(items[2, "pos", "ben"], tags)
    with pytest.raises(FewshotError, match="undo that first"):
        desk.send(mine, BOTH)
    desk.send(items[2, "pos", "ben"], SECOND_TAGS)
    desk.send(*desk.draw((1, "pos", "cleo"), purpose="review"), SECOND_TAGS)
    with pytest.raises(FewshotError, match="a curator has already reviewed"):
        desk.send(mine, BOTH)


DOCUMENT = ("# newdoc id = d\n", "1\thoy" + "\t_" * 8 + "\n", "\n")


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ({"where": "a.conllu:1"}, {"where": "b.conllu:1"}, "another file"),
        ({}, {"record": Record("conllu", DOCUMENT)}, "another document"),
        (
            {"record": Record("flextext", ("<a/>",))},
            {"record": Record("flextext", ("<b/>",))},
            "every sentence is a separate unit",
        ),
    ],
)
def test_only_neighbours_of_one_document_are_joined(new_desk, first, second, reason):
    sentences = [Sentence("s1", "voy", ("voy",), **first), Sentence("s2", "hoy", ("hoy",), **second)]
    desk = new_desk(sentences, "pos")
    (item,) = desk.draw((0, "pos", "ana"))
    assert reason in desk.open(item).following[0].refused


def test_misc_and_deps_of_either_sentence_stay_also_in_the_other_task(desk, items, mine):
    first, second = items[1, "dep", "ana"], items[2, "dep", "ana"]
    desk.send(first, TREES[0] | {"misc": ["Gloss=go", None]})
    desk.send(second, TREES[1] | {"misc": [None, None, "Gloss=the", None], "deps": [None, "=|2:x", None, None]})
    desk.send(mine, BOTH)
    kept = desk.open(first).annotation
    assert kept["misc"] == ["Gloss=go", None, None, None, "Gloss=the", None]
    assert kept["deps"] == [None, None, None, "4:x|=", None, None]
    assert desk.open(mine).example.misc[4] == "Gloss=the"
    desk.send(mine, {"upos": TAGS[:2]} | OWN)
    assert desk.open(first).annotation["misc"] == ["Gloss=go", None]


def test_hidden_gold_of_the_next_sentence_stays_hidden(new_desk, tmp_path):
    rows = "1\tvoy\tir\tVERB\t_\t_\t0\troot\t_\tGloss=go|LId=ir-1\n\n"
    (tmp_path / "in.conllu").write_text(rows + rows.replace("voy", "hoy"))
    sentences = conllu.read(tmp_path / "in.conllu")
    desk = new_desk(sentences, "pos", "dep", hides_gold=True)
    tag, tree = desk.draw((0, "pos", "ana"), (0, "dep", "ana"))
    (following,) = desk.show(tree)["following"]
    assert (following["upos"], following["annotation"]) == (["_"], None)
    assert (following["lemmas"], following["misc"]) == (["_"], ["Gloss=go"])
    desk.send(tag, {"upos": ["X", "X"], "words": ["voy", "hoy"], "ranges": [], "joined": 1})
    assert desk.show(tree)["example"]["upos"] == ["X", "X"]
    assert desk.open(tree).example.deprels == ("_", "_")


def exported(desk, who=None, part="annotated", format="conllu"):
    path = desk.export(who=who, part=part, format=format)
    return formats.check(path, format, "es", tasks.get("pos"))[0]


def test_both_are_exported_as_one_sentence_and_imported_again(desk, items, mine):
    desk.send(mine, BOTH)
    for format, who in (("conllu", "ben"), ("jsonl", "cleo")):
        (made,) = exported(desk, "ana", format=format)
        assert (made.id, made.text, list(made.words), list(made.upos)) == ("s1", "voy z. B. a el mar", WORDS, TAGS)
        taken = desk.take(desk.folder / f"out.{format}", who=who)
        assert (taken.saved, taken.unknown, taken.wrong) == (1, 0, 0)
        (item,) = (one for one in desk.store.items(desk.project.id, annotator=who, task="pos"))
        assert desk.latest(item) == BOTH


def test_an_import_joins_sentences_and_says_which_cannot_be_joined(store, project, desk, splits):
    whole = Sentence("x", "voy z. B. a el mar", tuple(WORDS), upos=tuple(TAGS))
    over = Sentence("y", "cantahoy", ("canta", "hoy"), upos=("VERB", "X"))  # the second is in the test set
    strange = Sentence("z", "voy z. B.", ("voy", "z.", "B."), upos=("VERB", "X", "X"))
    taken = desk.take([whole, over, strange])
    assert (taken.saved, taken.unknown, taken.wrong) == (1, 1, 1)
    assert "the next sentence is in the test set" in [one.message for one in taken.problems]
    (item,) = store.items(project.id)
    assert desk.latest(item) == BOTH
    assert splits() == ["pool", "joined pool", "pool", "test"]


@pytest.mark.parametrize(("who", "counts"), [("ana", (2, 0, 0)), ("ben", (1, 1, 0))])
def test_an_import_of_parts_lets_go_what_only_its_annotator_has_joined(desk, items, mine, splits, who, counts):
    desk.send(mine, BOTH)
    apart = [SECOND.annotated(upos=tuple(SECOND_TAGS["upos"])), FIRST.annotated(upos=tuple(TAGS[:2]))]
    taken = desk.take(apart, who=who)
    assert (taken.saved, taken.unknown, taken.wrong) == counts
    assert splits()[1] == ("pool" if who == "ana" else "joined pool")
    assert (desk.latest(items[2, "pos", who]) == SECOND_TAGS) == (who == "ana")


def test_parts_of_joined_sentences_that_end_elsewhere_are_recognized(desk, items, mine):
    desk.send(mine, BOTH | {"ends": [1]})
    assert [one.id for one in exported(desk, "ana")] == ["s1A", "s1B"]
    taken = desk.take(desk.folder / "out.conllu", who="ben")
    assert (taken.saved, taken.unknown, taken.wrong) == (1, 0, 0)
    assert desk.latest(items[1, "pos", "ben"]) == BOTH | {"ends": [1]}


def test_each_sentence_is_exported_and_compared_once(store, project, desk, items, mine):
    desk.send(items[1, "pos", "ben"], {"upos": TAGS[:2]})
    desk.send(mine, BOTH)
    assert [one.id for one in exported(desk, "ana", "all")] == ["s1", "s3", "t1"]
    assert [one.id for one in exported(desk, "ben", "all")] == ["s1", "s2", "s3", "t1"]
    (case,) = adjudication.cases(store, project, "pos")
    assert (case.differ, [one.item.annotator for one in case.versions]) == (True, ["ana", "ben"])
    first, second = (one.revision.annotation for one in case.versions)
    merged = {"upos": ["VERB", "X", "_", "_", "_", "_"]} | JOINED
    assert adjudication.merged(first, OWN | second) == merged
    rows = adjudication.compare({"ana": first, "ben": second}, FIRST.words)
    assert {"where": "", "what": "joined sentences", "ana": "1", "ben": ""} in rows


def test_both_are_one_shot_that_is_neither_drawn_nor_counted_twice(store, project, desk, items, mine):
    desk.send(items[2, "pos", "ana"], SECOND_TAGS)
    desk.send(mine, BOTH)
    data = training_data(store, project, "pos")
    assert [(shot.id, shot.words) for shot in data.shots] == [("s1", tuple(WORDS))]
    assert [one.id for one in draw.candidates(store, project, "pool")] == [desk.ids[2]]
    (row,) = (row for row in store.progress(project.id, "ana") if row.task == "pos")
    spent = sum(one.seconds for item in (mine, items[2, "pos", "ana"]) for one in storing.history(store, item.id))
    assert (row.total, row.done, row.tokens) == (1, 1, 6)
    assert row.seconds == pytest.approx(spent)  # time that was spent stays, and what was saved
    logged = [(item.id, revision.annotation) for item, revision in store.log(project.id)]
    assert logged == [(mine.id, BOTH), (items[2, "pos", "ana"].id, SECOND_TAGS)]
    assert store.tokens(project.id, "pos")[desk.ids[0]] == 6
    assert (store.project(project.id).pool_size, store.project(project.id).test_size) == (2, 1)
    desk.send(mine, {"upos": TAGS[:2]})
    assert (store.project(project.id).pool_size, store.tokens(project.id, "pos")[desk.ids[0]]) == (3, 2)


def test_a_pattern_and_a_text_are_found_over_the_seam_and_a_change_keeps_it(store, project, desk, mine):
    desk.send(mine, BOTH)
    hits = desk.find('A [form="z."]; B [form="B."]; A < B', who="ana")
    assert [one.words for one in hits] == [{"A": 2, "B": 3}]
    found = desk.find("el mar", kind=queries.TEXT)
    assert [(hit.version.annotator, hit.text) for hit in found] == [("ana", "el mar")]
    assert desk.ids[1] not in [row.example.id for row in store.list_examples(project.id, ExampleFilter("pos"))]
    desk.change(hits, Setting("A", "upos", "NOUN"))
    assert desk.latest(mine) == {"upos": ["VERB", "NOUN", *TAGS[2:]]} | JOINED
