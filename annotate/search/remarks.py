"""What else is known of examples that are listed: how sure a model is, and whether people differ."""

from __future__ import annotations

from collections.abc import Sequence

from annotate.quality import gold
from annotate.store import REVIEW, Item, ListedExample, Revision, Store


def beside(store: Store, rows: Sequence[ListedExample], task: str, curates: bool) -> list[tuple[float | None, bool]]:
    """Return for each row the encoder's mean confidence in percent, and whether two people have finished it otherwise.

    Who annotates blind is not shown a model's confidence, and who does not curate not what others have made.

    Args:
        rows: of a page, not of a whole project.
        curates: whether all of it may be seen.
    """
    ids = {one.example.id for one in rows if one.item}
    suggested, saved = store.suggestions_for(ids, task), store.saved_items(ids) if curates else {}
    found: list[tuple[float | None, bool]] = []
    for one in rows:
        suggestion = None if one.item is None or (one.item.blind and not curates) else suggested.get(one.example.id)
        shares = suggestion.data["confidence"] if suggestion else []
        sure = 100 * sum(shares) / len(shares) if shares else None
        found.append((sure, one.item is not None and _differ(store, saved.get(one.example.id, ()), task)))
    return found


def _differ(store: Store, saved: Sequence[tuple[Item, Revision | None]], task: str) -> bool:
    finished = [
        gold.Version(item, revision)
        for item, revision in saved
        if revision and item.task == task and item.status == "done" and item.purpose != REVIEW
    ]
    return len(finished) > 1 and gold.differ(store, finished)
