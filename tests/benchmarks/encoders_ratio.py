"""Time of one training on k sentences with one encoder, beside another: mini, say, and the whole that it was cut from.

    PYTHONPATH=tests python -m benchmarks.encoders_ratio --model mini --model multilingual-e5-small [--k 10] [--turns 3]

A tagger with a new head is trained as `fewshot run` would continue a source model on k Japanese sentences of the
sample, with the preset of each encoder. They take turns in one process. Prints the seconds of each, and the median of
the turns' ratios to the first, with the smallest and the largest.
"""

from functools import partial

from benchmarks.side_by_side import arguments, in_turns, print_ratios, seconds

import fewshot as fs
from fewshot import tasks
from fewshot.encoders.load import load_encoder
from fewshot.training import presets
from fewshot.training.adapt import adapt, resolve_device
from fewshot.training.model import Model, build_model


def train(model: Model, shots: list) -> None:
    recipe = presets.adaptation(model.task, presets.encoder_size(model.encoder), regime="sequential")
    adapt(model, shots, recipe, 0, resolve_device("cpu"))


def main() -> None:
    given = arguments(__doc__, turns=3, model=[str], k=10).parse_args()
    task, pool = tasks.get("pos"), fs.load("ja", "pos")[0]
    shots = fs.sample(pool, given.k)
    models = {name: build_model(task, load_encoder(name), seed=0, dropout=0.1) for name in given.model}
    sides = {name: partial(seconds, partial(train, model, shots)) for name, model in models.items()}
    print_ratios(in_turns(sides, given.turns, warm_up=False), given.vs)


if __name__ == "__main__":
    main()
