"""Zero-shot transfer: source scores and drops (Lauscher et al. 2020, section 3.2, Table 1), the paper's beside ours."""

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
    "The first score is that of the source language; the others are drops from it (Lauscher et al. 2020, Table 1). "
    "After ± stands half of the 95% interval of each language's own score (bootstrap over test examples).",
    "The paper scores dependency trees by UAS and entities by the accuracy of tokens; ours are shown so as well.",
)


@dataclass(frozen=True, slots=True)
class Line:
    """What one encoder, ours or ``mBERT (paper)``, scores on a task.

    Args:
        scores: in percent, by language.
        halves: half the width of their 95% intervals, where that is known.
    """

    task: str
    encoder: str
    metric: str
    scores: Mapping[str, float]
    halves: Mapping[str, float]
    published: bool = False

    def drops(self, source: str) -> dict[str, float]:
        """Return the differences of the other languages to the source language; none where that has no score."""
        start = self.scores.get(source)
        return {} if start is None else {lang: s - start for lang, s in self.scores.items() if lang != source}


def lines(results: Sequence[Result], source: str) -> list[Line]:
    """Return ours and the paper's, task by task: each encoder, in the paper's metric too where ours is another.

    Args:
        results: zero-shot results, those of mixed pairs left out.
        source: language of the source models; the paper's is English, and its drops from it are beside no others.
    """
    found = []
    for task in dict.fromkeys(result.task for result in results):
        mine = [result for result in results if result.task == task]
        for encoder in dict.fromkeys(result.model for result in mine):
            found += _ours([result for result in mine if result.model == encoder])
        langs = {result.lang for result in mine}
        for encoder in lauscher.ENCODERS if source == ENGLISH else ():
            scores = {lang: s for lang, s in lauscher.zero_shot(task, encoder).items() if lang in langs | {ENGLISH}}
            if scores:
                found.append(Line(task, f"{encoder} (paper)", lauscher.metric(task), scores, {}, published=True))
    return found


def _ours(results: Sequence[Result]) -> list[Line]:
    first = results[0]
    halves = {result.lang: (result.high - result.low) / 2 for result in results}
    made = [Line(first.task, first.model, first.metric, {r.lang: r.score for r in results}, halves)]
    theirs = lauscher.metric(first.task)
    if theirs != first.metric and all(theirs in result.metrics for result in results):
        made.append(Line(first.task, first.model, theirs, {r.lang: r.metrics[theirs] for r in results}, {}))
    return made


def grid(found: Sequence[Line], source: str) -> Table:
    """Return Table 1 for the lines of one task: the score in the source language, then a row a language with its drop.

    Where the source language has no score, languages show their scores.
    """
    langs = [lang for lang in dict.fromkeys(lang for line in found for lang in line.scores) if lang != source]
    at = [source] if any(source in line.scores for line in found) else []
    first = [(lang, *(_cell(line, lang, None) for line in found)) for lang in at]
    rows = [(lang, *(_cell(line, lang, line.scores.get(source)) for line in found)) for lang in langs]
    columns = ("language", *(f"{line.encoder} {metric_name(line.metric)}" for line in found))
    return Table(f"Zero-shot transfer, {found[0].task}", columns, (*first, *rows))


def _cell(line: Line, lang: str, start: float | None) -> str:
    if lang not in line.scores:
        return ""
    score = line.scores[lang]
    text = f"{score:.1f}" if start is None else f"{score - start:+.1f}"
    return f"{text} ±{line.halves[lang]:.1f}" if lang in line.halves else text


def premises_by_hypotheses(results: Sequence[Result]) -> Table:
    """Return the scores of mixed pairs, of one encoder: a row for premises of a language, a column for hypotheses."""
    pairs = mixed_pairs(results)
    scores = {pairs.get(result.lang, (result.lang, result.lang)): result for result in results}
    mixed = [lang for pair in scores if pair[0] != pair[1] for lang in pair]
    langs = [lang for lang in dict.fromkeys(lang for pair in scores for lang in pair) if lang in mixed]
    rows = [(first, *(f"{scores[first, second].score:.1f}" for second in langs)) for first in langs]
    title = f"Premises by hypotheses, {results[0].model} (Karthikeyan et al. 2020, Table 11)"
    return Table(title, ("premise", *langs), tuple(rows))


def figure(found: Sequence[Line], source: str, langs: Sequence[str]) -> go.Figure | None:
    """Draw the drops, the paper's below ours; None where there are none."""
    shown = [line for line in found if line.drops(source)]
    if not shown or not langs:
        return None
    names = (f"{line.task} {metric_name(line.metric)}, {line.encoder}" for line in shown)
    cells = ([line.drops(source).get(lang) for lang in langs] for line in shown)
    return draw_heat_map(dict(zip(names, cells, strict=True)), langs)


def headline(found: Sequence[Line], source: str) -> str:
    """Say how far each encoder falls on each task, over the paper's languages where it has some of ours."""
    said = []
    for line in found:
        theirs = lauscher.metric(line.task)
        same = [other for other in found if (other.task, other.encoder) == (line.task, line.encoder)]
        shown = line.metric == theirs or all(other.metric != theirs for other in same)
        if shown and not line.published and line.drops(source):
            paper = next((other for other in found if other.published and other.task == line.task), None)
            said.append(_said(line, source, paper))
    if said:
        return f"From {source}: {'; '.join(said)}."
    alone = any(source in line.scores for line in found if not line.published)
    return f"No test set of {'a language beside ' if alone else ''}{source}, and so no drops from it."


def _said(line: Line, source: str, paper: Line | None) -> str:
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
    """Return the report of zero-shot results of any encoders, mixed pairs such as ``sw-en`` among them."""
    pairs = mixed_pairs(results)
    plain = [result for result in results if result.lang not in pairs]
    langs = [lang for lang in dict.fromkeys(result.lang for result in plain) if lang != source]
    found = lines(plain, source)
    by_task = {task: [line for line in found if line.task == task] for task in dict.fromkeys(one.task for one in found)}
    tables = [grid(mine, source) for mine in by_task.values()]
    for encoder in dict.fromkeys(result.model for result in results if result.lang in pairs):
        mine = [result for result in results if result.model == encoder]
        tables.append(premises_by_hypotheses([result for result in mine if tasks.get(result.task).example is Pair]))
    drawn = figure(found, source, langs)
    return Page(
        title="Zero-shot transfer",
        headline=headline(found, source),
        sections=figures_and_tables({f"Drops from {source}": drawn} if drawn else {}, tables),
        notes=NOTES,
        facts={
            f"Data of {task}": {r.lang: f"{r.data} ({r.test_units['token']} tokens)" for r in results if r.task == task}
            for task in dict.fromkeys(result.task for result in results)
        },
    )
