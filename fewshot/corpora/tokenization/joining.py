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

from fewshot.corpora.formats import deps
from fewshot.corpora.formats.conllu import ANNOTATED, HELP, SENT_ID, comment
from fewshot.corpora.formats.conllu_rows import DEPS, FORM, HEAD, ID, MISC, is_comment, is_row
from fewshot.corpora.recordings import join_recordings
from fewshot.corpora.tokenization.lines import NO_SPACE, Columns, are_changed, changed_in, lines_of, rows_in
from fewshot.corpora.tokenization.sentences import cut_after, letter
from fewshot.corpora.types import UNANNOTATED, Record, Sentence
from fewshot.errors import CorpusError

NEW_PARAGRAPH = "NewPar=Yes"
"""MISC of a word that begins a paragraph inside a sentence, as in UD."""

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
        nodes = sum(row[ID].startswith("0.") for row in rows_in(sentence.following[joined].lines))
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
    lines = [lines_of(sentence) for sentence in sentences]
    rows, text = _renumbered_rows(sentences, lines), _text(sentences)
    end = "\r\n" if next(filter(is_row, lines[0])).endswith("\r\n") else "\n"
    behind = lines[-1][max(place for place, line in enumerate(lines[-1]) if is_row(line)) + 1 :]
    body = (*_comments(lines, text, end), *("\t".join(row) + end for row in rows), *behind)
    record, changed = Record("conllu", tuple(body)), list(map(are_changed, sentences))
    columns |= changed_in(body, {name: [flag for flags in changed for flag in flags[name]] for name in changed[0]})
    columns |= {"ends": ends, "recording": join_recordings(sentence.recording for sentence in sentences)}
    columns["predicted"] = tuple(dict.fromkeys(column for sentence in sentences for column in sentence.predicted))
    columns["has_feats"] = all(sentence.has_feats for sentence in sentences)
    return replace(sentences[0], text=text, record=record, interlinear=None, **columns)


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
    rows = rows_in(lines_of(before))
    if NO_SPACE in rows[_last_token(rows)][MISC].split("|"):
        return False
    return bool(before.lines) or not (_is_wide(before.text[-1:]) and _is_wide(behind.text[:1]))


def _column(sentences: Sequence[Sentence], column: str) -> tuple[Any, ...]:
    """Return a column of all words, open where a sentence lacks it; empty when no sentence has it."""
    if not any(getattr(sentence, column) for sentence in sentences):
        return ()
    return tuple(
        value for sentence in sentences for value in getattr(sentence, column) or (UNANNOTATED,) * len(sentence.words)
    )


def _renumbered_rows(sentences: Sequence[Sentence], lines: Sequence[Sequence[str]]) -> list[Columns]:
    rows: list[Columns] = []
    start = nodes = 0
    for place, (sentence, own) in enumerate(zip(sentences, lines, strict=True)):
        mine = [_renumbered(row, start, nodes) for row in rows_in(own)]
        if place:
            if not spaced(sentences[place - 1], sentence):
                token = _last_token(rows)
                rows[token][MISC] = _with(rows[token][MISC], NO_SPACE)
            if any(comment(line)[0].partition(" ")[0] == "newpar" for line in own if is_comment(line)):
                token = next(number for number, row in enumerate(mine) if "." not in row[ID])
                mine[token][MISC] = _with(mine[token][MISC], NEW_PARAGRAPH)
        rows += mine
        start += len(sentence.words)
        nodes = sum(row[ID].startswith(f"{start}.") for row in rows)
    return rows


def _renumbered(row: Columns, words: int, nodes: int) -> Columns:
    """Return a row renumbered after ``words`` words, and ``nodes`` empty nodes after the last of them."""

    def moved(name: str) -> str:
        word, point, node = name.partition(".")
        return f"{int(word) + words}{point}{int(node) + (0 if int(word) else nodes) if point else ''}"

    made = list(row)
    made[ID] = "-".join(map(moved, row[ID].split("-")))
    made[HEAD] = str(int(row[HEAD]) + words) if row[HEAD].isdecimal() and int(row[HEAD]) else row[HEAD]
    made[DEPS] = deps.renumber(row[DEPS], moved)
    return made


def _comments(lines: Sequence[Sequence[str]], text: str, end: str) -> list[str]:
    """Return the comments of all sentences: the first id, the whole text, and concatenated translations."""
    first, *others = ([line for line in own if is_comment(line)] for own in lines)
    made = [f"# text = {text}{end}" if comment(line)[0] == "text" else line for line in first]
    if not any(comment(line)[0] == "text" for line in first):
        made.append(f"# text = {text}{end}")
    for line in (line for own in others for line in own):
        key, value = comment(line)
        place = next((place for place, known in enumerate(made) if comment(known)[0] == key), None)
        if SENT_ID.match(line) or key == "text" or key.partition(" ")[0] == "newpar" or ANNOTATED.match(line):
            continue
        if place is not None and HELP.fullmatch(key) and value:
            made[place] = f"{made[place].rstrip()} {value}{end}"
        elif line.rstrip() not in map(str.rstrip, made):
            made.append(line.lstrip("\ufeff"))
    are_annotated = [any(map(ANNOTATED.match, own)) for own in lines]
    return made if all(are_annotated) else [line for line in made if not ANNOTATED.match(line)]


def _text(sentences: Sequence[Sentence]) -> str:
    text = sentences[0].text
    for before, sentence in pairwise(sentences):
        text += (" " if spaced(before, sentence) else "") + sentence.text
    return text


def _is_wide(char: str) -> bool:
    """Return whether a character is East Asian wide, except for Korean, which uses spaces."""
    return unicodedata.east_asian_width(char or " ") in "WF" and not unicodedata.name(char, "").startswith("HANGUL")


def _last_token(rows: Sequence[Columns]) -> int:
    """Return the index of the row of the last token: for a multiword token its range row."""
    last = next(row[ID] for row in reversed(rows) if row[ID].isdecimal())
    return next(place for place, row in enumerate(rows) if row[ID].split("-")[-1] == last)


def _letter_count(sentence: Sentence) -> int:
    return sum(letters for _, letters in _tokens(sentence))


def _last_before(sentence: Sentence, letters: int) -> int:
    """Return the number of the last word that ends within so many letters; at least 1."""
    ends = accumulate(_tokens(sentence), lambda one, other: (other[0], one[1] + other[1]))
    return max((word for word, end in ends if end <= letters), default=1)


def _tokens(sentence: Sentence) -> list[tuple[int, int]]:
    """Return the last word number and the number of letters of each token."""
    tokens: list[tuple[int, int]] = []
    for row in rows_in(lines_of(sentence)):
        last = row[ID].split("-")[-1]
        if last.isdecimal() and (not tokens or int(last) > tokens[-1][0]):
            tokens.append((int(last), len("".join(row[FORM].split()))))
    return tokens


def _with(misc: str, item: str) -> str:
    items = [] if misc == UNANNOTATED else misc.split("|")
    return "|".join([*items, *([] if item in items else [item])])
