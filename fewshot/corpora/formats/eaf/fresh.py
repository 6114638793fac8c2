"""Create an ELAN transcript for sentences of other sources, one second each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from fewshot.corpora.formats.common.interlinear import interlinear
from fewshot.corpora.formats.common.markup import start_tag, write_element
from fewshot.corpora.formats.eaf.tiers import ASSOCIATED
from fewshot.corpora.types import UNANNOTATED, Sentence

SENTENCE_MILLISECONDS = 1000
"""Milliseconds of a sentence with unknown time, as in ELAN's import of Toolbox."""

DIVIDED = "Symbolic_Subdivision"
TYPES = {"text": "", "word": DIVIDED, "upos": ASSOCIATED, "gloss": ASSOCIATED, "translation": ASSOCIATED}
"""Linguistic types with their constraints."""

SCHEMA = "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"
DOCUMENT = {
    "AUTHOR": "",
    "DATE": "1970-01-01T00:00:00+00:00",
    "FORMAT": "3.0",
    "VERSION": "3.0",
    "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
    "xsi:noNamespaceSchemaLocation": SCHEMA,
}
CONSTRAINTS = {
    DIVIDED: "Symbolic subdivision of a parent annotation. Annotations refering to the same parent are ordered",
    ASSOCIATED: "1-1 association with a parent annotation",
}


def document(sentences: Sequence[Sentence], upos: str, guess: str) -> Iterator[str]:
    """Yield the parts of a new ELAN file of sentences.

    Args:
        upos: name of the tier of tags by people.
        guess: name of the tier of tags by a model.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>\n' + start_tag("ANNOTATION_DOCUMENT", DOCUMENT)
    yield "\n" + start_tag("HEADER", {"MEDIA_FILE": "", "TIME_UNITS": "milliseconds"}) + "\n</HEADER>\n<TIME_ORDER>\n"
    for number in range(2 * len(sentences)):
        time = {"TIME_SLOT_ID": f"ts{number + 1}", "TIME_VALUE": str((number + 1) // 2 * SENTENCE_MILLISECONDS)}
        yield write_element("TIME_SLOT", time) + "\n"
    yield "</TIME_ORDER>\n"
    yield from _tiers(sentences, upos, guess)
    for name, constraint in TYPES.items():
        known = {"CONSTRAINTS": constraint} if constraint else {}
        alignable = "false" if constraint else "true"
        rest = {"GRAPHIC_REFERENCES": "false", "LINGUISTIC_TYPE_ID": name, "TIME_ALIGNABLE": alignable}
        yield write_element("LINGUISTIC_TYPE", known | rest) + "\n"
    for name, meaning in CONSTRAINTS.items():
        yield write_element("CONSTRAINT", {"DESCRIPTION": meaning, "STEREOTYPE": name}) + "\n"
    yield "</ANNOTATION_DOCUMENT>\n"


def _tiers(sentences: Sequence[Sentence], upos: str, guess: str) -> Iterator[str]:
    ids = (f"a{number}" for number in count(1))
    rows: dict[str, list[str]] = {"text": [], "word": [], upos: [], guess: [], "gloss": []}
    for number, sentence in enumerate(sentences):
        own, glossed, before = next(ids), interlinear(sentence), ""
        slots = {f"TIME_SLOT_REF{end}": f"ts{2 * number + end}" for end in (1, 2)}
        rows["text"].append(_annotation("ALIGNABLE", {"ANNOTATION_ID": own} | slots, sentence.text))
        for word, tag, glosses in zip(sentence.words, sentence.upos, glossed.words, strict=True):
            previous = {"PREVIOUS_ANNOTATION": before} if before else {}
            before = next(ids)
            rows["word"].append(_annotation("REF", {"ANNOTATION_ID": before, "ANNOTATION_REF": own} | previous, word))
            tags = guess if sentence.predicted else upos
            for tier, value in ((tags, tag if tag != UNANNOTATED else ""), ("gloss", glosses.get("Gloss", ""))):
                if value:
                    rows[tier].append(_annotation("REF", {"ANNOTATION_ID": next(ids), "ANNOTATION_REF": before}, value))
        for key, value in glossed.lines.items():
            if key.startswith("text_"):
                tier = f"translation-gls-{key.removeprefix('text_')}"
                annotation = _annotation("REF", {"ANNOTATION_ID": next(ids), "ANNOTATION_REF": own}, value)
                rows.setdefault(tier, []).append(annotation)
    parents = {"text": {}, "word": {"PARENT_REF": "text"}, upos: {"PARENT_REF": "word"}, guess: {"PARENT_REF": "word"}}
    parents |= {"gloss": {"PARENT_REF": "word"}}
    types = {upos: "upos", guess: "upos"}
    for name, made in rows.items():
        if made:
            type_ = types.get(name, name if name in TYPES else "translation")
            attributes = {"LINGUISTIC_TYPE_REF": type_, **parents.get(name, {"PARENT_REF": "text"}), "TIER_ID": name}
            yield start_tag("TIER", attributes) + "\n" + "".join(made) + "</TIER>\n"


def _annotation(kind: str, attributes: dict[str, str], value: str) -> str:
    inner = write_element("ANNOTATION_VALUE", {}, value)
    return f"<ANNOTATION>{start_tag(f'{kind}_ANNOTATION', attributes)}{inner}</{kind}_ANNOTATION></ANNOTATION>\n"
