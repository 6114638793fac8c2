"""A model: an encoder, its readout and a task's head.

A saved model holds, in half precision or less, only what differs from the pretrained encoder.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError
from torch import Tensor, nn

from fewshot import tasks
from fewshot.checkpoint import select_part
from fewshot.corpora.files import write_text
from fewshot.corpora.types import Example
from fewshot.encoders import packed, vocabulary
from fewshot.encoders.load import Encoder, load_encoder
from fewshot.encoders.lora import Adapter
from fewshot.encoders.pieces import Pieces, encode_all
from fewshot.encoders.readout import MEAN_OF_LAST, READOUTS, LastLayer, LayerMix
from fewshot.encoders.vectors import Batch
from fewshot.encoders.vowel_signs import STRIP, strip_signs, strips_signs
from fewshot.errors import FewshotError, first_line
from fewshot.heads import Head
from fewshot.tasks.known_lemmas import KnownLemmas, dictionary_of
from fewshot.tasks.word_columns import LEMMA
from fewshot.training.description import DESCRIPTION, THIS_FOLDER, WEIGHTS, load_description, weights_file

E = TypeVar("E", bound=Example)


class Model(nn.Module):
    """Encoder, readout and head of one task.

    Args:
        encoder: the pretrained encoder; its module is trained in place.
        trained: names of the encoder's tensors that differ from the pretrained ones.
        provenance: the data and settings of the training, for ``model.json``.
        adapter: the LoRA adapter that the last training merged into the encoder.
        pieces: sorted ids of the pieces whose embeddings differ, if ``trained`` does not name the whole table.

    Attributes:
        known_lemmas: lemmas that replace predicted ones.
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
        self.known_lemmas = KnownLemmas()

    def forward(self, batch: Batch, encoder: nn.Module | None = None) -> Any:
        """Return the head's scores of a batch, in single precision; ``encoder`` replaces the model's own."""
        return self.head(self.readout(encoder or self.module, batch), batch.mask, batch.features)

    def encode(self, examples: Sequence[Example]) -> list[tuple[Pieces, ...]]:
        """Return the inputs of each example as windows of pieces."""
        tokenizer, view, limit = self.encoder.tokenizer, self.task.view, self.encoder.limit
        return [tuple(encode_all(tokenizer, self.task.inputs(example), view, limit)) for example in examples]

    def with_labels_of(self, task: tasks.Task[Any]) -> Model:
        """Return the model with a head for its own labels and those of a task, which may be another one.

        The other task has a head of the same form, see `sources.continued`. Encoder and readout are shared.
        """
        larger = self.task.with_labels([*self.task.choices, *task.given])
        new = [label for label in larger.labels if label not in self.task.labels]
        if not new and task.name == self.task.name:
            return self
        if task.name != self.task.name:
            larger = tasks.get(task.name, larger.labels)
        dropout = next(part.p for part in self.head.modules() if isinstance(part, nn.Dropout))
        with torch.random.fork_rng(devices=[]):
            head = larger.head(self.readout.size, dropout)
        head.grow(self.head, [self.task.similar_labels(label) for label in new])
        head = head.to(next(self.head.parameters()).device).train(self.training)
        return self._with(task=larger, head=head)

    def with_tokenizer_of(self, encoder: Encoder) -> Model:
        """Return the model with the tokenizer of another copy of its encoder; all weights are shared."""
        return self._with(encoder=replace(self.encoder, tokenizer=encoder.tokenizer))

    @property
    def has_lemmas(self) -> bool:
        """Whether the task predicts lemmas."""
        return LEMMA.name in self.task.columns

    def with_dictionary(self, lang: str) -> Model:
        """Return the model with the dictionary of a language, if there is one and the task has lemmas.

        Args:
            lang: empty: no dictionary.
        """
        if not self.has_lemmas:
            return self
        model = self._with()
        model.known_lemmas = replace(self.known_lemmas, dictionary=dictionary_of(lang) if lang else "")
        return model

    def copy(self) -> Model:
        """Return a model with its own weights, except for embeddings (`vocabulary.copy_encoder`)."""
        encoder = replace(self.encoder, module=vocabulary.copy_encoder(self.module))
        return self._with(encoder=encoder, readout=copy.deepcopy(self.readout), head=copy.deepcopy(self.head))

    def _with(self, **parts: Any) -> Model:
        """Return a model with other parts; the rest is shared, but for the provenance."""
        names = ("task", "encoder", "readout", "head", "trained", "adapter", "pieces")
        own = {name: getattr(self, name) for name in names}
        model = Model(**{**own, "provenance": dict(self.provenance), **parts})
        model.known_lemmas, model.training = self.known_lemmas, self.training
        return model

    def annotate(self, example: E, predictions: Sequence[Any]) -> E:
        """Return an example with decoded predictions, see `Task.annotate`, and with the known lemmas."""
        annotated: E = self.task.annotate(example, predictions)
        return self.known_lemmas.fill(annotated) if self.known_lemmas else annotated

    def suggestion(self, example: Example, predictions: Sequence[Any], probabilities: Sequence[Any]) -> dict[str, Any]:
        """Return a suggestion for an example, see `Task.suggestion`, with the known lemmas."""
        suggestion = self.task.suggestion(example, predictions, probabilities)
        if self.known_lemmas:
            self.known_lemmas.fill_suggestion(example, suggestion)
        return suggestion

    def described(self) -> dict[str, Any]:
        """Return the contents of ``model.json``."""
        own: dict[str, Any] = {
            "task": self.task.name,
            "labels": list(self.task.labels),
            "encoder": self.encoder.name,
            "encoder_fingerprint": self.encoder.fingerprint,
            "readout": self.readout.name,
        }
        if strips_signs(self.encoder):
            own["vowel_signs"] = STRIP
        if self.known_lemmas:
            own["known_lemmas"] = asdict(self.known_lemmas)
        if self.adapter:
            own["adapter"] = {name: getattr(self.adapter, name) for name in ("rank", "alpha", "base")}
        return own | self.provenance | own  # the provenance of a loaded model holds these names too

    def head_tensors(self) -> dict[str, Tensor]:
        """Return the tensors of readout and head, by part and name."""
        parts = {"readout": self.readout, "head": self.head}
        return {f"{part}.{name}": tensor for part in parts for name, tensor in parts[part].state_dict().items()}

    @torch.no_grad()
    def round(self, base: Encoder, bits: int) -> None:
        """Round the differences from a pretrained encoder's matrices as `save` writes them in so many bits."""
        old = base.module.state_dict()
        for name in self.trained:
            weight = self.module.get_parameter(name)
            if weight.dim() == 2 and weight.shape[1] % packed.BLOCK == 0:
                before = old[name].to(weight.device)
                weight.copy_(before + packed.unpack(*packed.pack((weight - before).cpu(), bits)).to(weight.device))

    def save(self, folder: str | Path, base: Encoder | None = None, bits: int = 16) -> None:
        """Write ``model.json`` and ``model.safetensors``: head, readout, and the encoder's trained tensors.

        Args:
            base: the pretrained encoder; if given, its matrices are written as differences from it.
            bits: of a number of these differences, see `packed`; 4 bits are enough for small differences.

        Raises:
            FewshotError: when the folder cannot be written.
        """
        folder = Path(folder)
        own = {name: self.module.get_parameter(name).detach() for name in sorted(self.trained)}
        tensors = {f"encoder.{name}": weight for name, weight in own.items()} | self.head_tensors()
        if base:
            old = base.module.state_dict()
            for name in [name for name, weight in own.items() if weight.dim() == 2]:
                tensors[f"changes.{name}"] = tensors.pop(f"encoder.{name}").cpu() - old[name].cpu()
        if self.adapter:
            tensors |= {f"adapter.{name}": tensor for name, tensor in self.adapter.tensors.items()}
        if len(self.pieces):
            rows = vocabulary.table(self.module)[self.pieces]
            tensors |= {"embeddings.ids": self.pieces, "embeddings.rows": rows}
        file = folder / WEIGHTS
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / DESCRIPTION).unlink(missing_ok=True)  # written last, so that it stands for whole weights
            packed.save(tensors, dict.fromkeys((name for name in tensors if name.startswith("changes.")), bits), file)
        except (OSError, SafetensorError) as error:
            reason = getattr(error, "strerror", None) or error
            raise FewshotError(f"{folder}: the model cannot be written: {reason}") from None
        write_text(folder / DESCRIPTION, json.dumps(self.described(), indent=2, ensure_ascii=False) + "\n")


def build_model(
    task: tasks.Task[Any], encoder: Encoder, seed: int, dropout: float, readout: str = MEAN_OF_LAST
) -> Model:
    """Build a model with an untrained head on a copy of a pretrained encoder.

    Args:
        seed: of the weights of head and readout.
        dropout: before the head.
        readout: one of `READOUTS`.
    """
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        seen = READOUTS[readout](encoder, task.view)
        head = task.head(seen.size, dropout)
    return Model(task, encoder, seen, head).copy()


def load_model(folder: str | Path, encoder: Encoder | None = None) -> Model:
    """Load a model that `Model.save` wrote, with its pretrained encoder, if that is loaded already.

    Raises:
        FewshotError: when the folder holds no model or a damaged one, or encoder or label set have changed since.
    """
    folder = Path(folder)
    description = load_description(folder)
    if description is None:
        raise FewshotError(f"{folder}: no saved model here ({DESCRIPTION} is missing or damaged)")
    task = tasks.get(description["task"], description["labels"])
    name = str(folder) if description["encoder"] == THIS_FOLDER else description["encoder"]
    encoder = encoder or load_encoder(name)
    if encoder.fingerprint != description["encoder_fingerprint"]:
        raise FewshotError(f"{folder}: trained on another version of {name}; train it again")
    if description.get("vowel_signs") == STRIP:
        encoder = strip_signs(encoder)
    if list(task.labels) != description["labels"]:
        raise FewshotError(f"{folder}: trained with other labels than task {task.name} has now; train it again")
    file = weights_file(folder, description)
    try:
        return _assembled(task, encoder, description, packed.load(file)).eval()
    except FewshotError:
        raise
    except Exception as error:  # as of `load_encoder`
        raise FewshotError(
            f"{file}: missing or damaged ({first_line(error)}); delete the folder and train again"
        ) from None


def _assembled(
    task: tasks.Task[Any], encoder: Encoder, description: dict[str, Any], tensors: dict[str, Tensor]
) -> Model:
    whole, changes, rows = (select_part(tensors, name) for name in ("encoder", "changes", "embeddings"))
    readout = READOUTS[description.get("readout", MEAN_OF_LAST)](encoder, task.view)
    head, lora = task.head(readout.size, 0.1), description.get("adapter")
    adapter = Adapter(**lora, tensors=select_part(tensors, "adapter")) if lora else None
    trained = whole.keys() | changes.keys()
    model = Model(task, encoder, readout, head, trained, description, adapter, rows.get("ids")).copy()
    model.known_lemmas = KnownLemmas(**description.get("known_lemmas", {}))
    if trained & vocabulary.names(model.module):
        vocabulary.unshare(model.module)
    model.module.load_state_dict(whole, strict=False)
    for name, change in changes.items():
        model.module.get_parameter(name).data.add_(change)
    if rows:
        vocabulary.replace_rows(model.module, rows["ids"], rows["rows"])
    model.readout.load_state_dict(select_part(tensors, "readout"))
    model.head.load_state_dict(select_part(tensors, "head"))
    return model
