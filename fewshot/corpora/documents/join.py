"""Join consecutive sentences with all of their rows and comments. `divide` is the inverse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fewshot.corpora.documents import deps, misc
from fewshot.corpora.documents.annotate import with_misc
from fewshot.corpora.documents.cells import UNANNOTATED, arcs
from fewshot.corpora.documents.comments import ANNOTATED, HELP, SENT_ID, begins, comment
from fewshot.corpora.documents.model import AnyWord, ConlluSentence, EmptyNode, Token, Word, is_tight

NEW_PARAGRAPH = "NewPar=Yes"
"""MISC of a word that begins a paragraph inside a sentence, as in UD."""


def join(sentences: Sequence[ConlluSentence], text: str = "", spaced: Sequence[bool] = ()) -> ConlluSentence:
    """Return consecutive sentences as one; the result has the id of the first.

    Comments that each sentence has, such as ``text_en``, are concatenated. A paragraph that begins inside is marked in
    MISC.

    Args:
        text: of the whole; empty: the texts, one after another.
        spaced: whether a space separates a sentence from the next one; empty: as `is_spaced` says.
    """
    spaced = spaced or [is_spaced(sentence) for sentence in sentences[:-1]]
    texts = [sentence.text for sentence in sentences]
    text = text or texts[0] + "".join(" " * space + each for space, each in zip(spaced, texts[1:], strict=True))
    words: list[Word] = []
    tokens: list[Token] = []
    nodes: list[EmptyNode] = []
    for place, sentence in enumerate(sentences):
        if place and not spaced[place - 1]:
            _mark_token(words, tokens, len(words), misc.NO_SPACE)
        start, behind = len(words), sum(node.after == len(words) for node in nodes)
        words += [_moved(word, start, behind) for word in sentence.words]
        moved = (_moved(token, start, behind) for token in sentence.tokens)
        tokens += [replace(token, first=token.first + start, last=token.last + start) for token in moved]
        for node in sentence.nodes:
            number = node.number + (0 if node.after else behind)
            nodes.append(replace(_moved(node, start, behind), after=node.after + start, number=number))
        if place and begins(sentence.comments, "newpar"):
            _mark_token(words, tokens, start + 1, NEW_PARAGRAPH)
    comments = [*((*each.comments, *each.layout.comments_behind) for each in sentences[:-1]), sentences[-1].comments]
    return ConlluSentence(
        tuple(words), tuple(tokens), tuple(nodes), tuple(_comments(comments, text)),
        sentences[0].layout.before(sentences[-1].layout),
    )  # fmt: skip


def is_spaced(sentence: ConlluSentence) -> bool:
    """Return whether a space follows a sentence, as CoNLL-U says."""
    last = len(sentence.words)
    return not is_tight(next((token for token in sentence.tokens if token.last == last), sentence.words[-1]))


def _mark_token(words: list[Word], tokens: list[Token], word: int, item: str) -> None:
    """Add an item to MISC of the token that begins or ends at a word."""
    place = next((place for place, token in enumerate(tokens) if word in (token.first, token.last)), None)
    if place is None:
        words[word - 1] = _with(words[word - 1], item)
    else:
        tokens[place] = _with(tokens[place], item)


def _with(word: AnyWord, item: str) -> AnyWord:
    return with_misc(word, misc.with_item(word.misc.text, item))


def _moved(word: AnyWord, words: int, nodes: int) -> AnyWord:
    """Return a word renumbered after ``words`` words, and ``nodes`` empty nodes after the last of them."""

    def name(id: str) -> str:
        after, point, node = id.partition(".")
        return f"{int(after) + words}{point}{int(node) + (0 if int(after) else nodes) if point else ''}"

    if not words and not nodes:
        return word
    head = word.head + words if word.head > 0 else word.head
    column = word.deps.text if word.deps.text == UNANNOTATED else deps.renumber(word.deps.text, name)
    return replace(word, head=head, deps=arcs(column))


def _comments(sentences: Sequence[Sequence[str]], text: str) -> list[str]:
    """Return the comments of all sentences: the first id, the whole text, and concatenated translations."""
    first, *others = sentences
    made = [f"# text = {text}" if comment(line)[0] == "text" else line for line in first]
    if not any(comment(line)[0] == "text" for line in first):
        made.append(f"# text = {text}")
    for line in (line for own in others for line in own):
        key, value = comment(line)
        place = next((place for place, known in enumerate(made) if comment(known)[0] == key), None)
        if SENT_ID.match(line) or key == "text" or key.partition(" ")[0] == "newpar" or ANNOTATED.match(line):
            continue
        if place is not None and HELP.fullmatch(key) and value:
            made[place] = f"{made[place].rstrip()} {value}"
        elif line.rstrip() not in map(str.rstrip, made):
            made.append(line)
    are_annotated = [any(map(ANNOTATED.match, own)) for own in sentences]
    return made if all(are_annotated) else [line for line in made if not ANNOTATED.match(line)]
