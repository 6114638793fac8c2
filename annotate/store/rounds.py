"""Rounds: drawn examples and their assignment to annotators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, func, insert, select, update

from annotate.store.database import CHUNK_ROWS, Database, chunks, require_project
from annotate.store.errors import ConflictError, StoreError
from annotate.store.records import REST, REVIEW, Round
from annotate.store.tables import Examples, Items, Projects, Rounds, columns


@dataclass(frozen=True, slots=True)
class NewItem:
    """An assignment to add; without an annotator, the first person to open the item gets it.

    Args:
        purpose: of the item; empty: that of the round.
    """

    example_id: int
    task: str
    annotator: str | None = None
    blind: bool = False
    purpose: str = ""


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
            ConflictError: when an example is in a round although `undrawn` is set, or is reviewed for the task already.
            StoreError: when an example is of another project, or would be assigned twice to one person for one task.
        """
        created = self.clock()
        with self.writing() as db:
            require_project(db, project_id)  # concurrent draws wait
            _check(db, project_id, items)
            if undrawn or purpose == REVIEW:
                _check_undrawn(db, project_id, items, purpose == REVIEW)
            last = db.scalar(select(func.max(Rounds.c.number)).where(Rounds.c.project_id == project_id)) or 0
            values = {"number": last + 1, "purpose": purpose, "sampler": sampler, "k": k, "seed": seed}
            values |= {"project_id": project_id, "created": created}
            added = Round(*db.execute(insert(Rounds).values(values).returning(*columns(Rounds, Round))).one())
            _insert(db, added, items)
        return added

    def extend_round(self, extended: Round, items: Sequence[NewItem]) -> None:
        """Add assignments at the end of a round; examples that samplers leave out become part of the pool.

        Raises:
            ConflictError: when an example is in a round already.
            StoreError: when an example is of another project.
        """
        examples = {item.example_id for item in items}
        with self.writing() as db:
            require_project(db, extended.project_id)
            _check(db, extended.project_id, items)
            _check_undrawn(db, extended.project_id, items)
            rest = (Examples.c.id.in_(examples), Examples.c.split == REST)
            moved = db.execute(update(Examples).where(*rest).values(split="pool")).rowcount
            mine = update(Projects).where(Projects.c.id == extended.project_id)
            db.execute(mine.values(pool_size=Projects.c.pool_size + moved))
            last = select(func.max(Items.c.position)).where(Items.c.round_id == extended.id)
            _insert(db, extended, items, (db.scalar(last) or 0) + 1)

    def rounds(self, project_id: int) -> list[Round]:
        """Return the rounds of a project by number."""
        query = select(*columns(Rounds, Round)).where(Rounds.c.project_id == project_id).order_by(Rounds.c.number)
        return self._fetch_all(Round, query)


def _insert(db: Connection, into: Round, items: Sequence[NewItem], first: int = 0) -> None:
    rest = {"project_id": into.project_id, "round_id": into.id, "status": "open", "flagged": False, "taken": False}
    for chunk in chunks(enumerate(items, start=first), CHUNK_ROWS):
        rows = [asdict(item) | {"purpose": item.purpose or into.purpose, "position": at} for at, item in chunk]
        db.execute(insert(Items), [row | rest for row in rows])


def _check(db: Connection, project_id: int, items: Sequence[NewItem]) -> None:
    for chunk in chunks(sorted({item.example_id for item in items}), CHUNK_ROWS):
        own = select(Examples.c.id).where(Examples.c.project_id == project_id, Examples.c.id.in_(chunk))
        if foreign := set(chunk).difference(db.scalars(own)):
            raise StoreError(f"example {min(foreign)} is not in project {project_id}; draw from its own examples")


def _check_undrawn(db: Connection, project_id: int, items: Sequence[NewItem], in_review: bool = False) -> None:
    """Raise ConflictError if examples are in a round, or with `in_review` in a review of their task."""
    wanted = (Items.c.purpose == REVIEW, Items.c.task.in_({item.task for item in items})) if in_review else ()
    for chunk in chunks(sorted({item.example_id for item in items}), CHUNK_ROWS):
        drawn = select(Items.c.id).where(Items.c.project_id == project_id, Items.c.example_id.in_(chunk), *wanted)
        if db.scalar(drawn.limit(1)) is not None:
            raise ConflictError("somebody else drew some of these examples in the meantime; draw again")
