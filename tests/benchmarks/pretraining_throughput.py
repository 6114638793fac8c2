"""Tokens a second of masked language modelling, against the bare matrix multiplications of the same updates.

    PYTHONPATH=tests python -m benchmarks.pretraining_throughput --config data/pretrain.toml --corpus CORPUS \\
        [--device cuda]

One side is the training of `fewshot pretrain` itself: batches drawn and encoded, pieces hidden, forward, backward,
AdamW. The other, the floor, multiplies matrices of the same shapes and precision, forward and backward, and does
nothing else. They take turns in one process. Utilisation is the ratio of their rates of floating-point operations: the
first counts real tokens, the second padding too; attention between tokens is counted on neither side. ``--model`` is an
encoder whose vocabulary is taken, ``--updates`` those of a turn, ``--peak-tflops`` the dense peak of the device.
"""

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from benchmarks.side_by_side import arguments, spread
from torch import nn

from fewshot.checkpoint import Checkpointer
from fewshot.encoders.load import load_encoder
from fewshot.encoders.precision import has_bf16
from fewshot.pretraining import corpus, mlm
from fewshot.pretraining.batches import batches
from fewshot.pretraining.config import PretrainConfig, read_settings
from fewshot.pretraining.masking import MASKED
from fewshot.pretraining.pretrain import untrained
from fewshot.pretraining.texts import read_texts
from fewshot.training.adapt import resolve_device

DRAWN = 20_000
"""Sentences that batches are drawn from."""


class Floor:
    """The matrix multiplications of training: two a weight and a third for its gradient, over batches of given sizes.

    Args:
        model: gives the weights.
        sizes: of each batch, its pieces with padding and those that are predicted.
        train_embeddings: whether the embeddings get a gradient.
        on: the device.
    """

    def __init__(self, model: mlm.MaskedLM, sizes: Sequence[tuple[int, int]], train_embeddings: bool, on: torch.device):
        self.sizes, self.on = sizes, on
        layers = [part.weight for part in model.encoder.encoder.modules() if isinstance(part, nn.Linear)]
        output = model.encoder.embeddings.word_embeddings.weight
        kind = torch.bfloat16 if has_bf16(on) else torch.float32
        self.products = [  # weight, where its sizes stand, whether it gets a gradient
            (weight.detach().to(on, kind), which, weight is not output or train_embeddings)
            for weights, which in ((layers, 0), ((model.output.transform[0].weight, output), 1))
            for weight in weights
        ]
        rows: dict[int, int] = {}
        for weight, which, _ in self.products:
            for width in weight.shape:
                rows[width] = max(rows.get(width, 0), *(size[which] for size in sizes))
        self.given, self.made = (
            {width: torch.randn(most, width, device=on, dtype=kind) for width, most in rows.items()} for _ in range(2)
        )
        self.gradients = {weight.shape: torch.empty_like(weight) for weight, _, _ in self.products}

    def flops(self) -> int:
        return sum(
            2 * size[which] * weight.numel() * (3 if trained else 2)
            for size in self.sizes
            for weight, which, trained in self.products
        )

    @torch.no_grad()
    def seconds(self) -> float:
        """Multiply everything once and return how long it took."""
        _wait(self.on)
        started = time.perf_counter()
        for size in self.sizes:
            for weight, which, trained in self.products:
                (outer, inner), rows = weight.shape, size[which]
                inputs, gradient = self.given[inner][:rows], self.given[outer][:rows]
                torch.mm(inputs, weight.T, out=self.made[outer][:rows])
                torch.mm(gradient, weight, out=self.made[inner][:rows])
                if trained:
                    torch.mm(gradient.T, inputs, out=self.gradients[weight.shape])
        _wait(self.on)
        return time.perf_counter() - started


def _wait(on: torch.device) -> None:
    if on.type == "cuda":
        torch.cuda.synchronize()


def seconds_and_pieces(steps: Sequence[mlm.MLMStep]) -> tuple[float, int]:
    """Return the time that a training took, by its own reports, and the real pieces it saw."""
    seconds, before = 0.0, 0
    for step in steps:
        seconds += (step.pieces - before) / step.pieces_per_second
        before = step.pieces
    return seconds, before


def main(words: Sequence[str] | None = None) -> None:
    options = arguments(
        __doc__, turns=5, config=Path, corpus=Path, model="mini", updates=64, device="auto", peak_tflops=0.0
    ).parse_args(words)
    on, pieces = resolve_device(options.device), load_encoder(options.model).tokenizer
    config = replace(
        read_settings(options.config, PretrainConfig), updates=options.updates, checkpoint=options.updates + 1
    )
    texts = read_texts(options.corpus, config, print)
    sentences = corpus.balanced(texts.sentences, DRAWN, config.exponent, config.seed + 1)
    following = corpus.balanced(texts.following, DRAWN, config.exponent, config.seed + 1)
    data = (pieces, sentences, texts.rows, following)
    encoder = untrained(config, pieces)
    model = mlm.MaskedLM(encoder)
    flops = model.flops(config.train_embeddings)
    sizes = [(batch.ids.numel(), round(MASKED * int(batch.maskable.sum()))) for batch in batches(*data, config, 0)]
    floor = Floor(model, sizes, config.train_embeddings, on)

    tokens, achieved, bare = [], [], []
    for turn in range(options.turns + 1):
        steps: list[mlm.MLMStep] = []
        with tempfile.TemporaryDirectory() as folder:
            checkpointer = Checkpointer(Path(folder), "", updates=config.checkpoint)
            mlm.train(
                encoder, *data, config=config, device=on, checkpointer=checkpointer, report=steps.append, warn=str
            )
        seconds, seen = seconds_and_pieces(steps)
        multiplying = floor.seconds()
        done = f"{seen:,} tokens in {seconds:.2f} s, their matrix multiplications alone {multiplying:.2f} s"
        print(f"turn {turn}: {done}" if turn else f"warm-up: {done}", flush=True)
        if turn:
            tokens.append(seen / seconds)
            achieved.append(flops * tokens[-1] / 1e9)
            bare.append(floor.flops() / multiplying / 1e9)

    ratios = [100 * one / most for one, most in zip(achieved, bare, strict=True)]
    shape = f"{config.layers} layers x {config.hidden}, {len(pieces):,} pieces, batch {config.batch}"
    machine = f"cpu, {torch.get_num_threads()} threads" if on.type == "cpu" else torch.cuda.get_device_name(on)
    print(f"{shape}, {'bf16' if has_bf16(on) else 'fp32'}, {machine}; medians of {options.turns} turns [range]:")
    print(f"  tokens/s                       {spread(tokens, ',.0f')}")
    print(f"  model MFLOP a token            {flops / 1e6:.1f}")
    print(f"  GFLOP/s achieved               {spread(achieved, ',.1f')}")
    print(f"  GFLOP/s, multiplications alone {spread(bare, ',.1f')}")
    print(f"  utilisation, %                 {spread(ratios, ',.1f')}")
    if options.peak_tflops:
        for name, rates in (("achieved", achieved), ("multiplications alone", bare)):
            print(f"  % of the peak, {name:<15} {spread([rate / options.peak_tflops / 10 for rate in rates], ',.1f')}")


if __name__ == "__main__":
    main()
