"""What learning while people annotate saves: a scripted person annotates sentences in the order of a round.

    pip install -c constraints.txt '.[dev]'
    PYTHONPATH=tests python -m benchmarks.learning --task pos --data ud/he_htb --data ud/eu_bdt [--split dev] [--sets 3]

The person gives every sentence the labels of the file, through the same functions as the page, once with learning and
once without; every fifth sentence is blind. A learning begins when a sentence is finished, and its suggestions come
when the next sentence is open already, as on a slow machine. Prints how many words of a sentence are suggested wrongly
(of trees: head or relation), without and with learning, with half of the 95% interval of the difference over draws,
and the processor seconds of a learning. Ends with an error where a blind sentence shows a suggestion.
"""

from __future__ import annotations

import random
import tempfile
import time
from contextlib import closing
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.side_by_side import arguments, cell, examples_of, print_head, print_row
from desk import LABELS, Desk, new_project
from storing import run_job

from annotate.editing import session
from annotate.editing.content import annotation_of
from annotate.store import Store
from annotate.worker import learn
from fewshot import tasks

K = 20
PARTS = {"1-5": range(0, 5), "6-10": range(5, 10), "11-20": range(10, K)}
BLIND = 5
"""One sentence of as many is blind."""


def wrong(suggested: dict[str, Any], annotation: dict[str, Any]) -> int:
    """Return how many words have something else in an annotation than what was suggested."""
    mine, theirs = ([list(each[name]) for name in suggested] for each in (annotation, suggested))
    return sum(one != other for one, other in zip(zip(*mine, strict=True), zip(*theirs, strict=True), strict=True))


def annotated(task: str, sentences: list[Any], folder: Path, learns: bool) -> tuple[dict[int, int], list[float]]:
    """Annotate sentences in a project; return the wrong words of suggestions by place, and each learning's seconds."""
    column = tasks.get(task).columns[-1]
    labels = {task: sorted({*LABELS[task], *(label for one in sentences for label in getattr(one, column))})}
    errors, spent = {}, []
    with closing(Store.open(f"sqlite:///{folder}/fewshot.db")) as store:
        project = new_project(store, sentences, task, hides_gold=True, labels=labels, learns=learns)
        desk = Desk(store, project, folder)
        items = desk.draw(*((place, task, "ana", place % BLIND == 0) for place in range(len(sentences))))
        run_job(store, project, "suggest", tasks=[task])
        opened = session.open_item(store, project, items[0])
        for place, (item, sentence) in enumerate(zip(items, sentences, strict=True)):
            annotation = annotation_of(task, sentence)
            if item.blind and opened.suggestion:
                raise SystemExit(f"sentence {place + 1} is blind and shows a suggestion")
            if opened.suggestion:
                errors[place] = wrong(opened.suggestion["annotation"], annotation)
            shown = {"suggestion": opened.suggestion["id"]} if opened.suggestion else {}
            desk.send(item, annotation, **shown)
            if place + 1 < len(items):
                store.claim(items[place + 1].id, "ana")
                opened = session.open_item(store, project, items[place + 1])
            if learns and place + 1 >= learn.MIN_SHOTS:
                began = time.process_time()
                run_job(store, project, "learn", task=task)
                spent.append(time.process_time() - began)
    return errors, spent


def main() -> None:
    given = arguments(__doc__, task="pos", data=[Path], split="dev", sets=3).parse_args()
    print_head("", *(f"sentences {name}" for name in PARTS), "seconds")
    for folder in given.data:
        task = tasks.get(given.task)
        pool = [
            one for one in examples_of(folder, given.split, task) if task.is_annotated(one) and 3 <= one.length <= 50
        ]
        sides: dict[bool, list[dict[int, int]]] = {False: [], True: []}
        seconds: list[float] = []
        for draw in range(given.sets):
            sentences = random.Random(draw).sample(pool, K)
            for learns, found in sides.items():
                with tempfile.TemporaryDirectory() as place:
                    errors, spent = annotated(given.task, sentences, Path(place), learns)
                found.append(errors)
                seconds += spent
        cells = []
        for part in PARTS.values():
            off, on = ([mean(one[at] for at in part if at in one) for one in sides[side]] for side in (False, True))
            gain = cell([after - before for before, after in zip(off, on, strict=True)])
            cells.append(f"{mean(off):.1f} to {mean(on):.1f} ({gain})")
        print_row(folder.name, *cells, f"{mean(seconds):.1f}")


if __name__ == "__main__":
    main()
