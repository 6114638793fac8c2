"""Twice the data, twice the work: how much longer readers, writers, checks and page queries take on double sizes.

    python tests/benchmarks/doubling.py [--only webanno] [--least 0.2]

A size is doubled until the work takes a fifth of a second of processor time, then once more; times are the least of
three. ``--only`` is a regular expression that a row's name must contain, ``--least`` the seconds of the smaller size.
Each row has a process of its own, since memory that others have left in pieces slows large sizes down. Files
grow by examples and, where words can be many, by the words of one sentence. Prints a Markdown table; exit status 1
where a time grows more than 2.3 times.
"""

import gc
import re
import sys
import tempfile
import time
from functools import partial
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.many_sentences import QUERIES, TASKS, prepare
from benchmarks.side_by_side import arguments, print_head, print_row
from corpora.formats.annotating import arbitrary
from making import examples

from annotate.editing import content
from annotate.exchange.exporting import export_annotations
from annotate.quality import consistency
from annotate.rounds.training_data import training_data
from annotate.search import queries
from annotate.store import ExampleFilter, Store
from annotate.store.search import ORDERS
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.oddities import oddities
from fewshot.corpora.pool import candidates

LIMIT = 2.3
AGAIN = 2
"""Times that a growth over the limit is measured again; the least counts, since other programs make it larger."""
LEAST_SECONDS = 0.2
LARGEST = 200_000
NOISE_SECONDS = 0.05
"""Of the larger size: of shorter times, growth says nothing."""

ROWS = []
"""What is measured: names and prepared work, which processes that are forked find here."""

FIRST = 50
OF_WORDS = ("dep", "ner")
"""Tasks of sentences that are tried with one long sentence too."""


def seconds(work):
    """Return the least processor time of three calls, without collections of garbage, which come at any size."""
    found = []
    for _ in range(3):
        gc.collect()
        gc.disable()  # as timeit does
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
        gc.enable()
    return min(found)


def growth(prepared, least):
    """Return size, time, and how many times longer twice the size takes.

    Args:
        prepared: a function of a size that returns the work to be timed.
        least: seconds of the smaller size.
    """
    size = FIRST
    while (took := seconds(prepared(size))) < least and size < LARGEST:
        size *= 2
    ratio = seconds(prepared(2 * size)) / max(took, 1e-9)
    for _ in range(AGAIN):
        if ratio > LIMIT:
            ratio = min(ratio, seconds(prepared(2 * size)) / max(seconds(prepared(size)), 1e-9))
    return size, took, ratio


def made(task, size, long):
    """Return annotated examples: many, or one sentence of many words."""
    layer = tasks.get(task)
    kind = layer.example.kind
    found = examples(kind, 1, 1, size, size) if long else examples(kind, size, 1)
    return [content.annotated(task, one, arbitrary(task, one)) for one in found]


def files(folder):
    """Yield names and prepared work of every format, and of what is asked of all examples."""
    for name, format_ in formats.FORMATS.items():
        for task in ("dep", "pos", "ner", "nli", "qa"):
            layer = tasks.get(task)
            if not format_.write or not format_.can_hold(layer):
                continue
            path = folder / f"x{format_.suffix}"
            for long in (False, True) if task in OF_WORDS else (False,):
                what = f"{name}, {task}" + (", one sentence" if long else "")
                yield f"{what}: write", partial(writing, name, task, long, path)
                yield f"{what}: write again", partial(writing_again, name, task, long, path)
                yield f"{what}: read", partial(reading, name, task, long, path)
    for task in ("dep", "nli", "qa"):
        yield (
            f"{task}: oddities",
            lambda size, task=task: partial(lambda found: list(oddities(found)), made(task, size, False)),
        )
        yield f"{task}: pool", lambda size, task=task: partial(candidates, made(task, size, False))


def writing(name, task, long, path, size):
    return partial(formats.export, made(task, size, long), [tasks.get(task)], name, path)


def reading(name, task, long, path, size):
    writing(name, task, long, path, size)()
    return partial(formats.check, path, name, "und", tasks.get(task))


def writing_again(name, task, long, path, size):
    """Write what was read from this format, with other annotation."""
    found, _ = reading(name, task, long, path, size)()
    changed = [content.annotated(task, one, arbitrary(task, one, ("C", "D"))) for one in found]
    return partial(formats.export, changed, [tasks.get(task)], name, path)


def pages(folder):
    """Yield names and prepared work of what the pages of a project ask."""
    stores = {}

    def project(size):
        if size not in stores:
            file = folder / f"{size}.db"
            if not file.exists():
                prepare(f"sqlite:///{file}", size)
            store = Store.open(f"sqlite:///{file}")
            stores[size] = store, store.projects()[0]
        return stores[size]

    def asked(work):
        return lambda size: partial(work, *project(size))

    wanted = ExampleFilter("pos")
    for order in ORDERS:
        yield f"sentences by {order}", asked(lambda store, one, order=order: store.list_examples(one.id, wanted, order))
    yield "sentences counted", asked(lambda store, one: store.count(one.id, wanted))
    yield "changes", asked(lambda store, one: store.changes(one.id))
    for how, query in QUERIES[:-1]:  # the last one compares four words of a sentence with each other
        yield f"`{query}`", asked(lambda store, one, how=how, query=query: queries.find(store, one, how, query, wanted))
    yield "consistency", asked(lambda store, one: consistency.find_inconsistencies(store, one, wanted))
    yield "training data", asked(lambda store, one: training_data(store, one, "pos"))
    for part in ("annotated", "all"):
        yield f"export, {part}", asked(lambda store, one, part=part: export_annotations(store, one, TASKS, None, part))


def measured(place, least):
    return growth(ROWS[place][1], least)


def main():
    given = arguments(__doc__, only="", least=LEAST_SECONDS).parse_args()
    worst = 0.0
    print_head("what", "size", "s", "twice the size")
    with tempfile.TemporaryDirectory() as folder:
        rows = (*files(Path(folder)), *pages(Path(folder)))
        ROWS[:] = [row for row in rows if re.search(given.only, row[0])]
        with get_context("fork").Pool(1, maxtasksperchild=1) as process:
            for place, (what, _) in enumerate(ROWS):
                size, took, times = process.apply(measured, (place, given.least))
                grows = times > LIMIT and took * times > NOISE_SECONDS
                worst = max(worst, times if grows else 0.0)
                mark = " (!)" if grows else ""
                print_row(what, f"{size:,}", f"{took:.2f}", f"{times:.2f}{mark}")
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
