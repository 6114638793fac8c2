"""Transcripts of ELAN (.eaf)."""

from fewshot.corpora.formats.eaf.transcripts import FORMAT, read, write

__all__ = ["FORMAT", "read", "write"]
