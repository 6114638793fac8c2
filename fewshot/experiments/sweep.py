"""Sweep files: each combination of the lists in a TOML file is one run.

::

    [[runs]]
    task = ["pos", "dep"]
    lang = ["ja", "sv"]
    method = ["full", "lauscher2020"]
    k = [10, 50, 100]
    data = "treebanks/{lang}"

describes eight runs. Keys are options of ``fewshot run``; lists of k and of samplers belong to one run. ``{lang}`` and
``{task}`` are replaced by the values of the run. A key at the top of the file is the default of all ``[[runs]]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any, get_type_hints

from fewshot import records
from fewshot.corpora.embedded import data_dir
from fewshot.errors import FewshotError, UnknownNameError
from fewshot.options import MachineOptions, Request

RUNS_KEY = "runs"
"""Key of the tables of runs."""

LIST_OPTIONS = ("k", "sampler")
"""Options whose lists belong to one run."""

UNNAMED_OPTIONS = (*LIST_OPTIONS, "lang", "task", "seeds", "shot_sets", "rounds")
"""Options that are not in the name of a run's folder: they extend a run, or are the start of the name."""

TYPED_OPTIONS = (*(field.name for field in fields(MachineOptions)), "out", "rates", "dry_run")
"""Options of ``fewshot sweep`` itself, which have no place in a file."""

OPTION_TYPES = get_type_hints(Request)
OPTION_DEFAULTS = {field.name: None if field.default is MISSING else field.default for field in fields(Request)}


@dataclass(frozen=True, slots=True)
class SweepRun:
    """One run of a sweep."""

    name: str
    request: Request


def find(name: str) -> Path:
    """Return the file of a sweep, given a path or the name of a sweep in the package.

    Raises:
        FewshotError: when the file does not exist.
    """
    if Path(name).is_file():
        return Path(name)
    embedded = {path.stem: path for path in sorted((data_dir() / "sweeps").glob("*.toml"))}
    if name not in embedded:
        raise FewshotError(f"{name}: no such file or embedded sweep; the embedded ones are {', '.join(embedded)}")
    return embedded[name]


def read(path: Path) -> list[SweepRun]:
    """Return the runs of a sweep file, in order.

    Raises:
        FewshotError: with the path, for invalid TOML, an unknown option, or two runs that would share a folder.
    """
    tables: dict[str, Any] = records.load(path, dict, "correct the file", toml=True) or {}
    shared, runs = {key: value for key, value in tables.items() if key != RUNS_KEY}, tables.get(RUNS_KEY, [{}])
    if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
        raise FewshotError(f"{path}: {RUNS_KEY!r} must be tables; write [[{RUNS_KEY}]] above each of them")
    by_name: dict[str, SweepRun] = {}
    for table in runs:
        for run in _runs(path, {**shared, **table}):
            if by_name.setdefault(run.name, run).request != run.request:
                raise FewshotError(f"{path}: two runs would share the folder {run.name}; put them into separate files")
    if not by_name:
        raise FewshotError(f"{path}: no run; write [[{RUNS_KEY}]] with a language under it")
    return list(by_name.values())


def _runs(path: Path, table: Mapping[str, Any]) -> Iterator[SweepRun]:
    options = {key.replace("-", "_"): value for key, value in table.items()}
    if len(options) < len(table):
        twice = next(key for key in table if key != key.replace("-", "_") and key.replace("-", "_") in table)
        raise FewshotError(f"{path}: {twice} is given twice, with a hyphen and with an underscore; keep one")
    for name in options:
        if name in TYPED_OPTIONS:
            flag = f"--{name.replace('_', '-')}"
            raise FewshotError(f"{path}: {name} is the same for all runs; type {flag} after the file")
        if name not in OPTION_TYPES:
            raise FewshotError(f"{path}: {UnknownNameError('option of fewshot run', name, OPTION_TYPES)}")
    if "lang" not in options:
        raise FewshotError(f'{path}: no language; add lang = "ja", or a list of them')
    several = {name: _values(path, name, value) for name, value in options.items()}
    for values in product(*several.values()):
        chosen = dict(zip(several, values, strict=True))
        named = {key: chosen.get(key, OPTION_DEFAULTS[key]) for key in ("lang", "task")}
        yield _run({name: _filled(path, name, value, named) for name, value in chosen.items()})


def _run(options: dict[str, Any]) -> SweepRun:
    request = Request(**options)
    changes = [
        _name_part(name, options[name])
        for name in sorted(options)
        if name not in UNNAMED_OPTIONS and options[name] != OPTION_DEFAULTS[name]
    ]
    return SweepRun("-".join([request.lang, request.task, *changes]), request)


def _name_part(name: str, value: Any) -> str:
    text = Path(value).name if isinstance(value, str | Path) else str(value).lower()
    return text if isinstance(value, str) else f"{name.replace('_', '-')}-{text}"


def _values(path: Path, name: str, value: Any) -> Sequence[Any]:
    """Return the values of an option; each value is a separate run."""
    values = value if isinstance(value, list) else [value]
    if not values:
        raise FewshotError(f"{path}: {name} is an empty list; name a value, or leave it out")
    return [",".join(map(str, values))] if name in LIST_OPTIONS else values


def _filled(path: Path, name: str, value: Any, named: Mapping[str, Any]) -> Any:
    """Return the value of an option with the language and task of its run filled in."""
    kinds = {str: str, int: int, float: int | float, bool: bool, Path: str}
    hint = OPTION_TYPES[name]
    kind = next(kind for kind in kinds if kind == hint or kind | None == hint)
    if not isinstance(value, kinds[kind]) or (isinstance(value, bool) and kind is not bool):
        wanted = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", Path: "a path"}[kind]
        raise FewshotError(f"{path}: {name} is {value!r}; it must be {wanted}")
    if isinstance(value, str):
        for key, text in named.items():
            value = value.replace(f"{{{key}}}", str(text))
    return kind(value)
