"""A model: an encoder, its readout and a task's head.

On disk, in half precision or less, is only what differs from the pretrained encoder.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import torch
from safetensors import SafetensorError
from torch import Tensor, nn

from fewshot import records, tasks
from fewshot.checkpoint import part_of
from fewshot.corpora.files import write_text
from fewshot.corpora.types import Example
from fewshot.encoders import packed, vocabulary
from fewshot.encoders.load import Encoder, load_encoder
from fewshot.encoders.lora import Adapter
from fewshot.encoders.pieces import Pieces, encode_all
from fewshot.encoders.readout import MEAN_OF_LAST, READOUTS, LastLayer, LayerMix
from fewshot.encoders.vectors import Batch
from fewshot.errors import FewshotError
from fewshot.heads import Head

DESCRIPTION, WEIGHTS = "model.json", "model.safetensors"

HERE, HEAD = ".", "head.safetensors"
"""Encoder and weights of a model whose adapted encoder, whole, is in the folder too: see `fewshot.hub`."""


class Merged(TypedDict):
    """What ``model.json`` says of an adapter that was merged, see `Adapter`."""

    rank: int
    alpha: int
    base: str


class TrainedOn(TypedDict):
    """What ``model.json`` says of one of several corpora."""

    lang: str
    data: str
    data_fingerprint: str


class Provenance(TypedDict):
    """What ``model.json`` says of a training, as far as it is read again."""

    sources: NotRequired[list[TrainedOn]]
    lang: NotRequired[str | None]
    data: NotRequired[str]
    data_fingerprint: NotRequired[str]
    recipe: NotRequired[dict[str, Any]]
    dev: NotRequired[dict[str, float]]
    key: NotRequired[str]
    run: NotRequired[str]
    search: NotRequired[str]
    shots: NotRequired[list[str]]
    source: NotRequired[Provenance]


class Description(Provenance):
    """What ``model.json`` holds."""

    task: str
    labels: list[str]
    encoder: str
    encoder_fingerprint: str
    readout: NotRequired[str]
    adapter: NotRequired[Merged | None]


class Model(nn.Module):
    """Encoder, readout and head of one task.

    Args:
        encoder: the pretrained encoder; its module is trained in place.
        readout: what the head sees of the encoder.
        trained: names of the encoder's tensors that differ from the pretrained ones.
        provenance: what the model was trained on and how, for ``model.json``.
        adapter: what the last training merged into the encoder, under LoRA.
        pieces: ids of the pieces whose embeddings alone differ, in order, where ``trained`` does not name the table.
    """

    def __init__(
        self,
        task: tasks.Task[Any],
        encoder: Encoder,
        readout: LastLayer | LayerMix,
        head: Head,
        trained: Iterable[str] = (),
        provenance: dict[str, Any] | None = None,
        adapter: Adapter | None = None,
        pieces: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.task = task
        self.encoder = encoder
        self.module = encoder.module
        self.readout = readout
        self.head = head
        self.trained = frozenset(trained)
        self.provenance = provenance or {}
        self.adapter = adapter
        self.pieces = torch.empty(0, dtype=torch.long) if pieces is None else pieces.cpu()

    def forward(self, batch: Batch, encoder: nn.Module | None = None) -> Any:
        """Return the head's scores of a batch; the head computes in single precision.

        Args:
            batch: what is read.
            encoder: reads it in place of the model's own.
        """
        return self.head(self.readout(encoder or self.module, batch), batch.mask, batch.features)

    def encode(self, examples: Sequence[Example]) -> list[tuple[Pieces, ...]]:
        """Turn the inputs of each example into windows of pieces."""
        tokenizer, view, limit = self.encoder.tokenizer, self.task.view, self.encoder.limit
        return [tuple(encode_all(tokenizer, self.task.inputs(each), view, limit)) for each in examples]

    def grown(self, task: tasks.Task[Any]) -> Model:
        """Return the model with a head for the labels of its task and another's; they share encoder and readout.

        Args:
            task: the same one with labels that are to be learned too, see `Task.fitted`.
        """
        larger = self.task.with_labels([*self.task.choices, *task.given])
        new = [label for label in larger.labels if label not in self.task.labels]
        if not new:
            return self
        dropout = next(part.p for part in self.head.modules() if isinstance(part, nn.Dropout))
        with torch.random.fork_rng(devices=[]):
            head = larger.head(self.readout.size, dropout)
        head.grow(self.head, [self.task.like(label) for label in new])
        head = head.to(next(self.head.parameters()).device).train(self.training)
        return Model(
            larger, self.encoder, self.readout, head, self.trained, dict(self.provenance), self.adapter, self.pieces
        )

    def copy(self) -> Model:
        """Return a model with its own weights, but for the table of embeddings, see `vocabulary.copied`."""
        encoder = replace(self.encoder, module=vocabulary.copied(self.module))
        readout, head = copy.deepcopy(self.readout), copy.deepcopy(self.head)
        return Model(self.task, encoder, readout, head, self.trained, dict(self.provenance), self.adapter, self.pieces)

    def described(self) -> dict[str, Any]:
        """Return what ``model.json`` holds."""
        own: dict[str, Any] = {
            "task": self.task.name,
            "labels": list(self.task.labels),
            "encoder": self.encoder.name,
            "encoder_fingerprint": self.encoder.fingerprint,
            "readout": self.readout.name,
        }
        if self.adapter:
            own["adapter"] = {name: getattr(self.adapter, name) for name in ("rank", "alpha", "base")}
        return own | self.provenance | own  # a model that was loaded may be of another place than it says

    def on_top(self) -> dict[str, Tensor]:
        """Return the tensors of readout and head, by part and name."""
        parts = {"readout": self.readout, "head": self.head}
        return {f"{part}.{name}": tensor for part in parts for name, tensor in parts[part].state_dict().items()}

    @torch.no_grad()
    def round(self, base: Encoder, bits: int) -> None:
        """Round what differs from the matrices of a pretrained encoder as `save` writes it in so many bits."""
        old = base.module.state_dict()
        for name in self.trained:
            weight = self.module.get_parameter(name)
            if weight.dim() == 2 and weight.shape[1] % packed.BLOCK == 0:
                before = old[name].to(weight.device)
                weight.copy_(before + packed.unpack(*packed.pack((weight - before).cpu(), bits)).to(weight.device))

    def save(self, folder: Path, base: Encoder | None = None, bits: int = 16) -> None:
        """Write ``model.json`` and ``model.safetensors``: head, readout, and of the encoder what was trained.

        Args:
            base: the pretrained encoder; given, what differs from its matrices is written in place of the new ones.
            bits: of a number of these differences, see `packed`: they are small, so that 4 bits are enough.

        Raises:
            FewshotError: when the folder cannot be written.
        """
        state = self.module.state_dict()
        tensors = {f"encoder.{name}": state[name] for name in sorted(self.trained)} | self.on_top()
        if base:
            old = base.module.state_dict()
            for name in [name for name in self.trained if state[name].dim() == 2]:
                tensors[f"changes.{name}"] = tensors.pop(f"encoder.{name}").cpu() - old[name].cpu()
        if self.adapter:
            tensors |= {f"adapter.{name}": tensor for name, tensor in self.adapter.tensors.items()}
        if len(self.pieces):
            rows = vocabulary.table(self.module)[self.pieces]
            tensors |= {"embeddings.ids": self.pieces, "embeddings.rows": rows}
        file = folder / WEIGHTS
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / DESCRIPTION).unlink(missing_ok=True)  # written last: where it stands, the weights are whole
            packed.save(tensors, dict.fromkeys((name for name in tensors if name.startswith("changes.")), bits), file)
        except (OSError, SafetensorError) as error:
            reason = getattr(error, "strerror", None) or error
            raise FewshotError(f"{folder}: the model cannot be written: {reason}") from None
        write_text(folder / DESCRIPTION, json.dumps(self.described(), indent=2, ensure_ascii=False) + "\n")


def new(task: tasks.Task[Any], encoder: Encoder, seed: int, dropout: float, readout: str = MEAN_OF_LAST) -> Model:
    """Put an untrained head on a pretrained encoder.

    Args:
        encoder: stays as it is; the model gets a copy of its weights.
        seed: of the weights of head and readout.
        dropout: before the head.
        readout: what the head sees of the encoder, one of `READOUTS`.
    """
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        seen = READOUTS[readout](encoder, task.view)
        head = task.head(seen.size, dropout)
    return Model(task, encoder, seen, head).copy()


def read_description(folder: Path) -> dict[str, Any] | None:
    """Return ``model.json`` of a saved model, None when it is missing or damaged."""
    try:
        return _description(folder)
    except FewshotError:
        return None


def _description(folder: Path) -> dict[str, Any] | None:
    """Return ``model.json`` of a saved model, None when there is none; raise where it is damaged."""
    found: dict[str, Any] | None = records.load(
        folder / DESCRIPTION, Description, "train the model again, or give another folder"
    )
    return found


def weights(folder: Path, description: dict[str, Any]) -> Path:
    """Return the file with the weights of a saved model, but for those of its encoder that are elsewhere."""
    return folder / (HEAD if description.get("encoder") == HERE else WEIGHTS)


def load_model(folder: Path, encoder: Encoder | None = None) -> Model:
    """Load a saved model.

    Args:
        folder: written by `Model.save`.
        encoder: the pretrained encoder, if it is at hand already.

    Raises:
        FewshotError: when the folder holds no model, or a damaged one, or the encoder or label set is another than it
            was trained with.
    """
    description = _description(folder)
    if description is None:
        raise FewshotError(f"{folder}: no saved model here ({DESCRIPTION} is missing or damaged)")
    task = tasks.get(description["task"], description["labels"])
    name = str(folder) if description["encoder"] == HERE else description["encoder"]
    encoder = encoder or load_encoder(name)
    if encoder.fingerprint != description["encoder_fingerprint"]:
        raise FewshotError(f"{folder}: trained on another version of {name}; train it again")
    if list(task.labels) != description["labels"]:
        raise FewshotError(f"{folder}: trained with other labels than task {task.name} has now; train it again")
    file = weights(folder, description)
    try:
        return _assembled(task, encoder, description, packed.load(file)).eval()
    except (OSError, SafetensorError, RuntimeError, KeyError, TypeError) as error:
        what = f"missing or damaged ({str(error).splitlines()[0]})"
        raise FewshotError(f"{file}: {what}; delete the folder and train again") from None


def _assembled(
    task: tasks.Task[Any], encoder: Encoder, description: dict[str, Any], tensors: dict[str, Tensor]
) -> Model:
    """Return the model of a description and the tensors that `Model.save` wrote."""
    whole, changes, rows = (part_of(tensors, name) for name in ("encoder", "changes", "embeddings"))
    readout = READOUTS[description.get("readout", MEAN_OF_LAST)](encoder, task.view)
    head, lora = task.head(readout.size, 0.1), description.get("adapter")
    adapter = Adapter(**lora, tensors=part_of(tensors, "adapter")) if lora else None
    trained = whole.keys() | changes.keys()
    model = Model(task, encoder, readout, head, trained, description, adapter, rows.get("ids")).copy()
    if any(model.module.get_parameter(name) is vocabulary.table(model.module) for name in trained):
        vocabulary.unshare(model.module)
    model.module.load_state_dict(whole, strict=False)
    for name, change in changes.items():
        model.module.get_parameter(name).data.add_(change)
    if rows:
        vocabulary.replace_rows(model.module, rows["ids"], rows["rows"])
    model.readout.load_state_dict(part_of(tensors, "readout"))
    model.head.load_state_dict(part_of(tensors, "head"))
    return model
