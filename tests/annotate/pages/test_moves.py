"""What the pages do with an editor's requests: each leads one item further, however often it is repeated."""

import pytest
from app_page import checked, field, open_page, values
from desk import Desk, new_project
from making import examples, made_up
from serving import ROOT
from streamlit.testing.v1 import AppTest

from annotate.components import editor
from annotate.editing import content, messages
from annotate.store import User
from fewshot.errors import FewshotError


def draw(name):
    from importlib import import_module

    from annotate.components import editor

    editor.before()
    import_module(f"annotate.pages.{name}").show()


class Editor:
    """Stands in for an editor on a page: notes the item that it shows, and hands requests over as Streamlit does."""

    shown = page = request = move = error = None

    def show(self, data, key, move):
        self.shown, self.move = data["item"], move

    def before(self):
        """Call back with the request, if there is one, before the page is drawn."""
        request, self.request = self.request, None
        if request:
            try:
                self.move(request)
            except FewshotError as error:
                self.error = str(error)

    def ask(self, item, go=None):
        """Hand over a request; return the item that the page shows then."""
        self.request = {"item": item, "go": go, "turn": "page 1"}
        checked(self.page.run())
        return self.shown


@pytest.fixture
def on_page(monkeypatch):
    """Opens a page of a project; returns its editor."""

    def on_page(name, project, **query):
        made = Editor()
        monkeypatch.setattr(editor, "show", made.show)
        monkeypatch.setattr(editor, "before", made.before, raising=False)
        made.page = AppTest.from_function(draw, default_timeout=120, args=(name,))
        made.page.query_params.update({"project": str(project.id)} | query)
        checked(made.page.run())
        return made

    return on_page


@pytest.fixture
def desk(store, alone, tmp_path):
    return Desk(store, new_project(store, made_up(4, seed=1), "pos"), tmp_path)


def test_a_request_for_the_next_item_leads_one_further_even_if_it_is_repeated_until_nothing_is_left(
    alone, desk, on_page
):
    first, second, third = desk.draw(*((place, "pos", alone) for place in range(3)))
    window = on_page("work", desk.project)
    assert window.shown == first.id
    assert window.ask(first.id) == first.id
    assert window.ask(first.id, "next") == second.id
    assert window.ask(first.id, "next") == second.id  # which the window had left
    assert window.ask(second.id, "skip") == third.id
    assert desk.status(second) == "skipped"
    assert window.ask(third.id, "back") == second.id
    assert window.page.query_params["item"] == str(second.id)
    for item in (first, second, third):
        desk.keep(item, {"upos": ["NOUN"] * desk.open(item).example.length})
    assert window.ask(second.id, "next") == second.id and "item" not in window.page.query_params


def test_a_comment_that_is_not_added_yet_waits_at_its_sentence(alone, desk, on_page):
    first, second = desk.draw(*((place, "pos", alone) for place in range(2)))
    window = on_page("work", desk.project)
    checked(window.page.text_area[0].set_value("Why?").run())
    about = field(window.page, "About")
    checked(about.select_index(1).run())
    word = field(window.page, "About").value
    window.ask(first.id, "next")
    assert window.page.text_area[0].value == "" and field(window.page, "About").value != word
    window.ask(second.id, "back")
    assert window.page.text_area[0].value == "Why?" and field(window.page, "About").value == word


def test_another_task_opens_the_same_example_and_a_finished_one_leads_through_the_tasks(
    alone, store, tmp_path, on_page
):
    desk = Desk(store, new_project(store, made_up(2, seed=1), "pos", "dep"), tmp_path)
    tags = desk.draw(*((place, "pos", alone) for place in range(2)))
    trees = desk.draw(*((place, "dep", alone) for place in range(2)))
    window = on_page("work", desk.project)
    assert window.shown == tags[0].id
    assert window.ask(tags[0].id, "next") == tags[1].id
    (tasks,) = window.page.segmented_control
    checked(tasks.set_value("dep").run())
    assert window.shown == trees[1].id
    assert window.ask(trees[1].id, "task before") == tags[1].id
    desk.keep(tags[1], {"upos": ["NOUN"] * desk.open(tags[1]).example.length})
    assert window.ask(tags[1].id, "next") == trees[1].id
    assert any("✓" in text for text in values(window.page.markdown))
    checked(window.page.toggle[0].set_value(False).run())
    assert window.ask(trees[1].id, "task before") == tags[1].id
    assert window.ask(tags[1].id, "next") == tags[0].id


def test_what_anybody_may_take_counts_as_left_to_do(alone, desk, on_page):
    desk.keep(desk.draw((0, "pos", alone))[0], {"upos": ["NOUN"] * 3})
    desk.draw((1, "pos", "ben"), (2, "pos", None), (3, "pos", None))
    (bar,) = on_page("work", desk.project).page.get("progress")
    assert bar.proto.text == "**1 of 3** sentences done"


def test_an_address_that_somebody_types_and_that_names_no_id_opens_what_there_is(alone, desk, on_page):
    (item,) = desk.draw((0, "pos", alone))
    for given in ("x", "-1", "1.5", "٣٣٣٣٣٣٣٣٣٣٣", "9" * 5000, str(2**63), "999999999"):
        window = on_page("work", desk.project, item=given)
        assert (window.shown, values(window.page.error)) == (item.id, []), given
        app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
        app.query_params["project"] = given
        app.session_state["to page"] = "Annotate"
        assert values(checked(app.run()).error) == [], given


@pytest.mark.parametrize(
    ("role", "kind", "task", "led"),
    [
        ("curator", "sentences", "pos", ["Train", "Draw more", "Review", "Export"]),
        ("annotator", "sentences", "pos", ["Consistency", "Sentences"]),
        ("annotator", "pairs", "nli", ["Sentences"]),
    ],
)
def test_who_has_nothing_left_is_led_to_pages_that_apply(alone, new_desk, monkeypatch, role, kind, task, led):
    desk = new_desk(examples(kind, 2, seed=1), task)
    desk.store.set_project_people(desk.project.id, [alone])
    desk.keep(desk.draw((0, task, alone))[0], content.annotation_of(task, examples(kind, 2, seed=1)[0]))
    monkeypatch.setattr("annotate.components.frame.user", lambda: User(1, alone, role, True))
    page = open_page("work", desk.project)
    assert [button.label for button in page.button if button.label != "Annotate the test set"] == led


def draw_part(page, part, *arguments):
    from importlib import import_module

    getattr(import_module(f"annotate.pages.{page}"), part)(*arguments)


def test_a_window_whose_project_was_deleted_says_so(store, desk):
    store.delete_project(desk.project.id)
    for page, name, *arguments in (("work.page", "_work"), ("review", "_decide", "pos")):
        window = AppTest.from_function(draw_part, args=(page, name, desk.project, *arguments)).run(timeout=120)
        assert values(window.error) == ["the project of this page was deleted; open another project"]


def test_somebody_who_was_taken_out_of_the_project_is_led_nowhere(store, desk, alone, on_page, monkeypatch):
    first, _second = desk.draw(*((place, "pos", alone) for place in range(2)))
    store.set_project_people(desk.project.id, [alone])
    monkeypatch.setattr("annotate.components.frame.user", lambda: User(1, alone, "annotator", True))
    window = on_page("work", desk.project)
    store.set_project_people(desk.project.id, ["ben"])
    window.ask(first.id, "skip")
    assert "no longer an annotator" in window.error and desk.status(first) == "open"


def test_a_review_that_is_asked_twice_for_the_next_example_goes_one_further(desk, on_page):
    for who, tag in (("ana", "NOUN"), ("ben", "VERB")):
        for item in desk.draw(*((place, "pos", who) for place in range(3))):
            desk.keep(item, {"upos": [tag] * desk.open(item).example.length})
    window = on_page("review", desk.project)
    first = window.shown
    second = window.ask(first, "next")
    assert first != second == window.ask(first, "next")


def refusing():
    from types import SimpleNamespace

    import streamlit as st

    from annotate.components import editor

    st.session_state.asked = SimpleNamespace(
        move={"item": 1, "turn": "page 1", "go": "![x](http://evil.example/x.png)<b>"}
    )
    editor.show({}, "asked", lambda request: None)


def test_a_request_that_no_editor_sends_is_refused_in_one_line_without_markup(monkeypatch):
    monkeypatch.setattr(editor, "_component", lambda: lambda key, data, on_move_change: on_move_change())
    (error,) = checked(AppTest.from_function(refusing).run()).error
    assert "'go' is unknown" in error.value and len(error.value.splitlines()) == 1


def test_a_request_that_is_none_is_refused():
    for request in (None, [], {}, {"item": 1}, {"item": True, "turn": "1"}, {"item": -1, "turn": "1"}):
        with pytest.raises(FewshotError, match="reload the page"):
            messages.check_move(request)
