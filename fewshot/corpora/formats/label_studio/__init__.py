"""The JSON of Label Studio."""

from fewshot.corpora.formats.label_studio.export import FORMAT, read, write

__all__ = ["FORMAT", "read", "write"]
