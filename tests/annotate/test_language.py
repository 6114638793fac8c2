"""The languages of the app: whole and fresh catalogues, and the one that a window gets."""

import ast
import re
from io import BytesIO

import pytest
from babel.messages import extract, mofile, pofile
from serving import ROOT
from streamlit.testing.v1 import AppTest

from annotate import accounts, language
from annotate.components import chooser, frame, terms
from annotate.exchange import remarks
from fewshot import tasks
from fewshot.corpora import formats

APP = ROOT / "annotate"
TRANSLATED = sorted(set(language.LANGUAGES) - {language.SOURCE})
PLACEHOLDER = re.compile(r"\{(\w+)\}")


def catalogue(code):
    with po(code).open("rb") as file:
        return pofile.read_po(file, locale=code)


def po(code):
    return language.FOLDER / code / "LC_MESSAGES" / f"{language.DOMAIN}.po"


@pytest.fixture(scope="module")
def extracted():
    """The messages of the app's sources, as `pybabel extract` finds them."""
    keywords = extract.DEFAULT_KEYWORDS | {"gettext_noop": None}
    methods = [("**.py", "python"), ("components/editors/**.js", "javascript")]
    return {one[2] for one in extract.extract_from_dir(APP, methods, keywords=keywords)}


def test_every_message_of_the_editors_is_extracted(extracted):
    """Also those within others, or within templates, which Babel does not see."""
    editors = (APP / "components" / "editors").glob("*.js")
    said = {text for file in editors for text in re.findall(r'\b_\("([^"]+)"', file.read_text(encoding="utf-8"))}
    assert said - {"..."} <= extracted


@pytest.mark.parametrize("code", TRANSLATED)
def test_a_catalogue_is_complete_translated_and_compiled(code, extracted):
    found = catalogue(code)
    assert {one.id for one in found if one.id} == extracted
    for one in filter(lambda one: one.id, found):
        texts = one.string if one.pluralizable else (one.string,)
        assert len(texts) == (found.num_plurals if one.pluralizable else 1)
        assert all(texts) and not one.fuzzy, one.id
        for text in texts:
            assert set(PLACEHOLDER.findall(text)) == set(PLACEHOLDER.findall(str(one.id))), one.id
    compiled = BytesIO()
    mofile.write_mo(compiled, found)
    shipped = po(code).with_suffix(".mo").read_bytes()
    assert messages(shipped) == messages(compiled.getvalue()), "run pybabel compile, see CONTRIBUTING.md"


def messages(compiled):
    """Return the messages of a compiled catalogue, without its header, which names the version of Babel."""
    return [(one.id, one.string) for one in mofile.read_mo(BytesIO(compiled)) if one.id]


def test_words_of_the_core_can_be_translated(extracted):
    kinds = {tasks.get(name).example.kind for name in tasks.annotatable()}
    assert {tasks.get(name).title for name in tasks.registry()} <= extracted
    assert kinds <= extracted and kinds == set(terms.KINDS)
    names = {"CoNLL-U", "CoNLL-2003", "WebAnno TSV 3.3", "JSON Lines", "SQuAD 1.1", "Label Studio"}
    assert {format_.title for format_ in formats.FORMATS.values()} - names | {remarks.TITLE} == set(terms.FORMATS)
    assert set(terms.FORMATS) <= extracted


def test_a_browser_gets_the_nearest_language():
    expected = {"de-AT": "de", "ja": "ja", "pt_BR": "en", "en-GB": "en", None: "en"}
    assert {locale: language.nearest(locale) for locale in expected} == expected


def test_outside_of_a_window_everything_is_english():
    assert language._("Sign in") == "Sign in"
    assert language.ngettext("{number} sentence", "{number} sentences", 1000) == "1,000 sentences"


def test_plurals_are_those_of_the_language(monkeypatch):
    def said(code, *numbers):
        monkeypatch.setattr(language, "current", lambda: code)
        return [terms.counted(number, "sentences") for number in numbers]

    assert said("de", 1, 2) == ["1 Satz", "2 Sätze"]
    assert said("fr", 0, 1, 2) == ["0 phrase", "1 phrase", "2 phrases"]
    assert said("ja", 1, 2) == ["1 文", "2 文"]


@pytest.fixture
def opened(store, monkeypatch):
    """Opens the app where people sign in, in a browser of a locale."""

    def open_app(locale, **cookies):
        monkeypatch.setenv(frame.USERS, "1")
        monkeypatch.setattr(frame, "store", lambda: store)
        monkeypatch.setattr("streamlit.runtime.context.ContextProxy.locale", locale)
        monkeypatch.setattr("streamlit.runtime.context.ContextProxy.cookies", cookies)
        if not store.users():
            store.add_user("ana", accounts.random_hash(), "annotator")
        return AppTest.from_file(ROOT / "app.py", default_timeout=60).run()

    return open_app


def test_the_app_speaks_the_language_of_the_browser_until_another_is_chosen_or_was_kept(opened):
    app = opened("de-DE", **{language.COOKIE: "../ja"})
    assert app.button[0].label == "Anmelden"
    app.radio(key=chooser.FIELD).set_value("fr").run()
    assert not app.exception and app.button[0].label == "Se connecter"
    assert app.session_state[language.STATE_KEY] == "fr"
    assert opened("de-DE", **{language.COOKIE: "ja"}).button[0].label == "サインイン"


SHOWS = {"help", "label", "placeholder", "text"}
"""Arguments that people read, beside the first one."""

ELEMENTS = re.compile(
    "button|caption|checkbox|dialog|download_button|error|expander|file_uploader|form_submit_button|header|info|"
    "link_button|markdown|metric|multiselect|number_input|popover|progress|radio|selectbox|slider|spinner|success|"
    "text_area|text_input|title|toggle|warning"
)
UNTRANSLATED = {"fewshot", "ja, sw, wo …"}
"""Names and codes."""


MARKUP = re.compile(r":[a-z]+(-badge)?\[|:material/(\w+:)?")
"""Colours and icons."""


def literals(call):
    """Yield the texts of a call that are shown as they are written."""
    shown = [*call.args[:1], *(one.value for one in call.keywords if one.arg in SHOWS)]
    for each in shown:
        parts = each.values if isinstance(each, ast.JoinedStr) else [each]
        for part in parts:
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value


def test_what_people_read_can_be_translated():
    """No element shows a word that goes past `_`: wrap it, and translate it, see CONTRIBUTING.md."""
    wrong = []
    for path in [*(APP / "pages").rglob("*.py"), *(APP / "components").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ELEMENTS.fullmatch(getattr(node.func, "attr", "")):
                texts = [text for text in literals(node) if text not in UNTRANSLATED]
                words = [text for text in texts if re.search(r"[^\W\d_]{2}", MARKUP.sub("", text))]
                wrong += [f"{path}:{node.lineno}: {text!r}" for text in words]
    assert wrong == []


def test_dates_have_no_name_of_a_month():
    """Neither Python nor a table of Streamlit writes it in the language of the window: see `frame.moment`."""
    sources = {path: path.read_text(encoding="utf-8") for path in APP.rglob("*.py")}
    assert [path.name for path, source in sources.items() if re.search(r"%[aAbB]\b|MMM|dddd", source)] == []


def test_editors_say_nothing_that_cannot_be_translated():
    """Of what an editor shows, no text in quotes goes past `_`."""
    shown = re.compile(r"""(?:label|message|title|placeholder|"aria-label"|h\("\w+", \{[^}]*\},) ?:? ["`]([^"`$]*)""")
    for path in sorted((APP / "components" / "editors").glob("*.js")):
        for text in shown.findall(path.read_text(encoding="utf-8")):
            assert not re.search(r"[a-z]{3}", text), f"{path.name}: {text!r}"


@pytest.fixture
def set_language():
    """Sets the language outside of a window, until the test ends."""
    before = language.OUTSIDE.get()
    yield language.OUTSIDE.set
    language.OUTSIDE.set(before)


@pytest.mark.parametrize(
    ("code", "number", "interval", "amount", "time"),
    [
        ("en", "-1,234.5", "0.5 [-1.5, 2,000]", "€4,800.00", "2.5 h"),
        ("ja", "-1,234.5", "0.5 [-1.5, 2,000]", "€4,800.00", "2.5 h"),
        ("de", "-1.234,5", "0,5 [-1,5; 2.000]", "4.800,00\u00a0€", "2,5 h"),
        ("fr", "-1\u202f234,5", "0,5 [-1,5; 2\u202f000]", "4\u202f800,00\u00a0€", "2,5 h"),
    ],
)
def test_figures_are_written_as_in_the_language_of_the_window(set_language, code, number, interval, amount, time):
    set_language(code)
    assert language.written(-1234.5, 1) == number
    assert language.figures("0.5 [-1.5, 2,000]") == interval
    assert (frame.money(4800, "EUR"), frame.duration(9000)) == (amount, time)
    assert language.ngettext("{number} row", "{number} rows", 1000) == f"{language.written(1000)} rows"


def test_a_table_has_one_decimal_and_figures_of_the_language(set_language, monkeypatch):
    set_language("de")
    shown = []
    monkeypatch.setattr(frame.st, "dataframe", lambda rows, **options: shown.extend(rows))
    frame.table([{"label": "v1.5", "F1": 200 / 3, "95%": "60.5 – 72.5", "cost": "€4.80", "tokens": 1200}])
    assert shown == [{"label": "v1.5", "F1": 66.7, "95%": "60,5 – 72,5", "cost": "€4,80", "tokens": 1200}]
