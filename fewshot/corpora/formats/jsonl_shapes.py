"""Recognize annotation in the JSON Lines of other tools, to refuse it or warn about it.

Doccano stores entities as ``"label": [[0, 2, "ORG"]]``, Prodigy as ``"spans": [{"start", "end", "label"}]``, CLUENER as
``"label": {"company": {"IBM": [[0, 2]]}}``, data sets of the hub as one number or tag per word: ``"ner_tags": [3, 0]``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fewshot.corpora.fields import STATUS
from fewshot.corpora.formats.common.layout import AROUND
from fewshot.corpora.iob import TAG, is_tag
from fewshot.corpora.types import UNANNOTATED, Sentence, file_lines
from fewshot.corpora.upos import UPOS
from fewshot.errors import CorpusError, listed

ENTITIES = 'write "entities": [{"start": 0, "end": 2, "label": "ORG"}]'

TAGS = {"ner": "entities", "ner_tags": "entities", "pos": "upos", "pos_tags": "upos"}
"""Keys of other tools for one tag per word, maybe of other words than ours, with our column."""

PARTS = {
    "entities": {"ner", "iob", "iob2", "bio", "bioes", "bilou", "entities", "ents"},
    "upos": {"pos", "upos", "postags"},
    "heads": {"head", "heads"},
    "deprels": {"deprel", "deprels"},
    "lemmas": {"lemma", "lemmas"},
    "feats": {"feat", "feats"},
    "xpos": {"xpos"},
}
"""Parts of keys with one value per word, by our column: ``fine_ner_tags``, ``UPOS``."""

LABELS = frozenset({"tags", "labels", "label", "tag"})
"""Keys of other tools for one tag per word, or something else."""

LABELED = frozenset({"label", "labels", "type", "tag", "entity", "entity_group", "class", "pos"})
"""Keys of other tools for the label of a span."""

STRETCHES = frozenset({"ents", "entities", "entity", "spans", "ner", "label", "labels", "annotation", "annotations"})
"""Keys of other tools for spans whose label may come first."""

WORD_ENDS = ({"head", "child"}, {"governor", "dependent"})
"""Keys of Prodigy and CoreNLP for both ends of a relation between words."""

ENTITY_ENDS = ({"from_id", "to_id"},)
"""Keys of Doccano for both ends of a relation between entities."""

NAMED = re.compile(r"[A-Z_]+: ?\S.*")
"""An entity with its label, as in ``spans`` of WikiANN."""

READ_KEYS = frozenset({*Sentence.columns, "words", "predicted"})
"""Keys of a sentence that are read as lists."""

WORDS = frozenset({"tokens", "token", "words_ws", "tokens_ws", "forms"})
"""Keys of other tools for the words."""

MAY_BE_LABEL = frozenset(
    {"label", "labels", "gold", "intent", "sentiment", "tags", "category", "class", "topic", "target", "output"}
)
"""Parts of keys that may hold the label of a text, or something else."""

MARKS = frozenset({STATUS, "label_source"})
"""Keys of ours that tell something about the label."""

Values = Mapping[str, Any]
"""The object of a line."""


def refuse(values: Values, size: int, where: str) -> None:
    """Refuse annotation of words in the shape of another tool; the error names the key and the remedy.

    Such a key is no error if our key for its annotation is filled.
    """
    has_entities, has_heads = bool(values.get("entities")), bool(values.get("heads"))
    for key, value in values.items():
        if not isinstance(value, (list, dict, str)) or not value or key in READ_KEYS:
            continue
        name = key.strip().lower()
        is_named = name == "spans" and isinstance(value, list) and all(map(_is_named, value))
        if not has_entities and (is_named or _holds_stretch(value, is_free=name in STRETCHES)):
            what, do = "stretches of the text, which are read from 'entities'", ENTITIES
            if name in WORDS:
                what, do = "words with their labels, which are not read", "write them as 'words', 'upos' and 'entities'"
            raise CorpusError(f"{key!r} holds {what}; {do}", where)
        is_typed = name in STRETCHES and isinstance(value, dict) and _are_by_type(value, str(values.get("text")))
        if not has_entities and is_typed:
            what = "entities by type, as CLUENER has them, which are not read"
            raise CorpusError(f"{key!r} holds {what}; {ENTITIES}, where CLUENER's end of 1 is 2", where)
        if not has_heads and _holds_arcs(value, WORD_ENDS):
            what = "relations between words, which are read from 'heads' and 'deprels'"
            do = 'write "heads": [2, 0], "deprels": ["nsubj", "root"], or remove the key'
            raise CorpusError(f"{key!r} holds {what}; {do}", where)
        column = _column(name, value, size)
        if column and not values.get(column):
            do = "write the names of tags as 'upos', entity tags as 'entities'"
            do = do if column in ("upos", "entities") else f"write it as {column!r}"
            raise CorpusError(f"{key!r} holds one value a word, which is not read; {do}", where)


def _column(name: str, value: Any, size: int) -> str | None:
    """Return our column for a value under a key of another tool; None when unsure."""
    if isinstance(value, str):
        tags = value.split()
        are_tags = len(tags) == size > 1 and all(map(is_tag, tags)) and any(map(TAG.fullmatch, tags))
        return "entities" if are_tags else None
    if not isinstance(value, list):
        return None
    if name in TAGS:
        return TAGS[name]
    if name in LABELS and all(map(_is_tag, value)):
        return "entities"
    parts = _parts(name)
    if len(value) != size or not _is_column(value) or parts & {"id", "ids"}:
        return None
    column = next((column for column, names in PARTS.items() if parts & names), None)
    if column == "heads":
        return column if all(str(head).isdigit() for head in value) else None
    if column == "upos" and "pos" in parts and isinstance(value[0], int) and not parts & LABELS:
        return None  # positions, not parts of speech
    is_tagged = all(map(_is_tag_in_any_case, value)) or any(tag in ("O", "o") for tag in value)
    return column or ("entities" if parts & {*LABELS, "gold"} and is_tagged else None)


def _parts(key: str) -> set[str]:
    """Return the words in a key, in lower case: of ``gold_label`` and ``goldLabel`` "gold" and "label"."""
    return set(re.split(r"[\W_\d]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower()))


def _holds_arcs(value: Any, keys: Sequence[set[str]]) -> bool:
    """Return whether a value is a list of relations, each with the keys of both ends."""
    return isinstance(value, list) and any(
        isinstance(item, dict) and any(ends <= item.keys() for ends in keys) for item in value
    )


def may_be_label(key: str) -> bool:
    """Return whether a key may hold the label of a text."""
    return key.strip().lower() not in MARKS and bool(_parts(key) & MAY_BE_LABEL)


def _is_column(value: Any) -> bool:
    """Return whether a value is a list of texts only, or of whole numbers only."""
    return isinstance(value, list) and {type(item) for item in value} in ({str}, {int})


def _is_tag(value: Any) -> bool:
    """Return whether a value may be the tag of a word: a number, ``B-PER``, ``NOUN``."""
    return isinstance(value, int) or (isinstance(value, str) and (is_tag(value) or value.isupper()))


def _is_tag_in_any_case(value: Any) -> bool:
    return _is_tag(value) or is_tag(value.upper()) or value.upper() in UPOS


def _holds_stretch(value: Any, is_free: bool, is_labelled: bool = False) -> bool:
    """Return whether a value contains a labelled span at any depth.

    Args:
        is_free: whether the label may come first in a list.
        is_labelled: whether the object around the value has a label.
    """
    if isinstance(value, list):
        return is_stretch(value, is_free) or any(_holds_stretch(item, is_free, is_labelled) for item in value)
    if not isinstance(value, dict):
        return False
    has_place = {"start", "end"} <= value.keys() or {"start_offset", "end_offset"} <= value.keys()
    has_label = any(value[key] not in (None, "", []) for key in LABELED & value.keys())
    if has_place and (has_label or is_labelled):
        return True
    return any(_holds_stretch(item, is_free, has_label and key == "points") for key, item in value.items())


def is_stretch(value: Any, is_free: bool = True) -> bool:
    """Return whether a list is start, end and label of a span, or label first where ``is_free``."""
    kinds = [type(item) for item in value] if isinstance(value, list) else []
    return kinds == [int, int, str] or (is_free and kinds in ([str, int, int], [str, int, int, str]))


def _are_by_type(value: dict[str, Any], text: str) -> bool:
    """Return whether an object maps types to spans or parts of a text, or to spans by part."""
    inner = [part for item in value.values() for part in (item.values() if isinstance(item, dict) else [item])]
    stretches = [stretch for part in inner if isinstance(part, list) for stretch in part]
    return any(stretch in text if isinstance(stretch, str) else _is_place(stretch) for stretch in stretches)


def _is_place(value: Any) -> bool:
    return isinstance(value, list) and [type(item) for item in value] == [int, int]


def _is_named(value: Any) -> bool:
    return isinstance(value, str) and NAMED.fullmatch(value) is not None


def oddities(examples: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Yield (``file:line``, warning) for examples of JSON Lines, each warning once, at its first line.

    Possible annotation is not refused: a list as long as the words of every sentence that has it, a key that may hold
    the label of a text.
    """
    first: dict[str, str] = {}
    confirmed: dict[str, bool] = {}
    for example in examples:
        if lines := file_lines(example, "jsonl"):
            for message, confirms in _odd(example, json.loads(lines[0].strip(AROUND))):
                first.setdefault(message, example.where)
                confirmed[message] = confirmed.get(message, True) and confirms
    for message, where in first.items():
        if confirmed[message]:
            yield where, message


def _odd(example: Any, values: Values) -> Iterator[tuple[str, bool]]:
    """Yield (warning, whether this line confirms it); a warning that any line does not confirm is dropped."""
    if is_rejected(values):
        yield f"'answer' is {values['answer']!r}: such lines are read as not annotated", True
    elif isinstance(example, Sentence):
        if _has_spaces_at_edges(values):
            yield "the space at the edge of an entity is left out of it", True
        for key in (key for key, value in values.items() if _holds_arcs(value, ENTITY_ENDS)):
            yield f"{key!r} holds relations between entities, which are not read", True
        for key in _unread_columns(values):
            message = f"{key!r} holds one value a word, which is not read; the keys that are read are"
            yield f"{message} {listed(Sentence.columns)}", len(values[key]) == example.length
    elif example.label == UNANNOTATED:
        for message in _unread_labels(values):
            yield message, True


def _has_spaces_at_edges(values: Values) -> bool:
    text, given = values.get("text"), values.get("entities")
    if not isinstance(text, str) or not isinstance(given, list):
        return False
    spans = (span.get("text") or text[span["start"] : span["end"]] for span in given if isinstance(span, dict))
    return any(part != part.strip() for part in spans if isinstance(part, str))


def _unread_columns(values: Values) -> list[str]:
    return [key for key in values if key not in READ_KEYS and key.lower() not in WORDS and _is_column(values[key])]


def _unread_labels(values: Values) -> Iterator[str]:
    if values.get("label") == -1:
        yield 'the label -1 is read as not annotated; write a class in quotes, such as "negative"'
    for key in values:
        if key != "label" and may_be_label(key) and values[key]:
            yield f"{key!r} is not read; if it holds the label, rename it to 'label'"


def is_rejected(values: Values) -> bool:
    """Return whether an annotation was rejected or skipped in Prodigy."""
    return values.get("answer") in ("reject", "ignore")
