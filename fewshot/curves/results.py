"""Results on disk: one JSON object a line, appended when a run is done, read back to resume."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from filelock import FileLock, Timeout

from fewshot.errors import FewshotError

RESULTS = "results.jsonl"


@dataclass(frozen=True, slots=True)
class Result:
    """One run.

    Args:
        run: identity of the run: equal exactly when nothing that decides the number differs.
        task: name of the task.
        lang: target language.
        sampler: name, empty for zero-shot.
        k: number of shots.
        shot_set: draw of the sampler.
        seed: of the training.
        method: of the recipe.
        regime: of the recipe.
        model: name of the encoder.
        data: where pool and test set came from.
        metric: name of the score.
        score: in percent, on the test set.
        low: lower end of its 95% bootstrap interval over test examples.
        high: upper end.
        metrics: the score and what stands beside it, in percent.
        tokens: of the shots.
        units: of the shots, by name: what annotators can be paid for (tokens, sentences ...).
        test_units: of the test set.
        minutes: of annotating the shots, at the rates.
        dollars: of annotating the shots, at the rates.
        seconds: wall time of training and evaluation.
        device: ``cpu``, ``cuda`` or ``mps``.
        shots: ids of the shots, first choice first.
    """

    run: str
    task: str
    lang: str
    sampler: str
    k: int
    shot_set: int
    seed: int
    method: str
    regime: str
    model: str
    data: str
    metric: str
    score: float
    low: float
    high: float
    metrics: Mapping[str, float]
    tokens: int
    units: Mapping[str, int]
    test_units: Mapping[str, int]
    minutes: float
    dollars: float
    seconds: float
    device: str
    shots: tuple[str, ...]


def read(path: Path) -> list[Result]:
    """Read a results file.

    Args:
        path: may be missing: then there are no results. A last line that a crash cut off is left out.

    Raises:
        FewshotError: with ``file:line``, for a damaged line elsewhere.
    """
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")[:-1]  # what follows the last line end was cut off
    return [_result(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def append(path: Path, result: Result) -> None:
    """Add a line and wait until it is on the disk.

    Raises:
        FewshotError: when it cannot be written; the file is then as it was.
    """
    line = json.dumps(asdict(result), ensure_ascii=False).encode() + b"\n"
    size = path.stat().st_size if path.exists() else 0
    try:
        with path.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        if path.exists():
            os.truncate(path, size)
        raise FewshotError(
            f"{path}: the result cannot be written: {error.strerror}; "
            "free some space or mend the permissions and repeat the command, which goes on from here"
        ) from None


@contextmanager
def writing(folder: Path) -> Iterator[Path]:
    """Hold a run folder for one process, its results file trimmed of a line that a crash cut off.

    Args:
        folder: made if need be.

    Yields:
        Path of the results file.

    Raises:
        FewshotError: when the folder cannot be written, or another process is working in it.
    """
    path = folder / RESULTS
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")
        lock.acquire(timeout=0)
    except Timeout:
        raise FewshotError(
            f"{folder}: another fewshot run is working here; wait for it, or give another --out"
        ) from None
    except OSError as error:
        raise FewshotError(f"{folder}: cannot be written: {error.strerror}; give another --out") from None
    try:
        if path.exists():
            data = path.read_bytes()
            if data and not data.endswith(b"\n"):
                os.truncate(path, data.rfind(b"\n") + 1)
        yield path
    finally:
        lock.release()


def _result(path: Path, number: int, line: bytes) -> Result:
    known = {field.name for field in fields(Result)}
    try:
        values = json.loads(line)
        kept = {name: value for name, value in values.items() if name in known}
        units = {name: dict(kept[name]) for name in ("units", "test_units")}
        return Result(**{**kept, **units, "shots": tuple(kept["shots"])})
    except (ValueError, TypeError, KeyError, AttributeError):
        raise FewshotError(f"{path}:{number}: no result of fewshot; remove this line and its run is repeated") from None
