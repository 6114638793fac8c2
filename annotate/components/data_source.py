"""The fields for the data of a new project: where they come from, and their test set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from annotate.components import frame, uploads
from annotate.language import _, gettext_noop
from fewshot.corpora.segmentation import PLAIN, Segmentation
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError

SAMPLE, UPLOAD, PASTE = gettext_noop("The sample"), gettext_noop("Upload files"), gettext_noop("Paste text")
PATH, UD = gettext_noop("A path on this machine"), gettext_noop("A UD treebank")
DRAWN, FILE = gettext_noop("drawn at random"), gettext_noop("a separate file")


@dataclass(frozen=True, slots=True)
class Given:
    """The data of a new project.

    Args:
        name: of the data on this machine, or of the files.
        upload: of files; None for data on this machine, and for what is downloaded.
        segmentation: how raw text on this machine becomes sentences and words.
        test: a file on this machine with the test set; None: it comes with the data, or is drawn.
    """

    name: str
    upload: uploads.Upload | None = None
    segmentation: Segmentation = PLAIN
    test: str | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """Key that changes with the examples of an upload."""
        return self.upload.key if self.upload else ()

    def flat(self) -> Given:
        """Return the data for a project without nested entities, see `uploads.Upload.flat`."""
        return replace(self, upload=self.upload and self.upload.flat())

    @property
    def is_file(self) -> bool:
        """Whether the data are files, which come without a test set."""
        return self.upload is not None or Path(self.name).is_file()

    @property
    def draws_test(self) -> bool:
        """Whether a test set is drawn from the data."""
        return self.is_file and self.test is None and not (self.upload and self.upload.data.test is not None)


def places(kind: str) -> list[str]:
    """Return where the examples of a kind may come from."""
    is_own_machine = not frame.signed_in() or frame.user().role == "admin"  # others see nothing of a server's files
    offered = {PASTE: kind == Sentence.kind, PATH: is_own_machine}  # other kinds are no plain text
    return [place for place in (SAMPLE, UPLOAD, PASTE, PATH, UD) if offered.get(place, True)]


def choose(source: str, lang: str, names: Sequence[str]) -> Given | None:
    """Draw the fields of a source of data and return the data, or None if some field is empty."""
    if source == SAMPLE:
        return Given("sample")
    if source == UD:
        help_ = _("ud for the usual treebank of the language, or a name such as UD_Wolof-WTB")
        name = st.text_input(_("Treebank"), "ud", help=help_).strip()
        if name != "ud" and not name.startswith("UD_"):
            raise FewshotError(
                _("there is no treebank {name}; write ud, or a name such as UD_Wolof-WTB", name=repr(name))
            )
        return Given(name)
    if source == PATH:
        name = _path(_("File or folder"))
        return Given(name, segmentation=uploads.segmentation([Path(name)], lang, names[0], "path")) if name else None
    key = "new project"
    upload = uploads.pasted(lang, names, key) if source == PASTE else uploads.upload(_("Files"), lang, names, key)
    return Given(upload.data.name, upload) if upload else None


def _path(label: str) -> str:
    """Draw a field for a path and return it, empty if the field is; ``~`` is the home folder."""
    name = st.text_input(label).strip()
    try:
        return str(Path(name).expanduser()) if name else ""
    except RuntimeError:  # the home folder of nobody
        return name


def with_test_set(given: Given | None, lang: str, names: Sequence[str]) -> Given | None:
    """Return the data with the chosen test set, or None if its file is missing."""
    if given is None or not given.is_file:
        return given
    chosen = st.radio(
        _("Test set"), [DRAWN, FILE], format_func=_, horizontal=True, key="source of the test set", persist_state="page"
    )
    if chosen == DRAWN:
        return given
    if given.upload is None:
        test = _path(_("File of the test set"))
        return replace(given, test=test) if test else None
    test_upload = uploads.upload(_("Files of the test set"), lang, names, "test set")
    if test_upload is None:
        return None
    data = replace(given.upload.data, test=list(test_upload.data.read()))
    return replace(given, upload=uploads.Upload(data, (*given.upload.key, *test_upload.key)))
