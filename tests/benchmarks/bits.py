"""What rounding costs: one source model, scored with its encoder and with what it learned in fewer bits.

    PYTHONPATH=tests python -m benchmarks.bits --model ENCODER --source SOURCE_MODEL \\
        --data ud/he_htb --data ud/eu_bdt [--split dev]

Encoder and source model should be of 16 bits (``fewshot shrink --bits 16 --embedding-bits 16``; ``fewshot source``
writes 16): what was rounded before costs nothing more here. Nothing is trained anew. Prints a Markdown table: a row for
each width of the layers, the embeddings and the source model's changes, zero-shot scores, and the mean difference from
16 bits ± half of its 95% interval over the files (Student's t).
"""

from pathlib import Path

from benchmarks.side_by_side import arguments, cell, examples_of, print_head, print_row
from torch import Tensor

from fewshot.encoders import packed, vocabulary
from fewshot.encoders.load import load_encoder
from fewshot.evaluation import evaluate
from fewshot.training.model import load_model

WIDTHS = (
    *((16, 16, 16), (8, 16, 16), (4, 16, 16), (16, 8, 16), (16, 4, 16)),
    *((16, 16, 8), (16, 16, 4), (8, 4, 4), (4, 4, 4)),
)
"""Bits of a number of the layers, of the embeddings, and of what fine-tuning changed."""


def rounded(matrix: Tensor, bits: int) -> Tensor:
    """Return what is left of a tensor once it was on disk."""
    if bits == 16 or matrix.dim() != 2 or matrix.shape[1] % packed.BLOCK:
        return matrix
    return packed.unpack(*packed.pack(matrix, bits))


def main() -> None:
    given = arguments(__doc__, model=str, source=Path, data=[Path], split="dev").parse_args()
    encoder = load_encoder(given.model)
    vocabulary.unpack(encoder.module)
    base = {name: weight.clone() for name, weight in encoder.module.state_dict().items()}
    model = load_model(given.source, encoder)
    weights, embeddings, task = model.module.state_dict(), vocabulary.table(model.module), model.task
    changes = {name: weight - base[name] for name, weight in weights.items()}
    (table,) = (name for name, weight in weights.items() if weight.data_ptr() == embeddings.data_ptr())
    files = {folder.name: examples_of(folder, given.split, task) for folder in given.data}
    print_head("layers", "embeddings", "changes", *files, "of 16 bits", texts=0)
    whole: list[float] = []
    for widths in WIDTHS:
        for name, weight in weights.items():
            kept = rounded(base[name], widths[1] if name == table else widths[0])
            weight.copy_(kept + rounded(changes[name], widths[2]))
        scores = [evaluate(model, examples).score for examples in files.values()]
        whole = whole or scores
        leads = [score - first for score, first in zip(scores, whole, strict=True)]
        print_row(*widths, *(f"{score:.1f}" for score in scores), cell(leads))


if __name__ == "__main__":
    main()
