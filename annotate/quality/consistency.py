"""Likely annotation errors: inconsistencies, disagreements with models, and warnings.

A finding disappears once it is corrected or accepted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from annotate.editing import content, uploaded, validation
from annotate.search.queries import Hit, hide_gold, hit_at_word
from annotate.search.settings import Setting
from annotate.search.versions import Version, versions
from annotate.store import HELD_OUT, ExampleFilter, Project, Store
from fewshot import tasks
from fewshot.corpora import consistency
from fewshot.corpora.consistency import Inconsistency
from fewshot.corpora.documents import misc
from fewshot.corpora.types import UNANNOTATED

NODE = "X"
"""The node that stands for the word of a disagreement."""


@dataclass(frozen=True, slots=True)
class ValidatorWarning:
    """A warning of the validator about a word of a version, or None for the whole sentence."""

    version: Version
    word: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A word whose annotation differs from that of a model that did not learn from the sentence.

    Args:
        annotated: what differs: values by column.
        suggested: the values of the model.
        certainty: the model's probability, 0 to 1.
    """

    version: Version
    word: int
    annotated: Mapping[str, Any]
    suggested: Mapping[str, Any]
    certainty: float

    @property
    def hit(self) -> Hit:
        """The word in its sentence."""
        return hit_at_word(self.version, {NODE: self.word})

    @property
    def correction(self) -> Setting | None:
        """The change to the model's value; None for heads, entities and several columns."""
        (column, *others), values = self.suggested, self.suggested.values()
        if others or column in ("heads", "entities"):
            return None
        value = str(*values)
        if column == "feats":
            gone = misc.pairs(self.annotated[column]).keys() - misc.pairs(value).keys()
            value = "|".join(filter(None, [value, *(f"{name}=" for name in sorted(gone))]))
        return Setting(NODE, column, value)

    def shown(self, values: Mapping[str, Any]) -> str:
        """Return ``annotated`` or ``suggested`` as text; a head by its number and form."""
        words = ("root", *self.version.example.words)
        texts = (f"{value} {words[value]}" if name == "heads" else value for name, value in values.items())
        return " · ".join(text or "–" for text in texts)


@dataclass(frozen=True, slots=True)
class ConsistencyReport:
    """Likely errors, disagreements and warnings, and the number of annotated sentences.

    The most likely errors and the most certain disagreements come first; warnings are in the order of the file.
    """

    findings: Sequence[Inconsistency]
    disagreements: Sequence[Disagreement]
    warnings: Sequence[ValidatorWarning]
    sentences: int

    def without(self, accepted: set[str]) -> ConsistencyReport:
        """Return the report without accepted findings and warnings."""
        return ConsistencyReport(
            [finding for finding in self.findings if key(finding) not in accepted],
            [disagreement for disagreement in self.disagreements if key(disagreement) not in accepted],
            [warning for warning in self.warnings if key(warning) not in accepted],
            self.sentences,
        )


def find_inconsistencies(store: Store, project: Project, wanted: ExampleFilter) -> ConsistencyReport:
    """Return likely errors of annotated sentences that match a filter and that no curator has decided."""
    task = tasks.get(wanted.task, project.labels.get(wanted.task))
    warnings: list[ValidatorWarning] = []
    disagreements: list[Disagreement] = []
    held_out = store.suggestions_of(project.id, task.name, HELD_OUT)
    read = 0

    def annotated() -> Iterator[Any]:
        nonlocal read
        for version in versions(store, project, wanted):
            if task.name not in version.decided and uploaded.is_annotated(task, version.example):
                read += 1
                warnings.extend(_warnings(task, project, version))
                if version.row.id in held_out and version.item and version.item.status == "done":
                    disagreements.extend(_disagreements(task, version, held_out[version.row.id].data))
                yield version.example

    findings = consistency.find_inconsistencies(annotated(), task.columns)
    disagreements.sort(key=lambda each: -each.certainty)
    return ConsistencyReport(findings, disagreements, warnings, read)


Finding: TypeAlias = Inconsistency | Disagreement | ValidatorWarning


def key(finding: Finding) -> str:
    """Return the database key of a finding; another label changes it."""
    identity: Sequence[Any]
    if isinstance(finding, Inconsistency):
        identity = finding.column, finding.words, sorted(label for label, _ in finding.labels)
    elif isinstance(finding, Disagreement):
        identity = finding.version.row.key, finding.word, sorted(finding.annotated.items())
    else:
        identity = finding.version.row.key, finding.message
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()


def _disagreements(task: tasks.Task[Any], version: Version, data: Mapping[str, Any]) -> Iterator[Disagreement]:
    if data["words"] != list(version.example.words):  # repaired since
        return
    columns = content.annotation_of(task.name, version.example)
    rows = [(column, columns[column], data["annotation"][column]) for column in task.columns]
    for place, certainty in enumerate(data["confidence"]):
        differing = [
            (column, mine[place], theirs[place]) for column, mine, theirs in rows if mine[place] != theirs[place]
        ]
        if differing and not any(theirs == UNANNOTATED for _, _, theirs in differing):
            annotated, suggested = ({column: each[which] for column, *each in differing} for which in (0, 1))
            yield Disagreement(version, place + 1, annotated, suggested, certainty)


def _warnings(task: tasks.Task[Any], project: Project, version: Version) -> Iterator[ValidatorWarning]:
    for problem in validation.problems(task, hide_gold(project, version.example), project.level):
        if problem.level == "warning":
            yield ValidatorWarning(version, problem.word, problem.message)
