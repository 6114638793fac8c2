"""Results on disk: one JSON object per line, appended when a run ends and read again to resume."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from fewshot import records
from fewshot.curves import journal
from fewshot.errors import FewshotError, listed

RESULTS = "results.jsonl"

BOUNDS = {"score": 100.0, "k": 1e9, "tokens": 1e9}
BOUNDS |= dict.fromkeys(("minutes", "dollars", "seconds", "teacher_seconds"), 1e15)
"""Largest valid value of a field by its name; the smallest is 0."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one run.

    Args:
        run: identity of the run: equal exactly when everything that decides the score is equal.
        model: name of the encoder or language model.
        data: origin of pool and test set.
        score: score on the test set, in percent.
        low: lower end of its 95% bootstrap interval over test examples.
        units: amount of the shots by unit of payment (tokens, sentences ...).
        test_units: amount of the test set by unit.
        dollars: dollars of annotating the shots, at the rates of the run.
        seconds: wall time of training and evaluation; 0 for a result taken from another shot set.
        device: ``cpu``, ``cuda`` or ``mps``.
        shots: ids of the shots in the order of the draw.
        rounds: sizes of the rounds of the shots, see `fewshot.experiments.plan.Plan`; empty for a draw at once.
        chosen: ids of the shots that the model chose for the next round.
        scored_on: fingerprint of the test set, see `fewshot.corpora.load.fingerprint`, if annotation of the test set
            continues; scores with different fingerprints are not comparable.
        learned_from: fingerprint of the annotated shots, if annotation continues.
        source_model: source model that a project of the app asked for: ``auto`` or its languages. Empty for the newest
            one, and for runs by command, whose identity contains the source model.
        asked: usage of a language model: ``answers``, ``input_tokens`` and ``output_tokens`` as counted by the server,
            and ``refused`` of ``examples``, those without a usable answer. For an encoder with silver labels also
            ``kept``, the number of silver labels to train on. Empty without a language model.
        teacher: language model that gave the silver labels, see `fewshot.experiments.teacher`.
        teacher_seconds: duration of the teacher's answers.
        known_only: at k = 0 the score on the source model's labels, see `fewshot.evaluation.evaluate`; None for other
            k, for language models, and in part scores.
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
    rounds: tuple[int, ...] = ()
    chosen: tuple[str, ...] = ()
    scored_on: str = ""
    learned_from: str = ""
    source_model: str = ""
    asked: Mapping[str, int] = field(default_factory=dict)
    teacher: str = ""
    teacher_device: str = ""
    teacher_seconds: float = 0.0
    known_only: float | None = None

    @property
    def is_part_score(self) -> bool:
        """Whether an earlier version may have scored zero-shot on the source model's labels only."""
        return not self.k and not self.asked and self.known_only is None

    @property
    def language_model(self) -> str:
        """The language model that answered the test set or gave silver labels; may be empty."""
        return self.teacher or (self.model if self.asked else "")

    @property
    def taught_by(self) -> str:
        """``taught by`` and the short name of the teacher; empty without a teacher."""
        return f"taught by {Path(self.teacher).name}" if self.teacher else ""

    @property
    def drawn_by(self) -> str:
        """The sampler, with the sizes of the rounds if any: ``entropy 10+10+30``."""
        return f"{self.sampler} {'+'.join(map(str, self.rounds))}".strip()

    def is_prefix_of(self, rounds: tuple[int, ...]) -> bool:
        """Return whether the shots came in the first of some rounds, or all at once like the rounds."""
        return self.rounds == rounds[: len(self.rounds)] if self.rounds else not rounds

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Result:
        """Return a result from the output of `to_json`; unknown fields of later versions are ignored."""
        names = [own.name for own in fields(cls)]
        known: dict[str, Any] = {name: value for name, value in values.items() if name in names}
        lists: dict[str, Any] = {name: tuple(known[name]) for name in ("shots", "rounds", "chosen") if name in known}
        return cls(**{**known, **lists})

    def to_json(self) -> dict[str, Any]:
        """Return the fields, without those that are empty in most results."""
        seldom = ("scored_on", "learned_from", "source_model", "asked", "teacher", "teacher_device", "teacher_seconds")
        empty = [name for name in seldom if not getattr(self, name)]
        empty += ["known_only"] if self.known_only is None else []
        return {name: value for name, value in asdict(self).items() if name not in empty}


def read_results(path: Path) -> list[Result]:
    """Read a results file; without part scores, a missing file or an incomplete last line is no error.

    The last result of a run counts. Part scores are left out, as other scores are not comparable; their runs are
    repeated.

    Raises:
        FewshotError: with ``file:line``, for a damaged line.
    """
    return [result for result in read_all_results(path) if not result.is_part_score]


def describe_part_scores(path: Path) -> str:
    """Return a warning about the part scores that `read_results` leaves out; may be empty.

    Raises:
        FewshotError: with ``file:line``, for a damaged line.
    """
    scores = [f"{result.score:.1f}" for result in read_all_results(path) if result.is_part_score]
    reason = f"{path}: an earlier version may have scored zero-shot on known labels only"
    return f"{reason} ({listed(scores, 3)}); the score is left out until you repeat the run" if scores else ""


def read_all_results(path: Path) -> list[Result]:
    """Read a results file like `read_results`, part scores included."""
    results = [_result(path, number, line) for number, line in journal.read(path)]
    return list({result.run: result for result in results}.values())


def append_result(path: Path, result: Result) -> None:
    """Append a result and wait until it is on the disk.

    Raises:
        FewshotError: when the line cannot be written; the file is unchanged.
    """
    journal.append(path, result.to_json())


@contextmanager
def lock_results(folder: Path) -> Iterator[Path]:
    """Lock the folder of a run for this process and yield the path of its results file.

    Raises:
        FewshotError: when the folder cannot be written, or another process has locked it.
    """
    path = folder / RESULTS
    with journal.lock_journal(path):
        yield path


def _result(path: Path, number: int, line: bytes) -> Result:
    location, remedy = f"{path}:{number}: invalid result", "delete this line to repeat its run"
    result = Result.from_json(records.parse(line, Result, location, remedy))
    for name, most in BOUNDS.items():
        if not 0 <= (value := getattr(result, name)) <= most:
            raise FewshotError(f"{location}: {name!r} is {max(-1e18, min(value, 1e18)):g}, not 0 to {most:g}; {remedy}")
    return result
