"""Upload and removal of a project's lexicons: a part of the data page."""

from __future__ import annotations

import streamlit as st

from annotate.components import frame, uploads
from annotate.language import _, written
from annotate.store import Project
from fewshot.corpora import lexicon


def show(project: Project) -> None:
    """Draw upload and removal of lexicons."""
    st.markdown("#### " + _("Lexicon"))
    st.caption(_(
        "What a form can be: its readings are suggested in every new sentence. A table with tabs ({columns}), "
        "UniMorph, or LIFT of FieldWorks.",
        columns=" ".join(lexicon.COLUMNS),
    ))  # fmt: skip
    number = st.session_state.get("lexicons kept", 0)
    endings = [kind.removeprefix(".") for kind in lexicon.SUFFIXES]
    files = uploads.uploader(_("Lexicon"), f"lexicon {project.id} {number}", False, type=endings)
    if files and st.button(_("Keep it"), type="primary"):
        with uploads.kept(files) as (path,):
            frame.store().set_lexicon(project.id, files[0].name, list(lexicon.read(path)))
        st.session_state["lexicons kept"] = number + 1  # an empty uploader
        st.rerun()
    for name, count in frame.store().lexicons(project.id).items():
        left, right = st.columns([3, 1], vertical_alignment="center")
        left.markdown(f"{frame.plain(name)} · " + _("{number} readings", number=written(count)))
        if right.button(_("Remove"), key=f"remove {name}"):
            frame.store().set_lexicon(project.id, name, ())
            st.rerun()
