"""Import: the annotations of a file become revisions of somebody's items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, TypeAlias

from annotate.editing import content, joining, labels, saving, session, uploaded, validation
from annotate.editing.state import WORDS, state
from annotate.exchange import fitting, matching
from annotate.store import Item, NewItem, Project, Store
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu_rows, deps, misc
from fewshot.corpora.tokenization import repair
from fewshot.corpora.tokenization.joining import with_following
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.errors import CorpusError, FewshotError

CLIENT = "import"
"""What stands for the window where annotations come from a file."""

PURPOSES = {"pool": "shots", "test": "test"}
"""Purpose of the rounds of what is drawn from each split."""

Annotations: TypeAlias = dict[int, dict[str, Any]]
"""By example id."""

Remark: TypeAlias = str | tasks.Problem
"""What is wrong with an example, or with a word of it."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did.

    Args:
        problems: rows that could not be read, why examples were not saved, and what is left out of those that were.
        added: labels that the project did not have before.
        unread: rows that could not be read.
        saved: examples whose annotation was saved.
        unfinished: those of them that are left open, since the file says nothing of some word, question or label.
        unknown: examples of the file that the project does not have.
        wrong: examples that were not saved: their annotation is not valid, or may belong to several.
        empty: examples that have no annotation in the file.
    """

    problems: formats.BadRows
    added: Sequence[str]
    unread: int
    saved: int = 0
    unknown: int = 0
    wrong: int = 0
    empty: int = 0
    unfinished: int = 0


def import_annotations(store: Store, project: Project, task: str, path: Path, annotator: str) -> Imported:
    """Save the annotations of a file as revisions of somebody's items; labels that the project lacks become its own.

    Examples are matched by their words or texts, and by their ids where the project has a text several times. A
    sentence of known text and other words has repaired words. Sentences that an export has made of one are one again.

    Args:
        path: a file in any format of `fewshot.corpora.formats`. A sentence that another task of the project could not
            read is a bad row.

    Raises:
        FewshotError: when nothing of the file can be read, or it holds another kind of example.
    """
    others = [tasks.get(name) for name in project.tasks if name != task]
    examples, problems = formats.check(path, None, project.lang, tasks.get(task), also=others)
    if not examples:
        if problems:
            raise FewshotError(f"{problems[0].where}: {problems[0].message}")
        raise FewshotError(f"no {project.kind} in {path.name}")
    given = _given(examples)
    taken = _Taken(formats.BadRows(problems, problems.total))
    left, frees = list(examples), True
    while left and frees:  # what a sentence lets go is found once that is saved
        left, frees = _take(store, project, task, annotator, given, left, taken)
    counts = Counter(taken.counts) + Counter(unknown=len(left))
    return Imported(taken.said, taken.added, problems.total, **counts)


@dataclass(frozen=True, slots=True)
class _Taken:
    """What an import has done so far: `Imported.problems`, `Imported.added` and its counts."""

    said: formats.BadRows
    added: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def _take(
    store: Store,
    project: Project,
    task: str,
    annotator: str,
    given: Collection[str],
    examples: Sequence[Any],
    taken: _Taken,
) -> tuple[list[Any], bool]:
    """Save the annotations of the examples that the project has.

    Returns:
        The examples that it does not have, and whether one that was saved no longer goes on in the sentences behind it.
    """
    examples, rows = matching.matched(store, project, examples)
    mine = [example for example in examples if rows.keys() & matching.keys(example)]
    own = tasks.get(task, store.project(project.id).labels.get(task))
    kind = own.with_labels(tasks.get(task).labels_in(mine))
    newest = store.newest_revisions(project.id, task)
    items = session.items(store, project, task, annotator)
    versions = {item.example_id: newest[item.id].annotation for item in items if item.id in newest}
    valid: dict[str, Annotations] = {"pool": {}, "test": {}}
    said, counts, saved, left, frees = taken.said, taken.counts, [], list[Any](), False
    places: dict[int, str] = {}
    for example in sorted(examples, key=lambda one: not rows.keys() & matching.ids(one)):
        found = next((rows[key] for key in matching.keys(example) if key in rows), None)
        if found is None:
            left.append(example)
            continue
        if content.annotation_of(task, example) == content.annotation_of(task, example.unannotated()):
            counts["empty"] += 1
            continue
        where, annotation, remarks = example.where or example.id, None, list[Remark]()
        before = versions.get(found.id, {})
        if found.is_one_of_several:
            remarks = [
                f"the project has this text several times, none with the id {example.id!r}; give it the id of one"
            ]
        elif found.id in places:
            remarks = [f"{places[found.id]} is the same text, which the project has once; keep one of the two"]
        else:
            places[found.id] = where
            annotation, remarks = _annotation(store, kind, annotator, given, example, found, before)
        _note(said, example, remarks)
        counts["wrong" if annotation is None else "saved"] += 1
        if annotation is not None:
            valid[found.split][found.id] = annotation
            saved.append(example)
            frees = frees or before.get("joined", 0) > annotation.get("joined", 0)
    taken.added.extend(labels.add(store, project, task, tasks.get(task).labels_in(saved)))
    kind = tasks.get(task, store.project(project.id).labels.get(task))
    for split, made in valid.items():
        opened = _items(store, project, {task: made}, annotator, split).values()
        counts["unfinished"] += _save(store, project, kind, made, opened)
    return left, frees


def _note(said: formats.BadRows, example: Any, remarks: Iterable[Remark]) -> None:
    """Add what is wrong with an example, each with its place."""
    for remark in remarks:
        if isinstance(remark, str):
            said.add(example.where or example.id, remark)
        else:
            said.add(tasks.place_of(example, remark), remark.message)


def continue_upload(store: Store, project: Project, annotator: str) -> int:
    """Save as somebody's what a project's own file has finished in all of its tasks.

    It is not drawn again, and trainings learn from it. What is finished in part is continued when it is drawn, see
    `annotate.editing.uploaded`. What was drawn already stays as people have made it.

    Returns:
        The number of examples of the pool.
    """
    drawn = store.drawn_examples(project.id)
    kinds = {task: tasks.get(task, project.labels.get(task)) for task in project.tasks}
    finished: dict[str, dict[str, Annotations]] = {split: {task: {} for task in kinds} for split in PURPOSES}
    for row in store.examples(project.id):
        example = content.from_json(row.content)
        if (
            row.split in PURPOSES
            and row.id not in drawn
            and all(uploaded.is_finished(kind, example) for kind in kinds.values())
        ):
            for task in kinds:
                finished[row.split][task][row.id] = uploaded.annotation(project, task, example) or {}
    for split, by_task in finished.items():
        for item in _items(store, project, by_task, annotator, split).values():
            made = by_task[item.task][item.example_id]
            store.save(item.id, annotator, CLIENT, 1, made, done=True, seconds=0.0, edits=0)
    return len(finished["pool"][project.tasks[0]])


def _annotation(
    store: Store,
    kind: tasks.Task[Any],
    annotator: str,
    given: Collection[str],
    example: Any,
    found: matching.Match,
    before: Mapping[str, Any],
) -> tuple[dict[str, Any] | None, list[Remark]]:
    """Return what is saved of an example of a file, None where it cannot be, and what is wrong with it.

    Args:
        given: columns beside those of the task that the file has, see `_given`.
        before: the newest version of the annotator, which keeps what the file says nothing of.
    """
    own = with_following(found.example, found.joined) if isinstance(example, Sentence) else found.example
    try:
        if set(kind.columns) & set(example.predicted):
            raise CorpusError(tasks.GUESSED.format(task=kind.name))
        example, remarks = fitting.fitted(own, uploaded.in_iob2(example))
        said: list[Remark] = [*remarks]
    except CorpusError as error:
        return None, [error.message]
    if bad := [one for one in validation.problems(kind, example) if one.level == "error"]:
        return None, [*said, bad[0]]
    if found.joined and (why := joining.refused(store, found.id, annotator, found.joined)):
        return None, [*said, why]
    words = _words(own, example, found.joined, before)
    if isinstance(example, Sentence) and example.lines:
        example, odd = _with_changed(own, example, given)
        said += [f"{message}; the word keeps what it has in the project" for message in odd]
    annotation = content.annotation_of(kind.name, example) | words
    if "answers" in annotation:
        annotation["answers"] = {**before.get("answers", {}), **annotation["answers"]}
    if annotation.get("words") == before.get("words"):
        annotation |= {column: before[column] for column in content.BESIDE if column in before and column not in given}
    return annotation, said


def _words(own: Any, example: Any, joined: int, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return how an annotation names its words where these are not those that the project has.

    Multiword tokens, which not every file knows, are then those of the newest version or of the project.
    """
    if not isinstance(example, Sentence):
        return {}
    if not example.lines and before.get("words") == list(example.words) and not example.ends:
        return {name: before[name] for name in WORDS if name in before}
    if example.key == own.key and not example.ends:
        return repair.named(own) if joined else {}
    names, spelled = repair.named(replace(example, joined=joined)), fitting.like(own.text)
    ranges = names["ranges"] if example.lines else _carried_ranges(own, example.words)
    return names | {"ranges": [[first, last, spelled(form)] for first, last, form in ranges]}


def _carried_ranges(own: Sentence, words: Sequence[str]) -> list[repair.Range]:
    """Return the multiword tokens of a sentence whose words are among other words as they are."""
    blocks = SequenceMatcher(None, own.words, words, autojunk=False).get_matching_blocks()
    place = {block.a + n: block.b + n for block in blocks for n in range(block.size)}
    found = []
    for first, last, form in repair.ranges_of(own):
        start, end = place.get(first - 1, -1), place.get(last - 1, -1)
        if start >= 0 and end - start == last - first:
            found.append((start + 1, end + 1, form))
    return found


def _given(examples: Sequence[Any]) -> set[str]:
    """Return which of `content.BESIDE` a file has: where all words have none, it says nothing of them."""
    sentences = (one for one in examples if isinstance(one, Sentence) and one.lines)
    rows = [_beside(row) for one in sentences for row in repair.words_of(one)]
    return {column for place, column in enumerate(content.BESIDE) if any(row[place] != UNANNOTATED for row in rows)}


def _with_changed(own: Sentence, example: Sentence, given: Collection[str]) -> tuple[Sentence, list[str]]:
    """Return a sentence of a CoNLL-U file with what its MISC and DEPS have in place of those of the project.

    What cannot stand there, such as an arc from an empty node that the project does not have, is left out and named.
    """
    own = repair.retokenized(own, example.words, repair.ranges_of(example), example.ends, own.joined)
    before, now = ([_beside(row) for row in repair.words_of(one)] for one in (own, example))
    changed: dict[str, tuple[str | None, ...]] = {}
    odd: list[str] = []
    for column, olds, news in zip(content.BESIDE, zip(*before, strict=True), zip(*now, strict=True), strict=True):
        if column not in given:
            continue
        faults = [old != new and content.fault(own, column, new) for old, new in zip(olds, news, strict=True)]
        odd += filter(None, faults)
        values = zip(olds, news, faults, strict=True)
        changed[column] = tuple(None if old == new or wrong else new for old, new, wrong in values)
    return example.annotated(**changed), odd


def _beside(row: Sequence[str]) -> tuple[str, str]:
    """Return what people may change of MISC, and DEPS beside the arc of the tree."""
    return misc.editable(row[conllu_rows.MISC]), deps.make_relative(
        row[conllu_rows.DEPS], row[conllu_rows.HEAD], row[conllu_rows.DEPREL]
    )


def _items(
    store: Store, project: Project, by_task: Mapping[str, Annotations], annotator: str, split: str
) -> dict[tuple[str, int], Item]:
    """Return the items that annotations of a split are saved in, by task and example id.

    They are the annotator's, else those that are nobody's, else new ones in a round of their own.
    """
    wanted = {(task, example) for task, annotations in by_task.items() for example in annotations}
    mine = (item for task in by_task for item in session.items(store, project, task, annotator))
    found = {key: item for item in mine if (key := (item.task, item.example_id)) in wanted}
    for item in store.items(project.id, annotator=None):
        key = item.task, item.example_id
        if key in wanted and key not in found and store.claim(item.id, annotator):
            found[key] = replace(item, annotator=annotator)
    blind = split == "test"
    missing = [NewItem(example, task, annotator, blind) for task, example in sorted(wanted - found.keys())]
    if missing:
        k = len({item.example_id for item in missing})
        drawn = store.add_round(
            project_id=project.id, purpose=PURPOSES[split], sampler=CLIENT, k=k, seed=project.seed, items=missing
        )
        found |= {(item.task, item.example_id): item for item in store.items(project.id, round_id=drawn.id)}
    return found


def _save(
    store: Store, project: Project, kind: tasks.Task[Any], annotations: Annotations, items: Iterable[Item]
) -> int:
    """Save the annotations of a task in items of their examples, and let other tasks of these follow them.

    One is done where it has no gap: not where other tasks have words that the file lacks, or a file has some of the
    questions of an article alone.

    Returns:
        How many are not done.
    """
    unfinished = 0
    for item in items:
        annotation, known = annotations[item.example_id], state(store, project, item)
        if "words" not in annotation and known.others:  # the words of other tasks stay
            annotation = content.carried(known.original, item.task, annotation, known.example)
            annotation = content.with_words(annotation, known.example)
        made = saving.unsaved(store, project, item, annotation)
        done = not kind.errors(made.example)
        unfinished += not done
        saving.save(store, project, made, CLIENT, 1 + store.acks(item.id).get(CLIENT, 0), done)
        store.release(item.id, item.annotator or "")
    return unfinished
