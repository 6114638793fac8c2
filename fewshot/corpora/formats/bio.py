"""Read and write entities in CoNLL style: one ``token TAB tag`` per line, blank lines after sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from sys import intern

from fewshot.corpora.files import Report, check_line_end, fail, keep, read_lines, write_text
from fewshot.corpora.formats.common.blocks import is_blank, join_blocks, split_blocks
from fewshot.corpora.formats.format import Format
from fewshot.corpora.iob import BAR, TAG, is_tag, set_scheme, to_iob2, to_scheme
from fewshot.corpora.types import BEGUN, Record, Sentence, file_lines
from fewshot.errors import CorpusError

DOCUMENT = "-DOCSTART-"
"""First token of the lines that begin a document in CoNLL-2003."""

MARK = "\ufeff"
"""The byte order mark, found at the start of files and inside concatenated files."""

VALUE = re.compile(r"#\s+\w+\s*=\s*\S|#\w+\s+=\s")
"""A comment with a key and a value, and a space between its hash and the value: ``#x=1`` is a word."""

CHUNKS = frozenset(["NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "CONJP", "INTJ", "LST", "UCP", "NC", "PC", "VC"])
"""Types of chunks, which CoNLL-2000 and 2003 have in the column before the last one."""

PREDICTED, IS_BEGUN = "# predicted = NER", f"# status = {BEGUN}"
"""The comments above a sentence that a model has tagged, and above one that is begun and not finished."""

COMMENT = re.compile(rf"^(\ufeff?)#\s*(?:(predicted)\s*=\s*NER|(status)\s*=\s*{BEGUN})\s*$")
"""One of these comments, maybe after a byte order mark."""


def read(path: str | Path, report: Report = fail, format: str = "bio") -> list[Sentence]:
    """Read a file of entity tags (IOB1, IOB2, BIOES or BILOU); the tags keep their scheme.

    The first column is the token, the last one the tag. Columns are separated by tabs, or by spaces in lines
    without a tab, as in CoNLL-2002 and 2003. Lines that begin with ``#`` and hold no tab are comments, unless they have
    two to four columns ending in a tag or ``_``. Lines that begin with ``#`` and a space and hold a tab are comments if
    the last column is no tag, as in MultiCoNER.

    Args:
        format: name of the format that writes the file again: this one, or CoNLL-2003.
    """
    path = Path(path)
    numbered = enumerate(split_blocks(list(map(intern, read_lines(path))), is_row, is_end), start=1)
    sentences = list(keep(lambda block: _sentence(path, format, block[0], *block[1]), numbered, report))
    if not sentences:
        raise CorpusError("no sentence in this file; is it one token and tag a line?", path)
    _check_words(sentences)
    return set_scheme(sentences)


def write(sentences: Iterable[Sentence], path: str | Path) -> None:
    """Write ``word TAB tag`` lines; unannotated words have the tag ``_``.

    Sentences of this format keep further columns, comments and scheme; others are written in IOB2. Predicted sentences
    get the comment ``# predicted = NER``, begun ones ``# status = begun``.

    Raises:
        CorpusError: for a word or label with a tab or line end, or a word that a reader would take for a document or
            byte order mark.
    """
    write_text(
        path,
        join_blocks((text(sentence, FORMAT.name) or _block(sentence, path) for sentence in sentences), is_row, is_end),
    )


def text(sentence: Sentence, format: str) -> str:
    """Return the source lines of a sentence with its current tags; empty for another format."""
    lines = [kept for line in file_lines(sentence, format) if (kept := COMMENT.sub(r"\1", line))]
    if not lines:
        return ""
    places = [place for place, line in enumerate(lines) if is_row(line)]
    comments = comment(sentence, "\r\n" if any(line.endswith("\r\n") for line in lines) else "\n")
    lines[places[0] : places[0]] = comments
    rows = [place + len(comments) for place in places]
    old = [_columns(lines[row].rstrip("\r\n"))[-1].strip() for row in rows]
    for row, before, tag in zip(rows, old, to_scheme(sentence.entities, old, sentence.scheme), strict=True):
        body = lines[row].rstrip()
        lines[row] = body.removesuffix(before) + tag + lines[row][len(body) :]
    return "".join(lines)


def oddities(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Yield (``file:line``, warning) for entity tags in another column than the last one."""
    lines = file_lines(sentence, FORMAT.name) or file_lines(sentence, "conll2003")
    rows = [_columns(line.rstrip("\r\n")) for line in lines if is_row(line)]
    for place, column in enumerate(zip(*(row[1:-1] for row in rows), strict=False), start=2):
        types = {tag[2:] for tag in column if TAG.fullmatch(tag)}
        if all(map(is_tag, column)) and not types <= CHUNKS:
            yield sentence.where, f"the tags in column {place} are not read; the last column is"


def comment(sentence: Sentence, end: str = "\n") -> list[str]:
    """Return the lines that mark a sentence as predicted or begun, if it is."""
    return [PREDICTED + end] * ("entities" in sentence.predicted) + [IS_BEGUN + end] * sentence.begun


def check_words(sentence: Sentence, path: str | Path) -> None:
    """Refuse a word that a reader would take for the beginning of a document or a byte order mark."""
    for word in sentence.words:
        if _begins_document(word):
            fault = f"the word {DOCUMENT} cannot be written as BIO or CoNLL-2003, where it begins a document"
        elif word.startswith(MARK):
            fault = f"the word {word!a} cannot be written as BIO or CoNLL-2003, where a byte order mark is no text"
        else:
            continue
        raise CorpusError(f"{sentence.id}: {fault}; use CoNLL-U or JSON Lines", path)


def _block(sentence: Sentence, path: str | Path) -> str:
    check_words(sentence, path)
    if any(char in value for value in (*sentence.words, *sentence.entities) for char in "\t\r\n"):
        raise CorpusError(f"{sentence.id}: a word or label with a tab or line end cannot be written as BIO", path)
    rows = zip(sentence.words, to_iob2(sentence.entities), strict=True)
    return "".join([*comment(sentence), *(f"{word}\t{tag}\n" for word, tag in rows), "\n"])


def is_row(line: str) -> bool:
    """Return whether a line is a word with its tag."""
    body = line.rstrip("\r\n").lstrip(MARK)
    return bool(body.strip()) and not _is_comment(body) and not _begins_document(body)


def is_end(line: str) -> bool:
    """Return whether a line ends the previous sentence: a blank line, or the beginning of a document."""
    return is_blank(line) or _begins_document(line.lstrip(MARK))


def _begins_document(text: str) -> bool:
    return DOCUMENT in text and text.split(maxsplit=1)[0] == DOCUMENT


WORD_ID = re.compile(r"[0-9]{1,9}([-.][0-9]{1,9})?")
"""The number of a word, a range of words, or an empty node."""


def _check_words(sentences: Sequence[Sentence]) -> None:
    """Refuse a file whose first column counts the words, as in GermEval and CoNLL-U."""
    are_counted = all(_is_count(sentence.words) for sentence in sentences)
    record = sentences[0].record
    row = next(line for line in (record.lines if record else ()) if is_row(line))
    if are_counted and any(len(sentence.words) > 1 for sentence in sentences) and len(_columns(row.rstrip())) > 2:
        message = "the first column counts the words; put the words there, or name a file of CoNLL-U .conllu"
        raise CorpusError(message, sentences[0].where)


def _is_count(words: Sequence[str]) -> bool:
    """Return whether words are consecutive numbers, with ranges and empty nodes between."""
    if not all(map(WORD_ID.fullmatch, words)):
        return False
    numbers = [int(word) for word in words if word.isdecimal()]
    return all(after == before + 1 for before, after in pairwise(numbers))


def _columns(body: str) -> list[str]:
    return body.split("\t") if "\t" in body else list(filter(None, body.split(" ")))


def _is_comment(body: str) -> bool:
    if not body.startswith("#"):
        return False
    columns = _columns(body)
    if "\t" in body:
        return body.startswith("# ") and not is_tag(columns[-1].strip())
    is_word = 2 <= len(columns) <= 4 and is_tag(columns[-1])
    return not is_word or VALUE.match(body) is not None


def _check_sizes(path: Path, bodies: Mapping[int, str]) -> None:
    """Refuse lines of a sentence with more or fewer columns than most of its lines have.

    Where spaces separate the columns, a word with a space would lose its end. A column may be empty if single spaces
    separate as many columns in all lines.

    Args:
        bodies: lines without a tab, by their number.
    """
    sizes = {line: len(_columns(body)) for line, body in bodies.items()}
    if len({body.count(" ") for body in bodies.values()}) < 2:
        return
    usual = max(Counter(sizes.values()).items(), key=lambda item: item[1], default=(0, 0))[0]
    for line, size in sizes.items():
        if size != usual:
            like = next(line for line, size in sizes.items() if size == usual)
            what = f"{size} columns, but {usual} in line {like}"
            raise CorpusError(f"{what}; put tabs between the columns if a word has a space", path, line)


def _sentence(path: Path, format: str, number: int, first: int, lines: list[str]) -> Sentence:
    bodies = ((line, body.rstrip("\r\n").lstrip(MARK)) for line, body in enumerate(lines, first) if is_row(body))
    rows = [(line, _columns(body)) for line, body in bodies]
    for line, columns in rows:
        check_line_end(lines[line - first], path, line)
        if len(columns) < 2 or not columns[0].strip():
            raise CorpusError("expected 'token TAB tag' on this line; a tag that is still to be given is _", path, line)
        if not is_tag(columns[-1].strip()):
            message = f"{columns[-1].strip()!r} is not an entity tag (O, B-TYPE, I-TYPE; or E-, S-, L-, U-TYPE)"
            raise CorpusError(message, path, line)
        if BAR.search(columns[-1]):
            message = f"{columns[-1].strip()!r} has several entities, which BIO cannot hold; give them as JSON Lines"
            raise CorpusError(message, path, line)
    _check_sizes(
        path, {line: lines[line - first].strip(" \r\n\ufeff") for line, _ in rows if "\t" not in lines[line - first]}
    )
    words = tuple(intern(columns[0].strip()) for _, columns in rows)
    marks = {mark for line in lines if (match := COMMENT.match(line)) for mark in match.groups()}
    return Sentence(
        id=f"{path.stem}-{number}",
        text=" ".join(words),
        words=words,
        entities=tuple(intern(columns[-1].strip()) for _, columns in rows),
        record=Record(format, tuple(lines)),
        predicted=("entities",) if "predicted" in marks else (),
        begun="status" in marks,
        where=f"{path}:{rows[0][0]}",
    )


FORMAT = Format(
    name="bio",
    title="BIO with tabs",
    rank=2,
    suffixes=(".bio", ".iob2"),
    holds={Sentence.kind: ("entities",)},
    read=lambda path, options: read(path, options.report),
    write=lambda sentences, path, columns: write(sentences, path),
)
