"""One project and what people do with it, for tests: annotate, export, import and search."""

from itertools import count

import storing
from storing import made_items, made_project

from annotate.editing import messages, saving, session, view
from annotate.exchange.exporting import export_annotations
from annotate.exchange.importing import import_annotations
from annotate.quality import adjudication
from annotate.search import changes, queries
from annotate.store import ExampleFilter
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu
from fewshot.tasks.dep import RELATIONS
from fewshot.tasks.pos import UPOS

LABELS = {
    "pos": list(UPOS),
    "dep": list(RELATIONS),
    "ner": ["PER", "LOC", "ORG"],
    "nli": ["entailment", "neutral", "contradiction"],
    "topic": ["sports", "health"],
    "qa": [],
}

NUMBERS = count(1)
"""Sequence numbers of the messages."""


def new_project(store, examples, *names, test=(), **settings):
    """Return a project of the tasks that shows the annotation of its file."""
    kind, labels = tasks.get(names[0]).example.kind, {name: LABELS[name.partition("+")[0]] for name in names}
    settings = {"tasks": names, "kind": kind, "labels": labels, "hides_gold": False} | settings
    return made_project(store, storing.split_rows(examples, test), **settings)


def message(store, project, item, annotation, **changes):
    """Return what an editor that knows the newest version saves of an item."""
    newest = store.latest(item.id)
    event = {"item": item.id, "client": "page", "seq": next(NUMBERS), "scope": project.scope, "done": True}
    event |= {"seen": newest.id if newest else 0, "annotation": annotation, "edits": 1, "seconds": 1.0}
    return event | changes


def receive(store, project, annotator, event):
    """Take what an editor sends; return what is saved."""
    event = messages.check_save(event)
    project = saving.project_of(store, event["scope"])
    return saving.receive(store, project, saving.own_item(store, project, annotator, event["item"]), event)


class Desk:
    """A project at which people annotate.

    Args:
        folder: of the files that are exported and imported.
    """

    def __init__(self, store, project, folder):
        self.store, self.project, self.folder = store, project, folder
        self.ids = [row.id for row in store.examples(project.id)]

    def draw(self, *wanted, purpose="shots"):
        """Add a round of ``(place of the example, task, annotator, blind)``; return its items."""
        return made_items(self.store, self.project, [(self.ids[place], *rest) for place, *rest in wanted], purpose)

    def send(self, item, annotation, **changes):
        """Send an annotation; return what is saved, with the reason where it is not done."""
        event = message(self.store, self.project, item, annotation, **changes)
        return receive(self.store, self.project, item.annotator, event)

    def go(self, item, direction, annotation=None, through_tasks=False, **changes):
        """Send an annotation, if one is given, then ask for another item; return the id of that."""
        if annotation is not None:
            self.send(item, annotation, **changes)
        own = saving.own_item(self.store, self.project, item.annotator, item.id)
        target = session.go(self.store, self.project, own, direction, through_tasks)
        return target and target.id

    def save(self, item, annotation, **changes):
        """Send an annotation; return what is stored."""
        self.send(item, annotation, **changes)
        return self.latest(item)

    def keep(self, item, annotation, done=True, seconds=1.0):
        self.store.save(item.id, item.annotator, "page", next(NUMBERS), annotation, done, seconds, 1)

    def latest(self, item):
        """Return the newest annotation of an item, or None."""
        newest = self.store.latest(item.id)
        return newest and newest.annotation

    def status(self, item):
        return self.store.item(item.id).status

    def open(self, item):
        return session.open_item(self.store, self.project, self.store.item(item.id))

    def show(self, item):
        return view.view(self.project, self.open(item))

    def export(self, *names, who=None, part="annotated", format="conllu", as_it_is=False):
        names = names or self.project.tasks
        path = self.folder / f"out{formats.FORMATS[format].suffix}"
        found = export_annotations(self.store, self.project, names, who, part, as_it_is).held_by(format)
        formats.export(found, [tasks.get(name) for name in names], format, path)
        return path

    def take(self, given, task=None, who="ana", name="in.conllu"):
        path = self.folder / name
        if isinstance(given, str):
            path.write_text(given, encoding="utf-8")
        elif isinstance(given, list):
            conllu.write(given, path)
        else:
            path = given
        return import_annotations(self.store, self.project, task or self.project.tasks[0], path, who)

    def find(self, query, task=None, kind=queries.PATTERN, who=None):
        """Return the hits of a search, those of one annotator if one is named."""
        found = queries.find(self.store, self.project, kind, query, ExampleFilter(task or self.project.tasks[0])).hits
        return [hit for hit in found if who is None or hit.version.annotator == who]

    def change(self, hits, setting, author="ana"):
        """Change the places of hits that an author may change; return the outcome."""
        found = [one for one in changes.propose(self.project, hits, setting, author, False) if not one.refused]
        return changes.carry_out(self.store, self.project, found, setting, author, False)

    def decide(self, task, annotation, curator="cora"):
        """Let a curator decide on the first case of a task; return its versions."""
        case = adjudication.cases(self.store, self.project, task)[0]
        self.send(adjudication.open_review(self.store, self.project, task, case, curator), annotation)
        return [version.revision.annotation for version in case.versions]
