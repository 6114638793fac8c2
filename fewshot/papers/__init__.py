"""The analyses of papers, repeated on any encoder: a file for each study, or a folder for a long one.

`fewshot.papers.commands` has the commands of ``fewshot analyze``, which `fewshot.cli` finds as a plugin: see
``pyproject.toml``. Nothing else imports any of it.
"""
