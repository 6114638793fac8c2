"""Divide a sentence into several, and cut off its end. `join` is the inverse.

Comments stay with the first sentence, including ``newdoc`` and ``newpar``; each sentence gets its own ``sent_id`` and
``text``. Arcs of DEPS to another sentence are removed; a word without any other gets that of its head, an empty node
that of the root.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fewshot.corpora.documents import deps
from fewshot.corpora.documents.annotate import head_cell
from fewshot.corpora.documents.cells import UNANNOTATED, arcs
from fewshot.corpora.documents.comments import ANNOTATED, SENT_ID, comment
from fewshot.corpora.documents.model import OPEN, AnyWord, ConlluSentence, EmptyNode, text_of
from fewshot.corpora.documents.nodes import with_nodes
from fewshot.corpora.offsets import places


def divide(sentence: ConlluSentence, spans: Sequence[tuple[int, int]], ids: Sequence[str]) -> Iterator[ConlluSentence]:
    """Yield the parts of a sentence.

    Args:
        spans: first and last word of each part; together all words, none of them inside a multiword token.
        ids: of the parts.
    """
    texts = _texts(sentence, spans)
    for place, ((first, last), id, text) in enumerate(zip(spans, ids, texts, strict=True)):
        kept = [
            line
            for line in sentence.comments
            if not place or SENT_ID.match(line) or _is_text(line) or ANNOTATED.match(line)
        ]
        yield ConlluSentence(
            words=tuple(_renumbered(word, first, last) for word in sentence.words[first - 1 : last]),
            tokens=tuple(
                replace(_renumbered(token, first, last), first=token.first - first + 1, last=token.last - first + 1)
                for token in sentence.tokens
                if first <= token.first <= last
            ),
            nodes=tuple(
                replace(_renumbered(node, first, last), after=node.after - first + 1)
                for node in sentence.nodes
                if _is_within(node.after, first, last)
            ),
            comments=tuple(_with_id_and_text(kept, id, text)),
            layout=sentence.layout.part(not place, last == len(sentence.words)),
        )


def without_nodes(sentence: ConlluSentence, count: int) -> ConlluSentence:
    """Return a sentence without ``count`` empty nodes at its end, and without arcs from them."""
    behind = [node for node in sentence.nodes if node.after == len(sentence.words)]
    removed = {node.id for node in behind[max(0, len(behind) - count) :]}
    if not removed:
        return sentence

    return with_nodes(sentence, [node for node in sentence.nodes if node.id not in removed])


def _with_id_and_text(comments: Sequence[str], id: str, text: str) -> list[str]:
    own = f"# text = {text}"
    named = [own if _is_text(line) else SENT_ID.sub(lambda said: said[1] + id, line) for line in comments]
    if not any(SENT_ID.match(line) for line in comments):
        named.append(f"# sent_id = {id}")
    return named if own in named else [*named, own]


def _is_text(line: str) -> bool:
    return "=" in line and comment(line)[0] == "text"


def _renumbered(word: AnyWord, first: int, last: int) -> AnyWord:
    head = word.head - first + 1 if first <= word.head <= last else word.head
    column = word.deps.text
    if column != UNANNOTATED:
        column = deps.renumber(
            column, lambda id: _number(id, first) if _is_within(deps.place(id)[0], first, last) else None
        )
        if column == UNANNOTATED and isinstance(word, EmptyNode):
            column = "0:root"
        elif column == UNANNOTATED and word.head != OPEN and word.deprel != UNANNOTATED:
            column = f"{head_cell(head)}:{word.deprel}"
    return replace(word, head=head, deps=arcs(column))


def _is_within(word: int, first: int, last: int) -> bool:
    """Return whether the rows of a word, or the nodes before word 1 (as word 0), are in a part."""
    return first - (first == 1) <= word <= last


def _number(id: str, first: int) -> str:
    word, point, node = id.partition(".")
    return f"{int(word) - first + 1}{point}{node}"


def _texts(sentence: ConlluSentence, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the text of each part: cut from the whole, or built from tokens where these disagree."""
    surface = list(sentence.surface)
    positions = places(sentence.text, [token.form for _, token in surface])
    texts = []
    for first, last in spans:
        mine = [place for place, (end, _) in enumerate(surface) if first <= end <= last]
        if positions:
            texts.append(sentence.text[positions[mine[0]][0] : positions[mine[-1]][1]])
        else:
            texts.append(text_of(surface[place] for place in mine))
    return texts
