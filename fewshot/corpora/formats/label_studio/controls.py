"""Find the annotations of Label Studio tasks, and the controls of a file with which they were made."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fewshot.corpora import fields
from fewshot.corpora.formats.label_studio.results import Result
from fewshot.corpora.types import Article, Document, Pair
from fewshot.errors import CorpusError, listed

NAMES = {"upos": "pos", "heads": "dep", "entities": "ner", "label": "label", "answers": "qa"}
"""Names of columns in the files; relations share that of the heads."""

CONTROLS = ("pos", "ner", "root")
"""Controls (``from_name``) of sentences in written files."""


def annotations_key(task: dict[str, Any]) -> str:
    """Return the key of a task's annotations; before version 1.0 ``completions``."""
    return "completions" if "completions" in task and "annotations" not in task else "annotations"


def newest_annotation(task: dict[str, Any]) -> dict[str, Any] | None:
    """Return the annotation of a task that counts: the ground truth, else the newest uncancelled one."""
    annotations = (item for item in task.get(annotations_key(task), ()) if isinstance(item, dict))
    done = [annotation for annotation in annotations if not annotation.get("was_cancelled")]
    return max(reversed(done), key=lambda item: (item.get("ground_truth") is True, _changed_at(item)), default=None)


def _changed_at(annotation: dict[str, Any]) -> float:
    """Return the time of the last change in seconds; before all others when unknown."""
    value = annotation.get("updated_at") or annotation.get("created_at")
    if isinstance(value, (int, float)):  # before version 1.0
        return value
    with contextlib.suppress(ValueError, OverflowError):
        time = datetime.fromisoformat(str(value))
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    return -math.inf


def controls_of(rows: Sequence[Any], kind: str, columns: Sequence[str], path: Path) -> dict[str, str]:
    """Return the names of our controls in a file, by our names.

    Raises:
        CorpusError: when several controls fit, or the annotation is of an unsupported type.
    """
    tasks = [row for row in rows if isinstance(row, dict)]
    results = [result for task in tasks for result in _all_results(task, annotations_key(task))]
    is_class = kind in (Pair.kind, Document.kind)
    types = {str(result.get("type")) for result in results}
    if is_class:
        what, unread = "results", {"taxonomy"} | (set() if "choices" in types else {"rating", "number", "pairwise"})
    else:
        what, unread = "regions", {name for name in types if name.endswith("labels")} - {"labels"}
    if named := sorted(types & unread):
        message = f"{what} of type {named[0]} are not read; annotate plain text with Labels or Choices"
        raise CorpusError(message, path)
    own = {"label"} if is_class else {"qa"} if kind == Article.kind else {NAMES.get(name, "") for name in columns}
    own = {"pos" if name == "dep" else name for name in own} & {"label", "qa", "ner", "pos"}
    wanted = _choices_or_regions(results, is_class)
    is_annotated = bool(wanted)
    if not wanted:  # without annotations, use predictions and drafts
        suggested = (
            result for task in tasks for key in ("predictions", "drafts") for result in _all_results(task, key)
        )
        wanted = _choices_or_regions(suggested, is_class)
    names = dict.fromkeys(str(result.get("from_name")) for result in wanted)
    names = {name: None for name in names if not fields.SURROGATE.search(name)}  # tasks with other names are refused
    others = [name for name in names if name not in CONTROLS]
    missing = own - names.keys()
    if missing and len(others) > 1 and is_annotated:
        what = f"annotation of several controls, {listed(others)}"
        raise CorpusError(f"{what}; rename the right one to {min(missing)!r}, or export it alone", path)
    controls = {name: name for name in sorted(own & names.keys())}
    controls |= dict.fromkeys(missing, others[0]) if len(others) == 1 else {}
    used = {*controls.values()} | ({"root"} if "pos" in own else set())
    in_use = (result for result in wanted if str(result.get("from_name")) in used)
    targets = {str(result["to_name"]) for result in in_use if "to_name" in result}
    if len(targets) > 1 and not is_class:
        what = f"regions of {listed(sorted(controls.values()))} in several texts, {listed(sorted(targets))}"
        raise CorpusError(f"{what}; export the regions of one text alone", path)
    return controls | ({"to_name": targets.pop()} if len(targets) == 1 else {})


def named_columns(rows: Sequence[Any], columns: Sequence[str]) -> list[str]:
    """Return the columns of sentences for which a file has a control with our name."""
    tasks = [row for row in rows if isinstance(row, dict)]
    results = (result for task in tasks for result in _all_results(task, annotations_key(task)))
    names = {str(result.get("from_name")) for result in results}
    controls = {"upos": "pos", "heads": "pos", "deprels": "pos", "entities": "ner"}
    return [column for column in columns if controls.get(column) in names]


def _choices_or_regions(results: Iterable[Result], is_class: bool) -> list[Result]:
    if is_class:
        return [result for result in results if result.get("type") == "choices" and not _is_of_region(result)]
    return [result for result in results if result.get("type") == "labels"]


def _all_results(task: dict[str, Any], key: str) -> Iterator[Result]:
    annotations = task.get(key)
    for annotation in annotations if isinstance(annotations, list) else ():
        if isinstance(annotation, dict) and isinstance(annotation.get("result"), list):
            yield from (result for result in annotation["result"] if isinstance(result, dict))


def _is_of_region(result: Result) -> bool:
    value = result.get("value")
    return isinstance(value, dict) and "start" in value


def is_choice(result: Result, controls: Mapping[str, str]) -> bool:
    """Return whether a result is the label of the whole task."""
    is_ours = result.get("from_name") == controls.get("label", "label")
    return result.get("type") == "choices" and is_ours and not _is_of_region(result)
