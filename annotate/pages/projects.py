"""The projects page: what there is, and a new project in under a minute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

import samplers
from annotate import guidelines, jobs, pool, rounds
from annotate.exchange import Problem, check, import_
from annotate.pages import frame, progress
from annotate.store import Progress, Project
from fewshot import tasks
from fewshot.corpora import embedded, text
from fewshot.corpora.load import load, locate
from fewshot.costs import rates
from fewshot.errors import FewshotError

SAMPLE, UPLOAD, PATH, UD = "The sample", "Upload a file", "A path on this machine", "A UD treebank"
CURRENCIES = ("USD", "EUR", "GBP", "JPY")
SEGMENTERS = ("words", "spaces", "characters")
OTHER = "a regular expression"


@dataclass(frozen=True, slots=True)
class Given:
    """What an upload holds, and what is wrong with it."""

    name: str
    examples: Sequence[Any]
    problems: Sequence[Problem]


def show() -> None:
    """Draw the page."""
    st.header("Projects")
    mine = frame.projects()
    for project in mine:
        _card(project)
    if frame.user().role == "annotator":
        if not mine:
            st.info("You have no project yet; ask whoever leads the work to add you to one.")
        return
    with st.expander("New project", expanded=not mine, icon=":material/add:"), frame.trouble():
        _new()


def _card(project: Project) -> None:
    rows = frame.store().progress(project.id)
    with st.container(border=True):
        name, work, action = st.columns([3, 4, 2], vertical_alignment="center")
        titles = ", ".join(tasks.get(task).title for task in project.tasks)
        name.markdown(f"**{project.name}**")
        name.caption(
            f"{frame.language(project.lang)} · {titles} · pool {project.pool_size:,}, test {project.test_size:,}"
        )
        total, done = sum(row.total for row in rows), sum(row.done for row in rows)
        seconds = sum(row.seconds for row in rows)
        work.progress(done / total if total else 0.0, text=f"{done} of {total} done")
        work.caption(f"{frame.minutes(seconds)} active, {frame.money(seconds / 3600 * project.wage, project.currency)}")
        if action.button("Open", key=f"open {project.id}", type="primary", width="stretch"):
            frame.open_project(project)
        if frame.user().role != "annotator":
            with st.expander("Next round, suggestions, settings"), frame.trouble():
                _rounds(project, rows)


def _rounds(project: Project, rows: Sequence[Progress]) -> None:
    draw, suggest = st.columns(2, gap="large")
    with draw:
        st.caption("NEXT ROUND")
        names = [*samplers.passive(), *(name for name in samplers.registry() if name not in samplers.passive())]
        sampler = st.selectbox("Sampler", names, index=names.index(project.sampler), key=f"sampler {project.id}")
        k = st.number_input("Sentences", 1, 10_000, project.k, key=f"k {project.id}")
        if st.button(f"Draw {k}", key=f"draw {project.id}"):
            _draw(project, sampler, int(k), rounds.next_seed(frame.store(), project))
            st.rerun()
        test_set(project, rows)
    with suggest:
        _suggestions(project)
        _settings(project)


def test_set(project: Project, rows: Sequence[Progress]) -> None:
    """Offer to annotate the test set, where there is one that was not drawn yet."""
    if not project.test_size or any(row.purpose == "test" for row in rows):
        return
    st.caption(f"{project.test_size} examples are kept for the test set. Annotated blind, they show the score.")
    if st.button("Annotate the test set", key=f"test {project.id}"):
        rounds.draw(frame.store(), project, project.test_size, "random", project.seed, purpose="test")
        st.rerun()


def _draw(project: Project, sampler: str, k: int, seed: int) -> None:
    """Draw a round at once, or let a model read the pool first."""
    store = frame.store()
    if samplers.get(sampler).needs:
        args = {"sampler": sampler, "k": k, "seed": seed, "model": jobs.own_model(store, project, project.tasks[0])}
        jobs.start(store, project.id, "draw", args)
    else:
        rounds.draw(store, project, k, sampler, seed)
        jobs.suggest(store, project)


@st.fragment(run_every=2.0)
def _suggestions(project: Project) -> None:
    if not frame.may_curate():
        return
    st.caption("SUGGESTIONS AND DRAWS BY A MODEL")
    unfinished = progress.lines(project, "suggest", "draw")
    if unfinished or not st.button("Suggest labels", key=f"suggest {project.id}"):
        return
    with frame.trouble():
        jobs.suggest(frame.store(), project)
        st.rerun(scope="fragment")


def _settings(project: Project) -> None:
    st.caption("SETTINGS")
    wage = st.number_input("Wage an hour", 0.0, 1000.0, project.wage, key=f"wage {project.id}")
    people = st.text_input(
        "Annotators, with commas", ", ".join(frame.store().project_people(project.id)), key=f"people {project.id}"
    )
    text = st.text_area("Guidelines (Markdown)", project.guidelines, key=f"guidelines {project.id}")
    if st.button("Save settings", key=f"save {project.id}"):
        names = _names(people)
        frame.store().update_project(project.id, wage=wage, guidelines=text)
        frame.store().set_project_people(project.id, names)
        st.rerun()


def _new() -> None:
    """Draw the form of a new project; what is left as it is makes sense."""
    first, second = st.columns(2, gap="large")
    with first:
        own_machine = not frame.signed_in() or frame.user().role == "admin"  # others see nothing of a server's files
        places = [SAMPLE, UPLOAD, *([PATH] if own_machine else []), UD]
        source = st.radio("Sentences", places, horizontal=True)
        chosen = st.multiselect("Tasks", list(tasks.registry()), ["pos"], format_func=_title)
        kinds = {tasks.get(name).example.kind for name in chosen}
        if len(kinds) != 1:
            st.warning(
                "These tasks are about different things; choose fewer." if kinds else "Choose at least one task."
            )
            return
        kind = kinds.pop()
        lang = _language(source, kind)
        given = _given(source, lang, kind, chosen[0])
        labels = {task: _labels(task) for task in chosen}
    with second:
        name = st.text_input("Name", f"{frame.language(lang)} pilot" if lang else "")
        left, right = st.columns(2)
        sampler = left.selectbox("Sampler", samplers.passive(), index=samplers.passive().index("random"))
        k = right.number_input(f"{kind.capitalize()} to draw", 1, 10_000, 10)
        people = st.text_input("Annotators, with commas", frame.user().name)
        with st.expander("More: test set, shares, wage, seed"):
            options = _options(chosen)
    if given is None or not st.button("Create project", type="primary", disabled=not (name.strip() and lang)):
        return
    with st.spinner("Reading and writing the pool"):
        _create(name.strip(), lang, labels, kind, given, str(sampler), int(k), _names(people), options)


def _language(source: str, kind: str) -> str:
    if source == SAMPLE:
        return str(st.selectbox("Language", embedded.sample_languages(kind), index=2, format_func=frame.language))
    code = st.text_input("Language code", placeholder="ja, sw, wo …").strip()
    if code:
        st.caption(frame.language(code))
    return code


def _given(source: str, lang: str, kind: str, task: str) -> Given | str | None:
    """Return what was uploaded, or the name of the data, None while there is nothing."""
    if source == SAMPLE:
        return "sample"
    if source == UD:
        help_ = "ud is the usual one of the language; or a name such as UD_Wolof-WTB"
        name = st.text_input("Treebank", "ud", help=help_).strip()
        if name != "ud" and not name.startswith("UD_"):
            raise FewshotError(f"no treebank is called {name!r}; write ud, or a name such as UD_Wolof-WTB")
        return name
    if source == PATH:
        return st.text_input("File or folder").strip() or None
    return _upload(lang, kind, task)


def _upload(lang: str, kind: str, task: str) -> Given | None:
    file = st.file_uploader("File", help="Plain text (a sentence a line), CoNLL-U, BIO, TSV, JSONL, SQuAD JSON")
    if file is None:
        return None
    segment = "words"
    if file.name.endswith(".txt"):
        segment = _segmenter()
    with frame.uploaded(file) as path:
        examples, problems = check(path, None, lang, task, segment)
    st.caption(f"{len(examples):,} {kind}, {len(problems):,} bad rows" if problems else f"{len(examples):,} {kind}")
    if problems:
        frame.bad_rows(problems, path)
        if not st.checkbox(f"Leave these {len(problems)} out"):
            return None
    return Given(file.name, examples, problems) if examples else None


def _labels(task: str) -> list[str]:
    """Return what annotators choose from; a task without labels of its own asks for them."""
    kind = tasks.get(task)
    known = list(kind.choices) or [one.name for one in guidelines.label_info(task)]
    return known if kind.choices or not known else _names(st.text_input(f"{kind.title}: labels", ", ".join(known)))


def _segmenter() -> str:
    chosen = str(st.selectbox("Words of plain text", [*SEGMENTERS, OTHER], help="How a line is cut into words"))
    if chosen != OTHER:
        return chosen
    return text.EXPRESSION + str(st.text_input("Regular expression of one word", r"\w+|[^\w\s]"))


def _options(chosen: Sequence[str]) -> dict[str, Any]:
    left, right = st.columns(2)
    wage = rates.load().rate(chosen[0]).wage
    return {
        "suggest": left.checkbox("Suggestions of the English model", True),
        "test": int(left.number_input("Test set, drawn at random", 0, 5000, 50, help="Kept from every sampler")),
        "seed": int(right.number_input("Seed", 0, 10_000, 0)),
        "blind_share": left.slider("Blind share", 0, 100, 20, 5, help="Shown without suggestions (%)") / 100,
        "double_share": right.slider("Annotated by two", 0, 100, 0, 5, help="For agreement (%)") / 100,
        "wage": float(left.number_input("Wage an hour", 0.0, 1000.0, wage)),
        "currency": right.selectbox("Currency", CURRENCIES),
        "level": int(left.selectbox("UD validator level", [2, 3])),
    }


def _create(
    name: str,
    lang: str,
    labels: dict[str, list[str]],
    kind: str,
    given: Given | str,
    sampler: str,
    k: int,
    people: Sequence[str],
    options: dict[str, Any],
) -> None:
    test, suggest = options.pop("test"), options.pop("suggest")
    if isinstance(given, Given):
        rows, source = _drawn(lambda: given.examples, test, options["seed"]), given.name
    else:
        rows, source = _found(lang, given, kind, next(iter(labels)), test, options["seed"])
    project = frame.store().create_project(
        name=name, lang=lang, tasks=list(labels), kind=kind, labels=labels, sampler=sampler, k=k, guidelines="",
        source=source, examples=rows, people=people, **options,
    )  # fmt: skip
    rounds.draw(frame.store(), project, min(k, project.pool_size), sampler, options["seed"])
    if suggest:
        jobs.suggest(frame.store(), project)
    frame.open_project(project)


def _found(lang: str, data: str, kind: str, task: str, test: int, seed: int) -> tuple[Iterator[pool.Row], str]:
    """Return the rows of data that is on this machine, and what to call it; raw text is read as it is written."""
    path = locate(lang, data, kind)
    if path.is_dir():
        corpus = load(lang, path, kind)
        return pool.both(corpus.pool, corpus.test), corpus.source
    if path.suffix == ".txt":
        return _drawn(lambda: text.read(path, SEGMENTERS[0]), test, seed), str(path)
    examples = import_(path, None, lang, task)
    return _drawn(lambda: examples, test, seed), str(path)


def _drawn(read: Callable[[], Iterable[Any]], test: int, seed: int) -> Iterator[pool.Row]:
    return pool.rows(read, pool.intake(read(), test, seed, None, None))


def _title(name: str) -> str:
    return tasks.get(name).title


def _names(text: str) -> list[str]:
    """Return the names of a list; where people sign in, they must be able to."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    known = {user.name for user in frame.store().users() if user.active} if frame.signed_in() else set(names)
    if strangers := [name for name in names if name not in known]:
        raise FewshotError(f"{', '.join(strangers)} cannot sign in here; an admin adds people on the page People")
    return names


__all__ = ["SAMPLE", "show"]
