"""What an encoder will score on a language that nobody has annotated, and what k sentences of it will bring.

The zero-shot score comes from a regression on similarities to the source language over the target languages that the
encoder was scored on (Lauscher et al. 2020, section 3.3); the gain of k examples from one on the zero-shot score over
the languages whose curves are known (appendix A). Every error is that of languages which neither the regression nor the
search for its features has seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fewshot.corpora.language_codes import language
from fewshot.errors import FewshotError
from fewshot.reports.page import Table
from fewshot.transfer import languages, regression
from fewshot.transfer.languages import SIZE
from fewshot.transfer.regression import FEWEST, Sample, sample
from fewshot.transfer.scores import Score, groups

CURVES = {"xlm-r": "mbert"}
"""The encoder whose gains are taken where one has no curves of its own: one like it."""

FEWEST_CURVES = 8
"""Languages that a regression on the zero-shot score alone needs; of fewer, one that stands apart turns the line."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What k examples are expected to bring.

    Args:
        k: examples (articles for QA).
        points: above the zero-shot score.
        error: mean absolute error of the gain over languages that were left out, in points; None where the curves are
            of another encoder, which tell nothing of the error with this one.
        score_error: the same of the score after k examples; where the zero-shot score is a prediction too, the gain
            makes up for part of what it misses.
        languages: that the regression is over.
        known: the lowest and the highest of their zero-shot scores; beyond them the line is extrapolated.
    """

    k: int
    points: float
    error: float | None
    score_error: float | None
    languages: int
    known: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Prediction:
    """What is expected of an encoder on a language.

    Args:
        sample: what the regression is over: the target languages but this one.
        score: expected zero-shot, in percent.
        error: mean absolute error over languages that were left out, in points.
        mean: mean absolute error of guessing the mean of the other languages.
        similarities: of the language to the source language.
        known: its zero-shot score, where the data holds it.
        gains: by rising k, from the known score or else from the expected one; none where no curves are known.
        curves: the encoder whose gains these are.
    """

    sample: Sample
    score: float
    error: float
    mean: float
    features: tuple[str, ...]
    similarities: Mapping[str, float]
    known: float | None
    gains: tuple[Gain, ...]
    curves: str

    @property
    def start(self) -> float:
        """The zero-shot score that gains are above."""
        return self.score if self.known is None else self.known

    @property
    def extrapolated(self) -> Gain | None:
        """The first gain of whose languages none starts as low, or none as high; None where there is no such gain."""
        return next((gain for gain in self.gains if not gain.known[0] <= self.start <= gain.known[1]), None)


def predict(scores: Sequence[Score], lang: str, task: str, encoder: str, source: str) -> Prediction:
    """Predict the scores of an encoder on a language.

    Args:
        scores: of the encoder in other languages, and after k examples where there are some.
        lang: the language, by any of its codes; what it scored itself is not looked at.
        source: the language that the encoder was trained on.

    Raises:
        FewshotError: when the encoder was not scored on the task in enough languages, lang2vec does not know one of
            them, or the language is that of the source.
    """
    lang, source = language(lang), language(source)
    if lang == source:
        raise FewshotError(f"{lang} is the language of the source model; predictions are for other ones")
    others, new, known = _others(scores, lang, task, encoder, source)
    score = float(np.clip(regression.predict(others.x, others.y, new), 0, 100))
    start = score if known is None else known
    return Prediction(
        sample=others,
        score=score,
        error=regression.mean_error(regression.nested(others.x, others.y), others.y),
        mean=regression.mean_error(regression.left_out(others.x[:, :0], others.y), others.y),
        features=tuple(others.features[column] for column in regression.select(others.x, others.y)),
        similarities=dict(zip(others.features, map(float, new), strict=True)),
        known=known,
        gains=gains(scores, task, encoder, lang, start, source, known is not None),
        curves=_curves(scores, task, encoder, lang),
    )


def by_source(
    scores: Sequence[Score], lang: str, task: str, encoder: str, trained_on: str, sources: Sequence[str]
) -> dict[str, float]:
    """Predict the zero-shot score of a language after training on each of several others.

    The regression is that of `predict`, over the targets of the one source whose scores are known; it is taken to hold
    for the similarities to any other source too.

    Args:
        trained_on: the source whose scores they are.
        sources: other languages to learn from.

    Raises:
        FewshotError: see `predict`; also when lang2vec does not know a source.
    """
    lang = language(lang)
    others, new, _ = _others(scores, lang, task, encoder, trained_on)
    alike = languages.similarities(sources, lang)
    chosen = regression.select(others.x, others.y)
    fitted = regression.fit(others.x[:, chosen], others.y)
    sizes = dict(zip(others.features, new, strict=True))
    found = {}
    for source in sources:
        row = np.array([{**sizes, **alike[source]}[others.features[column]] for column in chosen])
        found[source] = float(np.clip(regression.apply(fitted, row), 0, 100))
    return found


def gains(
    scores: Sequence[Score], task: str, encoder: str, lang: str, start: float, source: str, measured: bool
) -> tuple[Gain, ...]:
    """Predict what k examples bring, from the zero-shot score.

    Args:
        encoder: its own curves are taken, or else those of the one in `CURVES`.
        lang: the language, which is left out.
        start: its zero-shot score.
        measured: whether the zero-shot score was measured; where it is a prediction itself, so it is for the languages
            that the error is that of.
    """
    of = _curves(scores, task, encoder, lang)
    zero = {one: score for one, score in groups(scores).get((of, task), {}).items() if one not in (lang, source)}
    seen = dict(zero)
    if not measured and len(zero) >= FEWEST:  # of each language what the other ones predict
        others = sample(of, task, zero, source)
        seen = dict(zip(others.langs, map(float, regression.nested(others.x, others.y)), strict=True))
    found = []
    for k, rows in _by_k(scores, task, of, zero).items():
        langs = list(rows)
        x, y = np.array([[zero[one]] for one in langs]), np.array([rows[one] - zero[one] for one in langs])
        kept = np.arange(len(langs))
        zero_shot = np.array([seen[one] for one in langs])
        lines = [regression.fit(x[kept != row], y[kept != row]) for row in kept]
        left = np.array([regression.apply(line, zero_shot[[row]]) for row, line in enumerate(lines)])
        points = float(regression.apply(regression.fit(x, y), np.array([start])))
        error = regression.mean_error(left, y) if of == encoder else None
        after = regression.mean_error(zero_shot + left, x[:, 0] + y) if of == encoder else None
        found.append(Gain(k, points, error, after, len(langs), (float(x.min()), float(x.max()))))
    return tuple(found)


def table(found: Prediction, lang: str) -> Table:
    """Return a prediction as a table: a row for zero-shot, and one for each k."""
    title = f"{found.sample.task} in {lang}, {found.sample.encoder}"
    rows = [("0", f"{found.score:.1f}", f"±{found.error:.1f}", "", "", str(len(found.sample.langs)))]
    if found.known is not None:
        rows.append(("0, in the data", f"{found.known:.1f}", "", "", "", ""))
    for one in found.gains:
        score = min(max(found.start + one.points, 0.0), 100.0)
        cells = (f"{score:.1f}", _error(one.score_error), f"{one.points:+.1f}", _error(one.error))
        rows.append((str(one.k), *cells, str(one.languages)))
    return Table(title, ("k", "score", "error", "gain", "error", "languages"), tuple(rows))


def notes(found: Prediction, lang: str) -> list[str]:
    """Return what a reader of a prediction must know."""
    sample = found.sample
    alike = ", ".join(f"{name} {found.similarities[name]:.2f}" for name in found.features if name != SIZE)
    made = f"from {', '.join(found.features) or 'the mean'}" + (f" ({alike} to {sample.source})" if alike else "")
    lines = [
        f"Zero-shot is predicted {made}; an error is the mean over languages that were left out. "
        f"Guessing the mean of the others errs by {found.mean:.1f}."
    ]
    if found.error >= found.mean:
        lines.append("The prediction is no better than that guess: take it for no more.")
    if found.known is not None:
        lines.append(f"{lang} is in the data; the prediction was made without it, the gains start from its score.")
    if SIZE not in sample.features:
        lines.append(f"How much {lang} {sample.encoder} was pretrained on is not known here; see that it was at all.")
    if not found.gains:
        lines.append(
            f"No gains are predicted: curves of {sample.encoder} on {sample.task} are not known in enough languages; "
            f"take fewshot run to {FEWEST_CURVES} others or more, put its results.jsonl behind that of fewshot "
            "zero-shot, in one file, and give --scores."
        )
    elif found.curves != sample.encoder:
        lines.append(
            f"Gains are those of {found.curves}, since curves of {sample.encoder} are not known; "
            f"nor is how far off they are for {sample.encoder}."
        )
    if found.extrapolated:
        low, high = found.extrapolated.known
        lines.append(
            f"The gains start from {found.start:.1f}, and the languages of the curves from {low:.1f} to {high:.1f}: "
            "they are extrapolated, take them for no more than a guess."
        )
    if found.gains and sample.task == "qa":
        lines.append("k counts articles.")
    return lines


def _error(points: float | None) -> str:
    return "" if points is None else f"±{points:.1f}"


def _others(
    scores: Sequence[Score], lang: str, task: str, encoder: str, source: str
) -> tuple[Sample, np.ndarray, float | None]:
    """Return the sample of the other targets, the row of this one in features that all have, and its score if known."""
    by_lang = _scored(scores, task, encoder, source)
    known = by_lang.pop(lang, None)
    if len(by_lang) < FEWEST:
        raise FewshotError(
            f"{encoder} has {task} scores in {len(by_lang)} languages beside {lang}; {FEWEST} are needed"
        )
    both = sample(encoder, task, {**by_lang, lang: np.nan}, source)
    return both.without(lang), both.x[both.langs.index(lang)], known


def _curves(scores: Sequence[Score], task: str, encoder: str, lang: str) -> str:
    """Return the encoder whose gains are taken: this one where enough of its curves are known."""
    zero = groups(scores).get((encoder, task), {})
    ours = _by_k(scores, task, encoder, {one: score for one, score in zero.items() if one != lang})
    return encoder if ours else CURVES.get(encoder, encoder)


def _by_k(scores: Sequence[Score], task: str, encoder: str, zero: Mapping[str, float]) -> dict[int, dict[str, float]]:
    """Return scores by language, under the k that enough languages have a score for."""
    rows = {
        k: {lang: score for lang, score in groups(scores, k).get((encoder, task), {}).items() if lang in zero}
        for k in sorted({one.k for one in scores if one.k and one.task == task})
    }
    return {k: by_lang for k, by_lang in rows.items() if len(by_lang) >= FEWEST_CURVES}


def _scored(scores: Sequence[Score], task: str, encoder: str, source: str) -> dict[str, float]:
    """Return the zero-shot scores of the target languages."""
    found = groups(scores)
    if (encoder, task) not in found:
        names = dict.fromkeys(name for name, _ in found)
        known = "; ".join(f"{name} on {', '.join(of for one, of in found if one == name)}" for name in names)
        raise FewshotError(
            f"no zero-shot scores of {encoder} on {task}; there are {known}. "
            "Measure your own with fewshot zero-shot, then give --scores runs/zero-shot/results.jsonl"
        )
    return {lang: score for lang, score in found[encoder, task].items() if lang != source}
