"""From what the user names (``sample``, a folder, a file) to a pool and a test set."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fewshot.corpora import bio, conllu
from fewshot.corpora.embedded import data_dir, sample_dir
from fewshot.corpora.pool import LONGEST, SHORTEST, PoolCount, pool, split
from fewshot.corpora.types import Sentence
from fewshot.corpora.ud import cache, treebanks
from fewshot.corpora.ud.cache import FileProgress
from fewshot.errors import CorpusError, FewshotError

READERS: dict[str, Callable[[Path], list[Sentence]]] = {
    ".conllu": conllu.read,
    ".bio": bio.read,
    ".iob2": bio.read,
    ".conll": bio.read,
}
"""Reader of each file suffix."""

POOL_SPLITS = ("pool", "train", "dev")
"""Where candidates come from, the first split that a folder has."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A pool and a test set of one language.

    Args:
        lang: language code.
        pool: examples that may be annotated.
        test: drawn at random or fixed by the treebank, never by a sampler.
        source: where the data came from, for screen and report.
        fingerprint: hash of the words and labels of both parts; part of every result's identity.
        count: what the pool filter left out.
    """

    lang: str
    pool: tuple[Sentence, ...]
    test: tuple[Sentence, ...]
    source: str
    fingerprint: str
    count: PoolCount


def load(
    lang: str, data: str | Path = "sample", shortest: int = SHORTEST, longest: int = LONGEST, seed: int = 0
) -> Corpus:
    """Load the pool and test set of a language.

    Args:
        lang: language code such as ``ja``.
        data: see `locate`. A folder holds a test file and a pool, train or dev file; of a single file a random half
            becomes the test set.
        shortest: least tokens of a pool sentence.
        longest: most tokens of a pool sentence.
        seed: of the split, where there is one.

    Returns:
        Pool and test set, disjoint.

    Raises:
        FewshotError: when the language, folder, file or its contents are not what is needed.
    """
    path = locate(lang, data)
    if path.is_dir():
        test = read(_one(path, ("test",)))
        candidates = read(_one(path, POOL_SPLITS))
    else:
        candidates, test = split(read(path), test_share=0.5, seed=seed)
    kept, count = pool(candidates, test, shortest, longest)
    return Corpus(lang, tuple(kept), tuple(test), describe(path), fingerprint([*kept, *test]), count)


def locate(lang: str, data: str | Path, progress: FileProgress | None = None) -> Path:
    """Find the file or folder that a user names.

    Args:
        lang: language code.
        data: ``sample`` (embedded), ``ud`` (the language's usual UD treebank), the name of a UD treebank such as
            ``UD_Japanese-GSD``, a folder, or a file.
        progress: called while a UD treebank is downloaded, which happens once.

    Raises:
        FewshotError: when the sample has no such language, or there is no such treebank, or no network to fetch it.
    """
    name = str(data)
    if name == "sample":
        return sample_dir(lang)
    if name == "ud" or name.startswith("UD_"):
        treebank = treebanks.find(lang) if name == "ud" else treebanks.find(name, lang)
        files = cache.get(treebank, progress=progress)
        return next(iter(files.values())).parent
    return Path(data)


def describe(path: Path) -> str:
    """Name a data path for people: the embedded sample by its name, anything else by its path."""
    sample = data_dir() / "sample"
    return f"embedded sample ({path.name})" if path.is_relative_to(sample) else str(path)


def read(path: Path) -> list[Sentence]:
    """Read one annotated file by its suffix.

    Raises:
        CorpusError: when the suffix is none of `READERS`, or the file is not what it claims to be.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        known = ", ".join(READERS)
        if not path.exists():
            raise CorpusError("no such file or folder", path)
        raise CorpusError(f"unknown file type {path.suffix or '(no suffix)'!r}; known are {known}", path)
    return reader(path)


def find_split(folder: Path, name: str) -> Path | None:
    """Return the file of a split, named ``<split>.<suffix>`` or ``<anything>-<split>.<suffix>``, if there is one.

    Raises:
        FewshotError: when several files could be meant.
    """
    found = [
        file
        for file in sorted(folder.iterdir())
        if file.suffix.lower() in READERS and (file.stem == name or file.stem.endswith(f"-{name}"))
    ]
    if len(found) > 1:
        names = ", ".join(file.name for file in found)
        raise FewshotError(f"{folder}: several {name} files ({names}); keep one, or give the file itself")
    return found[0] if found else None


def fingerprint(sentences: Sequence[Sentence]) -> str:
    """Return a hash of words and labels that does not depend on file names or comments."""
    digest = hashlib.sha256()
    for s in sentences:
        digest.update(repr((s.words, s.upos, s.heads, s.deprels, s.entities)).encode())
    return digest.hexdigest()[:16]


def _one(folder: Path, names: Sequence[str]) -> Path:
    for name in names:
        file = find_split(folder, name)
        if file is not None:
            return file
    suffixes = ", ".join(READERS)
    raise FewshotError(f"{folder}: no {' or '.join(names)} file ({suffixes}); name it e.g. {names[0]}.conllu")
