"""Rounds: drawn examples and their assignment to annotators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import Connection, func, insert, select

from annotate.store.database import CHUNK_ROWS, Database, chunks, require_project
from annotate.store.errors import StoreError
from annotate.store.records import NewItem, Round, columns
from annotate.store.tables import Examples, Items, Rounds


class RoundStore(Database):
    """The rounds of projects."""

    def drawn_examples(self, project_id: int) -> set[int]:
        """Return the ids of the examples that are in a round."""
        with self.reading() as db:
            return set(db.scalars(select(Items.c.example_id).where(Items.c.project_id == project_id).distinct()))

    def add_round(
        self,
        *,
        project_id: int,
        purpose: str,
        sampler: str,
        k: int,
        seed: int,
        items: Sequence[NewItem],
        undrawn: bool = False,
    ) -> Round:
        """Add a round with its assignments, in the order in which people get them.

        Args:
            purpose: ``shots``, ``test`` or ``review``.
            k: number of examples asked for.
            undrawn: whether to refuse examples that are in a round already.

        Raises:
            StoreError: when an example is of another project, is in a round although `undrawn` is set, or would be
                assigned twice to one person for one task.
        """
        created = self.clock()
        with self.writing() as db:
            require_project(db, project_id)  # concurrent draws wait
            examples = {item.example_id for item in items}
            _check(db, project_id, examples, undrawn)
            last = db.scalar(select(func.max(Rounds.c.number)).where(Rounds.c.project_id == project_id)) or 0
            values = {"number": last + 1, "purpose": purpose, "sampler": sampler, "k": k, "seed": seed}
            values |= {"project_id": project_id, "created": created}
            added = Round(*db.execute(insert(Rounds).values(values).returning(*columns(Rounds, Round))).one())
            rest = {"project_id": project_id, "round_id": added.id, "purpose": purpose}
            rest |= {"status": "open", "flagged": False, "taken": False}
            for chunk in chunks(enumerate(items), CHUNK_ROWS):
                db.execute(insert(Items), [{**asdict(item), "position": place, **rest} for place, item in chunk])
        return added

    def rounds(self, project_id: int) -> list[Round]:
        """Return the rounds of a project by number."""
        query = select(*columns(Rounds, Round)).where(Rounds.c.project_id == project_id).order_by(Rounds.c.number)
        return self._fetch_all(Round, query)


def _check(db: Connection, project_id: int, examples: set[int], undrawn: bool) -> None:
    for chunk in chunks(sorted(examples), CHUNK_ROWS):
        own = select(Examples.c.id).where(Examples.c.project_id == project_id, Examples.c.id.in_(chunk))
        if foreign := set(chunk).difference(db.scalars(own)):
            raise StoreError(f"example {min(foreign)} is not in project {project_id}; draw from its own examples")
        drawn = select(Items.c.id).where(Items.c.project_id == project_id, Items.c.example_id.in_(chunk))
        if undrawn and db.scalar(drawn.limit(1)) is not None:
            raise StoreError("somebody else drew some of these examples in the meantime; draw again")
