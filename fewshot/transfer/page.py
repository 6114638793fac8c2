"""The report of zero-shot transfer: source scores and drops (Lauscher et al. 2020, Table 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from fewshot import tasks
from fewshot.corpora.types import Pair
from fewshot.curves.results import Result
from fewshot.reports.figures import draw_heat_map
from fewshot.reports.page import Page, Table, figures_and_tables
from fewshot.tasks.base import metric_name
from fewshot.transfer import lauscher
from fewshot.transfer.scores import mixed_pairs
from fewshot.transfer.scoring import ENGLISH

NOTES = (
    "In brackets stands the difference to the score in the source language (Lauscher et al. 2020, Table 1), after ± "
    "half of the 95% interval of each language's own score (bootstrap over test examples).",
    "The paper scores dependency trees by UAS and entities by the accuracy of tokens; ours are shown so as well.",
)


@dataclass(frozen=True, slots=True)
class EncoderScores:
    """The scores of one encoder, ours or ``mBERT (paper)``, on a task, in percent by language.

    Args:
        halves: half the width of their 95% intervals, where known.
    """

    task: str
    encoder: str
    metric: str
    scores: Mapping[str, float]
    halves: Mapping[str, float]
    published: bool = False

    def drops(self, source: str) -> dict[str, float]:
        """Return the differences of the other languages to the source language; empty if that has no score."""
        start = self.scores.get(source)
        return {} if start is None else {lang: s - start for lang, s in self.scores.items() if lang != source}


def lines(results: Sequence[Result], source: str) -> list[EncoderScores]:
    """Return the scores of zero-shot results by task and encoder; for English sources also the paper's.

    Our scores are given in the paper's metric too, if that differs. Mixed pairs must be left out.
    """
    scored = []
    for task in dict.fromkeys(result.task for result in results):
        of_task = [result for result in results if result.task == task]
        for encoder in dict.fromkeys(result.model for result in of_task):
            scored += _ours([result for result in of_task if result.model == encoder])
        langs = {result.lang for result in of_task}
        for encoder in lauscher.ENCODERS if source == ENGLISH else ():
            scores = {lang: s for lang, s in lauscher.zero_shot(task, encoder).items() if lang in langs | {ENGLISH}}
            if scores:
                metric = lauscher.metric(task)
                scored.append(EncoderScores(task, f"{encoder} (paper)", metric, scores, {}, published=True))
    return scored


def _ours(results: Sequence[Result]) -> list[EncoderScores]:
    first = results[0]
    halves = {result.lang: (result.high - result.low) / 2 for result in results}
    scored = [EncoderScores(first.task, first.model, first.metric, {r.lang: r.score for r in results}, halves)]
    theirs = lauscher.metric(first.task)
    if theirs != first.metric and all(theirs in result.metrics for result in results):
        scored.append(EncoderScores(first.task, first.model, theirs, {r.lang: r.metrics[theirs] for r in results}, {}))
    return scored


def drop_table(lines: Sequence[EncoderScores], source: str) -> Table:
    """Return Table 1 for one task: scores by language, and differences to the source language."""
    langs = [lang for lang in dict.fromkeys(lang for line in lines for lang in line.scores) if lang != source]
    rows = [(lang, *(_cell(line, lang, line.scores.get(source)) for line in lines)) for lang in langs]
    if any(source in line.scores for line in lines):
        rows.insert(0, (source, *(_cell(line, source, None) for line in lines)))
    columns = ("language", *(f"{line.encoder} {metric_name(line.metric)}" for line in lines))
    return Table(f"Zero-shot transfer, {lines[0].task}", columns, tuple(rows))


def _cell(line: EncoderScores, lang: str, start: float | None) -> str:
    if lang not in line.scores:
        return ""
    score = line.scores[lang]
    half = f" ±{line.halves[lang]:.1f}" if lang in line.halves else ""
    drop = "" if start is None else f" ({score - start:+.1f})"
    return f"{score:.1f}{half}{drop}"


def premises_by_hypotheses(results: Sequence[Result]) -> Table:
    """Return one encoder's scores of mixed pairs, premises by row and hypotheses by column."""
    pairs = mixed_pairs(results)
    scores = {pairs.get(result.lang, (result.lang, result.lang)): result for result in results}
    mixed = [lang for pair in scores if pair[0] != pair[1] for lang in pair]
    langs = [lang for lang in dict.fromkeys(lang for pair in scores for lang in pair) if lang in mixed]
    rows = [(first, *(f"{scores[first, second].score:.1f}" for second in langs)) for first in langs]
    title = f"Premises by hypotheses, {results[0].model} (Karthikeyan et al. 2020, Table 11)"
    return Table(title, ("premise", *langs), tuple(rows))


def figure(lines: Sequence[EncoderScores], source: str, langs: Sequence[str]) -> go.Figure | None:
    """Draw the drops, the paper's below ours; None if there are none."""
    shown = [line for line in lines if line.drops(source)]
    if not shown or not langs:
        return None
    names = (f"{line.task} {metric_name(line.metric)}, {line.encoder}" for line in shown)
    cells = ([line.drops(source).get(lang) for lang in langs] for line in shown)
    return draw_heat_map(dict(zip(names, cells, strict=True)), langs)


def headline(lines: Sequence[EncoderScores], source: str) -> str:
    """Return a sentence on the drops of each encoder and task, over the paper's languages if possible."""
    phrases = []
    for line in lines:
        theirs = lauscher.metric(line.task)
        metrics = [same.metric for same in lines if (same.task, same.encoder) == (line.task, line.encoder)]
        shown = line.metric == theirs or theirs not in metrics
        if shown and not line.published and line.drops(source):
            paper = next(
                (published for published in lines if published.published and published.task == line.task), None
            )
            phrases.append(_phrase(line, source, paper))
    if phrases:
        return f"Difference to {source}: {'; '.join(phrases)}."
    alone = any(source in line.scores for line in lines if not line.published)
    return f"No test set of {'a language other than ' if alone else ''}{source}, so there are no drops from it."


def _phrase(line: EncoderScores, source: str, paper: EncoderScores | None) -> str:
    drops, theirs = line.drops(source), paper.drops(source) if paper else {}
    langs = [lang for lang in drops if lang in theirs] or list(drops)
    over = f"over {len(langs)} languages, most in {_worst(drops, langs)}" if len(langs) > 1 else f"in {langs[0]}"
    if paper and langs[0] in theirs:
        name, most = paper.encoder.split()[0], f", most in {_worst(theirs, langs)}" if len(langs) > 1 else ""
        over += f"; {name} in Table 1 {_mean(theirs, langs)}{most}"
    return f"{line.task} {metric_name(line.metric)} {_mean(drops, langs)} with {line.encoder} ({over})"


def _mean(drops: Mapping[str, float], langs: Sequence[str]) -> str:
    return f"{sum(drops[lang] for lang in langs) / len(langs):+.1f}"


def _worst(drops: Mapping[str, float], langs: Sequence[str]) -> str:
    return min(langs, key=lambda lang: drops[lang])


def page(results: Sequence[Result], source: str) -> Page:
    """Return the report of zero-shot results of any encoders, including mixed pairs such as ``sw-en``."""
    pairs = mixed_pairs(results)
    plain = [result for result in results if result.lang not in pairs]
    langs = [lang for lang in dict.fromkeys(result.lang for result in plain) if lang != source]
    scored = lines(plain, source)
    by_task = {
        task: [line for line in scored if line.task == task] for task in dict.fromkeys(line.task for line in scored)
    }
    tables = [drop_table(of_task, source) for of_task in by_task.values()]
    of_pairs = [result for result in results if tasks.get(result.task).example is Pair]
    for encoder in dict.fromkeys(result.model for result in results if result.lang in pairs):
        tables.append(premises_by_hypotheses([result for result in of_pairs if result.model == encoder]))
    drawn = figure(scored, source, langs)
    return Page(
        title="Zero-shot transfer",
        headline=headline(scored, source),
        sections=figures_and_tables({f"Drops from {source}": drawn} if drawn else {}, tables),
        notes=NOTES,
        facts={
            f"Data of {task}": {r.lang: f"{r.data} ({r.test_units['token']} tokens)" for r in results if r.task == task}
            for task in dict.fromkeys(result.task for result in results)
        },
    )
