"""Load the pool and test set that a user names: ``sample``, a treebank, a folder or a file."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fewshot.corpora import formats, nested
from fewshot.corpora.embedded import data_dir, sample_dir
from fewshot.corpora.pool import PoolCount, pool, split
from fewshot.corpora.types import Article, Example
from fewshot.corpora.ud import cache, treebanks
from fewshot.corpora.ud.cache import FileProgress
from fewshot.errors import CorpusError, FewshotError

POOL_SPLITS = ("pool", "train", "dev")
"""Splits that can serve as the pool; the first one in the folder is used."""

ALIASES = {"dev": ("dev", "val", "validation")}
"""Further file names of a split."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A pool and a test set of one language.

    Args:
        pool: examples that may be annotated.
        test: drawn at random or fixed by the treebank, never by a sampler.
        source: where the data came from, for screen and report.
        fingerprint: hash of the texts and labels of both parts; part of every result's identity.
        count: numbers of examples that the pool filter removed.
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
    instead: str = "a folder or file",
    task: formats.Layer | None = None,
    progress: FileProgress | None = None,
) -> Corpus:
    """Load the pool and test set of a language; the two are disjoint.

    Args:
        lang: language code such as ``ja``.
        data: see `locate`. A folder holds a test file and a pool, train or dev file; a random half of a single file
            becomes the test set.
        kind: of example, see `fewshot.corpora.types`.
        shortest: fewest tokens of a pool example, see `fewshot.corpora.pool`.
        longest: most tokens of a pool example.
        instead: see `locate`.
        task: see `read`.
        progress: see `locate`.

    Raises:
        FewshotError: when the language, folder or file is missing or unsuitable.
    """
    path = locate(lang, data, kind, progress, instead)
    if path.is_dir():
        candidates, test = (read(file, lang, kind, task) for file in files_of(path, kind))
    else:
        candidates, test = split(read(path, lang, kind, task), test_share=0.5, seed=0)
    source = describe(path)
    if inner := sum(len(nested.inner(example)) for example in (*candidates, *test)):
        source += f", outermost entities only ({inner:,} inside others are neither learned nor scored)"
        candidates, test = (list(map(nested.outermost, examples)) for examples in (candidates, test))
    kept, count = pool(candidates, test, shortest, longest)
    return Corpus(lang, tuple(kept), tuple(test), source, f"{fingerprint(kept)}-{fingerprint(test)}", count)


def with_test_share(corpus: Corpus, share: float) -> Corpus:
    """Return a corpus with a random part of its test set; the pool stays disjoint from the whole test set.

    Args:
        share: of the test examples, in (0, 1]; at least one example is kept.

    Raises:
        FewshotError: for a share outside this range.
    """
    if not 0 < share <= 1:
        raise FewshotError(f"--test-share {share:g} is out of range; give a number above 0 and at most 1, such as 0.2")
    count = max(round(share * len(corpus.test)), 1)
    if count == len(corpus.test):
        return corpus
    places = sorted(random.Random(0).sample(range(len(corpus.test)), count))
    test = tuple(corpus.test[place] for place in places)
    source = f"{corpus.source}, {count} of {len(corpus.test)} test {corpus.test[0].kind}"
    pool_fingerprint = corpus.fingerprint.partition("-")[0]
    return replace(corpus, test=test, source=source, fingerprint=f"{pool_fingerprint}-{fingerprint(test)}")


def files_of(folder: Path, kind: str) -> tuple[Path, Path]:
    """Return the pool file and the test file of a folder; raise `FewshotError` when one is missing."""
    test = _one(folder, ("test",), kind)
    return _one(folder, POOL_SPLITS, kind), test


def locate(
    lang: str,
    data: str | Path,
    kind: str = "sentences",
    progress: FileProgress | None = None,
    instead: str = "a folder or file",
) -> Path:
    """Return the file or folder that a user names.

    Args:
        data: ``sample`` (embedded), ``ud`` (the language's default UD treebank), the name of a UD treebank such as
            ``UD_Japanese-GSD``, a folder, or a file.
        kind: of example, see `fewshot.corpora.types`.
        progress: called while a UD treebank is downloaded, which happens once.
        instead: for messages: the alternatives to the sample for this task.

    Raises:
        FewshotError: when the sample has no such language, the treebank is unknown, or the network is down.
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
    """Return the name of a data path for users: the embedded sample by its name, other data by its path."""
    sample = data_dir() / "sample"
    return f"embedded sample ({path.name})" if path.is_relative_to(sample) else str(path)


def read(path: Path, lang: str = "", kind: str | None = None, task: formats.Layer | None = None) -> Sequence[Any]:
    """Read one annotated file in any format of `fewshot.corpora.formats`.

    Args:
        lang: language code, stored in articles; the scores of other kinds do not depend on it.
        kind: of example; restricts the formats. None: any.
        task: whose annotation is read, needed for Label Studio.

    Raises:
        CorpusError: when no format of this kind has the suffix, or the content does not fit the format.
    """
    if not path.exists():
        raise CorpusError("no such file or folder", path)
    examples = formats.skip_repeated(formats.detect(path, kind).read(path, formats.ReadOptions(task, kind)))
    return [replace(example, lang=lang) if lang and isinstance(example, Article) else example for example in examples]


def find_split(folder: Path, name: str, kind: str = "sentences") -> Path | None:
    """Return the file of a split, ``<split>.<suffix>`` or ``<anything>-<split>.<suffix>``, or None.

    Files in export formats of other tools count only when there are no others.

    Args:
        kind: of example; restricts the formats.

    Raises:
        FewshotError: when several files match.
    """
    names = ALIASES.get(name, (name,))
    files = [
        file
        for file in sorted(folder.iterdir())
        if file.stem.rpartition("-")[2] in names and formats.is_annotated_file(file, kind)
    ]
    files = [file for file in files if not formats.detect(file, kind).exported] or files
    if len(files) > 1:
        listed = ", ".join(file.name for file in files)
        raise FewshotError(f"{folder}: several {name} files ({listed}); keep one, or give the file itself")
    return files[0] if files else None


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
    suffixes, files = formats.suffixes(kind), sorted(folder.iterdir())
    alone = [file for file in files if formats.is_annotated_file(file, kind)]
    what = f"no {' or '.join(names)} file of {kind} ({', '.join(suffixes)})"
    name = f"{names[0]}{suffixes[0]}"
    advice = {file.name: formats.advice_on(file, kind) for file in files if file.stem.rpartition("-")[2] in names}
    if unread := next(filter(advice.get, advice), None):
        do = f"{unread}: {advice[unread]}"
    elif len(alone) == 1:
        file = alone[0]
        do = f"put it beside {file.name} as {name}, or give --data {file}; then a random half is the test set"
    else:
        do = f"name it e.g. {name}"
    raise FewshotError(f"{folder}: {what}; {do}")
