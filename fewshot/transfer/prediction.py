"""Predict an encoder's score on an unannotated language, and the gain of k annotated examples.

The zero-shot score comes from a regression on similarities to the source language, over the target languages that the
encoder was scored on (Lauscher et al. 2020, section 3.3); the gain of k examples from a regression on the zero-shot
score, over the languages whose curves are known (appendix A). Errors are measured on languages that neither the
regression nor its feature selection has seen.
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
from fewshot.transfer.regression import MIN_LANGUAGES, Sample, sample
from fewshot.transfer.scores import LanguageScore, groups

CURVES = {"xlm-r": "mbert"}
"""Encoders without curves of their own, and a similar encoder whose gains are used instead."""

MIN_CURVES = 8
"""Fewest languages of a regression on the zero-shot score; with fewer, a single outlier determines the line."""


@dataclass(frozen=True, slots=True)
class Gain:
    """The expected gain of k examples (articles for QA) above the zero-shot score, in points.

    Args:
        error: mean absolute error of the gain over left-out languages; None if the curves are of another encoder.
        score_error: the same of the score after k examples; the gain compensates part of a predicted zero-shot score's
            error.
        languages: number of languages in the regression.
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
    """The expected scores of an encoder on a language.

    Args:
        sample: the data of the regression: all other target languages.
        score: expected zero-shot, in percent.
        error: mean absolute error over left-out languages, in points.
        mean: mean absolute error of guessing the mean of the other languages.
        similarities: of the language to the source language.
        known: its zero-shot score, if the data holds it.
        gains: by rising k, from the known or expected score; empty if no curves are known.
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
        """The zero-shot score that gains are added to."""
        return self.score if self.known is None else self.known

    @property
    def extrapolated(self) -> Gain | None:
        """The first gain whose languages all start higher, or all lower; None if there is none."""
        return next((gain for gain in self.gains if not gain.known[0] <= self.start <= gain.known[1]), None)


def predict(scores: Sequence[LanguageScore], lang: str, task: str, encoder: str, source: str) -> Prediction:
    """Predict the scores of an encoder on a language.

    Args:
        scores: zero-shot and after k examples; the language's own scores are not used.
        source: the language that the encoder was trained on.

    Raises:
        FewshotError: when there are scores in too few languages, lang2vec does not know a language, or the language is
            that of the source.
    """
    lang, source = language(lang), language(source)
    if lang == source:
        raise FewshotError(f"{lang} is the language of the source model; choose another language")
    others, new, known = _others(scores, lang, task, encoder, source)
    score = float(np.clip(regression.predict(others.x, others.y, new), 0, 100))
    start = score if known is None else known
    return Prediction(
        sample=others,
        score=score,
        error=regression.mean_error(regression.nested(others.x, others.y), others.y),
        mean=regression.mean_error(regression.leave_one_out(others.x[:, :0], others.y), others.y),
        features=tuple(others.features[column] for column in regression.select(others.x, others.y)),
        similarities=dict(zip(others.features, map(float, new), strict=True)),
        known=known,
        gains=gains(scores, task, encoder, lang, start, source, known is not None),
        curves=_curves(scores, task, encoder, lang),
    )


def by_source(
    scores: Sequence[LanguageScore], lang: str, task: str, encoder: str, trained_on: str, sources: Sequence[str]
) -> dict[str, float]:
    """Predict the zero-shot score of a language after training on each of several others.

    The regression is that of `predict`, over the targets of the only source with known scores, ``trained_on``; it is
    assumed to hold for other sources.

    Raises:
        FewshotError: see `predict`; also when lang2vec does not know a source.
    """
    lang = language(lang)
    others, new, _ = _others(scores, lang, task, encoder, trained_on)
    alike = languages.similarities(sources, lang)
    chosen = regression.select(others.x, others.y)
    fitted = regression.fit(others.x[:, chosen], others.y)
    sizes = dict(zip(others.features, new, strict=True))
    predicted = {}
    for source in sources:
        row = np.array([{**sizes, **alike[source]}[others.features[column]] for column in chosen])
        predicted[source] = float(np.clip(regression.apply(fitted, row), 0, 100))
    return predicted


def gains(
    scores: Sequence[LanguageScore], task: str, encoder: str, lang: str, start: float, source: str, measured: bool
) -> tuple[Gain, ...]:
    """Predict the gain of k examples from a zero-shot score, without curves of the language.

    Args:
        encoder: its own curves are used, or else those of the encoder in `CURVES`.
        measured: whether ``start`` was measured; if not, the errors are those of predicted zero-shot scores too.
    """
    curves = _curves(scores, task, encoder, lang)
    zero = {code: score for code, score in groups(scores).get((curves, task), {}).items() if code not in (lang, source)}
    starts = dict(zero)
    if not measured and len(zero) >= MIN_LANGUAGES:  # predict the score of each language from the others
        others = sample(curves, task, zero, source)
        starts = dict(zip(others.langs, map(float, regression.nested(others.x, others.y)), strict=True))
    gains = []
    for k, after in _by_k(scores, task, curves, zero).items():
        x, y = np.array([[zero[code]] for code in after]), np.array([after[code] - zero[code] for code in after])
        rows = np.arange(len(after))
        zero_shot = np.array([starts[code] for code in after])
        lines = [regression.fit(x[rows != row], y[rows != row]) for row in rows]
        left_out = np.array([regression.apply(line, zero_shot[[row]]) for row, line in enumerate(lines)])
        points = float(regression.apply(regression.fit(x, y), np.array([start])))
        error = regression.mean_error(left_out, y) if curves == encoder else None
        score_error = regression.mean_error(zero_shot + left_out, x[:, 0] + y) if curves == encoder else None
        gains.append(Gain(k, points, error, score_error, len(after), (float(x.min()), float(x.max()))))
    return tuple(gains)


def table(prediction: Prediction, lang: str) -> Table:
    """Return a prediction as a table: a row for zero-shot, and one for each k."""
    title, size = f"{prediction.sample.task} in {lang}, {prediction.sample.encoder}", len(prediction.sample.langs)
    rows = [("0", f"{prediction.score:.1f}", _error(prediction.error), "", "", str(size))]
    if prediction.known is not None:
        rows.append(("0, in the data", f"{prediction.known:.1f}", "", "", "", ""))
    for gain in prediction.gains:
        score = min(max(prediction.start + gain.points, 0.0), 100.0)
        cells = (f"{score:.1f}", _error(gain.score_error), f"{gain.points:+.1f}", _error(gain.error))
        rows.append((str(gain.k), *cells, str(gain.languages)))
    return Table(title, ("k", "score", "error", "gain", "error", "languages"), tuple(rows))


def notes(prediction: Prediction, lang: str) -> list[str]:
    """Return remarks for readers of a prediction."""
    sample = prediction.sample
    alike = ", ".join(f"{name} {prediction.similarities[name]:.2f}" for name in prediction.features if name != SIZE)
    made = f"from {', '.join(prediction.features) or 'the mean'}" + (f" ({alike} to {sample.source})" if alike else "")
    lines = [
        f"Zero-shot is predicted {made}; an error is the mean over languages that were left out. "
        f"Guessing the mean of the others errs by {prediction.mean:.1f}."
    ]
    if prediction.error >= prediction.mean:
        lines.append("The prediction is no better than that guess: take it for no more.")
    if prediction.known is not None:
        lines.append(f"{lang} is in the data; the prediction was made without it, the gains start from its score.")
    if SIZE not in sample.features:
        lines.append(f"How much {lang} {sample.encoder} was pretrained on is not known here; see that it was at all.")
    if not prediction.gains:
        lines.append(
            f"No gains are predicted: curves of {sample.encoder} on {sample.task} are not known in enough languages; "
            f"take fewshot run to {MIN_CURVES} others or more, put its results.jsonl behind that of fewshot "
            "zero-shot, in one file, and give --scores."
        )
    elif prediction.curves != sample.encoder:
        lines.append(
            f"Gains are those of {prediction.curves}, since curves of {sample.encoder} are not known; "
            f"nor is how far off they are for {sample.encoder}."
        )
    if prediction.extrapolated:
        low, high = prediction.extrapolated.known
        lines.append(
            f"The gains start from {prediction.start:.1f}, and the languages of the curves from {low:.1f} to "
            f"{high:.1f}: they are extrapolated, and no more than a guess."
        )
    if prediction.gains and sample.task == "qa":
        lines.append("k counts articles.")
    return lines


def _error(points: float | None) -> str:
    return "" if points is None else f"±{points:.1f}"


def _others(
    scores: Sequence[LanguageScore], lang: str, task: str, encoder: str, source: str
) -> tuple[Sample, np.ndarray, float | None]:
    """Return the sample of the other targets, this language's row of features, and its score if known."""
    by_lang = _scored(scores, task, encoder, source)
    known = by_lang.pop(lang, None)
    if len(by_lang) < MIN_LANGUAGES:
        raise FewshotError(
            f"{encoder} has {task} scores in {len(by_lang)} languages other than {lang}; {MIN_LANGUAGES} are needed"
        )
    both = sample(encoder, task, {**by_lang, lang: np.nan}, source)
    return both.without(lang), both.x[both.langs.index(lang)], known


def _curves(scores: Sequence[LanguageScore], task: str, encoder: str, lang: str) -> str:
    """Return the encoder whose gains are used: the given one if enough of its curves are known."""
    zero = groups(scores).get((encoder, task), {})
    own = _by_k(scores, task, encoder, {code: score for code, score in zero.items() if code != lang})
    return encoder if own else CURVES.get(encoder, encoder)


def _by_k(
    scores: Sequence[LanguageScore], task: str, encoder: str, zero: Mapping[str, float]
) -> dict[int, dict[str, float]]:
    """Return scores by language for each k that enough languages have a score for."""
    rows = {
        k: {lang: score for lang, score in groups(scores, k).get((encoder, task), {}).items() if lang in zero}
        for k in sorted({score.k for score in scores if score.k and score.task == task})
    }
    return {k: by_lang for k, by_lang in rows.items() if len(by_lang) >= MIN_CURVES}


def _scored(scores: Sequence[LanguageScore], task: str, encoder: str, source: str) -> dict[str, float]:
    """Return the zero-shot scores of the target languages."""
    grouped = groups(scores)
    if (encoder, task) not in grouped:
        names = dict.fromkeys(name for name, _ in grouped)
        known = "; ".join(f"{name} on {', '.join(of for key, of in grouped if key == name)}" for name in names)
        raise FewshotError(
            f"no zero-shot scores of {encoder} on {task}; there are {known}. "
            "Measure your own with fewshot zero-shot, then give --scores runs/zero-shot/results.jsonl"
        )
    return {lang: score for lang, score in grouped[encoder, task].items() if lang != source}
