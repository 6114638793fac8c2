"""The lexicons that people have imported into projects."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

import sqlalchemy as sa
from sqlalchemy import delete, func, insert, select

from annotate.store.database import CHUNK_ROWS, Database, chunks, lock_project
from annotate.store.tables import columns, metadata
from fewshot.corpora.lexicon import LexiconEntry, key_of
from fewshot.corpora.types import UNANNOTATED

LexiconRows = sa.Table(
    "lexicon",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("project_id", sa.ForeignKey("projects.id"), nullable=False),
    *(
        sa.Column(name, sa.Text, nullable=False)
        for name in ("source", "key", "form", "lemma", "upos", "feats", "gloss")
    ),
    sa.Index("ix_lexicon_key", "project_id", "key"),
)
"""``source`` is the name of the file, ``key`` the form by `fewshot.corpora.lexicon.key_of`."""


class LexiconStore(Database):
    """Imported lexicons."""

    def set_lexicon(self, project_id: int, source: str, entries: Iterable[LexiconEntry]) -> int:
        """Store a lexicon in place of an earlier one of the same name; return the number of its entries.

        Without entries the earlier one is deleted.
        """
        added = 0
        with self.writing() as db:
            lock_project(db, project_id)
            db.execute(delete(LexiconRows).filter_by(project_id=project_id, source=source))
            for chunk in chunks(entries, CHUNK_ROWS):
                shared = {"project_id": project_id, "source": source}
                db.execute(insert(LexiconRows), [asdict(each) | shared | {"key": key_of(each.form)} for each in chunk])
                added += len(chunk)
        return added

    def lexicons(self, project_id: int) -> dict[str, int]:
        """Return the number of entries of each lexicon of a project."""
        query = select(LexiconRows.c.source, func.count()).filter_by(project_id=project_id)
        with self.reading() as db:
            rows = db.execute(query.group_by(LexiconRows.c.source).order_by(LexiconRows.c.source))
            return {str(source): int(count) for source, count in rows}

    def lexicon_entries(self, project_id: int, forms: Iterable[str]) -> list[LexiconEntry]:
        """Return the readings that the lexicons of a project have for some forms, each once."""
        keys = {key_of(form) for form in forms}
        query = select(*columns(LexiconRows, LexiconEntry)).filter_by(project_id=project_id).order_by(LexiconRows.c.id)
        return list(dict.fromkeys(self._fetch_all(LexiconEntry, query.where(LexiconRows.c.key.in_(keys)))))

    def lexicon_features(self, project_id: int) -> list[str]:
        """Return the different values of FEATS in the lexicons of a project."""
        query = select(LexiconRows.c.feats).filter_by(project_id=project_id).distinct()
        with self.reading() as db:
            return list(db.scalars(query.where(LexiconRows.c.feats != UNANNOTATED).order_by(LexiconRows.c.feats)))
