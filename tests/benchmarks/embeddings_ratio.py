"""Time of training the embeddings of the pieces that occur, of training none, and of training all, side by side.

    OMP_NUM_THREADS=1 PYTHONPATH=tests python -m benchmarks.embeddings_ratio [--model mini] [--k 10] \\
        [--updates 100] [--turns 3]

Prints the median of the turns' ratios, with the smallest and the largest. The tagger is continued on Japanese sentences
of the sample. Nothing is decayed, so that the first and the last end in the same weights, which is checked.
"""

from typing import Any
from unittest import mock

import torch
from benchmarks.side_by_side import arguments, in_turns, print_ratios, seconds

import fewshot as fs
from fewshot.encoders import vocabulary
from fewshot.training import presets
from fewshot.training.adapt import adapt
from fewshot.training.model import Model

CPU = torch.device("cpu")


def train(source: Model, shots: list, method: str, updates: int) -> Model:
    kind = presets.encoder_size(source.encoder)
    changes = {"regime": "sequential", "updates": updates, "weight_decay": 0.0}
    return adapt(source, shots, presets.adaptation(source.task, kind, method, **changes), 0, CPU)


def whole_table(module: Any, ids: object) -> None:
    """Give an encoder a table of its own, all of which is trained."""
    vocabulary.replace_rows(module, torch.empty(0, dtype=torch.long), torch.empty(0, module.config.hidden_size))


def main() -> None:
    given = arguments(__doc__, turns=3, model="mini", k=10, updates=100).parse_args()
    source, pool = fs.source("pos", given.model), fs.load("ja", "pos")[0]
    shots, models = fs.sample(pool, given.k), {}

    def side(name: str, method: str) -> float:
        return seconds(lambda: models.update({name: train(source, shots, method, given.updates)}))

    def every() -> float:
        with mock.patch.object(vocabulary, "narrow", whole_table):
            return side("all", "freeze-none")

    sides = {"those that occur": lambda: side("some", "freeze-none"), "none": lambda: side("none", "freeze-0")}
    turns = in_turns({**sides, "all": every}, given.turns)
    some, whole = (models[name].state_dict().values() for name in ("some", "all"))
    assert all(map(torch.equal, some, whole)), "training the pieces that occur came to other weights than training all"
    print_ratios(turns, given.vs)


if __name__ == "__main__":
    main()
