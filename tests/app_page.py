"""The app's pages in this process, without a browser: opened, filled in and read."""

from serving import ROOT
from streamlit.testing.v1 import AppTest

WIDGETS = (
    "checkbox", "multiselect", "number_input", "radio", "selectbox", "text_area", "text_input", "toggle",
    "file_uploader",
)  # fmt: skip


def draw(name):
    from importlib import import_module

    from annotate.components import frame

    frame.page(import_module(f"annotate.pages.{name}").show)()


def open_app():
    return checked(AppTest.from_file(ROOT / "app.py", default_timeout=120).run())


def open_page(name, project=None, **state):
    """Return one page of a project, of a window that holds some state."""
    page = AppTest.from_function(draw, default_timeout=120, args=(name,))
    if project is not None:
        page.query_params["project"] = str(project.id)
    for key, value in state.items():
        page.session_state[key] = value
    return checked(page.run())


def checked(page):
    assert not page.exception
    return page


def labelled(elements, label):
    (found,) = [element for element in elements if element.label == label]
    return found


def field(page, label):
    return labelled([element for kind in WIDGETS for element in getattr(page, kind)], label)


def fill(page, values):
    """Set fields one after the other, as a person does, by their labels."""
    for label, value in values.items():
        field(page, label).set_value(value)
        checked(page.run())
    return page


def press(page, label):
    return checked(labelled(page.button, label).click().run())


def has_button(page, label):
    return label in [button.label for button in page.button]


def values(elements):
    """Return what elements of a page say: ``values(page.caption)``."""
    return [element.value for element in elements]


def says(elements, part):
    """Return whether some element of these says something."""
    return any(part in value for value in values(elements))
