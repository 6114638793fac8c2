"""Changes in many places: what they do, what they leave, and that they can be taken back."""

import pytest
from storing import made_items, made_project

from annotate.editing import session
from annotate.exchange import pool
from annotate.search import changes, queries
from annotate.search.changes import Setting
from annotate.store import NewItem, Wanted
from fewshot.corpora.patterns import Deadline
from fewshot.corpora.types import Document, Record, Sentence
from fewshot.errors import FewshotError
from fewshot.tasks.pos import UPOS

MAR = 'X [form="mar"]'


def proposed(store, project, query, setting, author="ana", curates=False, task="pos"):
    hits = queries.find(store, project, queries.PATTERN, query, Wanted(task)).hits
    return list(changes.propose(project, hits, setting, author, curates))


def do(store, project, query, setting, author="ana", curates=False, task="pos"):
    found = proposed(store, project, query, setting, author, curates, task)
    return changes.carry_out(store, project, found, setting, author, curates)


def test_each_place_is_proposed_with_what_stands_there_and_what_would(store, project, annotated):
    found = proposed(store, project, MAR, Setting("X", "upos", "PROPN"))
    assert [(one.hit.version.annotator, one.span[0], one.before, one.after, one.refused) for one in found] == [
        ("ana", 3, "NOUN", "PROPN", ""),
        ("ben", 3, "NOUN", "PROPN", "annotated by ben"),
        ("ana", 2, "NOUN", "PROPN", ""),
    ]


def test_what_is_so_already_and_a_word_that_is_found_twice_are_proposed_once_at_most(store, project, annotated):
    assert proposed(store, project, MAR, Setting("X", "upos", "NOUN")) == []
    found = proposed(store, project, "pattern { X [form=mar]; Y [] }", Setting("X", "upos", "PROPN"))
    assert [(one.hit.version.annotator, one.hit.version.row.key) for one in found] == [
        ("ana", "s1"), ("ben", "s1"), ("ana", "s2"),
    ]  # fmt: skip


def test_a_change_is_a_revision_of_what_one_has_annotated(store, project, annotated):
    outcome = do(store, project, MAR, Setting("X", "upos", "PROPN"))
    assert (outcome.changed, outcome.left, outcome.refused) == (2, 0, 0)
    assert store.latest(annotated[0].id).annotation == {"upos": ["VERB", "ADP", "PROPN"]}
    assert store.latest(annotated[2].id).annotation == {"upos": ["DET", "PROPN", "VERB"]}
    assert store.latest(annotated[3].id).annotation == {"upos": ["VERB", "X", "NOUN"]}
    assert store.item(annotated[0].id).status == "done"
    assert [one.annotation["upos"][2] for one in store.history(annotated[0].id)] == ["NOUN", "PROPN"]
    (change,) = store.changes(project.id)
    assert (change.author, change.items, changes.title(change)) == ("ana", 2, "UPOS PROPN")


def test_a_curator_changes_what_others_have_annotated_and_it_stays_theirs(store, project, annotated):
    assert do(store, project, MAR, Setting("X", "upos", "PROPN"), "eva", curates=True).changed == 3
    newest = store.latest(annotated[3].id)
    assert (newest.annotation["upos"], newest.annotator) == (["VERB", "X", "PROPN"], "eva")
    assert store.item(annotated[3].id).annotator == "ben"


def test_nobody_changes_others_by_handing_in_proposals_of_a_curator(store, project, annotated):
    setting = Setting("X", "upos", "PROPN")
    found = proposed(store, project, MAR, setting, "eva", curates=True)
    assert changes.carry_out(store, project, found, setting, "ana", curates=False).changed == 2


def test_the_test_set_and_what_a_curator_has_decided_stay(store, project, ids, annotated, keep):
    (review,) = made_items(store, project, [(ids[0], "pos", "eva")], purpose="review")
    keep(review, {"upos": ["VERB", "ADP", "NOUN"]})
    (tested,) = made_items(store, project, [(ids[2], "pos", "eva")], purpose="test")
    keep(tested, {"upos": ["VERB", "ADV", "ADV"]})
    setting = Setting("X", "upos", "X")
    for query, reasons in ((MAR, ["decided on the page Review"] * 2 + [""]), ("X [upos=ADV]", ["of the test set"] * 2)):
        found = proposed(store, project, query, setting, "eva", curates=True)
        assert [one.refused for one in found] == reasons
    assert do(store, project, "X [upos=ADV]", setting, "eva", curates=True).changed == 0


def test_what_is_open_stays_open(store, project, items, keep):
    store.add_suggestions(
        [(items[0].example_id, "pos", "m", {"annotation": {"upos": ["X"] * 3}, "confidence": [1] * 3})]
    )
    keep(items[0], {"upos": ["VERB", "_", "_"]}, done=False)
    found = proposed(store, project, "X []", Setting("X", "upos", "NOUN"))
    mine = [one.refused for one in found if one.hit.version.row.key == "s1" and one.hit.version.annotator == "ana"]
    assert mine == ["", "not annotated yet", "not annotated yet"]
    assert do(store, project, "X []", Setting("X", "upos", "NOUN")).changed == 1
    assert store.latest(items[0].id).annotation == {"upos": ["NOUN", "_", "_"]}
    assert store.latest(items[4].id) is None


def test_a_relation_is_set_and_what_would_make_a_tree_wrong_is_refused(store, project, annotated):
    query = "Y -[case]-> X"
    (found,) = proposed(store, project, query, Setting("X", "deprels", "mark"))
    assert (found.before, found.after, found.refused) == ("case", "mark", "")
    (found,) = proposed(store, project, query, Setting("X", "deprels", "root"))
    assert "head 0 and relation 'root' go together" in found.refused
    assert do(store, project, query, Setting("X", "deprels", "mark")).changed == 1
    assert store.latest(annotated[1].id).annotation == {"heads": [0, 3, 1], "deprels": ["root", "mark", "obl"]}


def test_a_word_is_attached_to_that_of_another_node_unless_it_closes_a_cycle(store, project, annotated):
    query = "pattern { Y -[case]-> X; V -[root]-> R }"
    (found,) = proposed(store, project, query, Setting("X", "heads", "R"))
    assert (found.before, found.after, found.refused) == ("3 mar", "1 voy", "")
    assert do(store, project, query, Setting("X", "heads", "R")).changed == 1
    assert store.latest(annotated[1].id).annotation["heads"] == [0, 1, 1]
    (found,) = proposed(store, project, "pattern { H -[root]-> R; R -[obl]-> O }", Setting("O", "heads", "H"))
    assert "head 0" in found.refused or "root" in found.refused


def test_changes_of_one_sentence_that_are_wrong_only_together_are_not_made(store, project, ids, keep):
    (item,) = made_items(store, project, [(ids[0], "dep", "ana")])
    keep(item, {"heads": [0, 1, 1], "deprels": ["root", "obj", "obl"]})
    query = "pattern { R -> X; R -> Y; R [form=voy] }"  # X below Y, and Y below X
    outcome = do(store, project, query, Setting("X", "heads", "Y"), task="dep")
    assert (outcome.changed, outcome.refused) == (0, 1)
    assert len(store.history(item.id)) == 1


def test_repaired_words_are_named_again(store, project, annotated, keep):
    words = {"words": ["voy", "a", "el", "mar"], "ranges": [[2, 3, "al"]]}
    keep(annotated[0], {"upos": ["VERB", "ADP", "DET", "NOUN"], **words})
    assert do(store, project, MAR, Setting("X", "upos", "PROPN")).changed == 2
    newest = store.latest(annotated[0].id)
    assert newest.annotation == {"upos": ["VERB", "ADP", "DET", "PROPN"], **words}
    opened = session.open_item(store, project, store.item(annotated[0].id))
    assert opened.annotation["upos"] == ["VERB", "ADP", "DET", "PROPN"]


def test_what_was_saved_since_it_was_found_stays(store, project, annotated, keep):
    setting = Setting("X", "upos", "PROPN")
    found = proposed(store, project, MAR, setting)
    keep(annotated[0], {"upos": ["X", "X", "X"]})
    outcome = changes.carry_out(store, project, found, setting, "ana", False)
    assert (outcome.changed, outcome.left) == (1, 1)
    assert store.latest(annotated[0].id).annotation == {"upos": ["X", "X", "X"]}


def test_a_change_is_taken_back_in_one_step_but_for_what_was_saved_since(store, project, annotated, keep):
    do(store, project, MAR, Setting("X", "upos", "PROPN"))
    keep(annotated[0], {"upos": ["VERB", "ADP", "X"]})
    (change,) = store.changes(project.id)
    outcome = changes.undo(store, project, change, "ana", False)
    assert (outcome.changed, outcome.left) == (1, 1)
    assert store.latest(annotated[0].id).annotation == {"upos": ["VERB", "ADP", "X"]}
    assert store.latest(annotated[2].id).annotation == {"upos": ["DET", "NOUN", "VERB"]}
    assert len(store.history(annotated[2].id)) == 3
    (change,) = store.changes(project.id)
    with pytest.raises(FewshotError, match="taken back already"):
        changes.undo(store, project, change, "ana", False)


def test_only_its_author_or_a_curator_takes_a_change_back(store, project, annotated):
    do(store, project, MAR, Setting("X", "upos", "PROPN"), "eva", curates=True)
    (change,) = store.changes(project.id)
    with pytest.raises(FewshotError, match="eva made this change"):
        changes.undo(store, project, change, "ana", False)
    assert changes.undo(store, project, change, "kim", True).changed == 3


def test_what_the_file_had_annotated_is_changed_and_comes_back(store):
    sentence = Sentence("s", "voy al mar", ("voy", "al", "mar"), upos=("VERB", "ADP", "NOUN"))
    made = made_project(store, pool.both([sentence], []), labels={"pos": list(UPOS)}, tasks=("pos",), hides_gold=False)
    (example,) = [id for id, _ in store.lengths(made.id, "pool")]
    (found,) = proposed(store, made, MAR, Setting("X", "upos", "PROPN"))
    assert found.refused == "not drawn yet"
    (item,) = made_items(store, made, [(example, "pos", "ana")])
    assert do(store, made, MAR, Setting("X", "upos", "PROPN")).changed == 1
    assert store.latest(item.id).annotation == {"upos": ["VERB", "ADP", "PROPN"]}
    changes.undo(store, made, *store.changes(made.id), "ana", False)
    assert store.latest(item.id).annotation == {"upos": ["VERB", "ADP", "NOUN"]}


def test_labels_are_those_of_the_project(store, project, annotated):
    assert changes.columns(project) == {"upos": "pos", "deprels": "dep", "heads": "dep"}
    assert "NOUN" in changes.choices(project, "upos") and "case" in changes.choices(project, "deprels")
    assert all(
        "is none of" in one.refused
        for one in proposed(store, project, MAR, Setting("X", "upos", "FOO"))
        if not one.refused.startswith("annotated")
    )
    with pytest.raises(FewshotError, match="no task"):
        proposed(store, project, MAR, Setting("X", "entities", "B-PER"))


def decide(store, project, item, keep):
    """Let eva decide what counts of an item's example."""
    (review,) = made_items(store, project, [(item.example_id, item.task, "eva")], purpose="review")
    keep(review, {"upos": ["VERB", "ADP", "NOUN"]})


def test_what_was_decided_since_it_was_found_stays(store, project, annotated, keep):
    setting = Setting("X", "upos", "PROPN")
    found = proposed(store, project, MAR, setting)
    decide(store, project, annotated[0], keep)
    outcome = changes.carry_out(store, project, found, setting, "ana", False)
    assert (outcome.changed, outcome.left) == (1, 1)
    assert len(store.history(annotated[0].id)) == 1


def test_what_is_somebody_elses_since_it_was_found_stays(store, project, ids):
    setting = Setting("X", "upos", "PROPN")
    (item,) = made_items(store, project, [NewItem(ids[0], "pos", "ana")])
    store.save(item.id, "ana", "page", 1, {"upos": ["VERB", "ADP", "NOUN"]}, True, 1.0, 1)
    found = proposed(store, project, MAR, setting)
    with store.writing() as db:
        db.exec_driver_sql("UPDATE items SET annotator = 'ben'")
    outcome = changes.carry_out(store, project, found, setting, "ana", False)
    assert (outcome.changed, outcome.left) == (0, 1)


def test_what_was_decided_since_a_change_is_not_taken_back(store, project, annotated, keep):
    do(store, project, MAR, Setting("X", "upos", "PROPN"))
    decide(store, project, annotated[0], keep)
    outcome = changes.undo(store, project, *store.changes(project.id), "ana", False)
    assert (outcome.changed, outcome.left) == (1, 1)
    assert store.latest(annotated[0].id).annotation == {"upos": ["VERB", "ADP", "PROPN"]}


def test_what_is_over_a_number_of_places_comes_next_once_the_first_are_changed(store, project, annotated, monkeypatch):
    monkeypatch.setattr(changes, "MOST", 1)
    setting = Setting("X", "upos", "PROPN")
    seen = []
    for more in (True, True, False):
        hits = queries.hits(store, project, queries.PATTERN, MAR, Wanted("pos"), Deadline())
        found = changes.preview(project, hits, setting, "eva", True)
        assert (len(found.proposals), found.more) == (1, more)
        seen += [(one.hit.version.annotator, one.hit.version.row.key) for one in found.proposals]
        assert changes.carry_out(store, project, found.proposals, setting, "eva", True).changed == 1
    assert seen == [("ana", "s1"), ("ben", "s1"), ("ana", "s2")]
    hits = queries.hits(store, project, queries.PATTERN, MAR, Wanted("pos"), Deadline())
    assert changes.preview(project, hits, setting, "eva", True) == changes.Preview([], {}, more=False)


def test_what_stays_as_it_is_does_not_stand_in_the_way_of_what_can_be_changed(store, project, annotated, monkeypatch):
    monkeypatch.setattr(changes, "MOST", 1)
    hits = queries.hits(store, project, queries.PATTERN, MAR, Wanted("pos"), Deadline())
    found = changes.preview(project, hits, Setting("X", "upos", "PROPN"), "ben", False)
    assert [one.hit.version.annotator for one in found.proposals] == ["ben"]
    assert (found.refused, found.more) == ({"annotated by ana": 2}, False)


def test_no_more_hits_are_looked_for_than_can_be_changed_at_once(store, project, annotated, monkeypatch):
    monkeypatch.setattr(changes, "MOST", 1)
    hits = queries.hits(store, project, queries.PATTERN, MAR, Wanted("pos"), Deadline())
    changes.preview(project, hits, Setting("X", "upos", "PROPN"), "eva", True)
    assert [hit.version.row.key for hit in hits] == ["s2"]


@pytest.fixture
def names(store):
    """Ana's three sentences with entities, of which the last has nothing saved, and where *Nueva York* stands."""
    texts = ("Nueva York canta", "en Nueva York Times hoy", "Nueva York", "canta Nueva York")
    sentences = [Sentence(f"s{number}", text, tuple(text.split())) for number, text in enumerate(texts, start=1)]
    project = made_project(
        store, pool.both(sentences, ()), tasks=("ner",), labels={"ner": ["LOC", "ORG"]}, hides_gold=False
    )
    rows = [row[0] for row in store.lengths(project.id, "pool")]
    items = made_items(store, project, [(row, "ner", "ana") for row in rows])
    marked = (["B-LOC", "I-LOC", "O"], ["O", "B-ORG", "I-ORG", "I-ORG", "O"], None, ["O", "O", "O"])
    for item, entities in zip(items, marked, strict=True):
        if entities:
            store.save(item.id, "ana", "page", 1, {"entities": entities}, True, 1.0, 1)
    return project, items


def everywhere(store, project, text, value, kind=queries.TEXT, column="entities"):
    hits = queries.hits(store, project, kind, text, Wanted(project.tasks[0]), Deadline())
    return list(changes.propose(project, hits, Setting("", column, value), "ana", False))


def test_a_name_is_marked_everywhere_but_inside_of_longer_ones(store, names):
    project, items = names
    found = everywhere(store, project, "nueva york", "LOC")
    assert [(one.hit.version.row.key, one.span, one.before, one.after, one.refused) for one in found] == [
        ("s2", (2, 3), "B-ORG I-ORG", "LOC", "part of a longer entity"),
        ("s3", (1, 2), "_ _", "B-LOC I-LOC", "not annotated yet"),
        ("s4", (2, 3), "O O", "B-LOC I-LOC", ""),
    ]
    outcome = changes.carry_out(store, project, found, Setting("", "entities", "LOC"), "ana", False)
    assert (outcome.changed, outcome.refused) == (1, 0)
    assert store.latest(items[3].id).annotation == {"entities": ["O", "B-LOC", "I-LOC"]}
    (change,) = store.changes(project.id)
    assert changes.title(change) == "entity LOC"


def test_an_entity_becomes_none_and_neighbours_of_a_pattern_are_one_name(store, names):
    project, items = names
    query = 'A [form=Nueva]; B [form=York]; A < B; B [NER=re"I-LOC"]'
    found = everywhere(store, project, query, changes.NO_ENTITY, queries.PATTERN)
    assert [(one.before, one.after) for one in found] == [("B-LOC I-LOC", "O O")]
    changes.carry_out(store, project, found, Setting("", "entities", changes.NO_ENTITY), "ana", False)
    assert store.latest(items[0].id).annotation == {"entities": ["O", "O", "O"]}


def test_what_is_found_within_a_word_marks_no_entity(store, names):
    project, _ = names
    assert everywhere(store, project, "uev", "LOC") == []
    assert everywhere(store, project, r"\bN\w+ Yo", "LOC", queries.EXPRESSION) == []


def test_a_name_is_marked_beside_multiword_tokens_and_of_them(store):
    lines = ("# text = voy al mar\n", *(f"{row}\n" for row in (
        "1\tvoy\t_\t_\t_\t_\t_\t_\t_\t_", "2-3\tal\t_\t_\t_\t_\t_\t_\t_\t_",
        "2\ta\t_\t_\t_\t_\t_\t_\t_\t_", "3\tel\t_\t_\t_\t_\t_\t_\t_\t_",
        "4\tmar\t_\t_\t_\t_\t_\t_\t_\t_",
    )), "\n")  # fmt: skip
    record = Record("conllu", lines)
    sentence = Sentence("s1", "voy al mar", ("voy", "a", "el", "mar"), record=record)
    project = made_project(
        store, pool.both([sentence], ()), tasks=("ner",), labels={"ner": ["LOC", "ORG"]}, hides_gold=False
    )
    (row,) = (row[0] for row in store.lengths(project.id, "pool"))
    (item,) = made_items(store, project, [(row, "ner", "ana")])
    store.save(item.id, "ana", "page", 1, {"entities": ["O"] * 4}, True, 1.0, 1)
    spans = {text: [one.span for one in everywhere(store, project, text, "LOC")] for text in ("mar", "al", "al mar")}
    assert spans == {"mar": [(4, 4)], "al": [(2, 3)], "al mar": [(2, 4)]}


def test_lemmas_are_changed_everywhere_but_never_emptied(store):
    sentence = Sentence("s1", "el mar", ("el", "mar"))
    labels = {"pos+lemma": list(UPOS)}
    project = made_project(store, pool.both([sentence], ()), tasks=("pos+lemma",), labels=labels, hides_gold=False)
    (row,) = (row[0] for row in store.lengths(project.id, "pool"))
    (item,) = made_items(store, project, [(row, "pos+lemma", "ana")])
    store.save(item.id, "ana", "page", 1, {"upos": ["DET", "NOUN"], "lemmas": ["el", "mares"]}, True, 1.0, 1)
    setting = Setting("X", "lemmas", "mar")
    do(store, project, MAR, setting, task="pos+lemma")
    assert store.latest(item.id).annotation == {"upos": ["DET", "NOUN"], "lemmas": ["el", "mar"]}
    with pytest.raises(FewshotError, match="_ is no lemma"):
        do(store, project, MAR, Setting("X", "lemmas", "_"), task="pos+lemma")


def test_xpos_is_found_and_changed_everywhere(store):
    sentence, task = Sentence("s1", "el mar", ("el", "mar")), "pos+xpos"
    project = made_project(store, pool.both([sentence], ()), tasks=(task,), labels={task: list(UPOS)}, hides_gold=True)
    (row,) = (row[0] for row in store.lengths(project.id, "pool"))
    (item,) = made_items(store, project, [(row, task, "ana")])
    store.save(item.id, "ana", "page", 1, {"upos": ["DET", "NOUN"], "xpos": ["DT", "NNS"]}, True, 1.0, 1)
    do(store, project, 'X [xpos="NNS"]', Setting("X", "xpos", "NN"), task=task)
    assert store.latest(item.id).annotation == {"upos": ["DET", "NOUN"], "xpos": ["DT", "NN"]}
    (found,) = proposed(store, project, 'X [xpos="NN"]', Setting("X", "xpos", "N N"), task=task)
    assert found.refused == "XPOS 'N N' of 'mar' is empty or has a space in it"


def test_a_word_that_a_text_finds_is_tagged(store, project, annotated):
    hits = queries.find(store, project, queries.TEXT, "MAR", Wanted("pos", "ana")).hits
    found = list(changes.propose(project, hits, Setting(queries.FOUND, "upos", "PROPN"), "ana", False))
    assert [(one.hit.version.row.key, one.span, one.after) for one in found] == [
        ("s1", (3, 3), "PROPN"),
        ("s2", (2, 2), "PROPN"),
    ]


def test_documents_in_which_a_text_is_found_get_a_topic(store):
    documents = [Document("d1", "goal after goal"), Document("d2", "a vote"), Document("d3", "an own goal")]
    project = made_project(
        store, pool.both(documents, ()), tasks=("topic",), kind="documents", labels={"topic": ["sports", "politics"]}
    )
    rows = [row[0] for row in store.lengths(project.id, "pool")]
    items = made_items(store, project, [(row, "topic", "ana") for row in rows])
    for item in items[:2]:
        store.save(item.id, "ana", "page", 1, {"label": "politics"}, True, 1.0, 1)
    found = everywhere(store, project, "goal", "sports", column="label")
    assert [(one.hit.version.row.key, one.before, one.after, one.refused) for one in found] == [
        ("d1", "politics", "sports", ""), ("d3", "_", "sports", "not annotated yet"),
    ]  # fmt: skip
    assert changes.carry_out(store, project, found, Setting("", "label", "sports"), "ana", False).changed == 1
    assert store.latest(items[0].id).annotation == {"label": "sports"}


def test_features_are_set_and_taken_away_and_others_stay(store):
    sentence, task = Sentence("s1", "el mar", ("el", "mar")), "pos+feats"
    project = made_project(store, pool.both([sentence], ()), tasks=(task,), labels={task: list(UPOS)}, hides_gold=True)
    (row,) = (row[0] for row in store.lengths(project.id, "pool"))
    (item,) = made_items(store, project, [(row, task, "ana")])
    store.save(item.id, "ana", "page", 1, {"upos": ["DET", "NOUN"], "feats": ["", "Number=Plur"]}, True, 1.0, 1)
    do(store, project, 'X [form="mar"]', Setting("X", "feats", "Number=Sing|Gender=Masc"), task=task)
    assert store.latest(item.id).annotation["feats"] == ["", "Gender=Masc|Number=Sing"]
    do(store, project, 'X [form="mar"]', Setting("X", "feats", "Number="), task=task)
    assert store.latest(item.id).annotation["feats"] == ["", "Gender=Masc"]
    with pytest.raises(FewshotError, match="are no features; write Case=Nom"):
        do(store, project, 'X [form="mar"]', Setting("X", "feats", "Masc"), task=task)


@pytest.mark.parametrize(("task", "column"), [("pos+lemma", "lemmas"), ("pos+xpos", "xpos"), ("pos+feats", "feats")])
def test_a_column_that_nobody_has_annotated_in_a_sentence_stays_open(store, task, column):
    sentence = Sentence("s1", "el mar", ("el", "mar"))
    project = made_project(store, pool.both([sentence], ()), tasks=(task,), labels={task: list(UPOS)})
    (found,) = proposed(store, project, MAR, Setting("X", column, "Number=Sing"), task=task)
    assert (found.before, found.after, found.refused) == ("_", "Number=Sing", "not annotated yet")
