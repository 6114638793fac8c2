import pytest
from app_page import checked, field, fill, has_button, open_page, press, says, values

from annotate.pages.sentences import hits
from annotate.search import changes, queries


@pytest.fixture
def saved(desk, sign_in):
    """Two tagged sentences of ana's, and the first again as ben tagged it; nobody has the third."""
    items = desk.draw((0, "pos", "ana"), (1, "pos", "ana"), (0, "pos", "ben"))
    for item, tags in zip(items, (["VERB", "ADP", "NOUN"], ["DET", "NOUN", "VERB"], ["X", "ADP", "NOUN"]), strict=True):
        desk.keep(item, {"upos": tags})
    return items


@pytest.fixture
def look_for(project, saved):
    def look_for(query, page=None):
        page = page or open_page("sentences", project)
        field(page, "Search for").set_value(query)
        return press(page, "Search")

    return look_for


@pytest.fixture
def count(desk, saved):
    return lambda: [desk.latest(item)["upos"].count("PROPN") for item in saved]


def table(page):
    return page.dataframe[0].value.astype(object).fillna("").to_dict("records")


def test_all_examples_are_listed_with_their_state(store, project, saved):
    store.flag(saved[1].id, True)
    store.add_comment(saved[1].example_id, "pos", "ana", "?")
    confidence = {"annotation": {"upos": ["X"] * 3}, "confidence": [0.5, 0.7, 0.9]}
    store.add_suggestions([(saved[1].example_id, "pos", "model", confidence)])
    page = open_page("sentences", project)
    rows = table(page)
    assert [(row["text"], row["annotator"], row["status"], row["differs"]) for row in rows] == [
        ("voy al mar", "ana", "✓ done", "≠"),
        ("voy al mar", "ben", "✓ done", "≠"),
        ("el mar canta", "ana", "✓ done", ""),
        ("canta mucho hoy", "", "not drawn yet", ""),
        ("hoy voy yo", "", "not drawn yet", ""),
    ]
    assert [(row["flag"], row["comments"], row["confidence"]) for row in rows[1:3]] == [("", "", ""), ("⚑", 1, 70)]
    fill(page, {"Status": "undrawn"})
    assert [row["text"] for row in table(page)] == ["canta mucho hoy", "hoy voy yo"]
    fill(page, {"Flagged": True})
    assert "No such sentence." in values(page.info)


def test_a_sentence_that_nobody_has_can_be_annotated(store, project, saved, monkeypatch):
    clicked = iter([3, 3])  # still when the button below is pressed
    monkeypatch.setattr("annotate.pages.sentences.examples.choose", lambda rows, key: next(clicked, None))
    monkeypatch.setattr("annotate.worker.queue.suggest", lambda *_: None)
    page = open_page("sentences", project)
    assert "Not drawn yet, so nobody annotates it." in values(page.caption)
    press(page, "Annotate it")
    (item,) = (each for each in store.items(project.id, task="pos") if each.id not in {one.id for one in saved})
    assert (item.annotator, item.purpose) == ("ana", "shots")
    assert page.session_state["shown"][project.id, "pos"] == item.id


def test_an_annotator_sees_and_changes_their_own_alone_and_not_whether_others_differ(
    project, sign_in, saved, look_for, count
):
    sign_in("ben", "annotator")
    page = open_page("sentences", project)
    rows = table(page)
    assert [row["text"] for row in rows] == ["voy al mar"] and "differs" not in rows[0]
    assert "Annotator" not in [one.label for one in page.selectbox]
    page = look_for("X [upos=NOUN]", page)
    assert [row["before"] for row in table(page)] == ["voy al "]
    press(fill(page, {"to": "PROPN"}), "Change 1 place")
    assert count() == [0, 0, 1]
    sign_in("ana", "annotator")
    assert not has_button(open_page("sentences", project), "Undo")


def test_hits_stand_in_their_context_and_each_search_shows_its_own(look_for, monkeypatch):
    page = look_for("Y [upos=NOUN]; X [upos=ADP]; X < Y")
    assert [(row["before"], row["found"], row["words"], row["annotator"]) for row in table(page)] == [
        ("voy al ", "mar", "Y mar · X al", "ana"),
        ("voy al ", "mar", "Y mar · X al", "ben"),
    ]
    assert "**2 hits** in 2 sentences" in values(page.caption)
    assert [row["found"] for row in table(look_for("voy", page))] == ["voy"] * 3
    assert look_for("X [upos", page=page).error[0].value == r"the pattern, column 8: \] is missing"
    monkeypatch.setattr(queries, "MAX_COUNTED", 10)
    monkeypatch.setattr(queries, "MAX_HITS", 4)
    page = look_for("X []; Y []", page=page)
    assert "more than **10 hits**; the first 4 are shown" in values(page.caption)


def test_all_hits_are_changed_and_changed_back(look_for, count):
    page = fill(look_for("X [upos=NOUN]"), {"to": "PROPN"})
    press(page, "Change 3 places")
    assert "3 sentences changed" in values(page.success)
    assert not page.info, "not: Nothing found"
    assert count() == [1, 1, 1]
    press(page, "Undo")
    assert "3 sentences restored" in values(page.success)
    assert count() == [0, 0, 0]
    assert "taken back" in values(page.caption)


def test_ten_searches_there_and_back_each_show_their_own_hits(look_for):
    found = {"voy": ["voy"] * 3, "X [upos=ADP]": ["al"] * 2, "/h.y/": ["hoy"] * 2, '"X ["': [], "MAR": ["mar"] * 3}
    page = None
    for query in (*found, *reversed(found)):
        page = look_for(query, page)
        assert [row["found"] for row in (table(page) if page.dataframe else ())] == found[query]
    assert says(look_for("X [upos=ADP]", page).caption, "Found as a pattern")


def test_a_rule_is_previewed_with_the_word_that_changes_in_brackets_and_carried_out(look_for, count):
    page = look_for("pattern { D [upos=ADP]; N [upos=NOUN]; D < N } commands { N.upos = PROPN }")
    (row, _) = page.dataframe[1].value.astype(object).to_dict("records")
    assert (row["text"], row["word"], row["now"], row["then"]) == ("voy al ⟦mar⟧", "mar", "NOUN", "PROPN")
    page = press(page, "Change 2 places")
    assert "2 sentences changed" in values(page.success)
    assert count() == [1, 0, 1]
    assert says(page.markdown, "N.upos = PROPN: 2 sentences")


def test_a_search_that_is_cut_off_says_how_to_narrow_it_and_goes_on_when_asked(look_for, monkeypatch):
    monkeypatch.setattr(queries, "MAX_SECONDS", 1e-9)
    monkeypatch.setattr(hits, "LONGER_FACTOR", 60e9)
    page = look_for("X [upos=NOUN]; Y [upos=ADP]")
    assert "Nothing found so far." in values(page.info)
    (advice,) = [line for line in values(page.caption) if "The search stopped" in line]
    assert "connect the nodes" in advice and "choose an annotator" in advice
    press(page, "Search for 60 s")
    assert "**2 hits** in 2 sentences" in values(page.caption)
    assert not says(page.caption, "Cut off")


def test_places_over_the_limit_are_changed_after_the_first(look_for, count, monkeypatch):
    monkeypatch.setattr(queries, "MAX_HITS", 2)
    monkeypatch.setattr(changes, "MAX_PLACES", 2)
    page = fill(look_for("X [upos=NOUN]"), {"to": "PROPN"})
    assert says(page.caption, "Only the first 2 are listed")
    press(page, "Change 2 places")
    press(page, "Change 1 place")
    assert count() == [1, 1, 1]


def test_warnings_of_another_level_are_looked_for_when_it_is_set(store, project, sign_in, desk):
    assert values(open_page("consistency", project).info) == ["Nothing is annotated yet."]
    (item,) = desk.draw((0, "dep", "ana"))
    desk.keep(item, {"heads": [2, 0, 2], "deprels": ["nsubj", "root", "nsubj"]})
    page = open_page("consistency", project, **{f"task {project.id}": "dep"})
    assert values(page.info) == ["Nothing suspicious in 1 annotated sentence."]
    store.update_project(project.id, level=3)
    checked(page.run())
    assert not page.info and len(page.dataframe) == 1
