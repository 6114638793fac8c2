"""The folder of one cached treebank: its files, and ``manifest.json`` with their sources and hashes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from fewshot import records
from fewshot.corpora.files import write_text
from fewshot.errors import CorpusError, FewshotError

FILE_NAME = "manifest.json"
SPLITS = ("train", "dev", "test")
_FILE = re.compile(r"[a-z]{2,3}_[a-z0-9]+-ud-(?P<split>train|dev|test)\.conllu")


@dataclass(frozen=True, slots=True)
class DownloadedFile:
    """A downloaded file of a treebank.

    Args:
        split: ``train``, ``dev`` or ``test``.
        urls: sources; several where the repository has the file in parts.
        sha256: of the content, in hexadecimal.
        bytes: size.
        date: of the download, in UTC, ISO 8601.
    """

    split: str
    urls: tuple[str, ...]
    sha256: str
    bytes: int
    date: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))


@dataclass(frozen=True, slots=True)
class Manifest:
    """All files of one treebank and release.

    Args:
        treebank: full name, e.g. ``UD_Japanese-GSD``.
        code: prefix of the file names, e.g. ``ja_gsd``.
        release: tag, e.g. ``r2.16``.
        files: by file name.
        absent: splits that this treebank does not have.
    """

    treebank: str
    code: str
    release: str
    files: Mapping[str, DownloadedFile] = field(default_factory=dict)
    absent: tuple[str, ...] = ()


def read(folder: Path) -> Manifest | None:
    """Return the manifest of a treebank's folder, or None; raise `CorpusError` when it is invalid."""
    path = folder / FILE_NAME
    try:
        content = records.load(path, Manifest, "delete this folder and get the treebank again")
    except FewshotError as error:
        raise CorpusError(str(error)) from None
    if content is None:
        return None
    files = {
        name: DownloadedFile(e["split"], tuple(e["urls"]), e["sha256"], e["bytes"], e.get("date", ""))
        for name, e in content.get("files", {}).items()
    }
    absent = tuple(content.get("absent", ()))
    return Manifest(content["treebank"], content["code"], content["release"], files, absent)


def write(folder: Path, manifest: Manifest) -> None:
    """Write the manifest of a treebank's folder atomically."""
    write_text(folder / FILE_NAME, json.dumps(asdict(manifest), indent=2, ensure_ascii=False) + "\n")


def files_of(folder: Path) -> list[tuple[Path, str]]:
    """Return the treebank files in a folder, each with its split, in the order of `SPLITS`."""
    paths = sorted(folder.glob("*.conllu")) if folder.is_dir() else []
    files = [(path, match["split"]) for path in paths if (match := _FILE.fullmatch(path.name))]
    return sorted(files, key=lambda pair: SPLITS.index(pair[1]))
