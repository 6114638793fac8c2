"""Treebanks and files of all other formats go into projects, a third is annotated, and everything comes out again.

    python tests/annotate/exchange/round_trips.py FOLDER... [--level 2]

Every third example that may be drawn is annotated by script, as a window of the app sends it. Prints a line a file:
where export and file differ, which may only be in what was annotated, and what udtools finds that it did not find
before. Exit status 1 where anything is lost.
"""

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from annotate.editing import content, session
from annotate.exchange import projects
from annotate.exchange.exporting import export_annotations
from annotate.store import NewItem, Store
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.iob import to_iob2
from fewshot.errors import FewshotError
from fewshot.tasks.pos import UPOS

TASKS = (("pos", "dep"), ("nli",), ("topic",), ("qa",), ("ner",))
"""Tried on a file in this order: the first of which it has annotation, else the first by which it can be read.

Entities come last: where a format says nothing of them, a text may have none.
"""

PROBED = 100
"""Examples in which annotation is looked for."""

EVERY, WHO = 3, "script"

COLUMNS = {
    "conllu": ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"),
    "webanno": ("number", "characters", "token", "entity", "end"),
}
"""Columns of formats that always have the same."""

ANNOTATION = {
    "conllu": {"UPOS", "HEAD", "DEPREL", "DEPS"},
    "bio": {"last"},
    "conll2003": {"last"},
    "webanno": {"entity"},
    "tsv": {"label", "category"},
    "jsonl": {"label", "entities", "upos", "heads", "deprels"},
    "squad": {"answers", "is_impossible"},
    "label-studio": {"annotations"},
}
"""Columns or keys that hold annotation, by format."""


@dataclass(frozen=True)
class Trip:
    """What a file was like after its way through a project.

    Args:
        read: number of examples.
        annotated: of those.
        differ: how many cells or values differ, by column or key.
        lost: the differences that no annotation explains, for people.
        found: what udtools says now and did not say of the file, counted by sentence and test.
    """

    read: int
    annotated: int
    differ: Counter[str]
    lost: list[str]
    found: Counter[tuple[str, str]]


def round_trip(path: Path, folder: Path, level: int = 2) -> Trip:
    """Send a file through a project.

    Args:
        folder: an empty one, for database and export.
        level: of UD's validator.

    Raises:
        FewshotError: when the file cannot be read.
    """
    names = tasks_of(path)
    kind = tasks.get(names[0])
    format_ = formats.detect(path, layer=kind)
    before = list(formats.stream(path, None, "und", kind))
    store = Store.open(f"sqlite:///{folder / 'fewshot.db'}")
    project, made = annotate(store, before, names)
    out = folder / path.name  # by which examples without an id are called
    exported = export_annotations(store, project, names, None, "all").examples
    formats.export(exported, [tasks.get(name) for name in names], format_.name, out)
    store.close()
    differ = Counter(differences(path, out, format_.name))
    lost = [f"{count:,} differ in {name}" for name, count in differ.items() if name not in ANNOTATION[format_.name]]
    lost += wrong(before, list(formats.stream(out, None, "und", kind)), names, made)
    found = problems(out, level) - problems(path, level) if format_.name == "conllu" else Counter()
    return Trip(len(before), len(made), differ, lost, found)


def tasks_of(path: Path) -> tuple[str, ...]:
    """Return the tasks whose annotation a file holds, see `TASKS`."""
    readable, why = [], None
    for names in TASKS:
        kind = tasks.get(names[0])
        try:
            first = list(islice(formats.stream(path, None, "und", kind), PROBED))
        except FewshotError as error:
            why = error
            continue
        readable.append(names)
        if any(map(kind.is_annotated, first)):
            return names
    if not readable:
        raise why
    return readable[0]


def annotate(store: Store, examples: list[Any], names: tuple[str, ...]) -> tuple[Any, dict[str, dict[str, Any]]]:
    """Make a project of examples and annotate every third of its pool; return it, and what was saved by example id."""
    data = projects.Data("file", lambda: examples)
    taken = projects.take(data, names, test=0)
    project = projects.make(store, projects.settings("trip", "und", names, k=0), data, taken, [WHO], suggest=False)
    rows = list(store.examples(project.id, split="pool"))[::EVERY]
    wanted = [NewItem(row.id, name, WHO, blind=True) for row in rows for name in names]
    store.add_round(project_id=project.id, purpose="shots", sampler="random", k=len(rows), seed=0, items=wanted)
    keys, made = {row.id: row.key for row in rows}, {}
    for item in store.items(project.id):
        shown = session.open_item(store, project, item).example
        labels = project.labels.get(item.task, ())
        annotation = answered(item.task, shown, labels)
        sent = {"client": "page", "item": item.id, "seq": 1, "seen": 0, "edits": 1, "seconds": 1.0, "done": True}
        session.receive(store, project, WHO, sent | {"annotation": annotation})
        made.setdefault(keys[item.example_id], {}).update(annotation)
    return project, made


def answered(task: str, example: Any, labels: list[str]) -> dict[str, Any]:
    """Return an annotation that anybody could make without reading: legal, and hardly ever what the file has."""
    size = example.length
    return {
        "pos": lambda: {"upos": [UPOS[word % len(UPOS)] for word in range(size)]},
        "dep": lambda: {"heads": [*range(2, size + 1), 0], "deprels": ["dep"] * (size - 1) + ["root"]},
        "ner": lambda: {"entities": [f"B-{labels[0]}", f"I-{labels[0]}", *["O"] * size][:size]},
        "nli": lambda: {"label": labels[-1]},
        "topic": lambda: {"label": labels[-1]},
        "qa": lambda: {"answers": {asked.id: [{"text": paragraph.context.split()[0],
                                               "start": len(paragraph.context) - len(paragraph.context.lstrip())}]
                                   for paragraph in example.paragraphs for asked in paragraph.questions}},
    }[task]()  # fmt: skip


def differences(one: Path, other: Path, format: str) -> Iterator[str]:
    """Yield the column or key of each cell or value that differs; ``lines`` for other lines, or one that is missing."""
    if one.suffix == ".json":
        yield from _values(*(json.loads(path.read_text(encoding="utf-8-sig")) for path in (one, other)))
        return
    texts = [path.read_bytes().decode() for path in (one, other)]
    header = texts[0].split("\n", 1)[0].removeprefix("\ufeff").rstrip("\r").split("\t")
    columns = header if format == "tsv" else COLUMNS.get(format, ())
    for old, new in zip_longest(*(text.split("\n") for text in texts)):
        if old == new:
            continue
        if old is None or new is None:
            yield "lines"
        elif one.suffix in (".jsonl", ".ndjson"):
            yield from _values(json.loads(old), json.loads(new))
        else:
            yield from _cells(old, new, columns)


def _cells(old: str, new: str, columns: Sequence[str]) -> Iterator[str]:
    """Yield the names of the cells in which two lines differ; without names, ``last`` for the last one."""
    rows = [re.split(r"\t" if "\t" in line else " ", line) for line in (old, new)]
    if len(rows[0]) != len(rows[1]) or len(rows[0]) < len(columns):
        yield "lines"
        return
    for place, (was, now) in enumerate(zip(*rows, strict=True)):
        if was != now:
            yield columns[place] if columns else "last" if place == len(rows[0]) - 1 else str(place + 1)


def _values(old: Any, new: Any, key: str = "file") -> Iterator[str]:
    """Yield the keys under which two values of JSON differ, the outermost that holds annotation."""
    if key in ANNOTATION["squad"] | ANNOTATION["jsonl"] | ANNOTATION["label-studio"] or type(old) is not type(new):
        if old != new:
            yield key
    elif isinstance(old, dict):
        for name in old.keys() | new.keys():
            yield from _values(old.get(name), new.get(name), name)
    elif isinstance(old, list) and len(old) == len(new):
        for was, now in zip(old, new, strict=True):
            yield from _values(was, now, key)
    elif old != new:
        yield key


def wrong(before: list[Any], after: list[Any], names: tuple[str, ...], made: dict[str, dict[str, Any]]) -> list[str]:
    """Return the examples that are not as they were where nobody annotated, or not as they were annotated."""
    if [one.id for one in before] != [one.id for one in after]:
        return [f"{len(before):,} examples went in, {len(after):,} came out, or with other ids"]
    return [
        f"{new.where}: {new.id} is not as it was {'annotated' if old.id in made else 'before'}"
        for old, new in zip(before, after, strict=True)
        if (_annotation(new, names) != made[old.id] if old.id in made else (old, old.record) != (new, new.record))
    ]


def _annotation(example: Any, names: tuple[str, ...]) -> dict[str, Any]:
    found = {key: value for name in names for key, value in content.annotation_of(name, example).items()}
    return found | {"entities": list(to_iob2(found["entities"]))} if "entities" in found else found


def problems(path: Path, level: int) -> Counter[tuple[str, str]]:
    """Return what UD's own validator has against a treebank, counted by sentence and test."""
    import udtools

    state = udtools.Validator(lang="ud", level=level, output=None).validate_files([str(path)])
    return Counter((one.sentid, one.testid) for one in state.error_tracker if str(one.get_type()) == "ERROR")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--level", type=int, default=2)
    arguments = parser.parse_args()
    known = formats.suffixes("sentences") + formats.suffixes("pairs") + formats.suffixes("articles")
    files = sorted(path for folder in arguments.folders for path in folder.rglob("*") if path.suffix in known)
    failed = 0
    for path in files:
        try:
            with tempfile.TemporaryDirectory() as folder:
                trip = round_trip(path, Path(folder), arguments.level)
        except FewshotError as error:
            failed += 1
            print(f"{path}: {error}")
            continue
        failed += bool(trip.lost or trip.found)
        where = ", ".join(f"{count:,} {name}" for name, count in sorted(trip.differ.items()))
        print(f"{path}: {trip.annotated:,} of {trip.read:,} annotated; differ: {where or 'nothing'}")
        for line in trip.lost[:5]:
            print(f"  LOST {line}")
        by_test = Counter(test for _, test in trip.found.elements())
        for test, count in by_test.most_common():
            print(f"  NEW {count:,} {test}")
        sys.stdout.flush()
    print(f"{len(files)} files, {len(files) - failed} with nothing lost and nothing new")
    return int(failed > 0 or not files)


if __name__ == "__main__":
    sys.exit(main())
