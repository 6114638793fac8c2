"""An annotation in which a sentence is several: what else of the app goes by it."""

import pytest
from storing import made_items, made_project

from annotate.editing import session
from annotate.exchange import pool
from annotate.exchange.exporting import export_annotations
from annotate.exchange.importing import import_annotations
from annotate.quality import adjudication, agreement
from annotate.rounds.training_data import training_data
from annotate.search import changes, queries
from annotate.search.changes import Setting
from annotate.store import Wanted
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError
from fewshot.tasks.dep import RELATIONS

WORDS = ("voy", ".", "canta", "mar")
SENTENCE = Sentence("s1", "voy. canta mar", WORDS)
OTHER = Sentence("s2", "el mar", ("el", "mar"))
CUT = {"words": list(WORDS), "ranges": [], "ends": [2]}
TREE = {"heads": [0, 1, 0, 3], "deprels": ["root", "punct", "root", "nsubj"]}
WHOLE = {"heads": [0, 1, 1, 3], "deprels": ["root", "punct", "parataxis", "nsubj"]}
ENTITIES = {"entities": ["O", "B-LOC", "B-LOC", "I-LOC"]}
LABELS = {"pos": ["NOUN", "PUNCT", "VERB", "X"], "dep": list(RELATIONS), "ner": ["LOC"]}


@pytest.fixture
def project(store):
    rows = pool.both([SENTENCE, OTHER], [])
    return made_project(store, rows, tasks=("pos", "dep", "ner"), labels=LABELS, hides_gold=False)


@pytest.fixture
def items(store, project):
    """Ana's first sentence, once a task, ben's tree of it, and ana's second tree."""
    first, second = (row[0] for row in store.lengths(project.id, "pool"))
    mine = [(first, task, "ana") for task in ("pos", "dep", "ner")]
    return made_items(store, project, [*mine, (first, "dep", "ben"), (second, "dep", "ana")])


def test_a_sentence_that_ends_twice_needs_two_roots_and_no_arc_across(store, items, send):
    assert send(items[1], TREE | CUT) == TREE | CUT
    for wrong, reason in ((TREE, "all have head 0"), (WHOLE | CUT, "a sentence ends between 'voy'")):
        with pytest.raises(FewshotError, match=reason):
            send(items[1], wrong)
    with pytest.raises(FewshotError, match="begins a sentence"):
        send(items[2], {"entities": ["O", "B-LOC", "I-LOC", "O"]} | CUT)


def test_another_task_has_the_same_sentences_and_is_opened_again_where_they_leave_something_open(
    store, project, items, send
):
    open_ = {"heads": [3, 1, 0, 3], "deprels": ["nsubj", "punct", "root", "nsubj"]}
    send(items[1], open_)
    send(items[0], {"upos": ["VERB", "PUNCT", "VERB", "NOUN"]} | CUT)
    assert store.item(items[1].id).status == "done"  # its only head across was that of a word that is the root now
    opened = session.open_item(store, project, items[1])
    assert opened.example.ends == (2,)
    assert opened.annotation == {"heads": [0, 1, 0, 3], "deprels": ["root", "punct", "root", "nsubj"]}
    send(items[0], {"upos": ["VERB", "PUNCT", "VERB", "NOUN"], "words": list(WORDS), "ranges": [], "ends": [1]})
    assert store.item(items[1].id).status == "open"


def test_an_end_that_was_taken_away_leaves_nothing_behind(store, project, items, send):
    send(items[1], TREE | CUT)
    assert send(items[1], WHOLE | {"words": list(WORDS), "ranges": []}) == WHOLE
    assert session.open_item(store, project, items[0]).example.ends == ()


@pytest.mark.parametrize("format", ["conllu", "jsonl"])
def test_trees_come_out_as_sentences_of_their_own(store, project, items, send, tmp_path, format):
    send(items[1], TREE | CUT)
    out = export_annotations(store, project, ["dep"], None, "annotated").held_by(format)
    formats.export(out, [tasks.get("dep")], format, tmp_path / f"x.{format}")
    again, _ = formats.check(tmp_path / f"x.{format}", None, "es", tasks.get("dep"))
    assert [(one.id, one.text, one.words, one.heads, one.deprels) for one in again] == [
        ("s1A", "voy.", WORDS[:2], (0, 1), ("root", "punct")),
        ("s1B", "canta mar", WORDS[2:], (0, 1), ("root", "nsubj")),
    ]


@pytest.mark.parametrize(
    ("format", "count"), [("bio", 2), ("conll2003", 2), ("webanno", 2), ("jsonl", 2), ("label-studio", 1)]
)
def test_entities_come_out_by_sentence_but_where_a_unit_of_the_file_stays_one(
    store, project, items, send, tmp_path, format, count
):
    send(items[2], ENTITIES | CUT)
    path = tmp_path / f"x{formats.FORMATS[format].suffix}"
    export = export_annotations(store, project, ["ner"], None, "annotated")
    formats.export(export.held_by(format), [tasks.get("ner")], format, path)
    again, bad = formats.check(path, format, "es", tasks.get("ner"))
    assert (len(again), list(bad)) == (count, [])
    assert [tag for one in again for tag in one.entities] == ENTITIES["entities"]


def test_all_that_came_has_the_other_sentences_as_they_were(store, project, items, send):
    send(items[1], TREE | CUT)
    export = export_annotations(store, project, ["dep"], None, "all")
    assert [one.id for one in export.held_by("conllu")] == ["s1A", "s1B", "s2"]


def test_what_was_exported_as_two_sentences_is_imported_as_one_that_ends_twice(store, project, items, send, tmp_path):
    send(items[1], TREE | CUT)
    out = export_annotations(store, project, ["dep"], None, "annotated").held_by("conllu")
    strangers = [Sentence(f"x{letter}", "hoy", ("hoy",), heads=(0,), deprels=("root",)) for letter in "AB"]
    conllu.write([*out, *strangers], tmp_path / "x.conllu")
    taken = import_annotations(store, project, "dep", tmp_path / "x.conllu", "ben")
    assert (taken.saved, taken.unknown, taken.wrong) == (1, 2, 0)
    assert store.latest(items[3].id).annotation == TREE | CUT


def test_a_neighbour_that_is_called_as_the_next_part_would_be_is_none(store, tmp_path):
    neighbour = Sentence("s1C", "el mar", ("el", "mar"))
    project = made_project(store, pool.both([SENTENCE, neighbour], []), tasks=("dep",), labels=LABELS, hides_gold=False)
    items = made_items(store, project, [(row.id, "dep", "ana") for row in store.examples(project.id)])
    trees = [TREE | CUT, {"heads": [2, 0], "deprels": ["det", "root"]}]
    for number, (item, tree) in enumerate(zip(items, trees, strict=True), start=1):
        store.save(item.id, "ana", "page", number, tree, done=True, seconds=1.0, edits=1)
    out = export_annotations(store, project, ["dep"], None, "annotated").held_by("conllu")
    assert [one.id for one in out] == ["s1A", "s1B", "s1C"]
    conllu.write(out, tmp_path / "x.conllu")
    taken = import_annotations(store, project, "dep", tmp_path / "x.conllu", "ben")
    assert (taken.saved, taken.unknown, taken.wrong) == (2, 0, 0)
    made = store.items(project.id, annotator="ben")
    assert [store.latest(one.id).annotation for one in made] == trees


def test_a_pattern_is_found_within_one_sentence(store, project, items, send):
    send(items[1], TREE | CUT)
    find = lambda query: queries.find(store, project, queries.PATTERN, query, Wanted("dep")).hits  # noqa: E731
    mine = lambda query: [one.words for one in find(query) if one.version.annotator == "ana"]  # noqa: E731
    assert mine('A [form="canta"]; B [form="mar"]; A < B') == [{"A": 3, "B": 4}]
    assert mine('A [form="."]; B [form="canta"]; A < B') == []
    assert mine("R -[root]-> A") == [{"R": 0, "A": 1}, {"R": 0, "A": 3}]


def test_each_sentence_is_a_shot(store, project, items, send):
    send(items[1], TREE | CUT)
    send(items[4], {"heads": [2, 0], "deprels": ["det", "root"]})
    data = training_data(store, project, "dep")
    assert [(shot.id, shot.heads) for shot in data.shots] == [("s1A", (0, 1)), ("s1B", (0, 1)), ("s2", (2, 0))]
    assert (data.ks, list(data.ids)) == ([3], [items[1].example_id] * 2 + [items[4].example_id])
    assert all(tasks.get("dep").check(shot) is None for shot in data.shots)
    assert (data.folds(3), data.fold_of(3), data.trainable) == (2, [0, 0, 1], [3])  # parts of one are in one fold


def test_a_part_that_is_in_the_test_set_is_no_shot(store):
    labelled = Sentence("t1", "canta mar", ("canta", "mar"), heads=(0, 1), deprels=("root", "nsubj"))
    rows = pool.both([SENTENCE, OTHER], [labelled])
    project = made_project(store, rows, tasks=("dep",), labels=LABELS, hides_gold=False)
    (row, *_), *_ = store.lengths(project.id, "pool")
    (item,) = made_items(store, project, [(row, "dep", "ana")])
    event = {"item": item.id, "seq": 1, "annotation": TREE | CUT, "done": True, "client": "page"}
    session.receive(store, project, "ana", event | {"seen": 0, "seconds": 1.0, "edits": 1, "at": 0})
    data = training_data(store, project, "dep")
    assert [shot.words for shot in data.shots] == [("voy", ".")]
    assert (data.ks, list(data.ids), len(data.test)) == ([1], [row], 1)


def test_who_sees_one_sentence_and_who_sees_two_are_compared_word_by_word(store, project, items, send):
    send(items[1], TREE | CUT)
    send(items[3], WHOLE)
    one, two = (export_annotations(store, project, ["dep"], who, "annotated").examples[0] for who in ("ana", "ben"))
    found = agreement.agreement(tasks.get("dep"), [(one, two)])
    assert found.other_words == 0
    assert next(one.value for one in found.measures if one.key == "uas") == 75.0
    (case,) = adjudication.cases(store, project, "dep")
    assert case.differ
    versions = {one.item.annotator: one.revision.annotation for one in case.versions}
    named = {"words": list(WORDS), "ranges": []}
    assert adjudication.merged(versions["ana"], versions["ben"], named) == CUT | {
        "heads": [0, 1, -1, 3], "deprels": ["root", "punct", "_", "nsubj"],
    }  # fmt: skip
    rows = [row for row in adjudication.beside(versions, WORDS) if row["ana"] != row["ben"]]
    assert [(row["where"], row["what"]) for row in rows] == [
        ("2 .", "sentence end"), ("3 canta", "heads"), ("3 canta", "deprels"),
    ]  # fmt: skip


def test_a_change_of_many_places_keeps_the_ends(store, project, items, send):
    send(items[1], TREE | CUT)
    find = lambda query: queries.find(store, project, queries.PATTERN, query, Wanted("dep")).hits  # noqa: E731
    hits = find('X [form="mar"]')
    mine = [
        one for one in changes.propose(project, hits, Setting("X", "deprels", "obj"), "ana", False) if not one.refused
    ]
    changes.carry_out(store, project, mine, Setting("X", "deprels", "obj"), "ana", False)
    assert store.latest(items[1].id).annotation == TREE | CUT | {"deprels": ["root", "punct", "root", "obj"]}
