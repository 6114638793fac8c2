"""Values that words of each tag or form have in a project, which editors offer while somebody types.

They come from the newest finished sentences, and, unless gold is hidden, from the sentences of the pool.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, Self, TypeAlias

from annotate.editing import content, uploaded
from annotate.store import Project, Store
from fewshot.corpora import features
from fewshot.corpora.documents import misc, rows
from fewshot.corpora.formats.conllu_columns import with_asked, word_cells
from fewshot.corpora.lexicon import LexiconEntry
from fewshot.corpora.types import UNANNOTATED, Sentence

COUNTED_SENTENCES = 3000
"""Maximum number of sentences of the pool that are counted; of a larger pool, every second, third, ... sentence."""

MAX_OFFERED = 30
"""Maximum number of values that are offered for a tag or form."""

OFFERED_COLUMNS = ("xpos", "feats")
"""Columns whose values recur."""

MAX_OF_EVERY_FORM = 12
"""Maximum number of items of MISC that are offered for every form."""

GLOSS = "Gloss"

ANY_FORM = ""
"""Entry among the forms for the items of all words."""

MISC_KEYS = "\t"
"""Entry among the forms that counts the keys of MISC, such as Gloss; it is a tab, which no form has."""

Usual: TypeAlias = Mapping[str, Mapping[str, list[str]]]
"""For each column the values of each tag, the most frequent first; for ``misc`` the items of each form."""


TagCounts: TypeAlias = dict[str, Counter[str]]
"""How often each value occurs, by tag."""


class FileCounts(NamedTuple):
    """How often values occur in the files of a project.

    Args:
        values: by column of `OFFERED_COLUMNS`.
        relations: of all words.
        misc: items of MISC of each form, and those of `ANY_FORM` that are repeated.
    """

    values: Mapping[str, TagCounts]
    relations: Counter[str]
    misc: dict[str, Counter[str]]


class CountedPool(NamedTuple):
    """The sentences of a project's pool that are counted; the key of caches.

    Args:
        created: creation time of the project, which distinguishes it from a deleted project with the same id.
        size: number of all sentences of the pool, which grows when text is added.
    """

    project_id: int
    created: datetime
    size: int

    @classmethod
    def of(cls, project: Project) -> Self:
        """Return the counted sentences of a project's pool."""
        return cls(project.id, project.created, project.pool_size)

    def read(self, store: Store) -> Iterator[Sentence]:
        """Yield the sentences; nothing if the project has other examples."""
        step = max(1, -(-self.size // COUNTED_SENTENCES))
        ids = [id for id, _ in store.lengths(self.project_id, "pool")] if step > 1 else None
        rows = store.examples(self.project_id, "pool", ids and ids[::step])
        examples = (content.from_json(row.content) for row in rows)
        return (example for example in examples if isinstance(example, Sentence))


def usual(store: Store, project: Project, columns: Collection[str], finished: tuple[int, ...]) -> Usual:
    """Return the values of words of each tag; empty without columns that are offered.

    Args:
        columns: that annotators fill or correct.
        finished: ids of the revisions of finished sentences that count.
    """
    offered = tuple(column for column in OFFERED_COLUMNS if column in columns)
    if not offered:
        return {}
    return _counted(store, CountedPool.of(project), offered, finished, project.hides_gold)


@lru_cache(maxsize=64)
def _counted(
    store: Store, pool: CountedPool, columns: tuple[str, ...], finished: tuple[int, ...], hides_gold: bool
) -> Usual:
    """Return the values of `usual`, cached."""
    own: dict[str, TagCounts] = {column: defaultdict(Counter) for column in columns}
    for revision in store.revisions(finished):
        for column in columns:
            _count_values(own[column], revision.annotation.get("upos", ()), revision.annotation.get(column, ()))
    files = _of_files(store, pool, hides_gold).values
    return {column: _ranked(own[column], files[column]) for column in columns}


@lru_cache(maxsize=64)
def _of_files(store: Store, pool: CountedPool, hides_gold: bool) -> FileCounts:
    """Return how often values occur in files; of hidden gold only items of MISC that help to read."""
    counts = FileCounts({column: defaultdict(Counter) for column in OFFERED_COLUMNS}, Counter(), defaultdict(Counter))
    for sentence in pool.read(store):
        columns = [misc.editable(cells[rows.MISC]) for cells in word_cells(sentence.lines)]
        if hides_gold:
            columns = [misc.select(column, uploaded.READING_KEYS) for column in columns]
        else:
            known = with_asked(sentence, OFFERED_COLUMNS)
            for column in OFFERED_COLUMNS:
                _count_values(counts.values[column], known.upos, getattr(known, column))
            counts.relations.update(relation for relation in known.deprels if relation != UNANNOTATED)
        if columns:
            _count(counts.misc, sentence.words, columns)
    repeated = {item: times for item, times in counts.misc[ANY_FORM].items() if times > 1}
    counts.misc[ANY_FORM] = Counter(repeated)  # a file may have an item of its own for each of its words
    return counts


def usual_misc(
    store: Store, project: Project, words: Sequence[str], finished: tuple[int, ...]
) -> Mapping[str, list[str]]:
    """Return the items of MISC for forms, the most frequent first, and those for every form.

    If gold is hidden, only keys that help to read are taken from files.

    Args:
        words: forms; case is ignored.
        finished: ids of the revisions of finished sentences that count.
    """
    known = (
        _of_files(store, CountedPool.of(project), project.hides_gold).misc,
        _misc_changed(store, project.id, project.created, finished),
        _misc_of_lexicon(store.lexicon_entries(project.id, words)),
    )
    begun = [
        f"{key}=" for key in dict.fromkeys([*(key for key, _ in _sum(known, MISC_KEYS).most_common()), *misc.KNOWN])
    ]
    everywhere = [item for item, times in _sum(known, ANY_FORM).most_common(MAX_OF_EVERY_FORM) if times > 1]
    forms = {form: _sum(known, form).most_common(MAX_OFFERED) for form in dict.fromkeys(map(str.lower, words))}
    offered = {form: [item for item, _ in items] for form, items in forms.items() if items}
    return {ANY_FORM: [*begun, *everywhere], **offered}


def known_features(store: Store, project: Project, usual: Usual) -> dict[str, list[str]]:
    """Return the names of features with their values: universal, usual, of lexicons."""
    if "feats" not in usual:
        return {}
    columns = chain(*usual["feats"].values(), store.lexicon_features(project.id))
    return {name: sorted(values) for name, values in features.known(columns).items()}


def frequent_relations(store: Store, project: Project) -> tuple[str, ...]:
    """Return the relations of a project's files, the most frequent first."""
    counts = _of_files(store, CountedPool.of(project), project.hides_gold)
    return tuple(relation for relation, _ in counts.relations.most_common())


def glosses(usual_misc: Mapping[str, list[str]], words: Iterable[str]) -> list[str]:
    """Return the most frequent gloss of each word, empty where none is known."""
    begin = f"{GLOSS}="
    items = (usual_misc.get(word.lower(), ()) for word in words)
    return [next((item.removeprefix(begin) for item in each if item.startswith(begin)), "") for each in items]


def _misc_of_lexicon(entries: Iterable[LexiconEntry]) -> Mapping[str, Counter[str]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for entry in entries:
        if entry.gloss != UNANNOTATED:
            counts[entry.form.lower()][f"{GLOSS}={entry.gloss.replace('|', misc.BAR)}"] += 1
    return counts


@lru_cache(maxsize=64)
def _misc_changed(
    store: Store, project_id: int, created: datetime, finished: tuple[int, ...]
) -> Mapping[str, Counter[str]]:
    """Return how often each form has each item in finished annotation; `ANY_FORM` counts all forms."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    changed = [revision for revision in store.revisions(finished) if "misc" in revision.annotation]
    example_ids = {item.id: item.example_id for item in store.items(project_id)} if changed else {}
    rows = store.examples(project_id, ids={example_ids[revision.item_id] for revision in changed}) if changed else ()
    words = {row.id: row.content["words"] for row in rows}
    for revision in changed:
        own_words = revision.annotation.get("words", words[example_ids[revision.item_id]])
        _count(counts, own_words, revision.annotation["misc"])
    return counts


def _sum(known: Iterable[Mapping[str, Counter[str]]], form: str) -> Counter[str]:
    return sum((counts[form] for counts in known if form in counts), Counter[str]())


def _count(counts: dict[str, Counter[str]], words: Iterable[str], columns: Iterable[str | None]) -> None:
    for word, column in zip(words, columns, strict=True):
        for item in (column or UNANNOTATED).split("|"):
            key, is_pair, _value = item.partition("=")
            if is_pair:
                for form, counted in ((word.lower(), item), (ANY_FORM, item), (MISC_KEYS, key)):
                    counts[form][counted] += 1


def _count_values(counts: TagCounts, tags: Iterable[str | None], values: Iterable[str | None]) -> None:
    for tag, value in zip(tags, values, strict=False):  # a column may be empty
        if tag is not None and value is not None and UNANNOTATED not in (tag, value):  # None: not corrected
            counts[tag][value] += 1


def _ranked(own: TagCounts, files: TagCounts) -> dict[str, list[str]]:
    counts = {tag: own.get(tag, Counter[str]()) + files.get(tag, Counter[str]()) for tag in (*own, *files)}
    return {tag: [value for value, _ in values.most_common(MAX_OFFERED)] for tag, values in counts.items()}
