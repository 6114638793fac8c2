"""XML with byte positions of its elements, so that a writer changes only these and all else stays.

Document types are refused: no tool of the field writes them, and attacks on XML parsers use their entities.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, TypeAlias
from xml.parsers.expat import ExpatError, ParserCreate
from xml.sax.saxutils import escape, quoteattr

from fewshot.corpora.formats.common.interlinear import interlinear
from fewshot.corpora.types import Sentence
from fewshot.errors import CorpusError

TAG = re.compile(rb"""<(?:[^"'>]|"[^"]*"|'[^']*')*>""")
ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that XML cannot hold, not even escaped."""

RUNS = ("run", "span")
"""The elements that FLEx puts around characters with their own style, in texts and in lexicons."""

Edit: TypeAlias = tuple[int, int, str]
"""Start and end of the bytes to replace, and their replacement."""


@dataclass(slots=True)
class Element:
    """An element and its byte positions.

    Args:
        start: of the start tag.
        inner: end of the start tag.
        outer: start of the end tag; for an empty element, its end.
        end: of the end tag.
        line: of the start tag, from 1.
        parts: the pieces of `text`; of `RUNS` inside each other, those of the outermost one.
    """

    tag: str
    attributes: Mapping[str, str]
    start: int
    inner: int
    line: int
    outer: int = 0
    end: int = 0
    parts: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The characters of the element and its `RUNS`, without other children."""
        return "".join(self.parts)

    def find(self, *tags: str) -> Iterator[Element]:
        """Yield the elements at a path of tags, in order."""
        for child in self.children:
            if child.tag == tags[0]:
                if len(tags) == 1:
                    yield child
                else:
                    yield from child.find(*tags[1:])

    def first(self, *tags: str) -> Element | None:
        """Return the first element at a path of tags, or None."""
        return next(self.find(*tags), None)

    def nearest(self, tag: str) -> Iterator[Element]:
        """Yield the elements with a tag at any depth, but none inside another one, in order."""
        rest = self.children[::-1]
        while rest:
            element = rest.pop()
            if element.tag == tag:
                yield element
            else:
                rest += element.children[::-1]


def parse(data: bytes, path: str | Path | None = None) -> Element:
    """Return the root of a UTF-8 document, in linear time; its declared encoding is ignored.

    Raises:
        CorpusError: with ``file:line``, when the document is not well-formed or has a document type.
    """
    parser = ParserCreate("utf-8")
    parser.buffer_text = True
    open_: list[Element] = []
    roots: list[Element] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        place = parser.CurrentByteIndex
        match = TAG.match(data, place)
        assert match is not None  # expat has found a complete tag
        made = Element(tag, attributes, place, match.end(), parser.CurrentLineNumber)
        (open_[-1].children if open_ else roots).append(made)
        if tag in RUNS and open_ and open_[-1].tag in RUNS:
            made.parts = open_[-1].parts
        open_.append(made)

    def end(tag: str) -> None:
        closed = open_.pop()
        is_empty = data[closed.inner - 2 : closed.inner] == b"/>"
        closed.outer = closed.inner if is_empty else parser.CurrentByteIndex
        closed.end = closed.inner if is_empty else data.index(b">", closed.outer) + 1
        if tag in RUNS and open_ and open_[-1].tag not in RUNS:
            open_[-1].parts += closed.parts

    def text(said: str) -> None:
        open_[-1].parts.append(said)

    def refuse(*_: object) -> NoReturn:
        raise CorpusError("a document type is not allowed in this format; remove it", path, parser.CurrentLineNumber)

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except ExpatError as error:
        what = str(error).partition(":")[0]
        raise CorpusError(f"not valid XML ({what}); export the file again", path, error.lineno) from None
    return roots[0]


def apply_edits(data: bytes, edits: Iterable[Edit]) -> str:
    """Return a document with non-overlapping edits; new line ends are those of the document."""
    parts, place, line_end = [], 0, "\r\n" if b"\r\n" in data else "\n"
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        parts += [data[place:start], re.sub("\r?\n", line_end, new).encode()]
        place = end
    return b"".join([*parts, data[place:]]).decode()


def indent(data: bytes, element: Element) -> str:
    """Return the white space before an element."""
    before = data[max(element.start - 200, 0) : element.start]
    return before[len(before.rstrip()) :].decode()


def write_element(tag: str, attributes: Mapping[str, str], text: str | None = None) -> str:
    """Return an element with text, or an empty element; see `writable` for its limits."""
    start = f"<{tag}" + "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
    return f"{start}/>" if text is None else f"{start}>{escape(text)}</{tag}>"


def start_tag(tag: str, attributes: Mapping[str, str]) -> str:
    """Return a start tag."""
    return write_element(tag, attributes).removesuffix("/>") + ">"


def writable(sentences: Iterable[Sentence]) -> list[Sentence]:
    """Return the sentences as a list; refuse characters that XML cannot hold."""
    checked = list(sentences)
    for sentence in checked:
        if fault := unwritable(sentence):
            raise CorpusError(f"{sentence.id}: {fault}", sentence.where or None)
    return checked


def unwritable(sentence: Sentence) -> str:
    """Return why a sentence cannot be written as XML; empty when it can."""
    glossed = interlinear(sentence)
    glosses = (value for word in glossed.words for value in word.values())
    illegal = ILLEGAL.search(
        "".join([sentence.text, *sentence.words, *sentence.upos, *glosses, *glossed.lines.values()])
    )
    return f"the character U+{ord(illegal[0]):04X} cannot be written as XML; remove it" if illegal else ""
