"""The weights of a model as files of transformers and peft."""

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
from fewshot.encoders.load import fingerprint
from fewshot.encoders.readout import MEAN_OF_LAST
from fewshot.heads import TransformersHead
from fewshot.training.model import DESCRIPTION, HEAD_FILE, THIS_FOLDER, Model

ADAPTER = "adapter"
"""Folder of what was trained with peft."""

ENCODER = "AutoModel"
"""The class of models whose head transformers does not know."""


def write(model: Model, folder: Path) -> TransformersHead | None:
    """Write encoder and tokenizer, with the head where transformers has the same, and what this package reads.

    Args:
        model: of any device; stays as it is.
        folder: empty.

    Returns:
        The head as transformers has it; None where `ENCODER` loads the folder.
    """
    model = model.copy().to("cpu").eval()
    exported: Any
    known, exported = plain(model) or (None, model.module)
    exported.save_pretrained(folder)
    model.encoder.tokenizer.save_pretrained(folder)  # type: ignore[attr-defined]
    save_file({name: tensor.contiguous() for name, tensor in model.head_tensors().items()}, folder / HEAD_FILE)
    description = model.described() | {"encoder": THIS_FOLDER, "encoder_fingerprint": fingerprint(model.module)}
    description.pop("adapter", None)  # its factors are in a folder of their own
    write_text(folder / DESCRIPTION, json.dumps(description, indent=2, ensure_ascii=False) + "\n")
    if model.adapter:
        model.adapter.save(folder / ADAPTER)
    return known


def plain(model: Model) -> tuple[TransformersHead, nn.Module] | None:
    """Return the model as a class of transformers that gives the same scores; None where there is none.

    It is one when it has nothing but one linear layer above the encoder, and the scores of a probe are the same.
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
    except ValueError:  # an architecture that has no such class
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
    theirs = list(whole(probe).values())  # one tensor with all scores, or one a score
    return torch.allclose(ours, theirs[0] if len(theirs) == 1 else torch.stack(theirs, -1), atol=1e-4)
