"""Projects as a whole: made of data, and given more of it; the same for pages and commands."""

from __future__ import annotations

import getpass
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count
from typing import Any

import samplers
from annotate.editing import content, labels, uploaded
from annotate.exchange import defaults, pool
from annotate.exchange.importing import continue_upload
from annotate.language import _, gettext_noop
from annotate.rounds.draw import begin_round
from annotate.store import AUTO, SUGGESTERS, NewProject, Project, Store
from fewshot import tasks
from fewshot.corpora.files import Report, fail
from fewshot.corpora.formats import renamed, stream
from fewshot.corpora.language_codes import doubt, language
from fewshot.corpora.load import describe, files_of, locate
from fewshot.corpora.pool import PoolCount, digest
from fewshot.corpora.segmentation import PLAIN, Segmentation
from fewshot.corpora.types import Article
from fewshot.costs import prices
from fewshot.errors import FewshotError, UnknownNameError, listed


@dataclass(frozen=True, slots=True)
class Data:
    """Examples that a project is made of, or gets.

    Args:
        name: of the files, or of the corpus.
        read: reads the examples, from the beginning each time.
        test: the test set that comes with them; None: it is drawn from what is read.
        is_corpus: whether it is one, whose test set stays as it is, and whose labels are gold.
    """

    name: str
    read: Callable[[], Iterable[Any]]
    test: Sequence[Any] | None = None
    is_corpus: bool = False


@dataclass(frozen=True, slots=True)
class Taken:
    """What a project takes of its data.

    Args:
        intake: which examples.
        found: labels that the data came with, by task.
        own: how much of the data is annotated, but of a test set that comes with it.
        tested: how much of that test set is.
        used: ids that the project has already.
        held: digests of the examples that it has.
    """

    intake: pool.Intake
    found: Mapping[str, frozenset[str]]
    own: uploaded.AnnotationCount
    tested: uploaded.AnnotationCount
    used: frozenset[str] = frozenset()
    held: frozenset[bytes] = frozenset()

    @property
    def is_gold(self) -> bool:
        """Whether all is annotated of what is annotated at all, pool or test set: then it is there to be hidden."""
        parts = [part for part in (self.own, self.tested) if part.annotated]
        return bool(parts) and all(part.is_gold for part in parts)


def find(
    places: Sequence[str],
    lang: str,
    names: Sequence[str],
    segmentation: Segmentation = PLAIN,
    test: str | None = None,
    report: Report = fail,
) -> Data:
    """Find data on this machine, or a treebank of Universal Dependencies.

    Args:
        places: files, which are read one after the other; or one of what else `fewshot.corpora.load.locate` knows.
        lang: language code.
        names: of tasks about one kind; the first one says which formats can be read.
        segmentation: of raw text into sentences and words.
        test: a file with the test set.
        report: told of each bad row of a file.

    Raises:
        FewshotError: for a place where there is nothing of the kind, or a folder beside other data.
    """
    task, *others = map(tasks.get, names)
    paths = [locate(lang, place, task.example.kind) for place in places]
    read = partial(stream, lang=lang, layer=task, format=None, segmentation=segmentation, report=report, also=others)
    if folder := next((path for path in paths if path.is_dir()), None):
        if len(paths) > 1 or test:
            raise FewshotError(f"{folder}: a folder has its own test set; give it alone, or give files")
        pool_file, test_file = files_of(folder, task.example.kind)
        return Data(describe(folder), lambda: read(pool_file), list(read(test_file)), is_corpus=True)
    kept = list(read(locate(lang, test, task.example.kind))) if test else None
    return Data(", ".join(map(str, paths)), lambda: chain.from_iterable(map(read, paths)), kept)


def take(
    data: Data,
    names: Sequence[str],
    test: int = defaults.TEST,
    seed: int = defaults.SEED,
    shortest: int | None = None,
    longest: int | None = None,
) -> Taken:
    """Choose pool and test set of a new project, reading the data once.

    Args:
        data: of one kind.
        names: of the tasks.
        test: how many examples are drawn for the test set, where none comes with the data.
        seed: of that draw.
        shortest: least tokens of an example, also of the test set, but of a corpus; None: that of the kind.
        longest: most tokens, likewise.

    Raises:
        FewshotError: when nothing is left to annotate.
    """
    found: dict[str, set[str]] = {name: set() for name in names}
    own, tested = uploaded.AnnotationCount.of(names), uploaded.AnnotationCount.of(names)
    examples = labels.collected(found, own.count(data.read()))
    given = test if data.test is None else labels.collected(found, tested.count(data.test))
    intake = pool.intake(examples, given, seed, shortest, longest, data.is_corpus)
    return Taken(intake, _frozen(found), own, tested)


def settings(name: str, lang: str, names: Sequence[str], **given: Any) -> NewProject:
    """Return the settings of a new project: those that are given, and what makes sense for the others.

    Raises:
        FewshotError: for an unknown task, suggester or language of a source model, or tasks about different kinds of
            examples.
    """
    chosen = [tasks.get(each) for each in names]
    kinds = sorted({task.example.kind for task in chosen})
    if len(kinds) != 1:
        raise FewshotError(f"{listed(list(names))} are about {listed(kinds)}; a project has tasks about one of these")
    usual: dict[str, Any] = {
        "labels": {},
        "sampler": chosen[0].sampler,
        "k": defaults.K,
        "seed": defaults.SEED,
        "blind_share": defaults.BLIND_SHARE,
        "double_share": defaults.DOUBLE_SHARE,
        "wage": prices.load().rate(chosen[0].name).wage,
        "currency": defaults.CURRENCIES[0],
        "guidelines": "",
        "level": defaults.LEVEL,
        "hides_gold": False,
        "encoder": defaults.ENCODER,
        "source": "",
        "suggester": defaults.SUGGESTER,
        "source_model": "",
        "learns": defaults.LEARNS,
    }
    usual |= given
    usual["source_model"] = checked_source_model(usual["source_model"])
    made = NewProject(name=name, lang=lang, tasks=tuple(names), kind=kinds[0], **usual)
    if made.suggester not in SUGGESTERS:
        raise UnknownNameError("suggester", made.suggester, list(SUGGESTERS))
    return made


def checked_source_model(given: str) -> str:
    """Return which source model is meant, see `NewProject.source_model`: languages by their shortest codes, sorted.

    Raises:
        FewshotError: when one of them is no language.
    """
    codes = separated(given)
    if codes == [AUTO]:
        return AUTO
    if wrong := next(filter(None, map(doubt, codes)), ""):
        said = _("{reason}; a source model is auto, or the languages that it has learned from", reason=wrong)
        raise FewshotError(said)
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
    """Make a project and begin its first round, of the whole pool where that is smaller.

    Args:
        store: that gets it.
        new: with the labels chosen for each task; without any it has those of its data, else the usual ones.
        data: is read again.
        taken: of this data.
        people: names of those who work on it.
        suggest: whether a model suggests labels for the round.
        hides_gold: whether the annotation of the data is gold that is hidden; else it is continued, and what is
            finished is learned from. None: that of a corpus is gold, and of files where all is annotated.
        owner: whose the annotation that is continued counts as; empty: the first of the people.

    Raises:
        FewshotError: for settings that cannot be, whatever reading the data again raises, and where the first round
            cannot be begun; nothing is left of the project then.
        SamplerError: for an unknown sampler.
    """
    samplers.get(new.sampler)
    chosen = {name: labels.initial(name, new.labels.get(name, ()), taken.found[name]) for name in new.tasks}
    hides = (data.is_corpus or taken.is_gold) if hides_gold is None else hides_gold
    complete = replace(new, labels=chosen, source=data.name, hides_gold=hides)
    project, finished = store.create_project(complete, _rows(data, taken), people), 0
    try:
        if (taken.own.annotated or taken.tested.annotated) and not hides:
            finished = continue_upload(store, project, owner or _first(people))
        if k := min(project.k, project.pool_size - finished):
            begin_round(store, project, k, project.sampler, project.seed, suggest)
    except BaseException:  # also where a command is stopped: made again, it would be there twice
        store.delete_project(project.id)
        raise
    return project


def more(store: Store, project: Project, data: Data) -> Taken:
    """Choose what a project does not have yet, for its pool, reading the data once; its test set stays as it is.

    Raises:
        FewshotError: when there is nothing new.
    """
    used: set[str] = set()
    held: set[bytes] = set()
    test: list[Any] = []
    for row in store.examples(project.id):
        example = content.from_json(row.content)
        used.update(_ids(example))
        if row.split == "test":
            test.append(example)
        else:
            held.add(digest(pool.same(example)))
    found: dict[str, set[str]] = {name: set() for name in project.tasks}
    own = uploaded.AnnotationCount.of(project.tasks)
    intake = pool.beside(labels.collected(found, own.count(data.read())), test, held)
    nothing = uploaded.AnnotationCount.of(project.tasks)
    held.update(digest(pool.same(example)) for example in test)
    return Taken(intake, _frozen(found), own, nothing, frozenset(used), frozenset(held))


def _frozen(found: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(some) for name, some in found.items()}


def add(store: Store, project: Project, data: Data, taken: Taken, owner: str = "") -> None:
    """Add to the pool of a project; labels of the data become its own. Others work on meanwhile.

    Where the project continues what its data had annotated, what is finished of these is learned from.

    Args:
        store: that has the project.
        project: whose pool it is.
        data: is read again. What was added before reading failed stays: it is left out of what is chosen next time.
        taken: of this data, see `more`.
        owner: see `make`.
    """
    for name, names in taken.found.items():
        labels.add(store, project, name, names)
    ids = set(taken.used)
    store.add_examples(project.id, pool.rows(lambda: distinct(data.read(), ids), taken.intake, held=taken.held))
    if taken.own.annotated and not project.hides_gold:
        continue_upload(store, project, owner or _first(store.project_people(project.id)))


def left_out(count: PoolCount) -> str:
    """Return how many examples are left out of a pool and why, to follow a count of those in it; empty for none."""
    counts = (
        (count.repeated, gettext_noop("{number} repeated")),
        (count.wrong_length, gettext_noop("{number} too short or too long")),
        (count.in_test, gettext_noop("{number} with a text of the test set")),
    )
    said = ", ".join(_(why, number=f"{some:,}") for some, why in counts if some)
    return "; " + _("left out: {reasons}", reasons=said) if said else ""


def faults(taken: Taken) -> list[str]:
    """Return what is to be said of annotation that data came with and that breaks the rules of its task."""
    said = gettext_noop("Annotated with a fault, not used until it is mended: {number}; the first: {fault}")
    parts = [part for part in (taken.own, taken.tested) if part.wrong]
    return [_(said, number=f"{part.wrong:,}", fault=part.fault) for part in parts]


def separated(given: str) -> list[str]:
    """Return what stands between commas, each once."""
    return list(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))


def file_name(project: Project) -> str:
    """Return the name of a project as that of a file, without an ending."""
    return re.sub(r"\W+", "-", project.name)


def _first(people: Iterable[str]) -> str:
    """Return the first name; where there is none, that of the user of this machine."""
    return next(iter(people), "") or getpass.getuser()


def _rows(data: Data, taken: Taken) -> Iterator[pool.Row]:
    """Yield the rows of a new project, each with an id of its own."""
    ids: set[str] = set()
    test = data.test
    read_test = None if test is None else lambda: distinct(test, ids)
    return pool.rows(lambda: distinct(data.read(), ids), taken.intake, read_test)


def distinct(examples: Iterable[Any], used: set[str]) -> Iterator[Any]:
    """Pass examples on; one whose id is used already, as in another file, gets a number behind it: ``s1-2``.

    Args:
        examples: of one kind; the questions of articles have ids too.
        used: ids; those of the examples are added.
    """
    for example in examples:
        if used.isdisjoint(_ids(example)):
            used.update(_ids(example))
            yield example
        else:
            yield renamed(example, {id: _unused(used, id) for id in dict.fromkeys(_ids(example))})


def _ids(example: Any) -> list[str]:
    return [example.id, *(asked.id for asked in _questions(example))]


def _questions(example: Any) -> Iterator[Any]:
    if isinstance(example, Article):
        for paragraph in example.paragraphs:
            yield from paragraph.questions


def _unused(used: set[str], id: str) -> str:
    """Return an id, or the first with a number behind it that is not used, and use it up."""
    free = next(one for one in chain([id], (f"{id}-{number}" for number in count(2))) if one not in used)
    used.add(free)
    return free
