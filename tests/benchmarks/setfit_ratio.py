"""Time and accuracy of topics after k documents here against SetFit's, in turns: same encoder, documents, test set.

    pip install -c constraints.txt '.[dev]' setfit
    python tests/benchmarks/setfit_ratio.py --data sib200_ita_Latn [--data ...] [--k 10] [--draws 5] [--model mini]

SetFit (Tunstall et al. 2022) trains the encoder on pairs of the k documents and a logistic regression on its vectors,
with its own defaults; ours continues the English source model with the default preset, and reads English documents
beside the k, as `fewshot run` does. Loading is timed on neither side. Prints seconds of each training and accuracies.
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from datasets import Dataset
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from setfit import SetFitModel, Trainer, TrainingArguments
from sklearn.linear_model import LogisticRegression

import fewshot as fs
from fewshot.corpora.types import Document
from fewshot.encoders.load import load_encoder


def with_setfit(encoder: Path, shots: Sequence[Document], test: Sequence[Document], seed: int) -> tuple[float, float]:
    """Return seconds of one training, and the accuracy in percent."""
    reads = Transformer(str(encoder), max_seq_length=256)
    body = SentenceTransformer(modules=[reads, Pooling(reads.get_word_embedding_dimension(), "mean")], device="cpu")
    model = SetFitModel(model_body=body, model_head=LogisticRegression())
    with tempfile.TemporaryDirectory() as folder:
        settings = TrainingArguments(output_dir=folder, seed=seed, report_to="none", show_progress_bar=False)
        rows = Dataset.from_dict({"text": [one.text for one in shots], "label": [one.label for one in shots]})
        trainer = Trainer(model=model, args=settings, train_dataset=rows)
        started = time.perf_counter()
        trainer.train()
        taken = time.perf_counter() - started
    found = model.predict([one.text for one in test])
    return taken, 100 * statistics.fmean(a == one.label for a, one in zip(found, test, strict=True))


def with_fewshot(source: object, shots: Sequence[Document], test: Sequence[Document], seed: int) -> tuple[float, float]:
    """Return seconds of one training, and the accuracy in percent."""
    started = time.perf_counter()
    model = fs.adapt(source, shots, seed=seed)
    return time.perf_counter() - started, fs.evaluate(model, test).score


def shown(values: Sequence[float]) -> str:
    """Return a mean and the half of its 95% interval, by the normal distribution."""
    half = 1.96 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return f"{statistics.fmean(values):.1f} ± {half:.1f}"


def main() -> None:
    """Print each turn, and the medians of the times and means of the scores."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, action="append", required=True)
    options.add_argument("--model", default="mini")
    options.add_argument("--k", type=int, default=10)
    options.add_argument("--draws", type=int, default=5)
    given = options.parse_args()
    encoder, source = load_encoder(given.model), fs.source("topic", model=given.model)
    turns: list[dict[str, tuple[float, float]]] = []
    with tempfile.TemporaryDirectory() as place:
        encoder.module.float().save_pretrained(place)
        encoder.tokenizer.save_pretrained(place)
        for data in given.data:
            pool, test = fs.load("xx", task="topic", data=data)
            for draw in range(given.draws):
                shots = fs.sample(pool, k=given.k, sampler="random", seed=draw)
                sides = {
                    "fewshot": lambda s=shots, t=test, n=draw: with_fewshot(source, s, t, n),
                    "SetFit": lambda s=shots, t=test, n=draw: with_setfit(Path(place), s, t, n),
                }
                order = list(sides) if draw % 2 else list(reversed(sides))
                turns.append({name: sides[name]() for name in order})
                said = ", ".join(f"{name} {taken:.1f} s {score:.1f}" for name, (taken, score) in turns[-1].items())
                print(f"{data.name} draw {draw}: {said}", flush=True)
    for name in ("fewshot", "SetFit"):
        seconds = statistics.median(turn[name][0] for turn in turns)
        print(f"{name}: {seconds:.1f} s a training, accuracy {shown([turn[name][1] for turn in turns])}")
    ratios = sorted(turn["fewshot"][0] / turn["SetFit"][0] for turn in turns)
    gains = [turn["fewshot"][1] - turn["SetFit"][1] for turn in turns]
    ratio = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
    print(f"time as a share of SetFit's: {ratio}; points ahead of it: {shown(gains)}; k = {given.k}")


if __name__ == "__main__":
    main()
