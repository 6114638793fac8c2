"""Create projects, and add data to them, for the pages and the commands."""

from __future__ import annotations

import getpass
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import samplers
from annotate.editing import labels
from annotate.exchange import defaults, pool
from annotate.exchange.importing import continue_upload
from annotate.exchange.project_data import Data, Taken, distinct
from annotate.language import _
from annotate.rounds.draw import TEXT_ORDER, begin_round, begin_whole
from annotate.store import AUTO, SUGGESTERS, NewProject, Project, Store
from fewshot import tasks
from fewshot.corpora.language_codes import check_code, language
from fewshot.costs import prices
from fewshot.errors import FewshotError, UnknownNameError, listed

LARGEST = {"k": 2**31 - 1, "seed": 2**62}
"""Largest numbers that databases and backups hold; later draws count on from the seed."""


def settings(name: str, lang: str, names: Sequence[str], **given: Any) -> NewProject:
    """Return the settings of a new project: the given ones, and defaults for the others.

    Raises:
        FewshotError: for an unknown task, suggester or source language, for tasks with different kinds of examples, and
            for a number that is too large.
    """
    chosen = [tasks.get(each) for each in names]
    kinds = sorted({task.example.kind for task in chosen})
    if len(kinds) != 1:
        raise FewshotError(f"{listed(list(names))} are about {listed(kinds)}; a project has tasks about one of these")
    values: dict[str, Any] = {
        "labels": {},
        "sampler": chosen[0].sampler,
        "k": defaults.K,
        "seed": defaults.SEED,
        "blind_share": defaults.BLIND_SHARE,
        "double_share": defaults.DOUBLE_SHARE,
        "wage": prices.load().label_price(chosen[0].name).wage,
        "currency": defaults.CURRENCIES[0],
        "guidelines": "",
        "level": defaults.LEVEL,
        "hides_gold": False,
        "encoder": defaults.ENCODER,
        "source": "",
        "suggester": defaults.SUGGESTER,
        "source_model": "",
        "learns": defaults.LEARNS,
        "nested": False,
    }
    values |= given
    for setting, most in LARGEST.items():
        if values[setting] > most:
            raise FewshotError(f"{setting} is {values[setting]}; choose a number of at most {most}")
    values["source_model"] = checked_source_model(values["source_model"])
    if values["suggester"] not in SUGGESTERS:
        raise UnknownNameError("suggester", values["suggester"], list(SUGGESTERS))
    return NewProject(name=name, lang=lang, tasks=tuple(names), kind=kinds[0], **values)


def checked_source_model(given: str) -> str:
    """Return a source model as it is stored: AUTO, or sorted shortest language codes.

    Raises:
        FewshotError: for an unknown language.
    """
    codes = separated(given)
    if codes == [AUTO]:
        return AUTO
    if wrong := next(filter(None, map(check_code, codes)), ""):
        raise FewshotError(_("{reason}; write auto, or the languages of the source model", reason=wrong))
    return ",".join(sorted({language(code) for code in codes}))


def make(
    store: Store,
    new: NewProject,
    data: Data,
    taken: Taken,
    people: Sequence[str],
    suggest: bool = True,
    hides_gold: bool | None = None,
    owner: str = "",
) -> Project:
    """Create a project and begin its first round, or assign everything if all of the data was taken.

    Args:
        new: settings; a task without labels gets those of the data, or else the default ones.
        data: is read a second time.
        taken: of this data, see `take`.
        people: names of the annotators.
        suggest: whether a model suggests labels for the round.
        hides_gold: whether the annotation of the data is hidden as gold; otherwise the project continues it, and models
            learn from finished examples. None: corpora and completely annotated files are gold.
        owner: annotator to whom continued annotation belongs; empty: the first of ``people``.

    Raises:
        FewshotError: for invalid settings, when the data cannot be read again, and when the first round cannot begin;
            the project is then deleted.
        SamplerError: for an unknown sampler.
    """
    store.require_free_name(new.name)
    samplers.get(new.sampler)
    given, gold = new.labels, taken.is_gold
    chosen = {name: labels.initial(name, given.get(name, ()), taken.labels[name], gold) for name in new.tasks}
    hides = (data.is_corpus or taken.is_gold) if hides_gold is None else hides_gold
    sampler = TEXT_ORDER if taken.is_whole else new.sampler
    complete = replace(new, labels=chosen, source=data.name, hides_gold=hides, sampler=sampler)
    project, finished = store.create_project(complete, _rows(data, taken), people, unique=True), 0
    try:
        if (taken.own.annotated or taken.tested.annotated) and not hides:
            finished = continue_upload(store, project, owner or _first(people))
        if taken.is_whole:
            begin_whole(store, project, suggest)
        elif k := min(project.k, project.pool_size - finished):
            begin_round(store, project, k, project.sampler, project.seed, suggest)
    except BaseException:  # also on an interruption: the same command would create the project twice
        store.delete_project(project.id)
        raise
    return project


def add(store: Store, project: Project, data: Data, taken: Taken, owner: str = "") -> None:
    """Add examples to the pool of a project, and their labels to its labels, while others work on.

    Args:
        data: is read a second time. If reading fails, the examples added so far stay; `more` leaves them out next time.
        taken: of this data, see `more`.
        owner: see `make`.

    Raises:
        ConflictError: when somebody else has added examples since then.
    """
    for name, names in taken.labels.items():
        labels.add(store, project, name, names)
    ids = set(taken.used)
    rows = pool.rows(lambda: distinct(data.read(), ids), taken.intake, held=taken.held)
    store.add_examples(project.id, rows, taken.known)
    if taken.own.annotated and not project.hides_gold:
        continue_upload(store, project, owner or _first(store.project_people(project.id)))


def separated(given: str) -> list[str]:
    """Split a comma-separated text, without repetitions."""
    return list(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))


def file_name(project: Project) -> str:
    """Return the name of a project as a file name without suffix."""
    return re.sub(r"\W+", "-", project.name)


def _first(people: Iterable[str]) -> str:
    """Return the first name, or else the name of this machine's user."""
    return next(iter(people), "") or getpass.getuser()


def _rows(data: Data, taken: Taken) -> Iterator[pool.Row]:
    """Yield the rows of a new project, with distinct ids."""
    ids: set[str] = set()
    test = data.test
    read_test = None if test is None else lambda: distinct(test, ids)
    return pool.rows(lambda: distinct(data.read(), ids), taken.intake, read_test)
