"""Many runs as one: a file names them, each combination of its lists is a run.

::

    [[runs]]
    task = ["pos", "dep"]
    lang = ["ja", "sv"]
    method = ["full", "lauscher2020"]
    k = [10, 50, 100]
    data = "treebanks/{lang}"

are eight runs. Keys are the options of ``fewshot run``; several k, and several samplers, are of one run. ``{lang}`` and
``{task}`` stand for those of the run. A key at the top of the file holds for all ``[[runs]]`` that do not name it.
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
from fewshot.options import Request

RUNS = "runs"
"""The key of the tables of runs."""

OF_ONE_RUN = ("k", "sampler")
"""Options of which several values are of the same run."""

NOT_NAMED = (*OF_ONE_RUN, "lang", "task", "seeds", "shot_sets", "rounds")
"""Options that the name of a run's folder does not hold: they make a run longer, not another one, or begin it."""

TYPES = get_type_hints(Request)
DEFAULTS = {field.name: None if field.default is MISSING else field.default for field in fields(Request)}


@dataclass(frozen=True, slots=True)
class Part:
    """One run of a sweep.

    Args:
        name: of its folder.
        request: what is run.
    """

    name: str
    request: Request


def find(name: str) -> Path:
    """Return the file of a sweep: a path, or the name of one that comes with the package.

    Raises:
        FewshotError: when there is none.
    """
    if Path(name).is_file():
        return Path(name)
    ours = {path.stem: path for path in sorted((data_dir() / "sweeps").glob("*.toml"))}
    if name not in ours:
        raise FewshotError(f"{name}: no such file, and no sweep of ours: {', '.join(ours)}")
    return ours[name]


def read(path: Path) -> list[Part]:
    """Return the runs that a file names, in its order.

    Raises:
        FewshotError: with the file, when it is no TOML, names options that there are not, or two runs would share a
            folder.
    """
    tables: dict[str, Any] = records.load(path, dict, "mend it", toml=True) or {}
    shared, runs = {key: value for key, value in tables.items() if key != RUNS}, tables.get(RUNS, [{}])
    if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
        raise FewshotError(f"{path}: {RUNS!r} must be tables; write [[{RUNS}]] above each of them")
    found: dict[str, Part] = {}
    for run in runs:
        for part in _parts(path, {**shared, **run}):
            if found.setdefault(part.name, part).request != part.request:
                raise FewshotError(
                    f"{path}: two runs would be kept in the folder {part.name}; put what differs in files of their own"
                )
    return list(found.values())


def _parts(path: Path, table: Mapping[str, Any]) -> Iterator[Part]:
    options = {key.replace("-", "_"): value for key, value in table.items()}
    for name in options:
        if name not in TYPES:
            raise FewshotError(f"{path}: {UnknownNameError('option of fewshot run', name, TYPES)}")
    if "lang" not in options:
        raise FewshotError(f'{path}: no language; add lang = "ja", or a list of them')
    several = {name: _values(path, name, value) for name, value in options.items()}
    for values in product(*several.values()):
        chosen = dict(zip(several, values, strict=True))
        named = {key: chosen.get(key, DEFAULTS[key]) for key in ("lang", "task")}
        yield _part({name: _filled(path, name, value, named) for name, value in chosen.items()})


def _part(options: dict[str, Any]) -> Part:
    request = Request(**options)
    told = [
        _told(name, options[name])
        for name in sorted(options)
        if name not in NOT_NAMED and options[name] != DEFAULTS[name]
    ]
    return Part("-".join([request.lang, request.task, *told]), request)


def _told(name: str, value: Any) -> str:
    text = Path(value).name if isinstance(value, str | Path) else str(value).lower()
    return text if isinstance(value, str) else f"{name.replace('_', '-')}-{text}"


def _values(path: Path, name: str, value: Any) -> Sequence[Any]:
    """Return the values of an option, each of which is another run."""
    values = value if isinstance(value, list) else [value]
    if not values:
        raise FewshotError(f"{path}: {name} is an empty list; name a value, or leave it out")
    return [",".join(map(str, values))] if name in OF_ONE_RUN else values


def _filled(path: Path, name: str, value: Any, named: Mapping[str, Any]) -> Any:
    """Return the value of an option, with the language and task of its run where it names them."""
    kinds = {str: str, int: int, float: int | float, bool: bool, Path: str}
    hint = TYPES[name]
    kind = next(kind for kind in kinds if kind == hint or kind | None == hint)
    if not isinstance(value, kinds[kind]) or (isinstance(value, bool) and kind is not bool):
        wanted = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", Path: "a path"}[kind]
        raise FewshotError(f"{path}: {name} is {value!r}; it must be {wanted}")
    if isinstance(value, str):
        for key, text in named.items():
            value = value.replace(f"{{{key}}}", str(text))
    return kind(value)
