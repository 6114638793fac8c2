"""``fewshot analyze transfer``: what zero-shot scores go with."""

from __future__ import annotations

from pathlib import Path

from fewshot.cli.analyze.base import Folder, ScoresFile, SourceLanguage, carry_out
from fewshot.cli.base import analyze_app, command


@command(analyze_app)
def transfer(scores: ScoresFile = None, source: SourceLanguage = "en", out: Folder = Path("runs/transfer")) -> None:
    """Find what zero-shot scores go with: similar languages, pretraining size (Lauscher et al. 2020)."""
    from fewshot.corpora.files import write_text
    from fewshot.papers.measuring.measurements import TABLE
    from fewshot.papers.transfer.page import page
    from fewshot.papers.transfer.study import samples, table
    from fewshot.transfer.scores import SOURCES, load

    found = samples(load(scores), source)
    write_text(out / TABLE, table(found).to_csv(index=False))
    carry_out(lambda report, say: page(found, str(scores or SOURCES)), out, [TABLE])
