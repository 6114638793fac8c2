"""The form of a new project; every field has a sensible default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import samplers
from annotate.components import data_source, fields, frame, sampling, terms, uploads
from annotate.components.data_source import SAMPLE, Given
from annotate.editing import labels, uploaded
from annotate.exchange import defaults, pool, project_data, projects
from annotate.language import _, gettext_noop, written
from annotate.rounds.draw import TEXT_ORDER
from annotate.worker import settings
from fewshot import tasks
from fewshot.corpora import embedded
from fewshot.corpora.language_codes import check_code
from fewshot.corpora.pool import LENGTHS

CONTINUE, HIDE = gettext_noop("Continue the annotation"), gettext_noop("Hide the labels: they are gold")
OWN = {gettext_noop("Decide by the file: gold if every label is there"): None, CONTINUE: False, HIDE: True}
"""Choices for the labels of a file: whether the project hides them."""
OWN_HELP = gettext_noop(
    "Continue: finished examples count as yours and are learned from; unfinished ones open with "
    "their labels. Hide: nobody sees the labels; they score models and simulate a curve. Exports "
    "contain the labels in both cases."
)
LEVELS = (2, 3)


def show() -> None:
    """Draw the page: a form."""
    st.header(_("New project"))
    first, second = st.columns(2, gap="large")
    with first:
        radio = st.container()
        chosen, fit = _tasks()
        kind = tasks.get(chosen[0]).example.kind
        places = data_source.places(kind)  # of another kind some are missing, and what was chosen stays
        source = radio.radio(_("Sentences"), places, format_func=_, horizontal=True, key="source of a new project")
        lang = _language(source, kind)
        given, spaces = _data(source, lang, chosen)
    with second, frame.trouble():
        usual = frame.store().free_name(_("{language} pilot", language=terms.language(lang))) if lang else ""
        name = st.text_input(_("Name"), placeholder=usual, key="name of a new project").strip() or usual
        help_ = _("Also what is long, short or repeated. The test set stands at its places, without suggestions.")
        whole = st.checkbox(_("Annotate the whole file, in its order"), help=help_)
        sampler, k = (TEXT_ORDER, defaults.K) if whole else _first_round(kind, chosen[0])
        people = st.text_input(_("Annotators, separated by commas"), frame.user().name)
        with st.expander(_("More: test set, lengths, shares, wage, encoder")):
            limits = _limits(kind, given)
            options = _options(chosen, given) | {"whole": whole}
        given = given.flat() if given and project_data.refuses_nested(chosen, options["nested"]) else given
        taken = _sizes(given, chosen, options, limits, kind)
        hides = _hides_gold(taken) if given and given.is_file else None
        if given is None:
            return
        if not lang:
            st.caption(_("A language code is missing."))
        if not st.button(_("Create project"), type="primary", disabled=not (fit and lang)):
            return
        with st.spinner(_("Importing the data")):
            suggest, test, whole = options.pop("suggest"), options.pop("test", 0), options.pop("whole")
            new = projects.settings(name, lang, chosen, labels=spaces, sampler=sampler, k=k, **options)
            who = fields.annotators(people)
            place = (given.name,), lang, chosen, given.segmentation, given.test
            data = given.upload.data if given.upload else project_data.find(*place)
            data = data.flat() if not given.upload and project_data.refuses_nested(chosen, new.nested) else data
            taken = taken or project_data.take(data, chosen, test, new.seed, *limits, whole)
            made = projects.make(frame.store(), new, data, taken, who, suggest, hides, frame.user().name)
            uploads.forget_files()
            frame.open_project(made)


def _tasks() -> tuple[list[str], bool]:
    """Return the last valid choice of tasks, and whether it is the present choice.

    While the choice is none, the fields below stay as they are, with what is filled in.
    """
    chosen = st.multiselect(
        _("Tasks"), tasks.annotatable(), ["pos"], terms.offered_task, filter_mode="contains", select_all=False
    )
    kinds = {tasks.get(name).example.kind for name in chosen}
    alike = len({tasks.base_name(name) for name in chosen}) < len(chosen)
    if len(kinds) == 1 and not alike:
        st.session_state["tasks of a new project"] = chosen
        return chosen, True
    if len(kinds) == 1:
        st.warning(_("Two of these tasks annotate the same tags; choose one of them."))
    elif kinds:
        st.warning(_("These tasks need different kinds of examples; choose fewer."))
    else:
        st.warning(_("Choose at least one task."))
    return st.session_state.get("tasks of a new project", ["pos"]), False


def _language(source: str, kind: str) -> str:
    if source == SAMPLE:
        return str(st.selectbox(_("Language"), embedded.sample_languages(kind), index=2, format_func=terms.language))
    code = st.text_input(_("Language code"), placeholder="ja, sw, wo …").strip()
    if said := code and check_code(code):
        st.warning(frame.plain(said))
    elif code:
        st.caption(terms.language(code))
    return code


def _data(source: str, lang: str, chosen: Sequence[str]) -> tuple[Given | None, dict[str, list[str]]]:
    """Draw the fields of the data; return the data, and the labels by task.

    An error stands where it was made, and leaves the fields beside as they are.
    """
    with frame.trouble():
        given = data_source.with_test_set(data_source.choose(source, lang, chosen), lang, chosen)
        return given, {task: _labels(task, given) for task in chosen}
    return None, {}


def _labels(task: str, given: Given | None) -> list[str]:
    """Return the labels of a task: from the file or by default, and typed ones."""
    kind = tasks.get(task)
    if not kind.open:
        return list(kind.choices)
    in_file, is_gold = _found_labels(task, given.key, given.upload.data) if given and given.upload else ([], False)
    now = labels.of_data(task, in_file, is_gold)
    chosen = fields.labels(task, [*in_file, *labels.usual(task)], now, f"labels {task} {given.key if given else ()}")
    labels.require(task, chosen)
    return chosen


@st.cache_data(max_entries=20, show_spinner=False)
def _found_labels(task: str, key: tuple[str, ...], _data: project_data.Data) -> tuple[list[str], bool]:
    """Return the labels of an upload, and whether all of it is annotated, cached by its key."""
    count = uploaded.AnnotationCount.of([task])
    return list(tasks.get(task).fitted(count.count(_data.read())).given), count.is_gold


def _first_round(kind: str, task: str) -> tuple[str, int]:
    """Return the chosen sampler and the number of examples to draw."""
    left, right = st.columns(2)
    sampler = sampling.choose(left, tasks.get(task).sampler, f"sampler of a new project of {task}")
    k = right.number_input(_("{things} to draw", things=terms.kind(kind).capitalize()), 1, 10_000, defaults.K)
    if samplers.get(sampler).needs:
        st.caption(_("The source model reads the whole pool before the draw, which may take some minutes."))
    return sampler, int(k)


def _limits(kind: str, given: Given | None) -> tuple[int | None, int | None]:
    """Return the chosen minimum and maximum tokens of an example; None for no limit."""
    if kind not in LENGTHS or (given is not None and not given.is_file):
        return None, None
    least, most = LENGTHS[kind]
    left, right = st.columns(2)
    help_ = _("Only examples of this length are drawn, for the test set too")
    fewest = left.number_input(_("Minimum words"), 1, 1000, least, help=help_)
    return int(fewest), int(right.number_input(_("Maximum words"), 1, 1000, most))


def _options(chosen: Sequence[str], given: Given | None) -> dict[str, Any]:
    suggest = _("Suggest labels") if settings.language_model() else _("Suggestions of the source model")
    blind = _("Percentage shown without suggestions, to measure the effect of suggestions on time and labels")
    options: dict[str, Any] = {
        "suggest": st.checkbox(suggest, True),
        "suggester": fields.suggester(defaults.SUGGESTER, "suggester of a new project"),
        "learns": fields.learns(defaults.LEARNS, "learns in a new project"),
        "nested": project_data.annotates_entities(chosen) and fields.nested(False, "nested in a new project"),
    }
    left, right = st.columns(2)
    if given is None or given.draws_test:
        half = _("Never drawn by a sampler; at most half of the file")
        options["test"] = int(left.number_input(_("Test set, drawn at random"), 0, 5000, defaults.TEST, help=half))
    return options | {
        "seed": int(
            right.number_input(_("Seed"), 0, 10_000, defaults.SEED, help=_("The same seed draws the same examples"))
        ),
        "blind_share": _share(left, _("Blind share"), defaults.BLIND_SHARE, blind),
        "double_share": _share(right, _("Annotated by two people"), defaults.DOUBLE_SHARE, _("For agreement (%)")),
        "wage": float(left.number_input(_("Wage per hour"), 0.0, 1000.0, settings.rates().label_price(chosen[0]).wage)),
        "currency": right.selectbox(_("Currency"), defaults.CURRENCIES),
        "level": int(left.selectbox(_("UD validator level"), LEVELS, LEVELS.index(defaults.LEVEL))),
        "encoder": fields.encoder(right, defaults.ENCODER, "encoder of a new project"),
        "source_model": fields.source_model(left, "", "source model of a new project"),
    }


def _share(place: DeltaGenerator, label: str, now: float, help_: str) -> float:
    return float(place.slider(label, 0, 100, round(100 * now), 5, help=help_)) / 100


def _sizes(
    given: Given | None, names: Sequence[str], options: dict[str, Any], limits: tuple[int | None, int | None], kind: str
) -> project_data.Taken | None:
    """Draw the sizes of pool and test set; return the choice of examples if the data are uploaded."""
    if given is None:
        return None
    drawn = given.draws_test
    if given.upload is None:
        half = _(
            "Up to {size} {things}, and at most half of the file, become the test set, drawn at random.",
            size=options.get("test"), things=terms.kind(kind),
        )  # fmt: skip
        st.caption(half if drawn else _("The test set is that of the data."))
        return None
    how = (*limits, options["whole"])
    taken = _take(given.key, names, options.get("test", 0), options["seed"], how, given.upload.data)
    size, test = len(taken.intake.pool), len(taken.intake.test)
    sizes = {"pool": terms.counted(size, kind), "test": written(test)}
    said = _("Pool {pool}, test set {test}", **sizes)
    if drawn:
        said = _("Pool {pool}, test set {test}, drawn at random", **sizes)
    is_odd = taken.intake.count.wrong_length > size + test  # most likely what was cut into wrong words
    say = st.warning if is_odd else st.caption
    say(said + pool.left_out(taken.intake))
    return taken


@st.cache_data(max_entries=20, show_spinner=False)
def _take(
    key: tuple[str, ...],
    names: Sequence[str],
    test: int,
    seed: int,
    limits: tuple[int | None, int | None, bool],
    _data: project_data.Data,
) -> project_data.Taken:
    """Return the choice of examples of an upload, cached by its key."""
    return project_data.take(_data, names, test, seed, *limits)


def _hides_gold(taken: project_data.Taken | None) -> bool | None:
    """Return whether to hide the labels of files as gold; None leaves it to the data."""
    if taken is None:
        return OWN[str(st.radio(_("The file's own labels"), list(OWN), format_func=_, help=_(OWN_HELP)))]
    own = taken.own
    if not own.annotated:
        return None
    name = st.radio(_("The file's own labels"), [CONTINUE, HIDE], int(taken.is_gold), _, help=_(OWN_HELP))
    counts = {"annotated": written(own.annotated), "all": written(own.read), "whole": written(own.whole)}
    st.caption(_("{annotated} of {all} are annotated, {whole} of them completely.", **counts))
    for fault in project_data.faults(taken):
        st.warning(frame.plain(fault))
    return OWN[str(name)]
