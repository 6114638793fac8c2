"""Export of the weights of a model as files of transformers and peft."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import save_file
from torch import nn

from fewshot.corpora.files import write_text
from fewshot.encoders import vocabulary
from fewshot.encoders.load import fingerprint
from fewshot.encoders.readout import MEAN_OF_LAST
from fewshot.heads import TransformersHead
from fewshot.training.description import DESCRIPTION, HEAD_FILE, THIS_FOLDER
from fewshot.training.model import Model

ADAPTER = "adapter"
"""Folder of the weights of peft."""

ENCODER = "AutoModel"
"""The class that loads an encoder whose head transformers lacks."""


def write(model: Model, folder: Path) -> TransformersHead | None:
    """Write encoder, tokenizer, the head if transformers has the same, and the files of this package.

    Returns:
        The head in transformers, or None where `ENCODER` loads the folder.
    """
    model = model.copy().to("cpu").eval()
    vocabulary.unpack(model.module)
    exported: Any
    known, exported = plain(model) or (None, model.module)
    exported.save_pretrained(folder)
    model.encoder.tokenizer.save_pretrained(folder)  # type: ignore[attr-defined]
    save_file({name: tensor.contiguous() for name, tensor in model.head_tensors().items()}, folder / HEAD_FILE)
    description = model.described() | {"encoder": THIS_FOLDER, "encoder_fingerprint": fingerprint(model.module)}
    description.pop("adapter", None)  # the adapter has its own folder
    write_text(folder / DESCRIPTION, json.dumps(description, indent=2, ensure_ascii=False) + "\n")
    if model.adapter:
        model.adapter.save(folder / ADAPTER)
    return known


def plain(model: Model) -> tuple[TransformersHead, nn.Module] | None:
    """Return the head and the model as a class of transformers with the same scores, or None.

    The head must be one linear layer, and the scores of a probe input must be equal.
    """
    known = model.head.as_transformers()
    if known is None or model.readout.name != MEAN_OF_LAST:
        return None
    config: Any = copy.deepcopy(model.module.config)
    config.num_labels = known.layer.out_features
    if model.task.labels:
        config.id2label = dict(enumerate(model.task.labels))
        config.label2id = {label: number for number, label in enumerate(model.task.labels)}
    try:
        whole = getattr(transformers, known.auto).from_config(config, dtype=torch.float32).eval()
    except ValueError:  # transformers lacks this class for the architecture
        return None
    setattr(whole, whole.base_model_prefix, model.module)
    above = [part for name, part in whole.named_children() if name != whole.base_model_prefix]
    layers = [part for part in above if any(True for _ in part.parameters())]
    if len(layers) != 1 or not isinstance(layers[0], nn.Linear) or layers[0].weight.shape != known.layer.weight.shape:
        return None
    layers[0].load_state_dict(known.layer.state_dict())
    return (known, whole) if _same(model, whole, known.layer) else None


@torch.no_grad()
def _same(model: Model, whole: nn.Module, layer: nn.Linear) -> bool:
    probe = torch.arange(8)[None]  # any pieces
    ours = layer(model.module(probe).last_hidden_state)
    theirs = list(whole(probe).values())  # one tensor of all scores, or a tensor for each
    return torch.allclose(ours, theirs[0] if len(theirs) == 1 else torch.stack(theirs, -1), atol=1e-4)
