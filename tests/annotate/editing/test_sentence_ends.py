"""An annotation in which a sentence is several: what else of the app goes by it."""

import pytest
from desk import new_project

from annotate.exchange.exporting import export_annotations
from annotate.quality import adjudication, agreement
from annotate.rounds.training_data import training_data
from annotate.search.settings import Setting
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.types import Sentence

WORDS = ("voy", ".", "canta", "mar")
SENTENCE = Sentence("s1", "voy. canta mar", WORDS)
OTHER = Sentence("s2", "el mar", ("el", "mar"))
OWN = {"words": list(WORDS), "ranges": []}
CUT = OWN | {"ends": [2]}
TREE = {"heads": [0, 1, 0, 3], "deprels": ["root", "punct", "root", "nsubj"]}
WHOLE = {"heads": [0, 1, 1, 3], "deprels": ["root", "punct", "parataxis", "nsubj"]}
TAGS = {"upos": ["VERB", "PUNCT", "VERB", "NOUN"]}
OTHER_TREE = {"heads": [2, 0], "deprels": ["det", "root"]}
ENTITIES = {"entities": ["O", "B-LOC", "B-LOC", "I-LOC"]}


@pytest.fixture
def project(store):
    return new_project(store, [SENTENCE, OTHER], "pos", "dep", "ner")


@pytest.fixture
def items(desk):
    """Ana's first sentence by task, ben's tree of it, and ana's second tree."""
    drawn = desk.draw(*((0, task, "ana") for task in ("pos", "dep", "ner")), (0, "dep", "ben"), (1, "dep", "ana"))
    return dict(zip(("pos", "dep", "ner", "ben", "second"), drawn, strict=True))


def test_a_sentence_that_ends_twice_needs_two_roots_and_no_arc_across(desk, items):
    assert desk.save(items["dep"], TREE | CUT) == TREE | CUT
    for wrong, reason in ((TREE, "all have head 0"), (WHOLE | CUT, "a sentence ends between 'voy'")):
        assert reason in desk.send(items["dep"], wrong).reason
    assert desk.save(items["dep"], WHOLE | OWN) == WHOLE
    assert desk.open(items["pos"]).example.ends == ()
    assert "begins a sentence" in desk.send(items["ner"], {"entities": ["O", "B-LOC", "I-LOC", "O"]} | CUT).reason


def test_another_task_has_the_same_sentences_and_is_opened_again_where_a_word_lacks_a_head(desk, items):
    desk.send(items["dep"], {"heads": [3, 1, 0, 3], "deprels": ["nsubj", "punct", "root", "nsubj"]})
    desk.send(items["pos"], TAGS | CUT)
    assert desk.status(items["dep"]) == "done"  # its only head across was that of a word that is the root now
    opened = desk.open(items["dep"])
    assert (opened.example.ends, opened.annotation) == ((2,), TREE)
    desk.send(items["pos"], TAGS | CUT | {"ends": [1]})
    assert desk.status(items["dep"]) == "open"


def test_trees_are_exported_as_sentences_of_their_own(desk, items):
    desk.send(items["dep"], TREE | CUT)
    for format in ("conllu", "jsonl"):
        again, _ = formats.check(desk.export("dep", format=format), None, "es", tasks.get("dep"))
        assert [(one.id, one.text, one.words, one.heads, one.deprels) for one in again] == [
            ("s1A", "voy.", WORDS[:2], (0, 1), ("root", "punct")),
            ("s1B", "canta mar", WORDS[2:], (0, 1), ("root", "nsubj")),
        ]
        everything = export_annotations(desk.store, desk.project, ["dep"], None, "all").held_by(format)
        assert [one.id for one in everything] == ["s1A", "s1B", "s2"]


@pytest.mark.parametrize("format", formats.list_export_formats([tasks.get("ner")]))
def test_entities_are_exported_by_sentence_unless_a_unit_of_the_file_stays_one(desk, items, format):
    desk.send(items["ner"], ENTITIES | CUT)
    path = desk.export("ner", format=format)
    again, bad = formats.check(path, format, "es", tasks.get("ner"))
    is_one = formats.FORMATS[format].units
    assert (len(again), list(bad)) == (1 if is_one else 2, [])
    assert [tag for one in again for tag in one.entities] == ENTITIES["entities"]
    taken = desk.take(path, "ner", "ben")
    assert (taken.saved, taken.unknown, taken.wrong) == (1, 0, 0)
    (item,) = (one for one in desk.store.items(desk.project.id, annotator="ben") if one.task == "ner")
    assert desk.latest(item) == ENTITIES | ({} if is_one else CUT)


def test_only_all_parts_of_a_sentence_in_their_order_are_one_again(desk, items):
    first, second = "voy\tO\n.\tB-LOC\n\n", "canta\tB-LOC\nmar\tI-LOC\n\n"
    other = "el\tO\nmar\tO\n\n"
    for text, counts in (
        (first, (0, 1, 0)), (second + first, (0, 2, 0)), (first + other + second, (1, 2, 0)),
        (other + first + second, (2, 0, 0)), (first + second + first + second, (1, 0, 1)),
    ):  # fmt: skip
        taken = desk.take(text, "ner", "ben", "in.bio")
        assert (taken.saved, taken.unknown, taken.wrong) == counts


def test_a_neighbour_whose_id_is_that_of_a_next_part_stays_a_sentence(store, new_desk):
    neighbour = Sentence("s1C", "el mar", ("el", "mar"))
    desk = new_desk([SENTENCE, neighbour], "dep")
    trees = [TREE | CUT, OTHER_TREE]
    for item, tree in zip(desk.draw((0, "dep", "ana"), (1, "dep", "ana")), trees, strict=True):
        desk.send(item, tree)
    taken = desk.take(desk.export(), who="ben")
    assert (taken.saved, taken.unknown, taken.wrong) == (2, 0, 0)
    assert [desk.latest(one) for one in store.items(desk.project.id, annotator="ben")] == trees


def test_a_pattern_is_found_within_one_sentence_and_a_change_keeps_the_ends(desk, items):
    desk.send(items["dep"], TREE | CUT)
    for query, words in (
        ('A [form="canta"]; B [form="mar"]; A < B', [{"A": 3, "B": 4}]),
        ('A [form="."]; B [form="canta"]; A < B', []),
        ("R -[root]-> A", [{"R": 0, "A": 1}, {"R": 0, "A": 3}]),
    ):
        assert [one.words for one in desk.find(query, "dep", who="ana")] == words
    desk.change(desk.find('X [form="mar"]', "dep"), Setting("X", "deprels", "obj"))
    assert desk.latest(items["dep"]) == TREE | CUT | {"deprels": ["root", "punct", "root", "obj"]}


def test_each_sentence_is_a_shot(store, project, desk, items):
    desk.send(items["dep"], TREE | CUT)
    desk.send(items["second"], OTHER_TREE)
    data = training_data(store, project, "dep")
    assert [(shot.id, shot.heads) for shot in data.shots] == [("s1A", (0, 1)), ("s1B", (0, 1)), ("s2", (2, 0))]
    assert (data.ks, list(data.ids)) == ([3], [desk.ids[0]] * 2 + [desk.ids[1]])
    assert all(tasks.get("dep").check(shot) is None for shot in data.shots)
    assert (data.folds(3), data.fold_of(3), data.trainable) == (2, [0, 0, 1], [3])  # parts of one are in one fold


def test_a_part_that_is_in_the_test_set_is_no_shot(store, new_desk):
    labelled = Sentence("t1", "canta mar", ("canta", "mar"), heads=(0, 1), deprels=("root", "nsubj"))
    desk = new_desk([SENTENCE, OTHER], "dep", test=[labelled])
    desk.send(*desk.draw((0, "dep", "ana")), TREE | CUT)
    data = training_data(store, desk.project, "dep")
    assert [shot.words for shot in data.shots] == [("voy", ".")]
    assert (data.ks, list(data.ids), len(data.test)) == ([1], [desk.ids[0]], 1)


def test_people_who_see_one_sentence_or_two_are_compared_word_by_word(store, project, desk, items):
    desk.send(items["dep"], TREE | CUT)
    desk.send(items["ben"], WHOLE)
    one, two = (export_annotations(store, project, ["dep"], who, "annotated").examples[0] for who in ("ana", "ben"))
    found = agreement.agreement(tasks.get("dep"), [(one, two)])
    assert found.other_words == 0
    assert next(one.value for one in found.measures if one.key == "uas") == 75.0
    (case,) = adjudication.cases(store, project, "dep")
    assert case.differ
    versions = {one.item.annotator: one.revision.annotation for one in case.versions}
    merged = CUT | {"heads": [0, 1, -1, 3], "deprels": ["root", "punct", "_", "nsubj"]}
    assert adjudication.merged(versions["ana"], OWN | versions["ben"]) == merged
    differ = [(row["where"], row["what"]) for row in adjudication.compare(versions, WORDS) if row["ana"] != row["ben"]]
    assert differ == [("2 .", "sentence end"), ("3 canta", "heads"), ("3 canta", "deprels")]
