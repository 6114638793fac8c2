from dataclasses import replace

import pytest
import storing

from annotate.search import changes, queries, settings
from annotate.search.settings import Setting
from annotate.store import ExampleFilter
from fewshot.corpora.patterns import Deadline, parse_rule
from fewshot.corpora.types import Document, Record, Sentence
from fewshot.errors import FewshotError

MAR = 'X [form="mar"]'
SEA = Sentence("s1", "el mar", ("el", "mar"))
PROPN, NOUN, X = (Setting("X", "upos", tag) for tag in ("PROPN", "NOUN", "X"))


def proposed(desk, query, setting, author="ana", curates=False, task=None):
    return list(changes.propose(desk.project, desk.find(query, task), setting, author, curates))


def carry_out(desk, found, setting, author="ana", curates=False):
    return changes.carry_out(desk.store, desk.project, found, setting, author, curates)


def do(desk, query, setting, author="ana", curates=False, task=None):
    return carry_out(desk, proposed(desk, query, setting, author, curates, task), setting, author, curates)


def undo(desk, author="ana", curates=False):
    return changes.undo(desk.store, desk.project, desk.store.changes(desk.project.id)[0], author, curates)


def counts(outcome):
    return outcome.changed, outcome.left


def decide(desk, item):
    """Let eva decide what counts of an item's example."""
    place = desk.ids.index(item.example_id)
    desk.keep(*desk.draw((place, item.task, "eva"), purpose="review"), {"upos": ["VERB", "ADP", "NOUN"]})


def test_each_place_is_proposed_once_with_its_label_and_the_new_one(desk, annotated):
    found = proposed(desk, MAR, PROPN)
    assert [(one.hit.version.annotator, one.words[0], one.before, one.after, one.refused) for one in found] == [
        ("ana", 3, "NOUN", "PROPN", ""),
        ("ben", 3, "NOUN", "PROPN", "annotated by ben"),
        ("ana", 2, "NOUN", "PROPN", ""),
    ]
    assert proposed(desk, MAR, NOUN) == []
    for name, query, kind in (("X", "pattern { X [form=mar]; Y [] }", queries.PATTERN), ("", "MAR", queries.TEXT)):
        hits = desk.find(query, kind=kind, who="ana")
        found = changes.propose(desk.project, hits, Setting(name or queries.MATCH_NODE, "upos", "PROPN"), "ana", False)
        places = [(one.hit.version.row.key, one.words[0], one.after) for one in found]
        assert places == [("s1", 3, "PROPN"), ("s2", 2, "PROPN")]


def test_a_change_is_a_revision_of_ones_own_annotations(store, desk, annotated):
    outcome = do(desk, MAR, PROPN)
    assert (outcome.changed, outcome.left, outcome.refused) == (2, 0, 0)
    upos = [desk.latest(annotated[place])["upos"] for place in (0, 2, 3)]
    assert upos == [["VERB", "ADP", "PROPN"], ["DET", "PROPN", "VERB"], ["VERB", "X", "NOUN"]]
    assert desk.status(annotated[0]) == "done"
    assert [one.annotation["upos"][2] for one in storing.history(store, annotated[0].id)] == ["NOUN", "PROPN"]
    (change,) = store.changes(desk.project.id)
    assert (change.author, change.items, changes.title(change)) == ("ana", 2, "UPOS PROPN")


def test_a_curator_changes_annotations_of_others_which_stay_theirs(store, desk, annotated):
    found = proposed(desk, MAR, PROPN, "eva", curates=True)
    assert carry_out(desk, found, PROPN).changed == 2, "nobody else does with a curator's proposals"
    undo(desk)
    assert do(desk, MAR, PROPN, "eva", curates=True).changed == 3
    newest = store.latest(annotated[3].id)
    assert (newest.annotation["upos"], newest.annotator) == (["VERB", "X", "PROPN"], "eva")
    assert store.item(annotated[3].id).annotator == "ben"
    with pytest.raises(FewshotError, match="eva made this change"):
        undo(desk)
    assert undo(desk, "kim", curates=True).changed == 3


def test_the_test_set_and_decided_sentences_stay(desk, annotated):
    decide(desk, annotated[0])
    desk.keep(*desk.draw((2, "pos", "eva"), purpose="test"), {"upos": ["VERB", "ADV", "ADV"]})
    for query, reasons in ((MAR, ["decided on the page Review"] * 2 + [""]), ("X [upos=ADV]", ["of the test set"] * 2)):
        assert [one.refused for one in proposed(desk, query, X, "eva", curates=True)] == reasons
    assert do(desk, "X [upos=ADV]", X, "eva", curates=True).changed == 0


def test_unannotated_words_stay_unannotated(store, desk, items):
    suggested = {"annotation": {"upos": ["X"] * 3}, "confidence": [1] * 3}
    store.add_suggestions([(items[0].example_id, "pos", "m", suggested)])
    desk.keep(items[0], {"upos": ["VERB", "_", "_"]}, done=False)
    found = proposed(desk, "X []", NOUN)
    mine = [one.refused for one in found if one.hit.version.row.key == "s1" and one.hit.version.annotator == "ana"]
    assert mine == ["", "not annotated yet", "not annotated yet"]
    assert do(desk, "X []", NOUN).changed == 1
    assert (desk.latest(items[0]), desk.latest(items[4])) == ({"upos": ["NOUN", "_", "_"]}, None)


@pytest.mark.parametrize(
    ("query", "setting", "before", "after", "refused", "tree"),
    [
        ("Y -[case]-> X", ("X", "deprels", "mark"), "case", "mark", "", {"deprels": ["root", "mark", "obl"]}),
        ("Y -[case]-> X", ("X", "deprels", "root"), "case", "root", "head 0 and relation 'root' go together", {}),
        ("{ Y -[case]-> X; V -[root]-> R }", ("X", "heads", "R"), "3 mar", "1 voy", "", {"heads": [0, 1, 1]}),
        ("{ H -[root]-> R; R -[obl]-> O }", ("O", "heads", "H"), "1 voy", "root", "head 0", {}),
    ],
)
def test_a_relation_or_head_is_set_unless_the_tree_would_be_wrong(
    desk, annotated, query, setting, before, after, refused, tree
):
    query, setting = f"pattern {query}" if query[0] == "{" else query, Setting(*setting)
    (found,) = proposed(desk, query, setting)
    assert (found.before, found.after) == (before, after)
    assert refused in found.refused and bool(refused) == bool(found.refused)
    assert do(desk, query, setting).changed == bool(tree)
    assert desk.latest(annotated[1]) == {"heads": [0, 3, 1], "deprels": ["root", "case", "obl"]} | tree


def test_a_change_that_the_one_before_makes_wrong_is_refused(store, desk):
    (item,) = desk.draw((0, "dep", "ana"))
    desk.keep(item, {"heads": [0, 1, 1], "deprels": ["root", "obj", "obl"]})
    query, setting = "pattern { R -> X; R -> Y; R [form=voy] }", Setting("X", "heads", "Y")  # X below Y, Y below X
    first, second = found = proposed(desk, query, setting, task="dep")
    assert not first.refused and "is a cycle of heads" in second.refused
    assert carry_out(desk, found, setting).changed == 1
    assert desk.latest(item) == {"heads": [0, 3, 1], "deprels": ["root", "obj", "obl"]}
    both = [replace(one, refused="") for one in found]
    undo(desk)
    outcome = carry_out(desk, both, setting)
    assert (outcome.changed, outcome.left, outcome.refused) == (0, 1, 1), "they were based on an older version"


def test_annotations_saved_or_decided_or_reassigned_since_the_search_stay(store, desk, annotated):
    found = proposed(desk, MAR, PROPN)
    desk.keep(annotated[0], {"upos": ["X", "X", "X"]})
    assert counts(carry_out(desk, found, PROPN)) == (1, 1)
    assert desk.latest(annotated[0]) == {"upos": ["X", "X", "X"]}
    undo(desk)
    found = proposed(desk, "X [upos=X]", PROPN)
    decide(desk, annotated[0])
    assert counts(carry_out(desk, found, PROPN)) == (0, 1)
    found = proposed(desk, MAR, PROPN)
    with store.writing() as db:
        db.exec_driver_sql("UPDATE items SET annotator = 'max' WHERE annotator = 'ana'")
    assert counts(carry_out(desk, [one for one in found if not one.refused], PROPN)) == (0, 1)


def test_a_change_is_taken_back_once_but_for_annotations_saved_or_decided_since(store, desk, annotated):
    words = {"words": ["voy", "a", "el", "mar"], "ranges": [[2, 3, "al"]]}
    desk.keep(annotated[0], {"upos": ["VERB", "ADP", "DET", "NOUN"], **words})
    do(desk, MAR, PROPN)
    assert desk.latest(annotated[0]) == {"upos": ["VERB", "ADP", "DET", "PROPN"], **words}
    assert desk.open(annotated[0]).annotation["upos"] == ["VERB", "ADP", "DET", "PROPN"]
    desk.keep(annotated[0], {"upos": ["VERB", "ADP", "X"]})
    assert counts(undo(desk)) == (1, 1)
    assert desk.latest(annotated[0]) == {"upos": ["VERB", "ADP", "X"]}
    assert desk.latest(annotated[2]) == {"upos": ["DET", "NOUN", "VERB"]}
    assert len(storing.history(store, annotated[2].id)) == 3
    with pytest.raises(FewshotError, match="undone already"):
        undo(desk)
    do(desk, "Y [upos=VERB]", Setting("Y", "upos", "PROPN"))
    decide(desk, annotated[0])
    assert counts(undo(desk)) == (1, 1)
    assert desk.latest(annotated[0]) == {"upos": ["PROPN", "ADP", "X"]}


def test_annotation_of_the_file_is_changed_and_comes_back(new_desk):
    sentence = Sentence("s", "voy al mar", ("voy", "al", "mar"), upos=("VERB", "ADP", "NOUN"))
    desk = new_desk([sentence], "pos")
    (found,) = proposed(desk, MAR, PROPN)
    assert found.refused == "not drawn yet"
    (item,) = desk.draw((0, "pos", "ana"))
    assert do(desk, MAR, PROPN).changed == 1
    assert desk.latest(item) == {"upos": ["VERB", "ADP", "PROPN"]}
    undo(desk)
    assert desk.latest(item) == {"upos": ["VERB", "ADP", "NOUN"]}


def test_labels_are_those_of_the_project(project, desk, annotated):
    assert changes.columns(project) == {"upos": "pos", "deprels": "dep", "heads": "dep"}
    assert "NOUN" in changes.choices(project, "upos") and "case" in changes.choices(project, "deprels")
    refused = [one.refused for one in proposed(desk, MAR, Setting("X", "upos", "FOO"))]
    assert ["is none of" in reason for reason in refused] == [True, False, True]  # the second is ben's
    with pytest.raises(FewshotError, match="no task"):
        proposed(desk, MAR, Setting("X", "entities", "B-PER"))


def preview(desk, author, curates):
    hits = queries.hits(desk.store, desk.project, queries.PATTERN, MAR, ExampleFilter("pos"), Deadline())
    return changes.preview(desk.project, hits, PROPN, author, curates), hits


def test_places_over_the_limit_come_next_once_the_first_are_changed(desk, annotated, monkeypatch):
    monkeypatch.setattr(changes, "MAX_PLACES", 1)
    seen = []
    for more in (True, True, False):
        found, hits = preview(desk, "eva", True)
        assert (len(found.proposals), found.more) == (1, more)
        if not seen:  # no more hits were looked for than can be changed at once
            assert [hit.version.row.key for hit in hits] == ["s2"]
        seen += [(one.hit.version.annotator, one.hit.version.row.key) for one in found.proposals]
        assert carry_out(desk, found.proposals, PROPN, "eva", True).changed == 1
    assert seen == [("ana", "s1"), ("ben", "s1"), ("ana", "s2")]
    assert preview(desk, "eva", True)[0] == changes.ChangePreview([], {}, more=False)
    desk.keep(annotated[3], {"upos": ["VERB", "X", "NOUN"]})
    desk.keep(annotated[0], {"upos": ["VERB", "ADP", "NOUN"]})
    found, _ = preview(desk, "ben", False)
    assert [one.hit.version.annotator for one in found.proposals] == ["ben"], "refused places do not count"
    assert (found.refused, found.more) == ({"annotated by ana": 1}, False)


@pytest.fixture
def names(new_desk):
    """Ana's sentences with entities, of which the third has nothing saved, and where *Nueva York* stands; her items."""
    texts = ("Nueva York canta", "en Nueva York Times hoy", "Nueva York", "canta Nueva York")
    sentences = [Sentence(f"s{number}", text, tuple(text.split())) for number, text in enumerate(texts, start=1)]
    desk = new_desk(sentences, "ner")
    items = desk.draw(*((place, "ner", "ana") for place in range(4)))
    marked = (["B-LOC", "I-LOC", "O"], ["O", "B-ORG", "I-ORG", "I-ORG", "O"], None, ["O", "O", "O"])
    for item, entities in zip(items, marked, strict=True):
        if entities:
            desk.keep(item, {"entities": entities})
    return desk, items


def everywhere(desk, text, value, kind=queries.TEXT, column="entities"):
    hits = queries.hits(desk.store, desk.project, kind, text, ExampleFilter(desk.project.tasks[0]), Deadline())
    return list(changes.propose(desk.project, hits, Setting("", column, value), "ana", False))


def test_a_name_is_marked_everywhere_but_inside_of_longer_ones_or_of_words_and_becomes_none(names):
    desk, items = names
    assert everywhere(desk, "uev", "LOC") == everywhere(desk, r"\bN\w+ Yo", "LOC", queries.EXPRESSION) == []
    found = everywhere(desk, "nueva york", "LOC")
    assert [(one.hit.version.row.key, one.words, one.before, one.after, one.refused) for one in found] == [
        ("s2", (), "", "", "part of a longer entity"),
        ("s3", (), "", "", "not annotated yet"),
        ("s4", (2, 3), "O O", "B-LOC I-LOC", ""),
    ]
    outcome = carry_out(desk, found, Setting("", "entities", "LOC"))
    assert (outcome.changed, outcome.refused) == (1, 0)
    assert desk.latest(items[3]) == {"entities": ["O", "B-LOC", "I-LOC"]}
    (change,) = desk.store.changes(desk.project.id)
    assert changes.title(change) == "entity LOC"
    undo(desk)
    query = 'A [form=Nueva]; B [form=York]; A < B; B [NER=re"I-LOC"]'
    found = everywhere(desk, query, settings.NO_ENTITY, queries.PATTERN)
    assert [(one.before, one.after) for one in found] == [("B-LOC I-LOC", "O O")], "neighbours are one name"
    carry_out(desk, found, Setting("", "entities", settings.NO_ENTITY))
    assert desk.latest(items[0]) == {"entities": ["O", "O", "O"]}


def test_of_nested_entities_each_is_found_and_none_is_changed(new_desk):
    words = ("University", "of", "Dakar")
    desk = new_desk([Sentence("s1", " ".join(words), words)], "ner")
    entities = ["B-ORG", "I-ORG", "I-ORG|B-LOC"]
    desk.keep(*desk.draw((0, "ner", "ana")), {"entities": entities})
    queries_ = (
        'A [NER="B-LOC"]',
        'A [NER=re".-ORG", form=Dakar]',
        'A [NER<>"I-ORG"]',
        'A [NER="B-ORG"]; B [NER]; A < B',
    )
    found = [everywhere(desk, query, settings.NO_ENTITY, queries.PATTERN) for query in queries_]
    inner, partly = "part of a longer entity", "nested entities, which are changed one by one in the editor"
    assert [[one.refused for one in hits] for hits in found] == [[inner], [inner], [inner], [inner]]
    (whole,) = everywhere(desk, " ".join(words), "LOC")
    assert whole.refused == partly


def test_a_name_is_marked_beside_multiword_tokens_and_of_them(new_desk):
    rows = ("1\tvoy", "2-3\tal", "2\ta", "3\tel", "4\tmar")
    record = Record("conllu", ("# text = voy al mar\n", *(row + "\t_" * 8 + "\n" for row in rows), "\n"))
    sentence = Sentence("s1", "voy al mar", ("voy", "a", "el", "mar"), record=record)
    desk = new_desk([sentence], "ner")
    desk.keep(*desk.draw((0, "ner", "ana")), {"entities": ["O"] * 4})
    spans = {text: [one.words for one in everywhere(desk, text, "LOC")] for text in ("mar", "al", "al mar")}
    assert spans == {"mar": [(4,)], "al": [(2, 3)], "al mar": [(2, 3, 4)]}


def test_a_rule_changes_several_tasks_of_a_sentence_together_and_all_comes_back(store, desk, annotated):
    rule = parse_rule("pattern { e: N -[case]-> P } commands { e.2 = loc; P.upos = PART; N.upos = PROPN }")
    change, hits = rule, [hit for hit in desk.find("e: N -[case]-> P") if hit.version.annotator == "ana"]
    (found,) = changes.propose(desk.project, hits, change, "ana", False)
    assert (found.words, found.before, found.after) == ((2, 3), "ADP NOUN · case", "PART PROPN · case:loc")
    assert carry_out(desk, [found], change).changed == 1
    upos, tree = (desk.latest(annotated[place]) for place in (0, 1))
    assert (upos, tree["deprels"]) == ({"upos": ["VERB", "PART", "PROPN"]}, ["root", "case:loc", "obl"])
    (made,) = store.changes(desk.project.id)
    assert (made.items, changes.title(made)) == (1, "e.2 = loc; P.upos = PART; N.upos = PROPN")
    before = [storing.history(store, annotated[place].id)[0].annotation for place in (0, 1)]
    assert counts(undo(desk)) == (1, 0)
    assert [desk.latest(annotated[place]) for place in (0, 1)] == before
    wrong = parse_rule("pattern { e: N -[case]-> P } commands { del_edge e; add_edge P -[case]-> P }")
    (refused,) = changes.propose(desk.project, hits, wrong, "ana", False)
    assert "is its own head" in refused.refused


FEATS = [("Number=Sing|Gender=Masc", "Gender=Masc|Number=Sing"), ("Number=", "Gender=Masc")]


@pytest.mark.parametrize(
    ("name", "column", "before", "steps", "wrong", "message"),
    [
        ("lemma", "lemmas", ["el", "mares"], [("mar", "mar")], "_", "'_' means not annotated"),
        ("xpos", "xpos", ["DT", "NNS"], [("NN", "NN")], "N N", "XPOS 'N N' of 'mar' is empty or has a space in it"),
        ("feats", "feats", ["", "Number=Plur"], FEATS, "Masc", "are not features; write Case=Nom"),
    ],
)
def test_columns_of_words_are_set_and_wrong_values_refused(new_desk, name, column, before, steps, wrong, message):
    task = f"pos+{name}"
    desk = new_desk([SEA], task, hides_gold=True)
    (found,) = proposed(desk, MAR, Setting("X", column, "Number=Sing"))  # nobody has annotated it
    assert found.refused == "not annotated yet"
    (item,) = desk.draw((0, task, "ana"))
    desk.keep(item, {"upos": ["DET", "NOUN"], column: before})
    for value, after in steps:
        do(desk, MAR, Setting("X", column, value))
        assert desk.latest(item) == {"upos": ["DET", "NOUN"], column: [before[0], after]}
    try:
        (found,) = proposed(desk, MAR, Setting("X", column, wrong))
        refused = found.refused
    except FewshotError as error:
        refused = str(error)
    assert message in refused


def test_documents_in_which_a_text_is_found_get_a_topic(new_desk):
    documents = [Document("d1", "goal after goal"), Document("d2", "a vote"), Document("d3", "an own goal")]
    desk = new_desk(documents, "topic")
    items = desk.draw(*((place, "topic", "ana") for place in range(3)))
    for item in items[:2]:
        desk.keep(item, {"label": "health"})
    found = everywhere(desk, "goal", "sports", column="label")
    assert [(one.hit.version.row.key, one.before, one.after, one.refused) for one in found] == [
        ("d1", "health", "sports", ""), ("d3", "", "", "not annotated yet"),
    ]  # fmt: skip
    assert carry_out(desk, found, Setting("", "label", "sports")).changed == 1
    assert desk.latest(items[0]) == {"label": "sports"}
