"""What in a project may be an error: words that are annotated in several ways, rare labels, warnings of the validator.

It is worked off: an error is mended, what is right is accepted, and neither is listed any more.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.editing import uploaded, validation
from annotate.search.queries import searched
from annotate.search.versions import Version, versions
from annotate.store import ExampleFilter, Project, Store
from fewshot import tasks
from fewshot.corpora import consistency
from fewshot.corpora.consistency import Inconsistency


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning of the validator.

    Args:
        version: the sentence, as one person has it.
        word: the number of the word that it is about; None where it is about all of them.
        message: what may be wrong.
    """

    version: Version
    word: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """What may be an error.

    Args:
        findings: likely errors first.
        warnings: in the order of the pool.
        sentences: number of those with annotation.
    """

    findings: Sequence[Inconsistency]
    warnings: Sequence[Warned]
    sentences: int

    def without(self, accepted: set[str]) -> Report:
        """Return what is left of it without what was accepted."""
        return Report(
            [one for one in self.findings if key(one) not in accepted],
            [one for one in self.warnings if key(one) not in accepted],
            self.sentences,
        )


def look_through(store: Store, project: Project, wanted: ExampleFilter) -> Report:
    """Return what may be an error in the annotations of sentences, but for those on which a curator has decided.

    Args:
        wanted: whose, and of which task.
    """
    task = tasks.get(wanted.task, project.labels.get(wanted.task))
    warnings: list[Warned] = []
    read = 0

    def annotated() -> Iterator[Any]:
        nonlocal read
        for version in versions(store, project, wanted):
            if task.name not in version.decided and uploaded.is_annotated(task, version.example):
                read += 1
                warnings.extend(_warnings(task, project, version))
                yield version.example

    findings = consistency.find_inconsistencies(annotated(), task.columns)
    return Report(findings, warnings, read)


def key(one: Inconsistency | Warned) -> str:
    """Return what stands for a finding or a warning in the database; another label makes it another one."""
    what: Sequence[Any]
    if isinstance(one, Inconsistency):
        what = one.column, one.words, sorted(label for label, _ in one.labels)
    else:
        what = one.version.row.key, one.message
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


def _warnings(task: tasks.Task[Any], project: Project, version: Version) -> Iterator[Warned]:
    for problem in validation.problems(task, searched(project, version.example), project.level):
        if problem.level == "warning":
            yield Warned(version, problem.word, problem.message)
