"""The labelling configuration of Label Studio projects, which lists the labels of each control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import quoteattr

from fewshot.corpora.formats.label_studio.export import NAMES, TEXTS
from fewshot.corpora.types import UNANNOTATED


def config(kind: str, labels: Mapping[str, Sequence[str]]) -> str:
    """Return the labelling configuration (XML) of a project for exported tasks.

    Args:
        labels: by column; entity types for entities, relations for heads.
    """
    texts = TEXTS[kind]
    lines = [f'<Text name="{name}" value="${name}"/>' for name in texts]
    if "heads" in labels:  # room for the arcs above the first line
        lines = ['<View style="padding-top: 2em">', *lines, "</View>"]
    for name, values in _labels_by_control(labels).items():
        outer, inner = {"dep": ("Relations", "Relation"), "label": ("Choices", "Choice")}.get(name, ("Labels", "Label"))
        target = "" if name == "dep" else f' name="{name}" toName="{texts[-1]}"'
        choices = "".join(f"<{inner} value={quoteattr(value)}/>" for value in values)
        lines.append(f"<{outer}{target}>{choices}</{outer}>")
    return "\n  ".join(["<View>", *lines]) + "\n</View>\n"


def _labels_by_control(labels: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    controls = {NAMES[column]: values for column, values in labels.items()}
    if "upos" in labels or "heads" in labels:
        controls["pos"] = [*labels.get("upos", ()), UNANNOTATED]
    if "heads" in labels:
        controls["root"] = ["root"]
    if "answers" in labels:
        controls["qa"] = ["answer"]
    return controls
