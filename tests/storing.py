"""Projects and assignments that the tests of the app share."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import event

from annotate.store import NewItem, NewProject


class Clock:
    """A clock for `Store(url, clock=Clock())` that goes on by itself by a moment a reading, and else as a test says."""

    def __init__(self):
        self.now = datetime.now(UTC)

    def __call__(self):
        self.now += timedelta(milliseconds=1)
        return self.now

    def passes(self, time):
        """Let some time pass."""
        self.now += time


def contents(pool=20, test=5):
    for split, size in (("pool", pool), ("test", test)):
        for number in range(size):
            yield split, f"{split}-{number}", 3 + number % 5, {"type": "Document", "id": f"{number}", "text": "猫 is"}


def made_project(store, examples=None, people=("ana", "ben"), **changes):
    settings = {
        "name": "Japanese",
        "lang": "ja",
        "tasks": ("pos", "dep"),
        "kind": "sentences",
        "labels": {"pos": ["NOUN", "VERB"], "dep": ["nsubj", "root"]},
        "sampler": "random",
        "k": 10,
        "seed": 7,
        "blind_share": 0.2,
        "double_share": 0.1,
        "wage": 20.0,
        "currency": "EUR",
        "guidelines": "# Nouns\nas in UD",
        "level": 2,
        "source": "UD_Japanese-GSD",
        "encoder": "mini",
        "hides_gold": True,
        "suggester": "encoder",
        "source_model": "",
    }
    found = contents() if examples is None else examples
    return store.create_project(NewProject(**(settings | changes)), found, people)


def made_items(store, project, items, purpose="shots"):
    """Add a round; return its items."""
    items = [item if isinstance(item, NewItem) else NewItem(*item) for item in items]
    made = store.add_round(project_id=project.id, purpose=purpose, sampler="random", k=len(items), seed=0, items=items)
    return store.items(project.id, round_id=made.id)


def save(store, item, seq, done=False, client="page", annotator="ana", seconds=1.0, edits=1, note=None):
    annotation = {"upos": ["NOUN", "_"], "note": seq if note is None else note}
    return store.save(item.id, annotator, client, seq, annotation, done, seconds, edits)


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
