"""``fewshot analyze``: the options of each study, and the call of it; a plugin of the command line."""

from fewshot.papers.commands import encoders, transfer

__all__ = ["encoders", "transfer"]
