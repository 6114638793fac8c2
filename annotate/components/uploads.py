"""Files that somebody uploads: their copies, what is read of them, and how plain text is cut."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePath
from typing import Any

import streamlit as st

from annotate.components import terms
from annotate.exchange.project_data import Data
from annotate.internals import held_files, release_files
from annotate.language import _, gettext_noop, ngettext, written
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import BadRows, text
from fewshot.corpora.segmentation import EXPRESSION, PLAIN, Segmentation
from fewshot.errors import CorpusError, FewshotError

SEGMENTERS = (gettext_noop("words"), gettext_noop("spaces"), gettext_noop("letters"), gettext_noop("characters"))
OTHER = gettext_noop("a regular expression")
SENTENCE, PARAGRAPH = gettext_noop("a sentence"), gettext_noop("a paragraph of sentences")
WORDS_HELP = gettext_noop("How sentences are split into words")
CLITICS_HELP = gettext_noop("A regular expression for clitics, which become words of their own, such as 'r|'n in Welsh")

MAX_EXAMPLES = 1_000_000
"""Most examples of an upload: each that is different takes some hundred bytes until the project is made."""

PREVIEW_SENTENCES = 5
"""Sentences that show how plain text is cut."""

MAX_STEM_BYTES, MAX_SUFFIX_BYTES = 200, 20
"""Maximum bytes of the name of an uploaded file's copy; readers write temporary files with longer names beside it."""

PASTED = "pasted "
"""Start of the ids of pasted texts; the ids of Streamlit's uploads are hexadecimal."""

MAX_BAD_ROWS, VISIBLE_BAD_ROWS = 50, 6
"""Maximum number of bad rows that are listed, and that are visible without scrolling."""


@dataclass(frozen=True, slots=True)
class Upload:
    """Files that somebody has uploaded.

    Args:
        data: of all files, read.
        key: what their examples depend on.
    """

    data: Data
    key: tuple[str, ...]

    def flat(self) -> Upload:
        """Return the upload for a project without nested entities; reading a sentence with such fails."""
        return Upload(self.data.flat(_fail_without_folder), (*self.key, "flat"))


def _fail_without_folder(error: CorpusError) -> None:
    raise CorpusError(error.message, PurePath(error.where).name)


@dataclass(frozen=True, slots=True)
class PastedFile:
    """The pasted text of a field, in the form of an uploaded file."""

    text: str
    field: str
    name: str = "pasted.txt"

    @property
    def file_id(self) -> str:
        """Id that changes with the text."""
        return f"{PASTED}{self.field}: {hashlib.sha256(self.getbuffer()).hexdigest()}"

    def getbuffer(self) -> bytes:
        """Return the text in UTF-8; surrogates, which no file can hold, become question marks."""
        return self.text.encode(errors="replace")


def uploader(label: str, key: str, several: bool = True, **options: Any) -> list[Any]:
    """Draw the field for files and return them; empty if a restarted app has lost some.

    Args:
        several: whether there may be more than one.
        options: others of `st.file_uploader`.
    """
    uploaded: Any = st.file_uploader(label, accept_multiple_files=several, key=key, **options)
    files, shown = ([each] if each and not several else each or [] for each in (uploaded, st.session_state[key]))
    if len(shown) > len(files):
        st.warning(_("The app was restarted and has lost this file; remove it here and upload it again."))
        return []
    return files


def upload(label: str, lang: str, names: Sequence[str], key: str) -> Upload | None:
    """Draw the field for files of examples; return them, or None if empty or rows are bad.

    Args:
        names: of the tasks whose annotation is read.
    """
    endings = ", ".join(formats.suffixes())
    help_ = _("Raw text with one sentence or paragraph per line, or an annotated file: {endings}", endings=endings)
    if not (files := uploader(label, f"files {key}", help=help_)):
        return None
    with kept(files) as paths:
        return _read(paths, files, lang, names, key)


def pasted(lang: str, names: Sequence[str], key: str) -> Upload | None:
    """Draw the field for a text of examples; return it as an upload, or None if empty or rows are bad."""
    field = f"pasted {key}"
    given = st.text_area(_("Text"), height=200, placeholder=_("One sentence or paragraph per line"), key=field)
    if not given.strip():
        return None
    files = [PastedFile(given, key)]
    with kept(files) as paths:
        return _read(paths, files, lang, names, key)


def _read(paths: Sequence[Path], files: Sequence[Any], lang: str, names: Sequence[str], key: str) -> Upload | None:
    """Count the examples of the files, draw the count and bad rows, and return the upload."""
    how, read, bad = segmentation(paths, lang, names[0], key), 0, 0
    kind, *others = map(tasks.get, names)
    chosen = lang, ",".join(names), repr(how)
    for path, file in zip(paths, files, strict=True):
        count, problems = _looked_through((file.file_id, *chosen), kind, others, how, path)
        read += count
        if problems:
            bad += problems.total
            bad_rows(problems, path)
    if read > MAX_EXAMPLES:
        raise FewshotError(_("more than {number} examples; give fewer or smaller files", number=written(MAX_EXAMPLES)))
    if not read:
        st.caption(_("Nothing can be read here: mend the file, or choose another file or task."))
        return None
    rows = ngettext("{number} bad row", "{number} bad rows", bad)
    st.caption(terms.counted(read, kind.example.kind) + (f", {rows}" if bad else ""))
    if bad and not st.checkbox(_("Leave out {rows}", rows=rows), key=f"leave out {bad} {key}"):
        return None

    def again() -> Iterator[Any]:
        for path in paths:
            yield from formats.read_valid(path, None, lang, kind, how, BadRows(), others)

    return Upload(Data(", ".join(file.name for file in files), again), (*(file.file_id for file in files), *chosen))


@st.cache_data(max_entries=20, show_spinner=False)
def _looked_through(
    key: tuple[str, str, str, str],
    _kind: tasks.Task[Any],
    _others: Sequence[tasks.Task[Any]],
    _how: Segmentation,
    _path: Path,
) -> tuple[int, BadRows]:
    """Return the number of examples in a file, at most `MAX_EXAMPLES` + 1, and its bad rows.

    Args:
        key: id of the file, language, tasks and segmentation.
    """
    bad = BadRows()
    examples = formats.read_valid(_path, None, key[1], _kind, _how, bad, _others)
    return sum(1 for _ in islice(examples, MAX_EXAMPLES + 1)), bad


def segmentation(paths: Sequence[Path], lang: str, task: str, key: str) -> Segmentation:
    """Draw the fields for the segmentation of plain text, with a preview, and return it."""
    texts = [path for path in paths if path.suffix.lower() == ".txt" and path.is_file()]
    plain = [path for path in texts if formats.detect(path).name == "text"]
    if not plain:
        return PLAIN
    left, right = st.columns(2)
    guess = int(text.has_paragraphs(plain[0], lang))
    spaced = SEGMENTERS.index("spaces") if text.has_spaced_words(plain[0]) else 0
    lines = left.selectbox(_("Each line of plain text is"), [SENTENCE, PARAGRAPH], guess, _, key=f"lines {key}")
    words = right.selectbox(_("Words"), [*SEGMENTERS, OTHER], spaced, _, help=_(WORDS_HELP), key=f"segmenter {key}")
    if words == OTHER:
        words, clitics = EXPRESSION + str(st.text_input(_("One word"), r"\w+|[^\w\s]", key=f"words {key}")), ""
    else:
        clitics = st.text_input(_("Clitics"), help=_(CLITICS_HELP), key=f"clitics {key}")
    chosen = Segmentation(str(words), clitics, lines == PARAGRAPH)
    read = formats.stream(plain[0], None, lang, tasks.get(task), chosen, lambda error: None)
    st.caption(_("Preview: the first lines, with a bar between words"))
    preview = "\n\n".join(" | ".join(sentence.words) for sentence in islice(read, PREVIEW_SENTENCES))
    st.code(preview, language=None, wrap_lines=True)
    return chosen


def safe_name(name: str) -> str:
    """Return a name for the copy of an uploaded file that is valid on every file system, with its suffix."""
    path = PurePath(re.sub(r"[^\w.-]", "_", name).lstrip("."))
    stem = path.stem.encode()[:MAX_STEM_BYTES].decode(errors="ignore")
    return (stem or "file") + path.suffix.encode()[:MAX_SUFFIX_BYTES].decode(errors="ignore")


class UploadFolder:
    """A temporary folder that is removed by ``cleanup`` or when the session of the window ends."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp())
        self.cleanup = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _kept_file(file: Any) -> Path:
    """Return the path of a copy of an uploaded file; the copy is kept as long as the window has the file."""
    kept = st.session_state.setdefault("files", {})
    pasted_ids = {file_id for file_id in kept if file_id.startswith(PASTED)}
    field = file.file_id.partition(":")[0]
    replaced = {file_id for file_id in pasted_ids - {file.file_id} if file_id.startswith(f"{field}:")}
    for gone in (kept.keys() - pasted_ids - held_files(kept)) | replaced:
        kept.pop(gone)[0].cleanup()
    if file.file_id not in kept:
        folder = UploadFolder()
        path = folder.path / safe_name(file.name)
        path.write_bytes(file.getbuffer())
        kept[file.file_id] = folder, path
    copy: Path = kept[file.file_id][1]
    return copy


@contextmanager
def kept(files: Iterable[Any]) -> Iterator[list[Path]]:
    """Yield the paths of copies of uploaded files; errors name the files without their folders."""
    paths = [_kept_file(file) for file in files]
    try:
        yield paths
    except FewshotError as error:
        message = str(error)
        for path in paths:
            message = message.replace(f"{path.parent}/", "")
        raise FewshotError(message) from None


def forget_files() -> None:
    """Delete this window's copies of uploaded files, on the disk and in memory."""
    for folder, _file in st.session_state.pop("files", {}).values():
        folder.cleanup()
    release_files()


def bad_rows(problems: BadRows, path: Path) -> None:
    """Draw the bad rows of a file, one line each, in a scrolling box if there are many."""
    lines = [f"{row.where.replace(str(path), path.name)}: {row.message}" for row in problems[:MAX_BAD_ROWS]]
    if problems.total > MAX_BAD_ROWS:
        lines.append(_("... and {number} more", number=written(problems.total - MAX_BAD_ROWS)))
    is_long = len(lines) > VISIBLE_BAD_ROWS
    st.code("\n".join(lines), language=None, wrap_lines=True, height=300 if is_long else "content")
