"""Model confidence and disagreement of annotators for listed examples."""

from __future__ import annotations

from collections.abc import Sequence

from annotate.quality import gold
from annotate.store import REVIEW, Item, ListedExample, Revision, Store, StoredExample


def confidence_and_disputes(
    store: Store, rows: Sequence[ListedExample], task: str, curates: bool
) -> list[tuple[float | None, bool]]:
    """Return the encoder's mean confidence, and whether annotators disagree, for each row of a page.

    The confidence, in percent, is None for blind items, and disagreement False for everything, unless the user curates.
    """
    ids = {row.example.id for row in rows if row.item}
    suggested, saved = store.suggestions_for(ids, task), store.saved_items(ids) if curates else {}
    results: list[tuple[float | None, bool]] = []
    for row in rows:
        is_hidden = row.item is None or (row.item.blind and not curates)
        suggestion = None if is_hidden else suggested.get(row.example.id)
        shares = suggestion.data["confidence"] if suggestion else []
        confidence = 100 * sum(shares) / len(shares) if shares else None
        differ = row.item is not None and _differ(store, row.example, saved.get(row.example.id, ()), task)
        results.append((confidence, differ))
    return results


def _differ(store: Store, row: StoredExample, saved: Sequence[tuple[Item, Revision | None]], task: str) -> bool:
    finished = [
        gold.FinishedVersion(item, revision)
        for item, revision in saved
        if revision and item.status == "done" and item.purpose != REVIEW
    ]
    made = [gold.with_own_corrections(row, version, finished) for version in finished if version.item.task == task]
    return len(made) > 1 and gold.differ(store, made)
