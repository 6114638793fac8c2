"""Likely annotation errors: inconsistent words, rare labels, and warnings of the validator.

A finding disappears once it is corrected or accepted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.editing import uploaded, validation
from annotate.search.queries import hide_gold
from annotate.search.versions import Version, versions
from annotate.store import ExampleFilter, Project, Store
from fewshot import tasks
from fewshot.corpora import consistency
from fewshot.corpora.consistency import Inconsistency


@dataclass(frozen=True, slots=True)
class ValidatorWarning:
    """A warning of the validator about a word of a version, or None for the whole sentence."""

    version: Version
    word: int | None
    message: str


@dataclass(frozen=True, slots=True)
class ConsistencyReport:
    """Likely errors, most likely first, warnings by position, and the number of annotated sentences."""

    findings: Sequence[Inconsistency]
    warnings: Sequence[ValidatorWarning]
    sentences: int

    def without(self, accepted: set[str]) -> ConsistencyReport:
        """Return the report without accepted findings and warnings."""
        return ConsistencyReport(
            [finding for finding in self.findings if key(finding) not in accepted],
            [warning for warning in self.warnings if key(warning) not in accepted],
            self.sentences,
        )


def find_inconsistencies(store: Store, project: Project, wanted: ExampleFilter) -> ConsistencyReport:
    """Return likely errors of annotated sentences that match a filter and that no curator has decided."""
    task = tasks.get(wanted.task, project.labels.get(wanted.task))
    warnings: list[ValidatorWarning] = []
    read = 0

    def annotated() -> Iterator[Any]:
        nonlocal read
        for version in versions(store, project, wanted):
            if task.name not in version.decided and uploaded.is_annotated(task, version.example):
                read += 1
                warnings.extend(_warnings(task, project, version))
                yield version.example

    findings = consistency.find_inconsistencies(annotated(), task.columns)
    return ConsistencyReport(findings, warnings, read)


def key(finding: Inconsistency | ValidatorWarning) -> str:
    """Return the database key of a finding or warning; another label changes it."""
    identity: Sequence[Any]
    if isinstance(finding, Inconsistency):
        identity = finding.column, finding.words, sorted(label for label, _ in finding.labels)
    else:
        identity = finding.version.row.key, finding.message
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()


def _warnings(task: tasks.Task[Any], project: Project, version: Version) -> Iterator[ValidatorWarning]:
    for problem in validation.problems(task, hide_gold(project, version.example), project.level):
        if problem.level == "warning":
            yield ValidatorWarning(version, problem.word, problem.message)
