"""The data of a project: find data, choose the examples that a project takes, make ids distinct."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count
from typing import Any

from annotate.editing import content, labels, uploaded
from annotate.exchange import defaults, pool
from annotate.language import _, gettext_noop
from annotate.store import Project, Store
from fewshot import tasks
from fewshot.corpora import nested
from fewshot.corpora.files import Report, fail
from fewshot.corpora.formats import rename_example, stream
from fewshot.corpora.load import describe, files_of, locate
from fewshot.corpora.pool import digest
from fewshot.corpora.segmentation import PLAIN, Segmentation
from fewshot.errors import FewshotError


@dataclass(frozen=True, slots=True)
class Data:
    """Examples for a project.

    Args:
        name: of the files or the corpus.
        read: reads the examples from the beginning, each time.
        test: the test set; if None, a test set is drawn from the examples.
        is_corpus: whether the examples are a corpus: its test set stays as it is, and its labels are gold.
    """

    name: str
    read: Callable[[], Iterable[Any]]
    test: Sequence[Any] | None = None
    is_corpus: bool = False

    def flat(self, report: Report = fail) -> Data:
        """Return the data for a project without nested entities; sentences with such are reported."""
        read, test = self.read, self.test
        flat_test = None if test is None else list(nested.flat(test, report))
        return replace(self, read=lambda: nested.flat(read(), report), test=flat_test)


def annotates_entities(names: Sequence[str]) -> bool:
    """Return whether one of these tasks annotates entities."""
    return any("entities" in tasks.get(name).columns for name in names)


def refuses_nested(names: Sequence[str], allowed: bool) -> bool:
    """Return whether examples with nested entities are refused, since these tasks would annotate them.

    Args:
        allowed: whether the project has nested entities.
    """
    return annotates_entities(names) and not allowed


@dataclass(frozen=True, slots=True)
class Taken:
    """The part of the data that a project takes.

    Args:
        intake: the chosen examples.
        labels: labels in the data, by task.
        own: how much of the data is annotated, without a given test set.
        tested: how much of a given test set is annotated.
        known: number of the examples that the project already has; None for a new project.
        used: ids of these examples.
        held: digests of these examples.
        begun: whether the data mark examples as begun.
        is_whole: whether everything was taken, to be annotated in the order of the file.
    """

    intake: pool.Intake
    labels: Mapping[str, frozenset[str]]
    own: uploaded.AnnotationCount
    tested: uploaded.AnnotationCount
    used: frozenset[str] = frozenset()
    held: frozenset[bytes] = frozenset()
    begun: bool = False
    is_whole: bool = False
    known: int | None = None

    @property
    def is_gold(self) -> bool:
        """Whether the labels are gold: pool and test set are each annotated as a whole or not at all."""
        parts = [part for part in (self.own, self.tested) if part.annotated]
        return bool(parts) and all(part.is_gold for part in parts) and not self.begun


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
        places: files, which are read in order, or one other place that `fewshot.corpora.load.locate` knows.
        names: tasks with one kind of example; the first task decides which formats can be read.
        segmentation: of raw text into sentences and words.
        test: file of the test set.
        report: called with each bad row of a file.

    Raises:
        FewshotError: when a place does not exist, and when a folder is given with other places.
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
    whole: bool = False,
) -> Taken:
    """Choose pool and test set of a new project, reading the data once.

    Args:
        names: of the tasks.
        test: number of examples to draw for the test set, if the data have none.
        seed: of that draw.
        shortest: minimum tokens of an example; the test set of a corpus is not limited. None: the default of the kind.
        longest: maximum tokens of an example; None: the default of the kind.
        whole: whether to take every example outside of the test set, whatever its length and text.

    Raises:
        FewshotError: when nothing is left to annotate.
    """
    seen: dict[str, set[str]] = {name: set() for name in names}
    own, tested = uploaded.AnnotationCount.of(names), uploaded.AnnotationCount.of(names)
    begun = set[bool]()
    examples = labels.collected(seen, own.count(_noted(data.read(), begun)))
    given = test if data.test is None else labels.collected(seen, tested.count(data.test))
    intake = pool.intake(examples, given, seed, shortest, longest, data.is_corpus, whole)
    return Taken(intake, _frozen(seen), own, tested, begun=True in begun, is_whole=whole)


def _noted(examples: Iterable[Any], begun: set[bool]) -> Iterator[Any]:
    for example in examples:
        begun.add(example.begun)
        yield example


def more(store: Store, project: Project, data: Data) -> Taken:
    """Choose the examples that a project does not have yet, for its pool, reading the data once.

    Raises:
        FewshotError: when no example is new.
    """
    used: set[str] = set()
    held: set[bytes] = set()
    test: list[Any] = []
    known = 0
    for row in store.examples(project.id):
        example, known = content.from_json(row.content), row.position + 1
        used.update(_ids(example))
        if row.split == "test":
            test.append(example)
        else:
            held.add(digest(pool.same(example)))
    seen: dict[str, set[str]] = {name: set() for name in project.tasks}
    own = uploaded.AnnotationCount.of(project.tasks)
    intake = pool.beside(labels.collected(seen, own.count(data.read())), test, held)
    nothing = uploaded.AnnotationCount.of(project.tasks)
    held.update(digest(pool.same(example)) for example in test)
    return Taken(intake, _frozen(seen), own, nothing, frozenset(used), frozenset(held), known=known)


def _frozen(seen: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(names) for name, names in seen.items()}


def faults(taken: Taken) -> list[str]:
    """Return messages about annotation in the data that breaks the rules of its task."""
    message = gettext_noop("Invalid annotation, not used until it is corrected: {number}; the first: {fault}")
    parts = [part for part in (taken.own, taken.tested) if part.wrong]
    return [_(message, number=f"{part.wrong:,}", fault=part.fault) for part in parts]


def distinct(examples: Iterable[Any], used: set[str]) -> Iterator[Any]:
    """Yield examples; an id that is used already, as in another file, gets a number: ``s1-2``.

    Args:
        examples: of one kind; the questions of articles have ids too.
        used: ids; the ids of the examples are added.
    """
    for example in examples:
        if used.isdisjoint(_ids(example)):
            used.update(_ids(example))
            yield example
        else:
            yield rename_example(example, {id: _unused(used, id) for id in dict.fromkeys(_ids(example))})


def _ids(example: Any) -> list[str]:
    return [example.id, *(asked.id for asked in content.questions(example))]


def _unused(used: set[str], id: str) -> str:
    """Return an id, or the first unused one with a number, and mark it as used."""
    numbered = (f"{id}-{number}" for number in count(2))
    free = next(each for each in chain([id], numbered) if each not in used)
    used.add(free)
    return free
