"""How few sentences to annotate, which ones, and what each point of accuracy costs.

In a notebook::

    import fewshot as fs

    pool, test = fs.load("ja", task="pos")
    shots = fs.sample(pool, k=10, sampler="longest", seed=0)
    model = fs.adapt(fs.source("pos"), shots)
    print(fs.evaluate(model, test))
    fs.curve("ja", task="pos", k=[10, 50, 100]).plot()

The names come from `fewshot.notebook`, which is imported when the first of them is used: ``import fewshot`` alone stays
quick and loads no torch. `fewshot.read` reads the sentences of a file, and loads no torch either.
"""

import os
from importlib import import_module
from typing import Any

__all__ = ["adapt", "corpora", "curve", "evaluate", "load", "predict", "read", "rounds", "sample", "source"]

WAITING = ("OMP_WAIT_POLICY", "PASSIVE")
"""How a thread of torch waits for the others, unless the user says otherwise: asleep. Else each keeps a core busy
meanwhile: two trainings on ten sentences, beside one busy process on two cores, took 120 s so, and 48 s asleep."""

os.environ.setdefault(*WAITING)  # read when torch is loaded


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'fewshot' has no attribute {name!r}; it has {', '.join(__all__)}")
    module = "fewshot.corpora.documents.reading" if name == "read" else "fewshot.notebook"
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return __all__
