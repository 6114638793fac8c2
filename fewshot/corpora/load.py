"""From what the user names (``sample``, a folder, a file) to a pool and a test set."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fewshot.corpora import formats
from fewshot.corpora.embedded import data_dir, sample_dir
from fewshot.corpora.pool import PoolCount, pool, split
from fewshot.corpora.types import Article, Example
from fewshot.corpora.ud import cache, treebanks
from fewshot.corpora.ud.cache import FileProgress
from fewshot.errors import CorpusError, FewshotError

POOL_SPLITS = ("pool", "train", "dev")
"""Where candidates come from, the first split that a folder has."""

ALIASES = {"dev": ("dev", "val", "validation")}
"""Other names of a split."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A pool and a test set of one language.

    Args:
        lang: language code.
        pool: examples that may be annotated.
        test: drawn at random or fixed by the treebank, never by a sampler.
        source: where the data came from, for screen and report.
        fingerprint: hash of the texts and labels of both parts; part of every result's identity.
        count: what the pool filter left out.
    """

    lang: str
    pool: tuple[Any, ...]
    test: tuple[Any, ...]
    source: str
    fingerprint: str
    count: PoolCount


def load(
    lang: str,
    data: str | Path = "sample",
    kind: str = "sentences",
    shortest: int | None = None,
    longest: int | None = None,
    seed: int = 0,
    instead: str = "a folder or file",
    task: formats.Layer | None = None,
) -> Corpus:
    """Load the pool and test set of a language.

    Args:
        lang: language code such as ``ja``.
        data: see `locate`. A folder holds a test file and a pool, train or dev file; of a single file a random half
            becomes the test set.
        kind: of example, see `fewshot.corpora.types`.
        shortest: least tokens of a pool example, see `fewshot.corpora.pool`.
        longest: most tokens of a pool example.
        seed: of the split, where there is one.
        instead: see `locate`.
        task: see `read`.

    Returns:
        Pool and test set, disjoint.

    Raises:
        FewshotError: when the language, folder, file or its contents are not what is needed.
    """
    path = locate(lang, data, kind, instead=instead)
    if path.is_dir():
        candidates, test = (read(file, lang, kind, task) for file in files_of(path, kind))
    else:
        candidates, test = split(read(path, lang, kind, task), test_share=0.5, seed=seed)
    kept, count = pool(candidates, test, shortest, longest)
    return Corpus(lang, tuple(kept), tuple(test), describe(path), f"{fingerprint(kept)}-{fingerprint(test)}", count)


def with_test_share(corpus: Corpus, share: float, seed: int = 0) -> Corpus:
    """Return a corpus of which a random part of the test set is scored; the pool stays apart from all of it.

    Args:
        share: of the test examples, above 0 and at most 1; at least one is kept.
        seed: of the choice.

    Raises:
        FewshotError: for another share.
    """
    if not 0 < share <= 1:
        raise FewshotError(f"--test-share {share:g} is no share; give a number above 0 and at most 1, such as 0.2")
    count = max(round(share * len(corpus.test)), 1)
    if count == len(corpus.test):
        return corpus
    places = sorted(random.Random(seed).sample(range(len(corpus.test)), count))
    test = tuple(corpus.test[place] for place in places)
    source = f"{corpus.source}, {count} of {len(corpus.test)} test {corpus.test[0].kind}"
    pool_fingerprint = corpus.fingerprint.partition("-")[0]
    return replace(corpus, test=test, source=source, fingerprint=f"{pool_fingerprint}-{fingerprint(test)}")


def files_of(folder: Path, kind: str) -> tuple[Path, Path]:
    """Return the files of the pool and the test set of a folder.

    Raises:
        FewshotError: when there are not these two.
    """
    test = _one(folder, ("test",), kind)
    return _one(folder, POOL_SPLITS, kind), test


def locate(
    lang: str,
    data: str | Path,
    kind: str = "sentences",
    progress: FileProgress | None = None,
    instead: str = "a folder or file",
) -> Path:
    """Find the file or folder that a user names.

    Args:
        data: ``sample`` (embedded), ``ud`` (the language's usual UD treebank), the name of a UD treebank such as
            ``UD_Japanese-GSD``, a folder, or a file.
        kind: of example, see `fewshot.corpora.types`.
        progress: called while a UD treebank is downloaded, which happens once.
        instead: what serves the task beside the sample, for messages.

    Raises:
        FewshotError: when the sample has no such language, or there is no such treebank, or no network to fetch it.
    """
    name = str(data)
    if name == "sample":
        return sample_dir(lang, kind, instead)
    if name == "ud" or name.startswith("UD_"):
        if kind != "sentences":
            raise FewshotError(f"Universal Dependencies holds sentences, not {kind}; give --data {instead}")
        treebank = treebanks.find(lang) if name == "ud" else treebanks.find(name, lang)
        files = cache.get(treebank, progress=progress)
        return next(iter(files.values())).parent
    return Path(data)


def describe(path: Path) -> str:
    """Name a data path for people: the embedded sample by its name, anything else by its path."""
    sample = data_dir() / "sample"
    return f"embedded sample ({path.name})" if path.is_relative_to(sample) else str(path)


def read(path: Path, lang: str = "", kind: str | None = None, task: formats.Layer | None = None) -> Sequence[Any]:
    """Read one annotated file, in any format of `fewshot.corpora.formats`.

    Args:
        lang: language code, which articles are told; the scores of other kinds do not depend on it.
        kind: of example, which decides the formats; None: any.
        task: whose annotation is read; Label Studio's files do not say it themselves.

    Raises:
        CorpusError: when no format of this kind has the suffix, or the file is not what it claims to be.
    """
    if not path.exists():
        raise CorpusError("no such file or folder", path)
    examples = formats.distinct(formats.detect(path, kind).read(path, formats.Reading(task, kind)))
    return [replace(each, lang=lang) if lang and isinstance(each, Article) else each for each in examples]


def find_split(folder: Path, name: str, kind: str = "sentences") -> Path | None:
    """Return the file of a split, named ``<split>.<suffix>`` or ``<anything>-<split>.<suffix>``, if there is one.

    Where there are others, one of another tool is not meant.

    Args:
        folder: that may hold it.
        name: of the split.
        kind: of example, which decides the formats.

    Raises:
        FewshotError: when several files could be meant.
    """
    names = ALIASES.get(name, (name,))
    found = [
        file for file in sorted(folder.iterdir()) if file.stem.rpartition("-")[2] in names and formats.suits(file, kind)
    ]
    found = [file for file in found if not formats.detect(file, kind).exported] or found
    if len(found) > 1:
        files = ", ".join(file.name for file in found)
        raise FewshotError(f"{folder}: several {name} files ({files}); keep one, or give the file itself")
    return found[0] if found else None


def fingerprint(examples: Sequence[Example]) -> str:
    """Return a hash of texts and labels that does not depend on file names or comments."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(repr(example.content).encode())
    return digest.hexdigest()[:16]


def _one(folder: Path, names: Sequence[str], kind: str) -> Path:
    for name in names:
        file = find_split(folder, name, kind)
        if file is not None:
            return file
    suffixes, alone = formats.suffixes(kind), [file for file in sorted(folder.iterdir()) if formats.suits(file, kind)]
    what = f"no {' or '.join(names)} file of {kind} ({', '.join(suffixes)})"
    name = f"{names[0]}{suffixes[0]}"
    do = f"name it e.g. {name}"
    if len(alone) == 1:
        do = f"put it beside {alone[0].name} as {name}, or give --data {alone[0]}, half of which is tested on"
    raise FewshotError(f"{folder}: {what}; {do}")
