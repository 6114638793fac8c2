"""What the sentences page shows and lets be changed, and to whom."""

import pytest
from storing import made_items
from streamlit.testing.v1 import AppTest

from annotate.components import frame
from annotate.pages.sentences import hits
from annotate.search import changes, queries
from annotate.store import User


@pytest.fixture
def here(store, monkeypatch):
    """Says who is at the page."""
    monkeypatch.setattr(frame, "store", lambda: store)

    def here(name, role):
        monkeypatch.setattr(frame, "user", lambda: User(1, name, role, True))

    here("ana", "admin")
    return here


@pytest.fixture
def saved(store, project, ids):
    """Two tagged sentences of ana's, and the first again as ben tagged it; nobody has the third."""
    items = made_items(store, project, [(ids[0], "pos", "ana"), (ids[1], "pos", "ana"), (ids[0], "pos", "ben")])
    for item, tags in zip(items, (["VERB", "ADP", "NOUN"], ["DET", "NOUN", "VERB"], ["X", "ADP", "NOUN"]), strict=True):
        store.save(item.id, item.annotator, "page", 1, {"upos": tags}, True, 1.0, 1)
    return items


def opened(project, name="sentences"):
    def draw(name):
        from importlib import import_module

        import_module(f"annotate.pages.{name}").show()

    page = AppTest.from_function(draw, default_timeout=60, args=(name,))
    page.query_params["project"] = str(project.id)
    return checked(page.run())


def checked(page):
    assert not page.exception
    return page


def labelled(elements, label):
    (found,) = [one for one in elements if one.label == label]
    return found


def look_for(page, query, kind="pattern"):
    labelled(page.text_input, "Look for").set_value(query)
    labelled(page.selectbox, "as").set_value(kind)
    return checked(labelled(page.button, "Search").click().run())


def table(page):
    return page.dataframe[0].value.astype(object).fillna("").to_dict("records")


def test_all_examples_are_listed_with_what_is_known_of_them(store, project, here, saved):
    store.flag(saved[1].id, True)
    store.add_comment(saved[1].example_id, "pos", "ana", "?")
    confidence = {"annotation": {"upos": ["X"] * 3}, "confidence": [0.5, 0.7, 0.9]}
    store.add_suggestions([(saved[1].example_id, "pos", "model", confidence)])
    rows = table(opened(project))
    assert [(row["text"], row["annotator"], row["status"], row["differs"]) for row in rows] == [
        ("voy al mar", "ana", "✓ done", "≠"),
        ("voy al mar", "ben", "✓ done", "≠"),
        ("el mar canta", "ana", "✓ done", ""),
        ("canta mucho hoy", "", "not drawn yet", ""),
        ("hoy voy yo", "", "not drawn yet", ""),
    ]
    assert [(row["flag"], row["comments"], row["confidence"]) for row in rows[1:3]] == [("", "", ""), ("⚑", 1, 70)]


def test_a_filter_leaves_the_rest_out(project, here, saved):
    page = opened(project)
    checked(labelled(page.selectbox, "Status").set_value("undrawn").run())
    assert [row["text"] for row in table(page)] == ["canta mucho hoy", "hoy voy yo"]
    checked(labelled(page.checkbox, "Flagged").check().run())
    assert "Nothing of this kind." in [one.value for one in page.info]


def test_an_annotator_sees_what_is_theirs_and_not_whether_others_differ(project, here, saved):
    here("ben", "annotator")
    page = opened(project)
    rows = table(page)
    assert [row["text"] for row in rows] == ["voy al mar"] and "differs" not in rows[0]
    assert "Annotator" not in [one.label for one in page.selectbox]
    look_for(page, 'X [form="mar"]')
    assert [row["before"] for row in table(page)] == ["voy al "]


def test_hits_stand_in_their_context(project, here, saved):
    page = look_for(opened(project), "Y [upos=NOUN]; X [upos=ADP]; X < Y")
    rows = table(page)
    assert [(row["before"], row["found"], row["words"], row["annotator"]) for row in rows] == [
        ("voy al ", "mar", "Y mar · X al", "ana"),
        ("voy al ", "mar", "Y mar · X al", "ben"),
    ]
    assert "**2 hits** in 2 sentences" in [one.value for one in page.caption]


def test_each_search_shows_its_own_hits(project, here, saved):
    page = opened(project)
    for _ in range(2):
        look_for(page, "voy", "text")
        assert [row["found"] for row in table(page)] == ["voy"] * 3
        look_for(page, "X [upos=NOUN]", "pattern")
        assert [row["found"] for row in table(page)] == ["mar"] * 3
        look_for(page, "X [upos=DET]", "pattern")
        assert [row["found"] for row in table(page)] == ["el"]


def test_what_is_no_pattern_is_said(project, here, saved):
    page = look_for(opened(project), "X [upos")
    assert page.error[0].value == r"the pattern, column 8: \] is missing"


def test_all_hits_are_changed_and_changed_back(store, project, here, saved):
    page = look_for(opened(project), "X [upos=NOUN]")
    checked(labelled(page.selectbox, "to").set_value("PROPN").run())
    checked(labelled(page.button, "Change 3 places").click().run())
    assert "3 sentences changed" in [one.value for one in page.success]
    assert "Nothing found." in [one.value for one in page.info]
    assert [store.latest(item.id).annotation["upos"].count("PROPN") for item in saved] == [1, 1, 1]
    checked(labelled(page.button, "Undo").click().run())
    assert "3 sentences as before" in [one.value for one in page.success]
    assert [store.latest(item.id).annotation["upos"].count("PROPN") for item in saved] == [0, 0, 0]
    assert "taken back" in [one.value for one in page.caption]


def test_an_annotator_changes_their_own_alone(store, project, here, saved):
    here("ben", "annotator")
    page = look_for(opened(project), "X [upos=NOUN]")
    checked(labelled(page.selectbox, "to").set_value("PROPN").run())
    checked(labelled(page.button, "Change 1 place").click().run())
    assert [store.latest(item.id).annotation["upos"].count("PROPN") for item in saved] == [0, 0, 1]
    here("ana", "annotator")
    assert "Undo" not in [one.label for one in opened(project).button]


def test_more_hits_than_are_counted_are_said_to_be_more(project, here, saved, monkeypatch):
    monkeypatch.setattr(queries, "COUNTED", 10)
    monkeypatch.setattr(queries, "MOST", 4)
    page = look_for(opened(project), "X []; Y []")
    assert "more than **10 hits**; the first 4 are shown" in [one.value for one in page.caption]


def test_a_search_that_is_cut_off_says_how_to_narrow_it_and_goes_on_when_asked(project, here, saved, monkeypatch):
    monkeypatch.setattr(queries, "SECONDS", 1e-9)
    monkeypatch.setattr(hits, "LONGER", 60e9)
    page = look_for(opened(project), "X [upos=NOUN]; Y [upos=ADP]")
    assert "Nothing found so far." in [one.value for one in page.info]
    (said,) = [one.value for one in page.caption if "Cut off" in one.value]
    assert "tie nodes together" in said and "choose an annotator" in said
    checked(labelled(page.button, "Look for 60 s").click().run())
    assert "**2 hits** in 2 sentences" in [one.value for one in page.caption]
    assert not [one for one in page.caption if "Cut off" in one.value]


def test_more_places_than_are_changed_at_once_are_changed_one_after_the_other(store, project, here, saved, monkeypatch):
    monkeypatch.setattr(queries, "MOST", 2)
    monkeypatch.setattr(changes, "MOST", 2)
    page = look_for(opened(project), "X [upos=NOUN]")
    checked(labelled(page.selectbox, "to").set_value("PROPN").run())
    more = "The first 2 of more: change these, and the next ones stand here."
    assert more in [one.value for one in page.caption]
    checked(labelled(page.button, "Change 2 places").click().run())
    assert [store.latest(item.id).annotation["upos"].count("PROPN") for item in saved] == [1, 0, 1]
    assert more not in [one.value for one in page.caption]
    checked(labelled(page.button, "Change 1 place").click().run())
    assert [store.latest(item.id).annotation["upos"].count("PROPN") for item in saved] == [1, 1, 1]


def test_nothing_is_suspicious_where_nothing_is_annotated(project, here):
    assert [one.value for one in opened(project, "consistency").info] == ["Nothing is annotated yet."]


def test_warnings_of_another_level_are_looked_for_when_it_is_set(store, project, here, ids):
    (item,) = made_items(store, project, [(ids[0], "dep", "ana")])
    tree = {"heads": [2, 0, 2], "deprels": ["nsubj", "root", "nsubj"]}
    store.save(item.id, "ana", "page", 1, tree, True, 1.0, 1)
    page = opened(project, "consistency")
    page.session_state[f"task {project.id}"] = "dep"
    checked(page.run())
    assert [one.value for one in page.info] == ["Nothing is suspicious in 1 annotated sentence."]
    store.update_project(project.id, level=3)
    checked(page.run())
    assert not page.info and len(page.dataframe) == 1
