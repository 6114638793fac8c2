"""Change the words and multiword tokens of a sentence; an unchanged word keeps what it has.

The first part of a split word keeps its annotation and dependents; the other parts stay open, so that annotators see
what is missing. A merged word gets the annotation of its part nearest to the root. Entities move as a whole, see
`fewshot.corpora.iob.moved`. Lemmas of split and merged words become open. Heads, DEPS and ids are renumbered; empty
nodes stay after their word; SpaceAfter is set anew from the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from fewshot.corpora import iob
from fewshot.corpora.documents import deps, misc
from fewshot.corpora.documents.annotate import attach, with_misc
from fewshot.corpora.documents.cells import UNANNOTATED, arcs, items
from fewshot.corpora.documents.diff import Change, diff
from fewshot.corpora.documents.model import NO_ITEMS, OPEN, AnyWord, ConlluSentence, EmptyNode, Token, Word, is_tight
from fewshot.corpora.offsets import places

Range: TypeAlias = tuple[int, int, str]
"""First word, last word (from 1) and form of a multiword token."""


def split(sentence: ConlluSentence, word: int, forms: Sequence[str], token: str = "") -> ConlluSentence:
    """Return the sentence with a word split into several. `merge` is the inverse.

    Args:
        word: its number.
        token: form of the multiword token that has the new words; empty for none.
    """
    more = len(forms) - 1
    ranges = [
        (first + more * (first > word), last + more * (last >= word), form) for first, last, form in _ranges(sentence)
    ]
    ranges += [(word, word + more, token)] * bool(token)
    forms_before = [each.form for each in sentence.words]
    return retokenize(sentence, [*forms_before[: word - 1], *forms, *forms_before[word:]], sorted(ranges))


def merge(sentence: ConlluSentence, first: int, last: int, form: str = "") -> ConlluSentence:
    """Return the sentence with several words as one; a multiword token of only these words is removed.

    Args:
        form: of the new word; empty: the forms of the words, one after another.
    """
    forms, less = [each.form for each in sentence.words], last - first

    def moved(word: int) -> int:
        return min(word, max(first, word - less))

    ranges = [(moved(start), moved(end), token) for start, end, token in _ranges(sentence)]
    merged = form or "".join(forms[first - 1 : last])
    kept = [each for each in ranges if each[0] < each[1]]
    return retokenize(sentence, [*forms[: first - 1], merged, *forms[last:]], kept)


def retokenize(sentence: ConlluSentence, forms: Sequence[str], ranges: Sequence[Range]) -> ConlluSentence:
    """Return the sentence with other words and multiword tokens.

    A head that would close a cycle becomes open.

    Args:
        forms: all words, in order.
        ranges: all multiword tokens, in order.
    """
    change = diff(sentence.words, forms)
    return without_cycles(rewrite(sentence, forms, ranges, change), change)


def rewrite(sentence: ConlluSentence, forms: Sequence[str], ranges: Sequence[Range], change: Change) -> ConlluSentence:
    """Return the sentence with other words, see `retokenize`; a merged word may close a cycle."""
    nodes, names = _moved_nodes(sentence.nodes, change)
    new = [_new_word(sentence.words, form, change, place) for place, form in enumerate(forms)]
    words = [_renumbered(word, str(number), names) for number, word in enumerate(new, start=1)]
    moved = [_renumbered(node, node.id, names) for node in nodes]
    made = replace(
        sentence, words=tuple(words), tokens=tuple(_tokens(sentence.tokens, ranges, change)), nodes=tuple(moved),
        layout=sentence.layout.rewritten(),
    )  # fmt: skip
    made = _with_spaces(made, sentence.text, dict(zip(change.lasts, _spaces_of(sentence), strict=True)))
    tags = [misc.entity(word.misc.text) for word in sentence.words]
    entities = zip(made.words, moved_entities(tags, change), strict=True)
    words = [with_misc(word, misc.with_entity(word.misc.text, tag)) for word, tag in entities]
    made = replace(made, words=tuple(words))
    if "text" not in sentence.metadata:
        made = replace(made, comments=(*made.comments, f"# text = {sentence.text}"))
    return made


def without_cycles(sentence: ConlluSentence, change: Change) -> ConlluSentence:
    """Return a sentence in which merged words whose heads are below them are open."""
    words, heads = list(sentence.words), [word.head for word in sentence.words]
    for place, head in enumerate(heads):
        if len(change.sources[place]) > 1 and head > 0 and _in_cycle(heads, place):
            heads[place] = OPEN
            words[place] = attach(words[place], OPEN, UNANNOTATED)
    return sentence if heads == [word.head for word in sentence.words] else replace(sentence, words=tuple(words))


def moved_entities(tags: Sequence[str], change: Change) -> tuple[str, ...]:
    """Return the entity tags of new words, in the scheme of the old ones; see `iob.moved`.

    The parts of a split word stay in its entities.
    """
    if all(len(group) == 1 for group in change.sources):
        return tuple(tags[word] for (word,) in change.sources)
    following = [*change.targets[1:], len(change.sources)]
    ends = (
        max(first + 1, min(last + 1, next_first))
        for first, last, next_first in zip(change.targets, change.lasts, following, strict=True)
    )
    made = iob.moved(tags, list(zip(change.targets, ends, strict=True)))
    return iob.to_scheme(made, (), iob.scheme_of([tags]))


def _ranges(sentence: ConlluSentence) -> list[Range]:
    return [(token.first, token.last, token.form) for token in sentence.tokens]


def _new_word(old: Sequence[Word], form: str, change: Change, new: int) -> Word:
    """Return a new word; its head and DEPS have the old numbers."""
    parts = [old[word] for word in change.sources[new]]
    if not parts:
        return Word(form)
    word = parts[0]
    if change.kept[new]:
        return word if word.form == form else replace(word, form=form)
    if len(parts) == 1:  # the first part of a split word: its old XPOS and FEATS no longer hold
        return replace(word, form=form, lemma=UNANNOTATED, xpos=UNANNOTATED, feats=NO_ITEMS)
    column = "|".join(part.deps.text for part in parts if part.deps.text != UNANNOTATED) or UNANNOTATED
    merged = misc.merged([part.misc.text for part in parts])
    return replace(word, form=form, lemma=UNANNOTATED, deps=arcs(column), misc=items(merged))


def _moved_nodes(nodes: Sequence[EmptyNode], change: Change) -> tuple[list[EmptyNode], dict[str, str]]:
    """Return the empty nodes with new ids, and a map from every old id that DEPS may use to its new id."""
    names = {"0": "0"} | {str(word): str(new + 1) for word, new in enumerate(change.targets, start=1)}
    behind: Counter[int] = Counter()
    moved = []
    for node in nodes:
        place = change.lasts[min(node.after, len(change.lasts)) - 1] + 1 if node.after else 0
        behind[place] += 1
        moved.append(replace(node, after=place, number=behind[place]))
        names[node.id] = moved[-1].id
    return moved, names


def _renumbered(word: AnyWord, id: str, names: Mapping[str, str]) -> AnyWord:
    """Return a word or an empty node with new numbers in its head and DEPS, without arcs from itself."""
    head = int(names.get(str(word.head), OPEN))
    column = word.deps.text
    if column != UNANNOTATED:
        column = deps.renumber(column, names.get)
        if "|" in column or column.startswith(f"{id}:"):
            column = deps.join_arcs(arc for arc in column.split("|") if not arc.startswith(f"{id}:"))
    if head == word.head and column == word.deps.text:
        return word
    return replace(word, head=head, deps=arcs(column))


def _in_cycle(heads: Sequence[int], word: int) -> bool:
    seen: set[int] = set()
    place = heads[word] - 1
    while place >= 0 and place not in seen and place != word:
        seen.add(place)
        place = heads[place] - 1
    return place == word


def _tokens(old: Sequence[Token], ranges: Sequence[Range], change: Change) -> list[Token]:
    known = {
        (change.targets[token.first - 1] + 1, change.lasts[token.last - 1] + 1, token.form): token for token in old
    }
    return [replace(known.get(range_, Token(range_[2])), first=range_[0], last=range_[1]) for range_ in ranges]


def _with_spaces(sentence: ConlluSentence, text: str, known: Mapping[int, bool]) -> ConlluSentence:
    """Set SpaceAfter as in the text, or as before where text and tokens disagree.

    Args:
        known: by index of the last new word of an old one, whether a space followed.
    """
    surface = list(sentence.surface)
    spaces = [known.get(last - 1, False) for last, _ in surface]
    positions = places(text, [token.form for _, token in surface])
    if positions:
        spaces[:-1] = [left[1] < right[0] for left, right in pairwise(positions)]
    after = {last: space for (last, _), space in zip(surface, spaces, strict=True)}
    inside = {word for token in sentence.tokens for word in range(token.first, token.last + 1)}
    words = (
        _with_space(word, number in inside or after[number]) for number, word in enumerate(sentence.words, start=1)
    )
    tokens = (
        token if is_tight(token) != after[token.last] else _with_space(token, after[token.last])
        for token in sentence.tokens
    )
    return replace(sentence, words=tuple(words), tokens=tuple(tokens))


def _spaces_of(sentence: ConlluSentence) -> list[bool]:
    """Return whether a space follows each word; never inside a multiword token."""
    spaces = [not is_tight(word) for word in sentence.words]
    for token in sentence.tokens:
        spaces[token.first - 1 : token.last] = [*[False] * (token.last - token.first), not is_tight(token)]
    return spaces


def _with_space(word: AnyWord, space: bool) -> AnyWord:
    return with_misc(word, misc.with_space(word.misc.text, space))
