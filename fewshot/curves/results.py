"""Results on disk: one JSON object a line, appended when a run is done, read back to resume."""

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
        seconds: wall time of training and evaluation; 0 where the result is that of another shot set.
        device: ``cpu``, ``cuda`` or ``mps``.
        shots: ids of the shots, first choice first.
        rounds: sizes of the rounds that they came in, see `fewshot.experiments.plan.Plan`; none where they were drawn
            at once.
        chosen: ids of the shots that the model chose for the next round.
        scored_on: fingerprint of the test set, see `fewshot.corpora.load.fingerprint`: where annotation goes on, scores
            on different ones do not compare. Empty where the test set stays as it is.
        learned_from: that of the shots with their annotation, likewise.
        source_model: which source model a project of the app asked for: ``auto``, or its languages. Empty for the
            newest, and in every run by command, whose identity knows it.
        asked: of a language model: ``answers``, ``input_tokens`` and ``output_tokens`` as the server counts them, and
            ``refused`` of ``examples``: for how many no answer could be used. Of an encoder that it taught also
            ``kept``: how many silver labels were trained on. Empty of an encoder otherwise.
        teacher: the language model that gave the encoder silver labels, see `fewshot.experiments.teacher`.
        teacher_device: where it computed.
        teacher_seconds: that its answers took.
        known_only: at k = 0 the score on the labels that the source model has, see `fewshot.evaluation.evaluate`; None
            for other k, for language models, and in part scores.
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
        """Whether an earlier version found it, which may have scored zero-shot on the source model's labels alone."""
        return not self.k and not self.asked and self.known_only is None

    @property
    def language_model(self) -> str:
        """The one that was asked: for the test set, or as a teacher; empty where none was."""
        return self.teacher or (self.model if self.asked else "")

    @property
    def taught_by(self) -> str:
        """``taught by`` the name of the teacher, without a path or an owner before it; empty without one."""
        return f"taught by {Path(self.teacher).name}" if self.teacher else ""

    @property
    def drawn_by(self) -> str:
        """The sampler, with the sizes of the rounds if any: ``entropy 10+10+30``."""
        return f"{self.sampler} {'+'.join(map(str, self.rounds))}".strip()

    def begins(self, rounds: tuple[int, ...]) -> bool:
        """Return whether its shots came in the first of some rounds; drawing at once begins no rounds."""
        return self.rounds == rounds[: len(self.rounds)] if self.rounds else not rounds

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Result:
        """Return a result from what `to_json` gave; fields that a later version may have are passed over."""
        names = [own.name for own in fields(cls)]
        known: dict[str, Any] = {name: value for name, value in values.items() if name in names}
        lists: dict[str, Any] = {name: tuple(known[name]) for name in ("shots", "rounds", "chosen") if name in known}
        return cls(**{**known, **lists})

    def to_json(self) -> dict[str, Any]:
        """Return the fields, without those that most results leave empty."""
        seldom = ("scored_on", "learned_from", "source_model", "asked", "teacher", "teacher_device", "teacher_seconds")
        empty = [name for name in seldom if not getattr(self, name)]
        empty += ["known_only"] if self.known_only is None else []
        return {name: value for name, value in asdict(self).items() if name not in empty}


def read_results(path: Path) -> list[Result]:
    """Read a results file: none where there is no file; a last line that a crash cut off is left out.

    Of several results of one run the last counts. Part scores are left out, as they compare with no others; their runs
    are done again.

    Raises:
        FewshotError: with ``file:line``, for a damaged line elsewhere.
    """
    return [result for result in read_all_results(path) if not result.is_part_score]


def part_scores(path: Path) -> str:
    """Return which part scores of a results file `read_results` leaves out; empty where there are none.

    Raises:
        FewshotError: with ``file:line``, for a damaged line.
    """
    scores = [f"{result.score:.1f}" for result in read_all_results(path) if result.is_part_score]
    said = f"{path}: an earlier version may have scored zero-shot on known labels only"
    return f"{said} ({listed(scores, 3)}); repeat the run, until then it is left out" if scores else ""


def read_all_results(path: Path) -> list[Result]:
    """Read a results file as `read_results` does, with its part scores."""
    results = [_result(path, number, line) for number, line in journal.read(path)]
    return list({result.run: result for result in results}.values())


def append_result(path: Path, result: Result) -> None:
    """Add a line and wait until it is on the disk.

    Raises:
        FewshotError: when it cannot be written; the file is then as it was.
    """
    journal.append(path, result.to_json())


@contextmanager
def locked_results(folder: Path) -> Iterator[Path]:
    """Hold a run folder, made if need be, for one process, and yield the path of its results file.

    Raises:
        FewshotError: when the folder cannot be written, or another process is working in it.
    """
    path = folder / RESULTS
    with journal.writing(path):
        yield path


def _result(path: Path, number: int, line: bytes) -> Result:
    where, remedy = f"{path}:{number}: no result of fewshot", "remove this line and its run is repeated"
    result = Result.from_json(records.parse(line, Result, where, remedy))
    if not 0 <= result.score <= 100:
        raise FewshotError(f"{where}: 'score' is {result.score:g}, not 0 to 100; {remedy}")
    return result
