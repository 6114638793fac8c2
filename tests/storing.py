"""Projects and assignments that the tests of the app share."""

from annotate.store import NewItem


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
    }
    found = contents() if examples is None else examples
    return store.create_project(**(settings | changes), examples=found, people=people)


def made_items(store, project, items, purpose="shots"):
    """Add a batch; return its items."""
    items = [item if isinstance(item, NewItem) else NewItem(*item) for item in items]
    batch = store.add_batch(project_id=project.id, purpose=purpose, sampler="random", k=len(items), seed=0, items=items)
    return store.items(project.id, batch_id=batch.id)


def save(store, item, seq, done=False, client="page", annotator="ana", seconds=1.0, edits=1, note=None):
    annotation = {"upos": ["NOUN", "_"], "note": seq if note is None else note}
    return store.save(item.id, annotator, client, seq, annotation, done, seconds, edits)
