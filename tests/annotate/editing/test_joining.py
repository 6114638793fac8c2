"""A sentence that is joined with the next one: what each person has of both in each task, and who is refused."""

import pytest
from storing import made_items, made_project

from annotate.editing import session, view
from annotate.exchange import pool
from annotate.exchange.exporting import export_annotations
from annotate.exchange.importing import import_annotations
from annotate.quality import adjudication
from annotate.rounds import draw
from annotate.rounds.training_data import training_data
from annotate.search import changes, queries
from annotate.search.changes import Setting
from annotate.store import StoreError, Wanted
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Record, Sentence
from fewshot.errors import FewshotError
from fewshot.tasks.dep import RELATIONS

FIRST = Sentence("s1", "voy z.", ("voy", "z."), where="in.txt:1")
SECOND = Sentence("s2", "B. a el mar", ("B.", "a", "el", "mar"), where="in.txt:2")
THIRD = Sentence("s3", "canta", ("canta",), where="in.txt:3")
TEST = Sentence("t1", "hoy", ("hoy",), where="in.txt:4")
LABELS = {"pos": ["NOUN", "ADP", "VERB", "X"], "dep": list(RELATIONS), "ner": ["LOC"]}
WORDS = [*FIRST.words, *SECOND.words]
JOINED = {"words": WORDS, "ranges": [], "joined": 1}
TAGS = ["VERB", "X", "X", "ADP", "X", "NOUN"]
TREES = [
    {"heads": [0, 1], "deprels": ["root", "obl"]},
    {"heads": [0, 4, 4, 1], "deprels": ["root", "case", "det", "obl"]},
]
BOTH = {"heads": [0, 1, 0, 6, 6, 3], "deprels": ["root", "obl", "root", "case", "det", "obl"]}


@pytest.fixture
def project(store):
    rows = pool.both([FIRST, SECOND, THIRD], [TEST])
    return made_project(store, rows, tasks=("pos", "dep"), labels=LABELS, hides_gold=False)


@pytest.fixture
def examples(store, project):
    return [row.id for row in store.examples(project.id)]


@pytest.fixture
def items(store, project, examples):
    """Ana's first two sentences and ben's, in both tasks, by example, task and person."""
    wanted = [(one, task, who) for who in ("ana", "ben") for one in examples[:2] for task in ("pos", "dep")]
    made = made_items(store, project, wanted)
    return {(examples.index(one.example_id) + 1, one.task, one.annotator): one for one in made}


def opened(store, project, item):
    return session.open_item(store, project, store.item(item.id))


def splits(store, project):
    return [row.split for row in store.examples(project.id)]


def joined(columns):
    return columns | JOINED


def test_an_annotation_of_both_takes_the_next_sentence_in(store, project, items, send):
    made = send(items[1, "pos", "ana"], joined({"upos": TAGS}))
    assert made == joined({"upos": TAGS})
    assert splits(store, project) == ["pool", "joined pool", "pool", "test"]
    assert [item.example_id for item in session.items(store, project, "pos", "ana")] == [
        items[1, "pos", "ana"].example_id
    ]
    again = opened(store, project, items[1, "pos", "ana"])
    assert (again.annotation, again.item.status) == (made, "done")
    assert [one.refused for one in again.following] == ["", ""]


def test_the_editor_is_told_of_the_next_sentence_as_the_person_has_it(store, project, items, send):
    repaired = {"upos": ["X", "ADP", "NOUN"], "words": ["B.", "ael", "mar"], "ranges": []}
    send(items[2, "pos", "ana"], repaired)
    (told,) = view.view(project, opened(store, project, items[1, "pos", "ana"]))["following"]
    assert (told["text"], told["annotation"], told["refused"]) == (SECOND.text, repaired, "")
    (told,) = view.view(project, opened(store, project, items[1, "dep", "ana"]))["following"]
    assert (told["words"], told["annotation"]) == (["B.", "ael", "mar"], None)


@pytest.mark.parametrize(("own", "told"), [(False, {"upos": ["X", "ADP", "X", "NOUN"]}), (True, None)])
def test_what_somebody_else_made_is_gone_on_from_but_not_where_two_are_to_annotate_it(
    store, project, examples, send, own, told
):
    mine, theirs, *_ = made_items(
        store, project, [(examples[0], "pos", "ana"), *((examples[1], "pos", who) for who in ["ben", "ana"][: 1 + own])]
    )
    send(theirs, {"upos": ["X", "ADP", "X", "NOUN"]})
    (found,) = opened(store, project, mine).following
    assert (found.annotation, found.refused) == (told, "")


def test_all_tasks_of_the_person_follow_with_what_both_sentences_had_there(store, project, items, send):
    for number, tree in enumerate(TREES, start=1):
        send(items[number, "dep", "ana"], tree)
    send(items[1, "pos", "ana"], joined({"upos": TAGS}))
    assert store.latest(items[1, "dep", "ana"].id).annotation == joined(BOTH)
    assert store.item(items[1, "dep", "ana"].id).status == "open"  # two roots
    mended = BOTH | {"heads": [0, 1, 1, 6, 6, 3], "deprels": ["root", "obl", "obl", "case", "det", "nmod"]}
    assert send(items[1, "dep", "ana"], joined(mended)) == joined(mended)
    assert store.item(items[1, "dep", "ana"].id).status == "done"


def test_a_join_that_is_taken_back_gives_the_next_sentence_back_as_it_was(store, project, items, send):
    send(items[2, "pos", "ana"], {"upos": ["X", "ADP", "X", "NOUN"]})
    for number, tree in enumerate(TREES, start=1):
        send(items[number, "dep", "ana"], tree)
    send(items[1, "pos", "ana"], joined({"upos": TAGS}))
    send(items[1, "pos", "ana"], {"upos": TAGS[:2], "words": list(FIRST.words), "ranges": []})
    assert splits(store, project) == ["pool", "pool", "pool", "test"]
    named = {"words": list(FIRST.words), "ranges": []}  # it has the last word on the words
    assert store.latest(items[1, "pos", "ana"].id).annotation == {"upos": TAGS[:2]} | named
    assert store.latest(items[1, "dep", "ana"].id).annotation == TREES[0]
    statuses = [store.item(items[2, *who].id).status for who in (("pos", "ana"), ("dep", "ana"), ("pos", "ben"))]
    assert statuses == ["done", "done", "open"]
    assert opened(store, project, items[2, "dep", "ana"]).annotation == TREES[1]


def test_one_sentence_after_the_other_is_joined_and_let_go(store, project, items, send):
    item = items[1, "pos", "ana"]
    send(item, joined({"upos": TAGS}))
    send(item, {"upos": [*TAGS, "VERB"], "words": [*WORDS, "canta"], "ranges": [], "joined": 2})
    assert splits(store, project) == ["pool", "joined pool", "joined pool", "test"]
    assert opened(store, project, item).following[-1].refused == "the next sentence is in the test set"
    send(item, joined({"upos": TAGS}))
    assert splits(store, project) == ["pool", "joined pool", "pool", "test"]


def test_it_is_let_go_once_nobody_goes_on_in_it(store, project, items, send):
    for who in ("ana", "ben"):
        send(items[1, "pos", who], joined({"upos": TAGS}))
    send(items[1, "pos", "ana"], {"upos": TAGS[:2]})
    assert splits(store, project)[1] == "joined pool"
    send(items[1, "pos", "ben"], {"upos": TAGS[:2]})
    assert splits(store, project)[1] == "pool"


def test_a_window_on_what_was_joined_is_told_so(store, project, items, send):
    send(items[1, "pos", "ana"], joined({"upos": TAGS}))
    with pytest.raises(FewshotError, match="joined with the one before"):
        send(items[2, "pos", "ben"], {"upos": ["X", "ADP", "X", "NOUN"]})
    assert session.start(store, project, "pos", "ben", items[2, "pos", "ben"].id).id == items[1, "pos", "ben"].id


def test_what_somebody_has_open_is_not_joined(store, project, items, send):
    assert store.claim(items[2, "dep", "ben"].id, "ben")
    assert "ben has the next sentence open" in opened(store, project, items[1, "pos", "ana"]).following[0].refused
    for raised in ("ben has the next sentence open",):
        with pytest.raises(FewshotError, match=raised):
            send(items[1, "pos", "ana"], joined({"upos": TAGS}))
    with pytest.raises(StoreError, match="ben has the next sentence open"):
        store.save(items[1, "pos", "ana"].id, "ana", "x", 1, joined({"upos": TAGS}), True, 1.0, 1, joined=1)
    assert store.latest(items[1, "pos", "ana"].id) is None
    assert splits(store, project)[1] == "pool"


def test_what_was_joined_with_the_one_behind_is_not_joined_before_that_is_taken_back(store, project, items, send):
    send(items[2, "pos", "ben"], {"upos": ["X"] * 5, "words": [*SECOND.words, "canta"], "ranges": [], "joined": 1})
    with pytest.raises(FewshotError, match="take that back first"):
        send(items[1, "pos", "ana"], joined({"upos": TAGS}))


def test_what_a_curator_has_decided_on_is_not_joined(store, project, items, send):
    (review,) = made_items(store, project, [(items[2, "pos", "ana"].example_id, "pos", "cleo")], purpose="review")
    send(review, {"upos": ["X", "ADP", "X", "NOUN"]})
    with pytest.raises(FewshotError, match="a curator has decided"):
        send(items[1, "pos", "ana"], joined({"upos": TAGS}))


@pytest.mark.parametrize(
    ("before", "behind", "reason"),
    [
        ({"where": "a.conllu:1"}, {"where": "b.conllu:1"}, "another file"),
        (
            {},
            {"record": Record("conllu", ("# newdoc id = d\n", "1\thoy" + "\t_" * 8 + "\n", "\n"))},
            "another document",
        ),
        ({"record": Record("flextext", ("<a/>",))}, {"record": Record("flextext", ("<b/>",))}, "unit of its own"),
    ],
)
def test_only_neighbours_of_one_document_are_joined(store, before, behind, reason):
    one, other = Sentence("s1", "voy", ("voy",), **before), Sentence("s2", "hoy", ("hoy",), **behind)
    project = made_project(store, pool.both([one, other], []), labels=LABELS)
    (item,) = made_items(store, project, [(next(store.examples(project.id)).id, "pos", "ana")])
    assert reason in opened(store, project, item).following[0].refused


def test_what_people_put_into_misc_and_deps_of_either_sentence_stays(store, project, items, send):
    """Also in the other task, whose annotation of the second sentence comes in with the join."""
    send(items[1, "dep", "ana"], TREES[0] | {"misc": ["Gloss=go", None]})
    send(
        items[2, "dep", "ana"],
        TREES[1] | {"misc": [None, None, "Gloss=the", None], "deps": [None, "=|2:x", None, None]},
    )
    send(items[1, "pos", "ana"], joined({"upos": TAGS}))
    kept = opened(store, project, items[1, "dep", "ana"]).annotation
    assert kept["misc"] == ["Gloss=go", None, None, None, "Gloss=the", None]
    assert kept["deps"] == [None, None, None, "4:x|=", None, None]
    shown = opened(store, project, items[1, "pos", "ana"]).example
    assert shown.misc[4] == "Gloss=the"
    send(items[1, "pos", "ana"], {"upos": TAGS[:2], "words": list(FIRST.words), "ranges": []})
    assert opened(store, project, items[1, "dep", "ana"]).annotation["misc"] == ["Gloss=go", None]


def test_nothing_follows_on_the_last_sentence(store, project, examples):
    (item,) = made_items(store, project, [(examples[3], "pos", "ana")], purpose="test")
    assert opened(store, project, item).following[0].refused == "no sentence follows"


@pytest.mark.parametrize("count", [-1, 21, "1", 1.5, True])
def test_a_number_that_no_editor_sends_is_refused(store, project, items, send, count):
    with pytest.raises(FewshotError):
        send(items[1, "pos", "ana"], joined({"upos": TAGS}) | {"joined": count})
    assert splits(store, project)[1] == "pool"


def test_hidden_gold_of_the_next_sentence_stays_hidden(store, tmp_path):
    rows = "1\tvoy\tir\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "in.conllu").write_text(rows + rows.replace("voy", "hoy"))
    project = made_project(store, pool.both(conllu.read(tmp_path / "in.conllu"), []), labels=LABELS)
    first = next(store.examples(project.id)).id
    tag, tree = made_items(store, project, [(first, "pos", "ana"), (first, "dep", "ana")])
    (told,) = view.view(project, opened(store, project, tree))["following"]
    assert (told["upos"], told["annotation"]) == (["_"], None)
    annotation = {"upos": ["X", "X"], "words": ["voy", "hoy"], "ranges": [], "joined": 1}
    event = {"item": tag.id, "seq": 1, "annotation": annotation, "done": True, "client": "page"}
    session.receive(store, project, "ana", event | {"seen": 0, "seconds": 1.0, "edits": 1})
    assert view.view(project, opened(store, project, tree))["example"]["upos"] == ["X", "X"]
    assert opened(store, project, tree).example.deprels == ("_", "_")


def exported(store, project, who, part, format, tmp_path):
    export = export_annotations(store, project, ["pos", "dep"], who, part)
    path = tmp_path / f"out{formats.FORMATS[format].suffix}"
    formats.export(export.held_by(format), [tasks.get("pos")], format, path)
    return formats.check(path, format, "es", tasks.get("pos"))[0]


@pytest.mark.parametrize("format", ["conllu", "jsonl"])
def test_both_come_out_as_one_sentence_and_back_into_the_project(
    store, project, items, send, tmp_path, format, examples
):
    send(items[1, "pos", "ana"], joined({"upos": TAGS}))
    (made,) = exported(store, project, None, "annotated", format, tmp_path)
    assert (made.id, made.text, list(made.words), list(made.upos)) == ("s1", "voy z. B. a el mar", WORDS, TAGS)
    taken = import_annotations(store, project, "pos", tmp_path / f"out.{format}", "ben")
    assert (taken.saved, taken.unknown, taken.wrong) == (1, 0, 0)
    assert store.latest(items[1, "pos", "ben"].id).annotation == joined({"upos": TAGS})


def test_an_import_joins_what_nobody_has_joined_yet_and_says_what_cannot_be(store, project, examples, tmp_path):
    whole = Sentence("x", "voy z. B. a el mar", tuple(WORDS), upos=tuple(TAGS))
    over = Sentence("y", "cantahoy", ("canta", "hoy"), upos=("VERB", "X"))  # the second is in the test set
    strange = Sentence("z", "voy z. B.", ("voy", "z.", "B."), upos=("VERB", "X", "X"))
    conllu.write([whole, over, strange], tmp_path / "in.conllu")
    taken = import_annotations(store, project, "pos", tmp_path / "in.conllu", "ana")
    assert (taken.saved, taken.unknown, taken.wrong) == (1, 1, 1)
    assert "the next sentence is in the test set" in [one.message for one in taken.problems]
    (item,) = store.items(project.id)
    assert store.latest(item.id).annotation == joined({"upos": TAGS})
    assert splits(store, project) == ["pool", "joined pool", "pool", "test"]


def test_parts_of_what_was_joined_and_ended_elsewhere_are_known_again(store, project, items, send, tmp_path):
    send(items[1, "pos", "ana"], joined({"upos": TAGS}) | {"ends": [1]})
    assert [one.id for one in exported(store, project, "ana", "annotated", "conllu", tmp_path)] == ["s1A", "s1B"]
    taken = import_annotations(store, project, "pos", tmp_path / "out.conllu", "ben")
    assert (taken.saved, taken.unknown, taken.wrong) == (1, 0, 0)
    assert store.latest(items[1, "pos", "ben"].id).annotation == joined({"upos": TAGS}) | {"ends": [1]}


def test_all_that_came_has_the_next_sentence_once(store, project, items, send, tmp_path):
    send(items[1, "pos", "ben"], {"upos": TAGS[:2]})
    send(items[1, "pos", "ana"], joined({"upos": TAGS}))
    assert [one.id for one in exported(store, project, "ana", "all", "conllu", tmp_path)] == ["s1", "s3", "t1"]
    assert [one.id for one in exported(store, project, "ben", "all", "conllu", tmp_path)] == ["s1", "s2", "s3", "t1"]
    (case,) = adjudication.cases(store, project, "pos")
    assert (case.differ, [one.item.annotator for one in case.versions]) == (True, ["ana", "ben"])
    first, second = (one.revision.annotation for one in case.versions)
    named = {"words": list(FIRST.words), "ranges": []}
    assert adjudication.merged(first, second, named) == joined({"upos": ["VERB", "X", "_", "_", "_", "_"]})
    rows = adjudication.beside({"ana": first, "ben": second}, FIRST.words)
    assert {"where": "", "what": "joined sentences", "ana": "1", "ben": ""} in rows


def test_both_are_one_shot_of_which_nothing_is_drawn_or_counted_twice(store, project, items, send, examples):
    send(items[2, "pos", "ana"], {"upos": ["X", "ADP", "X", "NOUN"]})
    send(items[1, "pos", "ana"], joined({"upos": TAGS}))
    data = training_data(store, project, "pos")
    assert [(shot.id, shot.words) for shot in data.shots] == [("s1", tuple(WORDS))]
    assert [one.id for one in draw.candidates(store, project, "pool")] == [examples[2]]
    (mine,) = (row for row in store.progress(project.id, "ana") if row.task == "pos")
    spent = sum(
        one.seconds for item in (items[1, "pos", "ana"], items[2, "pos", "ana"]) for one in store.history(item.id)
    )
    assert (mine.total, mine.done, mine.tokens) == (1, 1, 6)
    assert mine.seconds == pytest.approx(spent)  # time that was spent stays
    assert store.tokens(project.id, "pos")[examples[0]] == 6
    assert (store.project(project.id).pool_size, store.project(project.id).test_size) == (2, 1)
    send(items[1, "pos", "ana"], {"upos": TAGS[:2]})
    assert store.project(project.id).pool_size == 3
    assert store.tokens(project.id, "pos")[examples[0]] == 2


def test_a_pattern_and_a_text_are_found_over_the_seam_and_a_change_keeps_it(store, project, items, send):
    send(items[1, "pos", "ana"], joined({"upos": TAGS}))
    find = lambda kind, query: queries.find(store, project, kind, query, Wanted("pos")).hits  # noqa: E731
    hits = [
        one for one in find(queries.PATTERN, 'A [form="z."]; B [form="B."]; A < B') if one.version.annotator == "ana"
    ]
    assert [one.words for one in hits] == [{"A": 2, "B": 3}]
    assert [(one.version.annotator, one.found) for one in find(queries.TEXT, "el mar")] == [("ana", "el mar")]
    assert [row.example.id for row in store.listed(project.id, Wanted("pos"))].count(
        items[2, "pos", "ana"].example_id
    ) == 0
    setting = Setting("A", "upos", "NOUN")
    changes.carry_out(store, project, changes.propose(project, hits, setting, "ana", False), setting, "ana", False)
    assert store.latest(items[1, "pos", "ana"].id).annotation == joined({"upos": ["VERB", "NOUN", *TAGS[2:]]})


def test_what_lists_sentences_shows_both(store, project, items, send):
    send(items[1, "pos", "ana"], joined({"upos": TAGS}))
    first = items[1, "pos", "ana"].example_id
    assert view.texts(store, project, [first]) == {first: "voy z. B. a el mar"}
