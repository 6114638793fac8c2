"""The report of `fewshot.papers.resources.study`: scores and linear models, with the paper's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fewshot.curves.points import half_interval
from fewshot.papers.measurements import over_seeds, with_interval
from fewshot.papers.resources import linear_models
from fewshot.papers.resources.linear_models import DIFFERENCE, PAPER, PAPER_SCORES, WIKISIZE, Coefficient
from fewshot.papers.resources.tagger import BASELINE
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
    """Return the report of the rows of `fewshot.papers.resources.study.measure`."""
    means = linear_models.observations(table)
    encoder = next(name for name in dict.fromkeys(table.model) if name != BASELINE)
    models = {encoder: Path(encoder).name, BASELINE: BASELINE, DIFFERENCE: DIFFERENCE}
    tables = [_by_wikisize(means, models), _by_language(table, means, models), *_linear(means, models), _paper()]
    figures = {
        f"{task}: what the encoder is ahead by": _figure(means[(means.task == task) & (means.model == DIFFERENCE)])
        for task in dict.fromkeys(means.task)
    }
    columns = {"Models": "model", "Languages": "lang", "Training sentences": "k", "Seeds": "seed"}
    measured = {name: ", ".join(map(str, dict.fromkeys(table[column].tolist()))) for name, column in columns.items()}
    title = "Do low-resource languages gain from an encoder?"
    sections = figures_and_tables(figures, tables)
    return Page(title, _headline(means, models[encoder]), sections, NOTES, {"Measured": measured})


def _headline(means: pd.DataFrame, encoder: str) -> str:
    texts = []
    for task in dict.fromkeys(means.task):
        gaps = means[(means.task == task) & (means.model == DIFFERENCE)]
        by_k = {k: gaps[gaps.k == k].score for k in sorted({min(gaps.k), max(gaps.k)})}
        points = ", ".join(
            f"{leads.mean():+.1f} points with {k} sentences (ahead in {(leads > 0).sum()} of {len(leads)} languages)"
            for k, leads in by_k.items()
        )
        texts.append(f"{task}: {encoder} against a tagger with no pretraining {points}")
    leads = {lang: mbert - baseline for lang, (baseline, mbert) in PAPER_SCORES["ner"].items()}
    paper = " to ".join(
        f"{leads[lang]:+.1f} in {lang} (WikiSize {languages.wikisize(lang)})"
        for lang in (max(leads, key=leads.__getitem__), min(leads, key=leads.__getitem__))
    )
    return f"{'; '.join(texts)}. Wu & Dredze 2020, Table 4, mBERT, NER: {paper}"


def paper_slope() -> Coefficient:
    """Return the effect of WikiSize on the paper's NER differences, as far as these are printed (Table 4)."""
    langs = list(PAPER_SCORES["ner"])
    gaps = np.array([(mbert - baseline) / 100 for baseline, mbert in PAPER_SCORES["ner"].values()])
    sizes = np.array([float(languages.wikisize(lang) or 0) for lang in langs])
    (slope,) = linear_models.coefficients(gaps, {WIKISIZE: sizes}, langs)
    return slope


def _by_wikisize(means: pd.DataFrame, models: dict[str, str]) -> Table:
    rows = []
    for (task, size, k), group in means.groupby(["task", "wikisize", "k"]):
        cells = [_mean(group[group.model == model].score, model) for model in models]
        rows.append((str(task), str(size), " ".join(dict.fromkeys(group.lang)), str(k), *cells))
    columns = ("task", WIKISIZE, "languages", "k", *models.values())
    return Table("Mean score by the size of the Wikipedia", columns, tuple(rows))


def _mean(scores: pd.Series, model: str) -> str:
    """Return a mean; the mean of several differences has its 95% interval over languages."""
    mean = float(scores.mean())
    if model != DIFFERENCE:
        return f"{mean:.1f}"
    if len(scores) == 1:
        return f"{mean:+.1f}"
    half = half_interval(scores.tolist())
    return f"{mean:+.1f} [{mean - half:+.1f}, {mean + half:+.1f}]"


def _by_language(table: pd.DataFrame, means: pd.DataFrame, models: dict[str, str]) -> Table:
    rows = []
    for (task, size, lang, k), seeds in table.groupby(["task", "wikisize", "lang", "k"]):
        gaps = means[(means.task == task) & (means.lang == lang) & (means.k == k) & (means.model == DIFFERENCE)]
        scores = [with_interval(*over_seeds(seeds[seeds.model == model])) for model in models if model != DIFFERENCE]
        rows.append((str(lang), str(task), str(size), str(k), *scores, _mean(gaps.score, DIFFERENCE)))
    columns = ("language", "task", WIKISIZE, "k", *models.values())
    return Table("Score by language", columns, tuple(rows))


def _linear(means: pd.DataFrame, models: dict[str, str]) -> list[Table]:
    encoder = next(iter(models.values()))
    fits, tests = [], []
    for task in dict.fromkeys(means.task):
        for model, name in models.items():
            rows = means[(means.task == task) & (means.model == model)]
            for kind, effect in linear_models.fitted(rows):
                theirs = ""
                if base_name(task) == "ner" and name == encoder:
                    value, low, high = PAPER[f"{kind} {effect.factor}"]
                    theirs = f"{value:+.3f} [{low:+.3f}, {high:+.3f}]"
                fits.append((f"{task}: {name}", kind, *_cells(effect), str(len(rows)), theirs))
            for first, added, statistic, p in linear_models.tested(rows):
                tests.append((f"{task}: {name}", first, added, f"{statistic:.2f}", _p(p)))
    fits.append(("paper, ner: difference", "univariate", *_cells(paper_slope()), "4", ""))
    columns = ("score of", "model", "factor", "coefficient", "p", "95% interval", "n", "paper (Table 2)")
    tables = [Table("What a doubling adds to the score (scores from 0 to 1)", columns, tuple(fits))]
    if tests:
        test_columns = ("score of", "model of", "added", "likelihood ratio", "p")
        tables.append(Table("Does a second factor improve the model?", test_columns, tuple(tests)))
    return tables


def _cells(effect: Coefficient) -> tuple[str, ...]:
    return effect.factor, f"{effect.value:+.3f}", _p(effect.p), f"[{effect.low:+.3f}, {effect.high:+.3f}]"


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


def _figure(gaps: pd.DataFrame) -> go.Figure:
    figure = go.Figure()
    style = {"mode": "markers+text", "textposition": "top center", "marker": {"size": 9}}
    for k, rows in gaps.groupby("k"):
        figure.add_scatter(x=rows.wikisize, y=rows.score, text=rows.lang, name=f"{k} sentences", **style)
    figure.add_hline(0, line={"dash": "dot", "width": 1, "color": "#888"})
    return style_figure(figure, WIKISIZE, "points above no pretraining")
