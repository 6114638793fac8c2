"""Tiny models that are trained once in a run of the tests and shared by all tests and all worker processes."""

import os
import shutil

import torch
from filelock import FileLock
from making import examples_of, save_encoder, small_recipe

from fewshot import tasks
from fewshot.encoders.load import load_encoder
from fewshot.training.adapt import adapt, train_source
from fewshot.training.model import load_model

CPU = torch.device("cpu")


def shared_root(tmp_path_factory):
    """Return the folder that all worker processes of this run share."""
    root = tmp_path_factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root
    (root / "trained").mkdir(exist_ok=True)
    return root / "trained"


class TrainedModels:
    """The models of one run: the first test that needs a model trains and saves the model, the others load it.

    Loaded models are new objects, so that a test may change the model it gets.
    """

    def __init__(self, root):
        self.root = root
        self.encoder = load_encoder(str(self.folder("encoder", lambda folder: save_encoder(folder, limit=64))))

    def folder(self, name, make):
        """Return the folder of this name; ``make(folder)`` fills the folder when no process has done so before."""
        with FileLock(self.root / f"{name}.lock"):
            if not (self.root / name).exists():
                make(self.root / f"{name}.part")
                shutil.move(self.root / f"{name}.part", self.root / name)
        return self.root / name

    def source_folder(self, task="pos", method="freeze-0"):
        """Return the folder of a source model of a task, of 15 updates on 30 made-up examples."""

        def train(folder):
            wanted = tasks.get(task)
            gold = examples_of(wanted, 60, seed=1)[:30]
            recipe = small_recipe(method=method, regime="sequential", updates=15, batch=8, head_lr=1e-3, average=1)
            train_source(wanted.fitted(gold), self.encoder, gold, recipe, 0, CPU).save(folder)

        return self.folder(f"{task} {method}", train)

    def source(self, task="pos", method="freeze-0"):
        return load_model(self.source_folder(task, method), self.encoder)

    def embedded(self):
        """Return a folder laid out like ``data/``, with the tiny encoder as `mini` and its source models."""

        def lay_out(folder):
            shutil.copytree(self.folder("encoder", None), folder / "models" / "mini")
            for task in ("pos", "dep", "ner", "nli", "qa", "topic"):
                shutil.copytree(self.source_folder(task), folder / "models" / "sources" / task)

        return self.folder("embedded", lay_out)

    def adapted_folder(self, task="pos", method="freeze-0"):
        """Return the folder of a source model adapted in 6 updates on 8 made-up shots."""

        def train(folder):
            source = self.source(task, "feature-based" if method == "feature-based" else "freeze-0")
            recipe = small_recipe(method=method, regime="sequential", updates=6, batch=4, average=2, encoder_lr=3e-3)
            adapt(source, examples_of(source.task, 60, seed=1)[30:38], recipe, 0, CPU).save(folder)

        return self.folder(f"{task} {method} adapted", train)

    def adapted(self, task="pos", method="freeze-0"):
        return load_model(self.adapted_folder(task, method), self.encoder)
