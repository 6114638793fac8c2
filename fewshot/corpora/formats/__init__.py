"""The file formats of annotation, one module or folder each, found by their ``FORMAT``."""

from fewshot.corpora.formats.format import Format, Layer, ReadOptions
from fewshot.corpora.formats.registry import (
    FORMATS,
    BadRow,
    BadRows,
    advice_on,
    check,
    check_raw,
    detect,
    export,
    is_annotated_file,
    list_export_formats,
    read_valid,
    rename_example,
    skip_repeated,
    stream,
    suffixes,
)

__all__ = [
    "FORMATS",
    "BadRow",
    "BadRows",
    "Format",
    "Layer",
    "ReadOptions",
    "advice_on",
    "check",
    "check_raw",
    "detect",
    "export",
    "is_annotated_file",
    "list_export_formats",
    "read_valid",
    "rename_example",
    "skip_repeated",
    "stream",
    "suffixes",
]
