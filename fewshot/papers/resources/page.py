"""The report of `fewshot.papers.resources.study`: our scores and linear models beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fewshot.curves.points import half_interval
from fewshot.papers.measurements import over_seeds, with_interval
from fewshot.papers.resources.linear_models import (
    BASELINE,
    DIFFERENCE,
    PAPER,
    PAPER_SCORES,
    WIKISIZE,
    Coefficient,
    coefficients,
    fitted,
    observations,
    tested,
)
from fewshot.reports.figures import style_figure
from fewshot.reports.page import Page, Table, figures_and_tables
from fewshot.tasks import base_name
from fewshot.transfer import languages

NOTES = (
    "WikiSize is log2 of the megabytes of a language's Wikipedia, as the paper's Table 1 has it (rounded down). It is "
    "what mBERT saw; of another encoder it says how much text of a language there is.",
    "The tagger with no pretraining reads characters and words with LSTMs and has a CRF; it learns from the same "
    "sentences, with as many updates. The paper's baselines are stronger: Pan et al. 2017 for entities, Che et al. "
    "2018, with ELMo and word embeddings, for POS.",
    "No training sentence is in the test set, and none is there twice. At every training size the encoder is trained "
    "but for its embeddings; the paper trains all of mBERT.",
    "Intervals of scores are 95%: Student's t over the seeds, where there are several, and beside it the noise of the "
    "test set; one seed shows nothing about other draws. Those of differences are over the languages of a row.",
    "Coefficients are for scores from 0 to 1 and factors in log2, as in the paper: what a doubling adds. Several "
    "training sizes of a language are no independent observations: intervals and p-values are clustered by language. "
    "The likelihood-ratio tests take them for independent, so that their p-values are too low.",
    "In the paper a language with a large Wikipedia has more training sentences too (WikiANN is made from it), and "
    "WikiSize changes its sign beside training size. Here all languages have the same training sizes, so that the two "
    "are apart by design. Training vocabulary depends on how a language is written.",
)


def page(table: pd.DataFrame) -> Page:
    """Return the report."""
    means = observations(table)
    encoder = next(name for name in dict.fromkeys(table.model) if name != BASELINE)
    models = {encoder: Path(encoder).name, BASELINE: BASELINE, DIFFERENCE: DIFFERENCE}
    tables = [_by_wikisize(means, models), _by_language(table, means, models), *_linear(means, models), _paper()]
    title = "Do low-resource languages gain from an encoder?"
    sections = figures_and_tables(_figures(means, models), tables)
    return Page(title, headline(means, models[encoder]), sections, NOTES, _facts(table))


def headline(means: pd.DataFrame, encoder: str) -> str:
    """Return what was found, beside the paper's figures."""
    found = []
    for task in dict.fromkeys(means.task):
        gaps = means[(means.task == task) & (means.model == DIFFERENCE)]
        each = [
            f"{at.mean():+.1f} points with {k} sentences (ahead in {(at > 0).sum()} of {len(at)} languages)"
            for k in sorted({min(gaps.k), max(gaps.k)})
            for at in [gaps[gaps.k == k].score]
        ]
        found.append(f"{task}: {encoder} against a tagger with no pretraining {', '.join(each)}")
    theirs = PAPER_SCORES["ner"]
    worst, best = (pick(theirs, key=lambda lang: theirs[lang][1] - theirs[lang][0]) for pick in (min, max))
    paper = " to ".join(
        f"{theirs[lang][1] - theirs[lang][0]:+.1f} in {lang} (WikiSize {languages.wikisize(lang)})"
        for lang in (best, worst)
    )
    return f"{'; '.join(found)}. Wu & Dredze 2020, Table 4, mBERT, NER: {paper}"


def paper_slope() -> Coefficient:
    """Return how the paper's NER differences, as far as they are printed (Table 4), go with WikiSize."""
    langs = list(PAPER_SCORES["ner"])
    gaps = np.array([(mbert - baseline) / 100 for baseline, mbert in PAPER_SCORES["ner"].values()])
    sizes = np.array([float(languages.wikisize(lang) or 0) for lang in langs])
    (found,) = coefficients(gaps, {WIKISIZE: sizes}, langs)
    return found


def _by_wikisize(means: pd.DataFrame, models: dict[str, str]) -> Table:
    rows = []
    for task, size, k in sorted(set(zip(means.task, means.wikisize, means.k, strict=True))):
        at = means[(means.task == task) & (means.wikisize == size) & (means.k == k)]
        cells = [_mean(at[at.model == model].score, model) for model in models]
        rows.append((task, str(size), " ".join(dict.fromkeys(at.lang)), str(k), *cells))
    columns = ("task", WIKISIZE, "languages", "k", *models.values())
    return Table("Mean score by the size of the Wikipedia", columns, tuple(rows))


def _mean(scores: pd.Series, model: str) -> str:
    """Return a mean; of a difference with its 95% interval over languages, where there are several."""
    mean = float(scores.mean())
    if model != DIFFERENCE:
        return f"{mean:.1f}"
    if len(scores) == 1:
        return f"{mean:+.1f}"
    half = half_interval(scores.tolist())
    return f"{mean:+.1f} [{mean - half:+.1f}, {mean + half:+.1f}]"


def _by_language(table: pd.DataFrame, means: pd.DataFrame, models: dict[str, str]) -> Table:
    rows = []
    for task, size, lang, k in sorted(set(zip(table.task, table.wikisize, table.lang, table.k, strict=True))):
        of = table[(table.task == task) & (table.lang == lang) & (table.k == k)]
        at = means[(means.task == task) & (means.lang == lang) & (means.k == k)]
        scores = [with_interval(*over_seeds(of[of.model == model])) for model in models if model != DIFFERENCE]
        rows.append((lang, task, str(size), str(k), *scores, _mean(at[at.model == DIFFERENCE].score, DIFFERENCE)))
    columns = ("language", "task", WIKISIZE, "k", *models.values())
    return Table("Score by language", columns, tuple(rows))


def _linear(means: pd.DataFrame, models: dict[str, str]) -> list[Table]:
    encoder = next(iter(models.values()))
    fits, tests = [], []
    for task in dict.fromkeys(means.task):
        for model, name in models.items():
            rows = means[(means.task == task) & (means.model == model)]
            for kind, one in fitted(rows):
                theirs = _theirs(f"{kind} {one.factor}") if base_name(task) == "ner" and name == encoder else ""
                fits.append((f"{task}: {name}", kind, one.factor, *_shown(one), str(len(rows)), theirs))
            for first, added, statistic, p in tested(rows):
                tests.append((f"{task}: {name}", first, added, f"{statistic:.2f}", _p(p)))
    slope = paper_slope()
    fits.append(("paper, ner: difference", "univariate", slope.factor, *_shown(slope), "4", ""))
    columns = ("score of", "model", "factor", "coefficient", "p", "95% interval", "n", "paper (Table 2)")
    found = [Table("What a doubling adds to the score (scores from 0 to 1)", columns, tuple(fits))]
    if tests:
        heads = ("score of", "model of", "added", "likelihood ratio", "p")
        found.append(Table("Does a second factor improve the model?", heads, tuple(tests)))
    return found


def _shown(one: Coefficient) -> tuple[str, str, str]:
    return f"{one.value:+.3f}", _p(one.p), f"[{one.low:+.3f}, {one.high:+.3f}]"


def _theirs(name: str) -> str:
    value, _, low, high = PAPER[name]
    return f"{value:+.3f} [{low:+.3f}, {high:+.3f}]"


def _p(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _paper() -> Table:
    rows = [
        (lang, task, str(languages.wikisize(lang)), f"{mbert:.2f}", f"{baseline:.2f}", f"{mbert - baseline:+.2f}")
        for task, by_lang in PAPER_SCORES.items()
        for lang, (baseline, mbert) in by_lang.items()
    ]
    columns = ("language", "task", WIKISIZE, "mBERT", "baseline", DIFFERENCE)
    return Table("The paper's scores, as far as they are printed (Table 4)", columns, tuple(rows))


def _figures(means: pd.DataFrame, models: dict[str, str]) -> dict[str, go.Figure]:
    return {
        f"{task}: what the encoder is ahead by": style_figure(
            _scatter(means[(means.task == task) & (means.model == DIFFERENCE)]), WIKISIZE, "points above no pretraining"
        )
        for task in dict.fromkeys(means.task)
    }


def _scatter(gaps: pd.DataFrame) -> go.Figure:
    figure = go.Figure()
    for k in sorted(set(gaps.k)):
        at = gaps[gaps.k == k]
        looks = {"mode": "markers+text", "textposition": "top center", "marker": {"size": 9}}
        figure.add_scatter(x=at.wikisize, y=at.score, text=at.lang, name=f"{k} sentences", **looks)
    figure.add_hline(0, line={"dash": "dot", "width": 1, "color": "#888"})
    return figure


def _facts(table: pd.DataFrame) -> dict[str, dict[str, str]]:
    def listed(values: Sequence[object]) -> str:
        return ", ".join(map(str, dict.fromkeys(values)))

    columns = {"Models": "model", "Languages": "lang", "Training sentences": "k", "Seeds": "seed"}
    return {"Measured": {name: listed(table[column].tolist()) for name, column in columns.items()}}
