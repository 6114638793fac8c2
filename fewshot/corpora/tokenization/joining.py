"""Join sentences that were split too early with the sentences that follow in their file.

Each stays an example of its own in a project: the first one holds the others in `Sentence.following`, and
`Sentence.joined` counts how many belong to it. Nothing is lost: rows of words, multiword tokens and empty nodes are
renumbered, and all comments stay.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

from fewshot.corpora.documents.join import is_spaced, join
from fewshot.corpora.formats.conllu import to_model
from fewshot.corpora.recordings import join_recordings
from fewshot.corpora.tokenization.edited import are_edited, edited_columns
from fewshot.corpora.tokenization.sentences import cut_after, letter
from fewshot.corpora.types import UNANNOTATED, Record, Sentence
from fewshot.errors import CorpusError

FIRST_PART = re.compile(r"(?P<id>.*)A(?P<number>\d*)")
"""The id of the first of several parts, see `fewshot.corpora.tokenization.sentences.separated`."""


def with_following(sentence: Sentence, joined: int) -> Sentence:
    """Return a sentence joined with ``joined`` following ones; further ones joined before are cut off.

    Args:
        joined: number of sentences, from the first of `Sentence.following`.

    Raises:
        CorpusError: when fewer sentences follow.
    """
    if type(joined) is not int or not 0 <= joined <= len(sentence.following):
        where = sentence.where or sentence.id
        raise CorpusError(f"joined with {joined!r} that follow; {len(sentence.following)} can be", where)
    if joined == sentence.joined:
        return sentence
    if joined > sentence.joined:
        made = join_sentences([sentence, *sentence.following[sentence.joined : joined]])
    else:
        behind = sum(map(_letter_count, sentence.following[joined : sentence.joined]))
        first = sentence.following[joined].source
        nodes = sum(node.after == 0 for node in first.nodes) if first else 0
        made = cut_after(sentence, _last_before(sentence, _letter_count(sentence) - behind), nodes)
    return replace(made, joined=joined)


def join_sentences(sentences: Sequence[Sentence]) -> Sentence:
    """Return consecutive sentences as one, with all rows and comments of their files and edits.

    Comments that each sentence has, such as ``text_en``, are concatenated. A paragraph that begins inside is marked in
    MISC. Columns that a model filled in any sentence count as predicted.

    Args:
        sentences: of one file; the result has the id and position of the first.
    """
    starts = [0, *accumulate(len(sentence.words) for sentence in sentences)]
    columns: dict[str, Any] = {"words": tuple(word for sentence in sentences for word in sentence.words)}
    columns |= {column: _column(sentences, column) for column in Sentence.columns}
    pairs = list(zip(starts, sentences, strict=False))
    columns["heads"] = tuple(head + start if head > 0 else head for start, sentence in pairs for head in sentence.heads)
    ends = tuple(end + start for start, sentence in pairs for end in sentence.ends)
    spaces, text = [spaced(*pair) for pair in pairwise(sentences)], sentences[0].text
    for space, sentence in zip(spaces, sentences[1:], strict=True):
        text += " " * space + sentence.text
    made = join(list(map(to_model, sentences)), text, spaces)
    edited = list(map(are_edited, sentences))
    for before, behind in pairwise(edited):  # nodes before the first word stand after the last word of the one before
        before["nodes"][-1] |= behind["nodes"][0]
    columns |= edited_columns(made, {name: [flag for flags in edited for flag in flags[name]] for name in edited[0]})
    columns |= {"ends": ends, "recording": join_recordings(sentence.recording for sentence in sentences)}
    columns["predicted"] = tuple(dict.fromkeys(column for sentence in sentences for column in sentence.predicted))
    columns["has_feats"] = all(sentence.has_feats for sentence in sentences)
    return replace(sentences[0], text=text, record=Record.of(made), interlinear=None, **columns)


def rejoin(parts: Sequence[Sentence]) -> Sentence:
    """Rejoin all parts that `separated` made of a sentence, with `Sentence.ends` and the original id."""
    lasts = tuple(accumulate(len(part.words) for part in parts[:-1]))
    name = FIRST_PART.fullmatch(parts[0].id)
    return replace(join_sentences(parts), id=name["id"] if name else parts[0].id, ends=lasts)


def find_separated(sentences: Sequence[Any]) -> Iterator[list[Sentence]]:
    """Yield each run of sentences whose ids, as given by `separated`, show that they were one sentence."""
    run: list[Sentence] = []
    for sentence in sentences:
        name = FIRST_PART.fullmatch(run[0].id) if run else None
        if name and isinstance(sentence, Sentence) and sentence.id == name["id"] + letter(len(run)) + name["number"]:
            run.append(sentence)
            continue
        if len(run) > 1:
            yield run
        run = [sentence] if isinstance(sentence, Sentence) and FIRST_PART.fullmatch(sentence.id) else []
    if len(run) > 1:
        yield run


def spaced(before: Sentence, behind: Sentence) -> bool:
    """Return whether a space separates two sentences: as CoNLL-U says, else by script."""
    if not is_spaced(to_model(before)):
        return False
    return bool(before.lines) or not (_is_wide(before.text[-1:]) and _is_wide(behind.text[:1]))


def _column(sentences: Sequence[Sentence], column: str) -> tuple[Any, ...]:
    """Return a column of all words, open where a sentence lacks it; empty when no sentence has it."""
    if not any(getattr(sentence, column) for sentence in sentences):
        return ()
    return tuple(
        value for sentence in sentences for value in getattr(sentence, column) or (UNANNOTATED,) * len(sentence.words)
    )


def _is_wide(char: str) -> bool:
    """Return whether a character is East Asian wide, except for Korean, which uses spaces."""
    return unicodedata.east_asian_width(char or " ") in "WF" and not unicodedata.name(char, "").startswith("HANGUL")


def _letter_count(sentence: Sentence) -> int:
    return sum(letters for _, letters in _tokens(sentence))


def _last_before(sentence: Sentence, letters: int) -> int:
    """Return the number of the last word that ends within so many letters; at least 1."""
    ends = accumulate(_tokens(sentence), lambda end, token: (token[0], end[1] + token[1]))
    return max((word for word, end in ends if end <= letters), default=1)


def _tokens(sentence: Sentence) -> list[tuple[int, int]]:
    """Return the last word number and the number of letters of each token."""
    return [(last, len("".join(token.form.split()))) for last, token in to_model(sentence).surface]
