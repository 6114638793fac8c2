"""The file formats of annotation, one file each, and which one a file is in."""

from fewshot.corpora.formats.registry import (
    FORMATS,
    KINDS,
    Format,
    Problem,
    check,
    detect,
    export,
    holding,
    of_a_tool,
    stream,
    suffixes,
    suits,
)

__all__ = [
    "FORMATS",
    "KINDS",
    "Format",
    "Problem",
    "check",
    "detect",
    "export",
    "holding",
    "of_a_tool",
    "stream",
    "suffixes",
    "suits",
]
