"""Studies: the analyses of papers, repeated on any encoder; a file a study, or a folder for a long one.

They are commands of ``fewshot analyze``, which `fewshot.cli` finds as a plugin: see ``pyproject.toml``. Nothing else
imports them.
"""

from fewshot.papers import commands

__all__ = ["commands"]
