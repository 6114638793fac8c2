"""How finely tokenizers cut the words of languages: fertility (Rust et al. 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from fewshot.corpora import formats
from fewshot.corpora.files import decode, raw_lines
from fewshot.encoders.load import Encoder
from fewshot.encoders.piece_counts import PieceCount, count_pieces
from fewshot.errors import FewshotError
from fewshot.progress import Progress, Report
from fewshot.reports.page import Table

SUFFIX = ".txt"


def find_texts(paths: Sequence[Path]) -> Mapping[str, Path]:
    """Return raw text files, also those in folders, by language: the name of the file without its suffix.

    Raises:
        FewshotError: when a folder has no text, or two files have the same name.
    """
    texts: dict[str, Path] = {}
    for path in paths:
        files = sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]
        if not files:
            raise FewshotError(f"{path}: no raw text; name the files by language, such as sw{SUFFIX}")
        for file in files:
            if texts.setdefault(file.stem, file) != file:
                raise FewshotError(f"{texts[file.stem]} and {file} have the same name; rename one of them")
    return texts


def measure(
    encoders: Sequence[Encoder], texts: Mapping[str, Path], most: int, report: Report
) -> dict[str, list[PieceCount]]:
    """Count the pieces of raw texts for each encoder.

    Args:
        most: lines of a text that are read.

    Returns:
        The counts of each language, first the language that the first encoder cuts most finely, see `PieceCount.cost`.

    Raises:
        FewshotError: when a file cannot be read or has no words.
    """
    counts: dict[str, list[PieceCount]] = {}
    for done, (lang, path) in enumerate(texts.items()):
        report(Progress(done, len(texts), lang))
        if path.suffix.lower() in formats.suffixes():
            formats.check_raw(path)
        lines = [decode(path, number, line) for number, line in raw_lines(path) if number <= most]
        counts[lang] = [count_pieces(encoder, lines) for encoder in encoders]
        if not counts[lang][0].words:
            raise FewshotError(f"{path}: no words; give raw text")
    return dict(sorted(counts.items(), key=lambda item: -item[1][0].cost))


def table(encoders: Sequence[Encoder], counts: Mapping[str, Sequence[PieceCount]]) -> Table:
    """Return a row for each language and encoder."""
    rows = tuple(
        (lang, encoder.name, str(count.words), f"{count.per_word:.2f}", f"{100 * count.unknown_share:.2f}")
        for lang, row in counts.items()
        for encoder, count in zip(encoders, row, strict=True)
    )
    return Table("Pieces", ("language", "encoder", "words", "pieces per word", "unknown characters (%)"), rows)


def medians(encoders: Sequence[Encoder], counts: Mapping[str, Sequence[PieceCount]]) -> list[str]:
    """Return a line for each encoder with its medians over languages."""
    return [
        f"{encoder.name}, median of {len(row)} languages: {median(count.per_word for count in row):.2f} pieces per "
        f"word, {median(100 * count.unknown_share for count in row):.2f}% unknown characters"
        for encoder, row in zip(encoders, zip(*counts.values(), strict=True), strict=True)
    ]
