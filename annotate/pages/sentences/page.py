"""The query, the filters, and a table of examples or hits."""

from __future__ import annotations

from functools import partial

import streamlit as st

from annotate.components import fields, frame, terms
from annotate.language import _, gettext_noop
from annotate.pages.sentences import changing, examples, hits
from annotate.search import queries, typed
from annotate.store import SHOTS, TEST, UNDRAWN, ExampleFilter, Project
from fewshot.corpora.types import Sentence

STATUSES = {
    "open": gettext_noop("open"), "skipped": gettext_noop("skipped"), "done": gettext_noop("done"),
    UNDRAWN: gettext_noop("not drawn yet"),
}  # fmt: skip
PURPOSES = {SHOTS: gettext_noop("shots"), TEST: gettext_noop("test set")}
ANY = gettext_noop("any")

SECONDS = "seconds"
"""Session key of the time limit of a search that was asked to go on."""

TYPED = gettext_noop(
    'A text, in any case, as whole letters: "ni" is no part of "ní". What begins like a pattern is one, `/h\\w+/` is a '
    "regular expression, and what stands in quotation marks is a text."
)
ACCENTS = gettext_noop(
    "In texts: letters are equal without their accents, and without the points of Arabic and Hebrew. Vowel signs, as "
    "those of Thai and Hindi, stay."
)
RECOGNIZED = {
    queries.EXPRESSION: gettext_noop("Found as a regular expression; in quotation marks it is a text."),
    queries.PATTERN: gettext_noop("Found as a pattern; in quotation marks it is a text."),
}

HELP = gettext_noop("""
| | |
|---|---|
| `X [upos="ADP"]` | a word that is an adposition |
| `X [lemma="be"\\|"have", form=re".*ing"]` | of these lemmas, with a form that ends in *ing* |
| `X [upos<>"NOUN", Tense, !Number]` | no noun, with Tense, without Number |
| `Y -[nsubj\\|obj]-> X` | X is subject or object of Y |
| `Y -[^punct]-> X`, `Y -[1=acl]-> X` | any relation but this one; this one with any subtype |
| `X < Y`, `X << Y` | Y follows at once, or anywhere |
| `X.upos = Y.upos`, `e: X -> Y; e.label = "obj"` | the same tag; the relation of an arc with a name |
| `pattern { V [upos="VERB"] } without { V -[nsubj]-> * }` | verbs without a subject |
| `pattern { e: V -[obl]-> N } commands { e.label = obj; N.Case = Acc }` | a rule: *Change all* shows what it changes |

Conditions are separated by `;`. The syntax is that of [Grew](https://grew.fr/doc/request).
""")


def show() -> None:
    """Draw the page."""
    project = frame.opened_project()
    st.header(terms.kind(project.kind).capitalize())
    task = fields.task(project)
    kind, query, accents = _query(project)
    wanted, order = _filters(project, task, listed=not query)
    with frame.trouble():
        changed = changing.said()
        if query:
            if kind != queries.TEXT:
                st.caption(_(RECOGNIZED[kind]))
            result = _found(project, kind, query, wanted, accents)
            if hits.cut_off(kind, result):
                st.session_state[SECONDS] = hits.LONGER_FACTOR * result.seconds
                st.session_state.pop("found")
                st.rerun()
            hits.show(project, task, result, quiet=changed)
            look = partial(queries.hits, frame.store(), project, kind, query, wanted, accents=accents)
            changing.propose(project, result, look)
        else:
            examples.show(project, wanted, order)
        changing.made(project)


def _query(project: Project) -> tuple[str, str, bool]:
    """Draw the field of the query; return kind, text (empty without one), and whether accents count.

    The fields have keys and no default values: a field whose default changes is another field to Streamlit, which
    drops what was typed into the one before.
    """
    place, field, box = f"query {project.id}", f"look for {project.id}", f"ignore accents {project.id}"
    kept = st.session_state.get(place, ("", False))
    for key, value in zip((field, box), kept, strict=True):
        st.session_state.setdefault(key, value)
    with st.form(f"look {project.id}", border=False):
        text, accents, button = st.columns([5, 1.5, 1], vertical_alignment="bottom")
        example = _('a text, or a pattern: X [upos="ADP"]; Y -[case]-> X')
        written = text.text_input(_("Search for"), key=field, placeholder=example, help=_(TYPED))
        ignores = accents.checkbox(_("Ignore accents"), key=box, help=_(ACCENTS))
        if button.form_submit_button(_("Search"), icon=":material/search:", type="primary", width="stretch"):
            st.session_state[place] = kept = (written.strip(), ignores)
            st.session_state.pop("found", None)
            st.session_state.pop(SECONDS, None)
    return *typed.recognize(project, kept[0]), not kept[1]


def _filters(project: Project, task: str, listed: bool) -> tuple[ExampleFilter, str]:
    """Draw the filters; an annotator sees only own items."""
    curates, me = frame.may_curate(), frame.user().name
    key = f"{project.id} {task}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        people = [ANY, *frame.store().project_people(project.id)] if curates else [me]
        person = (
            st.selectbox(_("Annotator"), people, format_func=_named, key=f"person {key}", width=140) if curates else me
        )
        status = st.selectbox(_("Status"), [ANY, *STATUSES], format_func=_named, key=f"status {key}", width=140)
        purpose = st.selectbox(_("Part"), [ANY, *PURPOSES], format_func=_named, key=f"part {key}", width=110)
        order = (
            st.selectbox(_("Sort by"), list(examples.ORDERS), format_func=_, key=f"order {key}", width=180)
            if listed
            else ""
        )
        flagged = st.checkbox(_("Flagged"), key=f"flagged {key}")
        commented = st.checkbox(_("With comments"), key=f"commented {key}")
        if project.kind == Sentence.kind:
            with st.popover(_("Patterns"), icon=":material/help:", type="tertiary"):
                st.markdown(_(HELP))
    who, how, part = (None if chosen == ANY else chosen for chosen in (person, status, purpose))
    wanted = ExampleFilter(task, who, how, part, flagged, commented)
    return wanted, examples.ORDERS.get(order, "position")


def _found(project: Project, kind: str, query: str, wanted: ExampleFilter, accents: bool) -> queries.SearchResult:
    """Return the hits of a query; the same query is searched once."""

    def search() -> queries.SearchResult:
        seconds = st.session_state.get(SECONDS, queries.MAX_SECONDS)
        with st.spinner(_("Searching everything ...")):
            return queries.find(frame.store(), project, kind, query, wanted, seconds, accents)

    return frame.once("found", (project.id, project.created, kind, query, wanted, accents), search)


def _named(choice: str) -> str:
    known = STATUSES.get(choice) or PURPOSES.get(choice) or (choice if choice == ANY else None)
    return _(known) if known else choice
