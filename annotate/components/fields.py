"""Fields and buttons that several pages share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import samplers
from annotate.components import frame
from annotate.editing.labels import check
from annotate.rounds.draw import draw_round
from annotate.store import REVIEW, OvertakenError, Progress, Project
from fewshot import tasks
from fewshot.errors import FewshotError

CURRENCIES = ("USD", "EUR", "GBP", "JPY")
ENCODER = "mini"


def keep_problem(error: FewshotError, event: Mapping[str, Any]) -> None:
    """Keep what was wrong with what an editor sent, for `show_problem`; where it can, it shows two versions itself."""
    if not isinstance(error, OvertakenError) or event.get("left"):
        st.session_state["problem"] = str(error)


def show_problem() -> None:
    """Draw what was wrong with what an editor sent last, once."""
    if problem := st.session_state.pop("problem", None):
        st.error(f"{frame.plain(problem)}. What is not saved is kept in this window.")


def task(project: Project, open_first: bool = False) -> str:
    """Return the task on the page: until another one is chosen, that of the linked item, else the first.

    Args:
        open_first: of those in which this person has something left to do, where there are any.
    """
    names = list(project.tasks)
    if len(names) == 1:
        return names[0]
    key = f"task {project.id}"
    if st.session_state.get(key) is None:
        linked = linked_item()
        items = frame.store().items(project.id, item_id=linked) if linked else []
        first = _unfinished(project) if open_first else names[0]
        st.session_state[key] = items[0].task if items else first
    return str(
        st.segmented_control(
            "Task", names, format_func=lambda name: tasks.get(name).title, key=key, label_visibility="collapsed"
        )
    )


def _unfinished(project: Project) -> str:
    """Return the first task in which there is something left to do for this person, else the first."""
    mine = (item for item in frame.store().items(project.id) if item.annotator in (None, frame.user().name))
    left = {item.task for item in mine if item.status != "done" and item.purpose != REVIEW}
    return next((name for name in project.tasks if name in left), project.tasks[0])


def linked_item() -> int | None:
    """Return the item that the address names."""
    linked = st.query_params.get("item", "")
    return int(linked) if linked.isdecimal() else None


def annotators(given: str) -> list[str]:
    """Return the names of a list with commas; where people sign in, they must be able to."""
    found = listed(given)
    known = {user.name for user in frame.store().users() if user.active} if frame.signed_in() else set(found)
    if strangers := [name for name in found if name not in known]:
        raise FewshotError(f"{', '.join(strangers)} cannot sign in here; an admin adds people on the page People")
    return found


def encoder(place: DeltaGenerator, now: str, key: str) -> str:
    """Draw the field for the encoder of a project; return what is in it."""
    help_ = (
        "mini, a hub id such as xlm-roberta-base, or a folder on the machine that computes. Any but mini needs an "
        "English model once: fewshot source --task pos --model xlm-roberta-base --data ud"
    )
    return str(place.text_input("Encoder", now, key=key, help=help_)).strip() or ENCODER


def labels(task: str, options: Sequence[str], now: Sequence[str], key: str) -> list[str]:
    """Draw the field for the labels of a task, in which others than those offered can be typed; return what is in it.

    Args:
        options: that are offered.
        now: what stands in it at first.

    Raises:
        FewshotError: for a label that files could not hold.
    """
    title, more = tasks.get(task).title, "Type a label and press Enter; those that come with the data are added."
    chosen = st.multiselect(
        f"{title}: labels", list(dict.fromkeys(options)), list(now), help=more, key=key, accept_new_options=True,
        placeholder="labels of your own",
    )  # fmt: skip
    names = [name if name in options else name.strip() for name in chosen]
    check(task, set(names).difference(options))
    return list(dict.fromkeys(filter(None, names)))


def sampler_names() -> list[str]:
    """Return the names of all samplers, those that need no model first."""
    return sorted(samplers.registry(), key=lambda name: bool(samplers.get(name).needs))


def listed(given: str) -> list[str]:
    """Return what stands between commas, each once."""
    return list(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))


def test_set(project: Project, rows: Sequence[Progress]) -> None:
    """Offer to annotate the test set, where there is one that was not drawn yet."""
    if not project.test_size or any(row.purpose == "test" for row in rows):
        return
    st.caption(f"{project.test_size} examples are kept for the test set. Annotated blind, they show the score.")
    if st.button("Annotate the test set", key=f"test {project.id}"):
        draw_round(frame.store(), project, project.test_size, "random", project.seed, purpose="test")
        st.rerun()
