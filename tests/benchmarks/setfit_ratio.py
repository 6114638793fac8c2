"""Time and accuracy of topics after k documents here against SetFit's, in turns: same encoder, documents, test set.

    pip install -c constraints.txt '.[dev]' setfit
    PYTHONPATH=tests python -m benchmarks.setfit_ratio --data sib200_ita_Latn [--data ...] [--k 10] \\
        [--draws 5] [--model mini]

SetFit (Tunstall et al. 2022) trains the encoder on pairs of the k documents and a logistic regression on its vectors,
with its own defaults; ours continues the English source model with the default preset, and reads English documents
beside the k, as `fewshot run` does. Loading is timed on neither side. Prints seconds of each training and accuracies.
"""

import statistics
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.side_by_side import arguments, cell, in_turns, print_ratios, seconds
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
        taken = seconds(trainer.train)
    found = model.predict([one.text for one in test])
    return taken, 100 * statistics.fmean(a == one.label for a, one in zip(found, test, strict=True))


def with_fewshot(source: object, shots: Sequence[Document], test: Sequence[Document], seed: int) -> tuple[float, float]:
    models: list[Any] = []
    taken = seconds(lambda: models.append(fs.adapt(source, shots, seed=seed)))
    return taken, fs.evaluate(models[0], test).score


def main() -> None:
    given = arguments(__doc__, data=[Path], model="mini", k=10, draws=5, vs="SetFit").parse_args()
    encoder, source = load_encoder(given.model), fs.source("topic", model=given.model)
    turns: list[dict[str, tuple[float, float]]] = []
    with tempfile.TemporaryDirectory() as place:
        encoder.module.float().save_pretrained(place)
        encoder.tokenizer.save_pretrained(place)
        for data in given.data:
            pool, test = fs.load("xx", task="topic", data=data)
            for draw in range(given.draws):
                print(f"{data.name} draw {draw}", end=", ")
                setting = (fs.sample(pool, k=given.k, sampler="random", seed=draw), test, draw)
                sides = {
                    "SetFit": partial(with_setfit, Path(place), *setting),
                    "fewshot": partial(with_fewshot, source, *setting),
                }
                turns += in_turns(sides, 1, warm_up=False, show=lambda both: "{:.1f} s {:.1f}".format(*both))
    for name in ("SetFit", "fewshot"):
        print(f"{name}: accuracy {cell([turn[name][1] for turn in turns])}")
    print(f"points ahead: {cell([turn['fewshot'][1] - turn['SetFit'][1] for turn in turns])}; k = {given.k}")
    print_ratios([{name: taken for name, (taken, _) in turn.items()} for turn in turns], given.vs)


if __name__ == "__main__":
    main()
