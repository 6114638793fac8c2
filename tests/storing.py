"""Projects and assignments that the tests of the app share."""

from datetime import UTC, datetime, timedelta

import pytest
from making import examples
from sqlalchemy import event, select

from annotate.editing import content
from annotate.store import NewItem, NewProject
from annotate.store.tables import Revisions
from fewshot.tasks.pos import UPOS

on_both = pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.app)])
"""Runs a test of the store on SQLite, and on PostgreSQL among the tests of the app."""


class Clock:
    """A clock for `Store(url, clock=Clock())` that goes on by itself by a moment a reading, and else as a test says."""

    def __init__(self):
        self.now = datetime.now(UTC)

    def __call__(self):
        self.now += timedelta(milliseconds=1)
        return self.now

    def passes(self, time):
        self.now += time


def contents(pool=20, test=5):
    for split, size in (("pool", pool), ("test", test)):
        for number in range(size):
            yield split, f"{split}-{number}", 3 + number % 5, {"type": "Document", "id": f"{number}", "text": "猫 is"}


def made_project(store, examples=None, people=("ana", "ben"), **changes):
    """Store a project of these examples, twenty of the pool and five of the test set by default."""
    labels = {"pos": ["NOUN", "VERB"], "dep": ["nsubj", "root"]}
    settings = {"name": "Japanese", "lang": "ja", "tasks": ("pos", "dep"), "kind": "sentences", "labels": labels}
    settings |= {"sampler": "random", "k": 10, "seed": 7, "blind_share": 0.2, "double_share": 0.1, "wage": 20.0}
    settings |= {"currency": "EUR", "guidelines": "# Nouns\nas in UD", "level": 2, "source": "UD_Japanese-GSD"}
    settings |= {
        "encoder": "mini",
        "hides_gold": True,
        "suggester": "encoder",
        "source_model": "",
        "learns": False,
        "nested": False,
    }
    return store.create_project(NewProject(**settings | changes), contents() if examples is None else examples, people)


def split_rows(pool, test):
    """Return the rows of a project with a given pool and test set."""
    return [
        (split, example.id, example.length, content.to_json(example))
        for split, examples in (("pool", pool), ("test", test))
        for example in examples
    ]


def history(store, item_id):
    """Return every revision of an item, oldest first."""
    with store.reading() as db:
        ids = db.scalars(select(Revisions.c.id).where(Revisions.c.item_id == item_id)).all()
    return store.revisions(ids)


def add_job(store, project_id, kind, args):
    """Queue a job, also one that is queued already."""
    return store.request_job(project_id, kind, args, (), lambda job: False)


def pool_ids(store, project):
    return [key for key, _length in store.lengths(project.id, "pool")]


def made_items(store, project, items, purpose="shots"):
    """Add a round; return its items."""
    items = [item if isinstance(item, NewItem) else NewItem(*item) for item in items]
    made = store.add_round(project_id=project.id, purpose=purpose, sampler="random", k=len(items), seed=0, items=items)
    return store.items(project.id, round_id=made.id)


def save(store, item, seq, done=False, client="page", annotator="ana", seconds=1.0, edits=1, note=None):
    annotation = {"upos": ["NOUN", "_"], "note": seq if note is None else note}
    return store.save(item.id, annotator, client, seq, annotation, done, seconds, edits).seq


def annotate(store, project, item, seq=1, seconds=60.0, tag=None, annotation=None):
    """Finish an item as its example is labelled, or with one tag for all words, or with an annotation."""
    example = content.from_json(next(store.examples(project.id, ids=[item.example_id])).content)
    if annotation is None:
        annotation = {"upos": [tag] * example.length} if tag else content.annotation_of(item.task, example)
    store.save(item.id, item.annotator or "ana", "page", seq, annotation, True, seconds, 1)


def two_rounds(store, test, tag=None, **changes):
    """Make a project of tags with two rounds of ana's, three and five sentences of a minute each, and a test set.

    Args:
        tag: of all words; default: those of the data.
    """
    rows = split_rows(examples("sentences", 12, seed=3), test)
    made = made_project(store, rows, **{"tasks": ("pos",), "labels": {"pos": list(UPOS)}, "wage": 30.0} | changes)
    ids = pool_ids(store, made)
    for part in (ids[:3], ids[3:8]):
        for item in made_items(store, made, [(key, "pos", "ana") for key in part]):
            annotate(store, made, item, tag=tag)
    return made


def run_job(store, project, kind, sharing=1, **args):
    """Run a job on the CPU in this process; return how it ended."""
    from annotate.worker import run

    made = add_job(store, project.id, kind, {"device": "cpu", **args})
    run.run(store, run.claim(store, made.id), sharing)
    return store.job(made.id)


def fill_up(store):
    """Let the disk be full from now on: on SQLite for this store, on PostgreSQL for everybody; return what ends it."""
    if store.is_sqlite:

        @event.listens_for(store.engine, "begin")
        def no_more_pages(connection):
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

        return lambda: event.remove(store.engine, "begin", no_more_pages)
    full = "BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END"
    with store.writing() as db:
        db.exec_driver_sql(f"CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $${full}$$")
        db.exec_driver_sql("CREATE TRIGGER full_disk BEFORE INSERT ON revisions EXECUTE FUNCTION full_disk()")

    def empty():
        with store.writing() as db:
            db.exec_driver_sql("DROP TRIGGER full_disk ON revisions")

    return empty
