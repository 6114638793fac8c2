"""The form of a new project: filled in in under a minute, since what is left as it is makes sense."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import streamlit as st

import samplers
from annotate.components import fields, frame
from annotate.editing import guidelines, labels, uploaded
from annotate.exchange import pool
from annotate.exchange.importing import continue_upload
from annotate.rounds.draw import begin_round
from annotate.store import NewProject
from fewshot import tasks
from fewshot.corpora import embedded
from fewshot.corpora.formats import check, stream, suffixes, text
from fewshot.corpora.load import load, locate
from fewshot.corpora.segmentation import EXPRESSION, PLAIN, Segmentation
from fewshot.errors import FewshotError

SAMPLE, UPLOAD, PATH, UD = "The sample", "Upload a file", "A path on this machine", "A UD treebank"
SEGMENTERS = ("words", "spaces", "characters")
OTHER = "a regular expression"
SENTENCE, PARAGRAPH = "a sentence", "a paragraph of sentences"
PREVIEWED = 5
"""Sentences that show how plain text is cut."""

CONTINUE, HIDE = "Continue from them", "Hide them: they are gold"
OWN = {"As the file is: gold if it has all of them": None, CONTINUE: False, HIDE: True}
"""What becomes of the labels of a file: whether the project hides them."""
OWN_HELP = (
    "Continued: what is finished counts as yours and is learned from, the rest opens as far as it is annotated. "
    "Hidden: nobody sees them; they score models and simulate a curve. An export gives them back either way."
)
TEST = 50
"""Examples of the test set, unless the user says otherwise."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a project is made of.

    Args:
        name: of the file, or of the data.
        examples: of an upload; None for data on this machine, and for what is downloaded.
        segmentation: how raw text becomes sentences and words.
        key: of an upload, what its examples depend on.
    """

    name: str
    examples: Sequence[Any] | None = None
    segmentation: Segmentation = PLAIN
    key: tuple[str, ...] = ()

    @property
    def is_file(self) -> bool:
        """Whether it is one file, which the test set is drawn from; other data comes with a test set."""
        return self.examples is not None or Path(self.name).is_file()


def show() -> None:
    """Draw the form."""
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
        spaces = {task: _labels(task, given) for task in chosen}
    with second:
        name = st.text_input("Name", f"{frame.language(lang)} pilot" if lang else "")
        sampler, k = _first_round(kind, chosen[0])
        people = st.text_input("Annotators, with commas", frame.user().name)
        with st.expander("More: test set, shares, wage, encoder"):
            options = _options(chosen, given)
        taken = _sizes(given, options, kind)
        hides = source in (SAMPLE, UD) or given is None or _hides_gold(given, chosen)
    if given is None or not st.button("Create project", type="primary", disabled=not (name.strip() and lang)):
        return
    settings = {"name": name.strip(), "lang": lang, "tasks": tuple(spaces), "kind": kind, "labels": spaces}
    settings |= {"sampler": sampler, "k": k, "hides_gold": hides}
    with st.spinner("Reading and writing the pool"):
        _create(given, taken, fields.annotators(people), settings, options)


def _language(source: str, kind: str) -> str:
    if source == SAMPLE:
        return str(st.selectbox("Language", embedded.sample_languages(kind), index=2, format_func=frame.language))
    code = st.text_input("Language code", placeholder="ja, sw, wo …").strip()
    if code:
        st.caption(frame.language(code))
    return code


def _given(source: str, lang: str, kind: str, task: str) -> Given | None:
    """Return what the project is made of, None while there is nothing."""
    if source == SAMPLE:
        return Given("sample")
    if source == UD:
        help_ = "ud is the usual one of the language; or a name such as UD_Wolof-WTB"
        name = st.text_input("Treebank", "ud", help=help_).strip()
        if name != "ud" and not name.startswith("UD_"):
            raise FewshotError(f"no treebank is called {name!r}; write ud, or a name such as UD_Wolof-WTB")
        return Given(name)
    if source == PATH:
        name = st.text_input("File or folder").strip()
        return Given(name, segmentation=_segmentation(Path(name), lang, kind, task)) if name else None
    return _upload(lang, kind, task)


def _upload(lang: str, kind: str, task: str) -> Given | None:
    file = st.file_uploader("File", help=f"Raw text, a sentence a line, or annotated: {', '.join(suffixes())}")
    if file is None:
        return None
    with frame.uploaded(file) as path:
        segmentation = _segmentation(path, lang, kind, task)
        examples, problems = check(path, None, lang, tasks.get(task), segmentation)
    st.caption(f"{len(examples):,} {kind}, {problems.total:,} bad rows" if problems else f"{len(examples):,} {kind}")
    if problems:
        frame.bad_rows(problems, path)
        if not st.checkbox(f"Leave these {problems.total:,} out"):
            return None
    return (
        Given(file.name, examples, segmentation, (file.file_id, lang, task, repr(segmentation))) if examples else None
    )


def _segmentation(file: Path, lang: str, kind: str, task: str) -> Segmentation:
    """Return how a file becomes sentences and words: of plain text it is asked for, and what comes of it is shown."""
    if file.suffix.lower() != ".txt" or not file.is_file():
        return PLAIN
    left, right = st.columns(2)
    lines = [SENTENCE, PARAGRAPH]
    paragraphs = left.selectbox("A line of plain text is", lines, int(text.has_paragraphs(file, lang))) == PARAGRAPH
    words = str(right.selectbox("Its words", [*SEGMENTERS, OTHER], help="How a sentence is cut into words"))
    if words == OTHER:
        expression = st.text_input("Regular expression of one word", r"\w+|[^\w\s]")
        chosen = Segmentation(EXPRESSION + expression, paragraphs=paragraphs)
    else:
        help_ = "A regular expression of what is a word of its own inside of others, such as 'r|'n of Welsh"
        chosen = Segmentation(words, st.text_input("Clitics", help=help_), paragraphs)
    first = list(islice(stream(file, None, lang, tasks.get(task), chosen, lambda error: None), PREVIEWED))
    st.caption(f"The first {kind}, a bar between two words")
    st.code("\n".join(" | ".join(one.words) for one in first), language=None, wrap_lines=True)
    return chosen


def _labels(task: str, given: Given | None) -> list[str]:
    """Return what annotators choose from: the labels of the file or the usual ones, and those that are typed."""
    kind = tasks.get(task)
    if not kind.open:
        return list(kind.choices)
    usual = list(kind.choices) or [one.name for one in guidelines.label_info(kind)]
    found = _found_labels(task, given.key, given.examples) if given and given.examples else []
    chosen = fields.labels(task, [*found, *usual], found or usual, f"labels {task} {given.key if given else ()}")
    if len(chosen) < 2 and not kind.choices:
        raise FewshotError(f"{kind.title} has no labels yet; type at least two")
    return chosen


@st.cache_data(max_entries=20, show_spinner=False)
def _found_labels(task: str, key: tuple[str, ...], _examples: Sequence[Any]) -> list[str]:
    """Return the labels of an upload; the key, see `Given`, says which examples these are."""
    return list(tasks.get(task).fitted(_examples).given)


def _first_round(kind: str, task: str) -> tuple[str, int]:
    """Return the sampler, by default that of the task, and how many it draws."""
    left, right = st.columns(2)
    known = fields.sampler_names()
    sampler = left.selectbox("Sampler", known, index=known.index(tasks.get(task).sampler))
    k = right.number_input(f"{kind.capitalize()} to draw", 1, 10_000, 10)
    if samplers.get(sampler).needs:
        st.caption("The English model reads the whole pool before it draws; that may take some minutes.")
    return sampler, int(k)


def _options(chosen: Sequence[str], given: Given | None) -> dict[str, Any]:
    found: dict[str, Any] = {"suggest": st.checkbox("Suggestions of the English model", True)}
    left, right = st.columns(2)
    if given is None or given.is_file:
        half = "Kept from every sampler; at most half of the file"
        found["test"] = int(left.number_input("Test set, drawn at random", 0, 5000, TEST, help=half))
    return found | {
        "seed": int(right.number_input("Seed", 0, 10_000, 0)),
        "blind_share": left.slider("Blind share", 0, 100, 20, 5, help="Shown without suggestions (%)") / 100,
        "double_share": right.slider("Annotated by two", 0, 100, 0, 5, help="For agreement (%)") / 100,
        "wage": float(left.number_input("Wage an hour", 0.0, 1000.0, frame.rates().rate(chosen[0]).wage)),
        "currency": right.selectbox("Currency", fields.CURRENCIES),
        "level": int(left.selectbox("UD validator level", [2, 3])),
        "encoder": fields.encoder(right, fields.ENCODER, "encoder of a new project"),
    }


def _hides_gold(given: Given, chosen: Sequence[str]) -> bool | None:
    """Ask what becomes of the labels that a file came with; None where the file is to tell once it is read."""
    if given.examples is None:
        return OWN[str(st.radio("The file's own labels", list(OWN), help=OWN_HELP))]
    found = _counted(given.key, tuple(chosen), given.examples)
    if not found.annotated:
        return False
    name = st.radio("The file's own labels", [CONTINUE, HIDE], int(found.is_gold), help=OWN_HELP)
    st.caption(f"{found.annotated:,} of {found.read:,} are annotated, {found.whole:,} of them without a gap.")
    return OWN[str(name)]


@st.cache_data(max_entries=20, show_spinner=False)
def _counted(key: tuple[str, ...], chosen: tuple[str, ...], _examples: Sequence[Any]) -> uploaded.Found:
    """Return how much of an upload is annotated; the key, see `Given`, says which examples these are."""
    found = uploaded.Found.of(chosen)
    deque(found.count(_examples), maxlen=0)
    return found


def _sizes(given: Given | None, options: dict[str, Any], kind: str) -> pool.Intake | None:
    """Say how large pool and test set will be; return what is taken of an upload, which is read already."""
    if given is None:
        return None
    if given.examples is None:
        drawn = (
            f"Up to {options.get('test')} {kind}, and at most half of the file, become the test set, drawn at random."
        )
        st.caption(drawn if given.is_file else "The test set is the one that comes with the data.")
        return None
    taken = _intake(given.key, options["test"], options["seed"], given.examples)
    counts = (
        (taken.count.repeated, "repeated"),
        (taken.count.wrong_length, "too short or too long"),
        (taken.count.in_test, "with a text of the test set"),
    )
    left_out = ", ".join(f"{count:,} {why}" for count, why in counts if count)
    st.caption(
        f"Pool {len(taken.pool):,} {kind}, test set {len(taken.test):,}, drawn at random"
        + (f"; left out: {left_out}" if left_out else "")
    )
    return taken


@st.cache_data(max_entries=20, show_spinner=False)
def _intake(key: tuple[str, ...], test: int, seed: int, _examples: Sequence[Any]) -> pool.Intake:
    """Return what is taken of an upload; the key, see `Given`, says which examples these are."""
    return pool.intake(_examples, test, seed, None, None)


def _create(
    given: Given, taken: pool.Intake | None, people: list[str], settings: dict[str, Any], options: dict[str, Any]
) -> None:
    suggest, test = options.pop("suggest"), options.pop("test", 0)
    brought: dict[str, set[str]] = {task: set() for task in settings["labels"]}
    noted = partial(labels.noted, brought)
    if given.examples is not None and taken is not None:
        examples = given.examples
        rows, source = pool.rows(lambda: noted(examples), taken), given.name
        found = _counted(given.key, settings["tasks"], examples)
    else:
        rows, source, found = _found(given, settings, test, options["seed"], noted)
    if settings["hides_gold"] is None:
        settings["hides_gold"] = found.is_gold
    new = NewProject(source=source, guidelines="", **settings, **options)
    store = frame.store()
    project = store.create_project(new, rows, people)
    for task, names in brought.items():
        labels.add(store, project, task, names)
    project, finished = store.project(project.id), 0
    if found.annotated and not project.hides_gold:
        finished = continue_upload(store, project, frame.user().name)
    if k := min(project.k, project.pool_size - finished):
        begin_round(store, project, k, project.sampler, project.seed, suggest)
    frame.open_project(project)


def _found(
    given: Given, settings: dict[str, Any], test: int, seed: int, noted: Callable[[Iterable[Any]], Iterator[Any]]
) -> tuple[Iterator[pool.Row], str, uploaded.Found]:
    """Return the rows of data that is on this machine, what to call it, and how much of its pool is annotated.

    A file is read as it is written.

    Args:
        noted: passes examples on and sees their labels.
    """
    lang, kind, found = settings["lang"], settings["kind"], uploaded.Found.of(settings["tasks"])
    path = locate(lang, given.name, kind)
    if path.is_dir():
        corpus = load(lang, path, kind, task=tasks.get(settings["tasks"][0]))
        candidates = list(found.count(corpus.pool))
        return pool.both(noted(candidates), noted(corpus.test)), corpus.source, found
    read = partial(stream, path, None, lang, tasks.get(settings["tasks"][0]), given.segmentation)
    taken = pool.intake(found.count(read()), test, seed, None, None)
    return pool.rows(lambda: noted(read()), taken), str(path), found


def _title(name: str) -> str:
    return tasks.get(name).title
