"""Texts of Toolbox and Shoebox in standard format markers (.sfm)."""

from fewshot.corpora.formats.sfm.toolbox import FORMAT, oddities, read, write

__all__ = ["FORMAT", "oddities", "read", "write"]
