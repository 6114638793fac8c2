"""The file formats of annotation, one module each, found by their ``FORMAT``."""

from fewshot.corpora.formats.format import Format, Layer, ReadOptions
from fewshot.corpora.formats.registry import (
    FORMATS,
    BadRow,
    BadRows,
    check,
    detect,
    distinct,
    export,
    holding,
    readable,
    renamed,
    stream,
    suffixes,
    suits,
)

__all__ = [
    "FORMATS",
    "BadRow",
    "BadRows",
    "Format",
    "Layer",
    "ReadOptions",
    "check",
    "detect",
    "distinct",
    "export",
    "holding",
    "readable",
    "renamed",
    "stream",
    "suffixes",
    "suits",
]
