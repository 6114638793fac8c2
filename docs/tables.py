"""Write the tables of the pages: ``python docs/tables.py`` puts each between its two markers, wherever a page has them.

Those of scores are made of the tables in ``measured/``, which ``fewshot compare RUN... --table`` wrote of the runs that
``measured/README.md`` and the pages name, and of ``zero_shot.jsonl``, ``morphology.jsonl`` and ``answers.jsonl``,
results of such commands; those of keys, formats and prices of the code. No figure is typed by hand.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain, pairwise
from pathlib import Path
from statistics import fmean, stdev

from scipy.stats import t as student

DOCS = Path(__file__).resolve().parent
MEASURED = DOCS / "measured"
TASKS = {"pos": "tags, accuracy", "dep": "trees, LAS", "ner": "entities, F1"}
LANGS = ("sv", "fi", "tr", "zh", "ar", "ja")
OTHER_TASKS = {"nli": "inference, accuracy", "topic": "topics, accuracy", "qa": "questions, exact match"}
OTHER_LANGS = ("sv", "fi", "tr", "zh", "ar", "ja", "de", "hi", "ru", "sw")
SAMPLED = 50
"""How many sentences the samplers are compared with."""

ASKED = {"pos": TASKS["pos"], "dep": TASKS["dep"], "ner": TASKS["ner"], **OTHER_TASKS}
"""What a language model was asked."""

ZERO_SHOT = (
    ("pos", "accuracy", TASKS["pos"]),
    ("dep", "las", TASKS["dep"]),
    ("dep", "uas", "trees, UAS"),
    ("ner", "f1", TASKS["ner"]),
    *((task, "em" if task == "qa" else "accuracy", title) for task, title in OTHER_TASKS.items()),
)
"""Task, metric and title of each row."""

ZERO_SHOT_LANGS = ("en", *LANGS, "hi", "ru", "de", "eu", "he", "it", "ko", "kk", "yo", "sw", "es", "fr")
BESIDE = {"accuracy": "UPOS", "ufeats": "UFeats", "lemmas": "Lemmas"}
ADAPTED = (
    ("adapted", "eu", "Basque"),
    ("adapted", "yo", "Yoruba"),
    ("adapted", "kk", "Kazakh"),
    ("adapted", "he", "Hebrew in letters of Vai, `--new-pieces 2000`"),
    ("romanized", "he", "the same, `--romanize`"),
)
"""File, language and title of each row."""
METHODS = {"full": "", "lauscher2020": ", `lauscher2020`"}

MARKED = re.compile(r"(<!-- (\S+) table: python docs/tables\.py -->\n).*?(<!-- end of table -->)", re.S)
"""A table between its markers, the first of which names it."""

Points = Mapping[tuple[str, int, str], dict[str, str]]


def few_shot(tasks: Mapping[str, str], langs: Sequence[str]) -> str:
    """Return scores after k sentences: a row for each task, k and method, a column for each language."""
    rows = []
    for task, title in tasks.items():
        found = points(task)
        for k, method in sorted({(k, method) for _, k, method in found}, key=lambda row: (row[0], row[1] != "full")):
            cells = [_cell(found[lang, k, method]) if (lang, k, method) in found else "" for lang in langs]
            if any(cells):
                rows.append([f"{title}, zero-shot" if k == 0 else f"k = {k}{METHODS[method]}", *cells])
    return table(["", *langs], rows)


def summary() -> str:
    """Return the means over the languages, a row for each task, and what ten sentences bring."""
    rows = []
    for task, title in TASKS.items():
        found = points(task)
        scores = {
            k: [float(found[lang, k, "full"]["score"]) for lang in LANGS if (lang, k, "full") in found]
            for k in (0, 10, 100)
        }
        means = [f"{fmean(of):.1f}" if len(of) == len(LANGS) else "–" for of in scores.values()]
        gains = sorted((after - before, lang) for before, after, lang in zip(scores[0], scores[10], LANGS, strict=True))
        (least, first), *_, (most, last) = gains
        rows.append([title, *means, f"{least:+.1f} ({first}) to {most:+.1f} ({last})"])
    return table(["", "English alone", "ten sentences", "a hundred", "what ten bring"], rows)


def samplers(task: str) -> str:
    """Return what each sampler draws, and how far it is ahead of random: means over the languages, 95% intervals."""
    drawn: dict[str, dict[str, dict[int, Point]]] = {}  # by sampler, language and k
    with (MEASURED / "samplers" / f"{task}.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            by_lang = drawn.setdefault(row["curve"].split()[-1], {})
            by_lang.setdefault(row["test set"], {})[int(row["k"])] = _point(row)
    random = drawn.pop("random")
    rows = [["random", *_means(random[lang][SAMPLED] for lang in LANGS), "–", "–"]]
    for name, by_lang in drawn.items():
        of = {lang: points[SAMPLED] for lang, points in by_lang.items()}
        leads = [of[lang][1] - random[lang][SAMPLED][1] for lang in LANGS]
        there = [_between([point for _, point in sorted(random[lang].items())], of[lang][0]) for lang in LANGS]
        same = [of[lang][1] - at for lang, at in zip(LANGS, there, strict=True) if at is not None]
        rows.append([f"`{name}`", *_means(of.values()), _interval(leads), "–" if None in there else _interval(same)])
    head = ["sampler", "score", "tokens", "ahead of random", "of as many tokens"]
    return table(head, sorted(rows, key=lambda row: -float(row[1])))


def rounds() -> str:
    """Return what twenty sentences of each sampler score, drawn at once and in two rounds."""
    with (MEASURED / "samplers" / "rounds.csv").open(encoding="utf-8", newline="") as lines:
        found = {row["curve"]: f"{_scored(row)} ${row['cost']}" for row in csv.DictReader(lines) if row["k"] == "20"}
    rows = [["random", found["once random"], "the same"]]
    rows += [[name, found[f"once {name}"], found[f"rounds {name} 10+10"]] for name in ("entropy", "margin")]
    return table(["twenty by", "at once", "in rounds, 10+10"], rows)


def adapted() -> str:
    """Return zero-shot and ten-sentence scores before and after an encoder read raw text, a row for each language."""
    found = {}
    for name in dict.fromkeys(file for file, *_ in ADAPTED):
        with (MEASURED / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                found[name, row["test set"], "mini" in row["curve"].split(), row["k"]] = _scored(row)
    places = [(before, k) for k in ("0", "10") for before in (True, False)]
    rows = [[title, *(found[file, lang, *place] for place in places)] for file, lang, title in ADAPTED]
    return table(["", "zero-shot, before", "after", "ten sentences, before", "after"], rows)


def source_choice() -> str:
    """Return how well each criterion ranks the languages to learn from, on development languages and on others."""
    import pandas as pd

    from fewshot.papers.sources import interval, ranking_quality
    from fewshot.source_choice.ranking import ORDER

    rows = []
    for task in ("pos", "dep", "ner"):
        found = [ranking_quality(pd.read_csv(MEASURED / "sources" / f"{task}-{part}.csv")) for part in ("dev", "other")]
        for name in dict.fromkeys(chain(*found)):
            known = [each.get(name) for each in found]
            cells = [
                interval(values) if one and (values := getattr(one, what)) else ""
                for one in known
                for what in ("correlations", "losses")
            ]
            rows.append([TASKS[task].partition(",")[0], f"`{name}`" if name in ORDER else name, *cells])
    head = ["", "", "development: Spearman with the scores", "points lost", "other languages: Spearman", "points lost"]
    return table(head, rows)


def mixtures() -> str:
    """Return scores after an English source model, that of the language ranked first and one of six languages."""
    rows = []
    for task in ("pos", "dep"):
        found: dict[str, dict[str, dict[str, float]]] = {}
        bills: dict[tuple[str, str], tuple[str, str]] = {}
        with (MEASURED / "sources" / f"mixture-{task}.csv").open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                lang, _, source = row["curve"].split()[0].partition("-")
                found.setdefault(row["k"], {}).setdefault(lang, {})[source] = float(row["score"])
                bill = row["tokens"], row["annotation"]
                if bills.setdefault((row["k"], lang), bill) != bill:
                    raise ValueError(f"{lines.name}: k={row['k']} of {lang} has not the same sentences for each source")
        for k, by_lang in found.items():
            scores = {lang: _of_sources(by_source) for lang, by_source in by_lang.items()}
            leads = [[one[at] - one[0] for one in scores.values()] for at in (1, 2)]
            title = TASKS[task].partition(",")[0]
            dollars = f"{fmean(float(bills[k, lang][1]) for lang in scores):.2f}"
            rows.append([title, k, dollars, *(f"{fmean(column):.1f}" for column in zip(*scores.values(), strict=True)),
                         *map(_interval, leads), str(len(scores))])  # fmt: skip
    leads_of = ["ranked first ahead by", "six ahead by"]
    head = ["", "k", "$", "English", "ranked first", "six languages", *leads_of, "languages"]
    return table(head, rows)


def _of_sources(scores: Mapping[str, float]) -> tuple[float, float, float]:
    """Return the scores of English, of the language ranked first, which may be English, and of the mixture."""
    first = next((score for source, score in scores.items() if source not in ("en", "mix")), scores["en"])
    return scores["en"], first, scores["mix"]


Point = tuple[float, float]
"""Tokens and score."""


def _point(row: Mapping[str, str]) -> Point:
    return float(row["tokens"]), float(row["score"])


def _means(found: Iterable[Point]) -> tuple[str, str]:
    tokens, scores = zip(*found, strict=True)
    return f"{fmean(scores):.1f}", f"{fmean(tokens):,.0f}"


def _between(line: Sequence[Point], tokens: float) -> float | None:
    """Return the score at so many tokens on the line through some points; None beyond its end."""
    for (before, low), (after, high) in pairwise(line):
        if before <= tokens <= after:
            return low + (high - low) * (tokens - before) / (after - before)
    return None


def _interval(leads: Sequence[float]) -> str:
    """Return a mean and half of its 95% interval, Student's t."""
    half = student.ppf(0.975, len(leads) - 1) * stdev(leads) / len(leads) ** 0.5
    return f"{fmean(leads):+.1f} ± {half:.1f}"


def zero_shot() -> str:
    """Return what the English models score, a row for each metric and one for mBERT where the paper has that metric."""
    from fewshot.transfer import lauscher

    lines = (MEASURED / "zero_shot.jsonl").read_text(encoding="utf-8").splitlines()
    found = {(result["task"], result["lang"]): result["metrics"] for result in map(json.loads, lines)}
    rows = []
    for task, metric, title in ZERO_SHOT:
        scores = {lang: found[task, lang][metric] for lang in ZERO_SHOT_LANGS if (task, lang) in found}
        rows.append([title, *_scores(scores)])
        if lauscher.metric(task) == metric:
            theirs = lauscher.zero_shot(task, "mBERT")
            rows.append(["mBERT, published", *_scores({lang: s for lang, s in theirs.items() if lang in scores})])
    return table(["", *ZERO_SHOT_LANGS], rows)


def _scores(found: Mapping[str, float]) -> list[str]:
    return [f"{found[lang]:.1f}" if lang in found else "" for lang in ZERO_SHOT_LANGS]


def morphology() -> str:
    """Return scores of tags, features and lemmas after k sentences, a row for each; a column for each language."""
    lines = (MEASURED / "few_shot" / "morphology.jsonl").read_text(encoding="utf-8").splitlines()
    found = {(result["lang"], result["k"]): result["metrics"] for result in map(json.loads, lines)}
    langs, ks = (list(dict.fromkeys(each)) for each in zip(*found, strict=True))
    rows = [
        [f"{title}, {f'k = {k}' if k else 'zero-shot'}", *(f"{found[lang, k][metric]:.1f}" for lang in langs)]
        for metric, title in BESIDE.items()
        for k in ks
    ]
    return table(["", *langs], rows)


def language_models() -> str:
    """Return what a language model scores beside ours, and our encoder taught by it, a row for each task and k."""
    folder = MEASURED / "language_models"
    lines = (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    answered = {(result["task"], result["k"]): result for result in map(json.loads, lines)}
    rows = []
    for task, title in ASKED.items():
        with (folder / f"{task}.csv").open(encoding="utf-8", newline="") as file:
            found = {(_learner(row), int(row["k"])): _scored(row) for row in csv.DictReader(file)}
        for k in sorted({k for _, k in found}):
            result = answered[task, k]
            asked, seconds = result["asked"], result["seconds"]
            learners = (result["model"], "mini", f"mini taught by {result['model']}")
            scores = [found.get((learner, k), "–") for learner in learners]
            refused = f"{asked['refused']} of {asked['examples']}"
            rows.append([title, str(k), *scores, refused, f"{seconds / asked['answers']:.1f}"])
    head = ["", "k", "the language model", "*mini*", "*mini* taught by it", "answers refused", "seconds an answer"]
    return table(head, rows)


def _learner(row: Mapping[str, str]) -> str:
    """Return what has learned or read the shots: a curve's name without its sampler."""
    return row["curve"].rpartition(" ")[0]


def _scored(row: Mapping[str, str]) -> str:
    score, low, high = (f"{float(row[name]):.1f}" for name in ("score", "low", "high"))
    return f"{score} [{low}, {high}]"


@cache
def points(task: str) -> Points:
    """Return the row of each language, k and method."""
    file = MEASURED / "few_shot" / f"{task}.csv"
    return {(row["test set"], int(row["k"]), method): row for row, method in _rows(file)}


def _rows(file: Path) -> Iterator[tuple[dict[str, str], str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            method = "lauscher2020" if "lauscher2020" in row["curve"].split() else "full"
            if row["k"] != "0" or method == "full":  # zero-shot is that of any method
                yield row, method


def _cell(row: Mapping[str, str]) -> str:
    return _scored(row).partition(" ")[0] if row["k"] == "0" else _scored(row)


def labels(task: str) -> str:
    """Return the labels of a task with their keys, definitions and examples."""
    from annotate.editing.guidelines import label_info
    from fewshot import tasks

    rows = [
        [f"`{one.key}`" if one.key else "", one.name, one.definition, one.example]
        for one in label_info(tasks.get(task))
    ]
    return table(["key", "label", "means", "example"], rows)


def formats() -> str:
    """Return every file format and the annotation that it holds."""
    from fewshot.corpora.formats.registry import FORMATS

    rows = []
    for one in FORMATS.values():
        held = "; ".join(f"{kind}: {', '.join(sorted(columns))}" for kind, columns in one.holds.items())
        suffixes = " ".join(f"`{suffix}`" for suffix in one.suffixes)
        rows.append([one.title, f"`{one.name}`", suffixes, held if one.write else "none; it is read"])
    return table(["format", "`--to`", "files", "annotation that it holds"], rows)


def prices() -> str:
    """Return what a unit of each task costs, and where that figure is from."""
    from fewshot import tasks

    kinds = [tasks.get(name) for name in tasks.registry()]
    rows = [[k.name, k.price.unit, f"${k.price.dollars:g}", f"${k.price.wage:g}", k.price.source] for k in kinds]
    return table(["task", "unit", "price", "wage an hour", "source"], rows)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown; figures stand to the right."""
    lines = [[" ".join(cell.replace("|", "\\|").split()) for cell in row] for row in rows]
    figure = re.compile(r"[-+$]?[\d.,]+( ± [\d.]+)?|–|")
    right = [all(figure.fullmatch(row[place]) for row in lines) for place in range(len(head))]
    rule = ["---:" if place and of_figures else "---" for place, of_figures in enumerate(right)]
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, rule, *lines])


MADE: Mapping[str, Callable[[], str]] = {
    "few-shot": partial(few_shot, TASKS, LANGS),
    "other-tasks": partial(few_shot, OTHER_TASKS, OTHER_LANGS),
    **{f"samplers-{task}": partial(samplers, task) for task in TASKS},
    "summary": summary,
    "zero-shot": zero_shot,
    "morphology": morphology,
    "rounds": rounds,
    "adapted": adapted,
    "source_choice": source_choice,
    "mixtures": mixtures,
    "language-models": language_models,
    "formats": formats,
    "prices": prices,
    **{task: partial(labels, task) for task in ("pos", "dep", "ner", "nli", "topic")},
}
"""Each table by the name in its marker."""


def pages() -> list[Path]:
    """Return the pages that may have tables."""
    return [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]


def written(text: str) -> str:
    """Return a page with its tables made anew."""
    return MARKED.sub(lambda match: match[1] + MADE[match[2]]() + match[3], text)


def main() -> None:
    """Make the tables of all pages, and name the pages that are not as before."""
    for page in pages():
        before = page.read_text(encoding="utf-8")
        if (after := written(before)) != before:
            page.write_text(after, encoding="utf-8")
            sys.stdout.write(f"{page.relative_to(DOCS.parent)} has other tables now\n")


if __name__ == "__main__":
    main()
