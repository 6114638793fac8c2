"""Annotators of the running app, each with an open window: what they save, and what the database then has of it."""

from itertools import cycle, islice

import storing
from storing import made_project

from annotate import accounts
from annotate.editing import content
from annotate.rounds.draw import draw_round
from annotate.store import Store
from fewshot.corpora.load import load

STEPS = 3
"""Saves of an item; with the last one it is done."""


def prepare(url, names, pool, double_share=0.0, role="annotator"):
    """Make users and a project whose pool they share; return it and everybody's token."""
    store = Store.open(url)
    password = accounts.hash_password("correct horse")
    for name in names:
        store.add_user(name, password, role)
    sentences = [content.to_json(one) for one in load("en", "sample", "sentences").pool]
    rows = (("pool", f"s{n}", len(one["words"]), one) for n, one in enumerate(islice(cycle(sentences), pool)))
    settings = {"name": "load", "lang": "en", "tasks": ("pos",), "labels": {"pos": ["NOUN", "VERB", "X"]}}
    project = made_project(store, rows, names, k=pool, double_share=double_share, **settings)
    draw_round(store, project, pool, "random", 0)
    tokens = [accounts.open_session(store, name) for name in names]
    store.close()
    return project, tokens


def tags_of_step(window, step):
    """Return the annotation of the shown item after a step: of some words, after the last step of all."""
    tagged = window.words if step == STEPS else max(1, window.words * step // (STEPS + 1))
    tags = [("NOUN", "VERB")[(window.item.id + place + step) % 2] for place in range(tagged)]
    return {"upos": tags + ["_"] * (window.words - tagged)}


def annotate(window, saved, items=1, first_step=1):
    """Save all steps of some items, of the shown one from a step on, and go on to the next item.

    What is acknowledged is noted: saved[item, client, seq] = annotation.
    """
    for _ in range(items):
        for step in range(first_step, STEPS + 1):
            annotation = tags_of_step(window, step)
            window.save(annotation, step, done=step == STEPS)
            saved[window.item.id, window.client, step] = annotation
        window.next()
        first_step = 1


def lost_and_doubled(url, project, saved):
    """Return how many acknowledged saves the database does not hold as they were sent, and how many more it holds."""
    store = Store.open(url)
    revisions = [revision for item in store.items(project) for revision in storing.history(store, item.id)]
    store.close()
    held = {(one.item_id, one.client, one.seq): one.annotation for one in revisions}
    lost = sum(held.get(key) != annotation for key, annotation in saved.items())
    return lost, len(revisions) - len(held.keys() & saved.keys())
