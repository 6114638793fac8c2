"""Send files through projects: a third of the examples is annotated, and everything comes out again.

    python tests/annotate/exchange/round_trips.py FOLDER...

Prints a line a file: where export and file differ, which may only be in annotation. Exit status 1 where anything is
lost.
"""

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path

from annotate.exchange import project_data, projects
from annotate.exchange.exporting import export_annotations
from annotate.store import Store
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.errors import FewshotError

TASKS = (("pos", "dep"), ("nli",), ("topic",), ("qa",), ("ner",))
"""The first of these of which a file has annotation is annotated, else the first by which it can be read."""

PROBED = 100
"""Examples in which annotation is looked for."""

COLUMNS = {
    "conllu": ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"),
    "webanno": ("number", "characters", "token", "entity", "end"),
}
ANNOTATION = {
    "conllu": {"UPOS", "HEAD", "DEPREL", "DEPS"},
    "bio": {"last"},
    "conll2003": {"last"},
    "webanno": {"entity"},
    "tsv": {"label", "category"},
    "jsonl": {"label", "answers", "entities", "upos", "heads", "deprels"},
    "spans": {"label"},
    "squad": {"answers", "is_impossible"},
    "label-studio": {"annotations"},
}
"""Columns or keys that hold annotation, by format; MISC does for entities."""

KEYS = ANNOTATION["squad"] | ANNOTATION["jsonl"] | ANNOTATION["label-studio"]


@dataclass(frozen=True)
class Trip:
    """A file after its way through a project: counts of differing columns, and what is lost."""

    read: int
    annotated: int
    differ: Counter
    lost: list[str]


def round_trip(path, folder, names=None):
    """Send a file through a project with its database and export in an empty folder."""
    names = names or tasks_of(path)
    kind = tasks.get(names[0])
    format_ = formats.detect(path, layer=kind)
    before = list(formats.stream(path, None, "und", kind))
    store = Store.open(f"sqlite:///{folder / 'fewshot.db'}")
    project, made = annotate(store, before, names, folder)
    out = folder / path.name  # examples without an id are named after their file
    exported = export_annotations(store, project, names, None, "all").examples
    formats.export(exported, [tasks.get(name) for name in names], format_.name, out)
    store.close()
    differ = Counter(differences(path, out, format_.name))
    annotation = ANNOTATION[format_.name] | ({"MISC"} if names == ("ner",) else set())
    lost = [f"{count:,} differ in {name}" for name, count in differ.items() if name not in annotation]
    lost += wrong(before, list(formats.stream(out, None, "und", kind)), names, made)
    return Trip(len(before), len(made), differ, lost)


def tasks_of(path):
    """Return the tasks whose annotation a file holds, see `TASKS`."""
    readable, reason = [], None
    for names in TASKS:
        kind = tasks.get(names[0])
        try:
            first = list(islice(formats.stream(path, None, "und", kind), PROBED))
        except FewshotError as error:
            reason = error
            continue
        readable.append(names)
        if any(map(kind.is_annotated, first)):
            return names
    if not readable:
        raise reason
    return readable[0]


def annotate(store, examples, names, folder):
    """Make a project and annotate every third example of its pool; return it and the annotation by example id."""
    from corpora.formats.annotating import arbitrary
    from desk import Desk

    data = project_data.Data("file", lambda: examples)
    taken = project_data.take(data, names, test=0)
    settings = projects.settings("trip", "und", names, k=0)
    desk = Desk(store, projects.make(store, settings, data, taken, ["script"], suggest=False), folder)
    keys, made = {row.id: row.key for row in store.examples(desk.project.id, split="pool")}, {}
    places = [desk.ids.index(id) for id in list(keys)[::3]]
    for item in desk.draw(*((place, name, "script", True) for place in places for name in names)):
        annotation = arbitrary(item.task, desk.open(item).example, desk.project.labels.get(item.task, ()))
        desk.send(item, annotation)
        made.setdefault(keys[item.example_id], {}).update(annotation)
    return desk.project, made


def differences(one, other, format):
    """Yield the column or key of each differing cell or value, and ``lines`` for other or missing lines."""
    if one.suffix == ".json":
        yield from _values(*(json.loads(path.read_text(encoding="utf-8-sig")) for path in (one, other)))
        return
    texts = [path.read_bytes().decode() for path in (one, other)]
    header = texts[0].split("\n", 1)[0].removeprefix("\ufeff").rstrip("\r").split("\t")
    columns = header if format == "tsv" else COLUMNS.get(format, ())
    for old, new in zip_longest(*(text.split("\n") for text in texts)):
        if old is None or new is None:
            yield "lines"
        elif old != new and one.suffix in (".jsonl", ".ndjson"):
            yield from _values(json.loads(old), json.loads(new))
        elif old != new:
            yield from _cells(old, new, columns)


def _cells(old, new, columns):
    rows = [re.split(r"\t" if "\t" in line else " ", line) for line in (old, new)]
    if len(rows[0]) != len(rows[1]) or len(rows[0]) < len(columns):
        yield "lines"
        return
    for place, (was, now) in enumerate(zip(*rows, strict=True)):
        if was != now:
            yield columns[place] if columns else "last" if place == len(rows[0]) - 1 else str(place + 1)


def _values(old, new, key="file"):
    """Yield the keys under which two values of JSON differ, the outermost that holds annotation."""
    if isinstance(old, dict) and isinstance(new, dict) and key not in KEYS:
        for name in old.keys() | new.keys():
            yield from _values(old.get(name), new.get(name), name)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and key not in KEYS:
        for was, now in zip(old, new, strict=True):
            yield from _values(was, now, key)
    elif old != new:
        yield key


def wrong(before, after, names, made):
    """Return the examples that are not as they were where nobody annotated, or not as they were annotated."""
    if [one.id for one in before] != [one.id for one in after]:
        return [f"{len(before):,} examples went in, {len(after):,} came out, or with other ids"]
    return [
        f"{new.where}: {new.id} is not as it was {'annotated' if old.id in made else 'before'}"
        for old, new in zip(before, after, strict=True)
        if (_held(new, names) != made[old.id] if old.id in made else (old, old.record) != (new, new.record))
    ]


def _held(example, names):
    from corpora.formats.annotating import annotation

    return {key: value for name in names for key, value in annotation(name, example).items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    arguments = parser.parse_args()
    known = {suffix for kind in ("sentences", "pairs", "articles") for suffix in formats.suffixes(kind)}
    files = sorted(path for folder in arguments.folders for path in folder.rglob("*") if path.suffix in known)
    failed = 0
    for path in files:
        try:
            with tempfile.TemporaryDirectory() as folder:
                trip = round_trip(path, Path(folder))
        except FewshotError as error:
            failed += 1
            print(f"{path}: {error}")
            continue
        failed += bool(trip.lost)
        where = ", ".join(f"{count:,} {name}" for name, count in sorted(trip.differ.items()))
        print(f"{path}: {trip.annotated:,} of {trip.read:,} annotated; differ: {where or 'nothing'}")
        for line in trip.lost[:5]:
            print(f"  LOST {line}")
        sys.stdout.flush()
    print(f"{len(files)} files, {len(files) - failed} with nothing lost")
    return int(failed > 0 or not files)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    sys.exit(main())
