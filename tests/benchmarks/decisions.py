"""What suggestions gain when they follow what was decided in the sentences before, without any training.

    PYTHONPATH=tests python -m benchmarks.decisions --task pos --data ud/he_htb --data ud/eu_bdt [--split dev]

A scripted person annotates fifty sentences, drawn at random, as the file has them; the model suggests. Prints for the
first ten, the next ten, and the last thirty how many tags (of trees: relations) of a sentence are suggested wrongly, by
the model and as `annotate.editing.lexicon` has it, with half of the 95% interval of the difference over draws.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import numpy as np
from benchmarks.side_by_side import arguments, cell, examples_of, print_head, print_row

import fewshot as fs
from annotate.editing.content import annotation_of
from annotate.editing.lexicon import Lexicon
from annotate.store import Suggestion
from fewshot.corpora.types import Sentence
from fewshot.evaluation import suggest
from fewshot.training.model import Model

K = 50
PARTS = {"1-10": slice(0, 10), "11-20": slice(10, 20), "21-50": slice(20, K)}


def wrong(source: Model, sentences: Sequence[Sentence]) -> Iterator[tuple[int, int]]:
    """Yield for each sentence how many labels are suggested wrongly, by the model, and with what was decided before."""
    column, decisions = source.task.columns[-1], Lexicon()
    for number, (sentence, data) in enumerate(zip(sentences, suggest(source, sentences), strict=True)):
        suggestion = Suggestion(number, number, source.task.name, "model", "encoder", data, datetime.now())
        annotation = annotation_of(source.task.name, sentence)
        followed = decisions.follow(sentence.words, suggestion)
        alone, better = (
            sum(mine != gold for mine, gold in zip(made["annotation"][column], annotation[column], strict=True))
            for made in (data, followed)
        )
        yield alone, better
        decisions.learn(sentence.words, annotation, suggestion)


def main() -> None:
    given = arguments(__doc__, task="pos", model="mini", data=[Path], split="dev", sets=5).parse_args()
    source = fs.source(given.task, given.model)
    print_head("", *(f"sentences {name}" for name in PARTS))
    for folder in given.data:
        sentences = examples_of(folder, given.split, source.task)
        pool = [one for one in sentences if source.task.is_annotated(one) and 3 <= len(one.words) <= 50]
        found = np.array(
            [list(wrong(source, random.Random(draw).sample(pool, K))) for draw in range(given.sets)]
        )  # draws x sentences x (alone, better)
        cells = []
        for part in PARTS.values():
            alone, better = found[:, part].mean(1).T
            cells.append(f"{alone.mean():.1f} to {better.mean():.1f} ({cell(list(better - alone))})")
        print_row(folder.name, *cells)


if __name__ == "__main__":
    main()
