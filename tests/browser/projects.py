"""Projects made through the store, and what the store holds of them."""

import storing
import udtools
from serving import ME
from udtools.udeval import load_conllu

from annotate.editing import content, guidelines
from annotate.exchange.exporting import export_annotations
from annotate.store import REVIEW, NewItem, NewProject, Store
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.load import load


def sample(lang, kind="sentences"):
    """Return the pool of the sample of a language."""
    return list(load(lang, "sample", kind).pool)


def make(
    app, names, examples, *, lang="ja", people=(ME,), annotators=(ME,), suggestions=None, test=(), suggester="encoder",
    nested=False,
):  # fmt: skip
    """Make a project with every example as an item of its annotators, in this order.

    ``suggestions`` gives an annotation, or None, to each example for the first task.
    """
    labels = {
        name: list(tasks.get(name).choices) or [one.name for one in guidelines.label_info(tasks.get(name))]
        for name in names
    }
    with_store = Store.open(app.url)
    kind = tasks.get(names[0]).example.kind
    new = NewProject(
        name=f"{lang} {' '.join(names)}", lang=lang, tasks=tuple(names), kind=kind, labels=labels, sampler="random",
        k=len(examples), seed=0, blind_share=0.0, double_share=0.0, wage=20.0, currency="EUR", guidelines="", level=2,
        source="sample", encoder="mini", hides_gold=True, suggester=suggester, source_model="", learns=False,
        nested=nested,
    )  # fmt: skip
    parts = [[one.unannotated() for one in part] for part in (examples, test)]
    project = with_store.create_project(new, storing.split_rows(*parts), people)
    ids = [row.id for row in with_store.examples(project.id, "pool")]
    items = [NewItem(each, name, who, blind=False) for name in names for each in ids for who in annotators]
    with_store.add_round(project_id=project.id, purpose="shots", sampler="random", k=len(ids), seed=0, items=items)
    rows = zip(ids, examples, suggestions or (), strict=False)
    with_store.add_suggestions(
        (each, names[0], "gold", guess(names[0], example, made)) for each, example, made in rows if made
    )
    with_store.close()
    return project


def guess(task, example, annotation):
    """Return a suggestion whose model is always as sure."""
    sizes = {"nli": 1, "topic": 1}
    size = sizes.get(task) or (len(annotation["answers"]) if task == "qa" else len(example.words))
    return {"annotation": annotation, "confidence": [0.9] * size}


def gold(task, examples):
    """Return the annotation that the examples came with."""
    return [content.annotation_of(task, example) for example in examples]


def entities(sentence):
    """Return first word, last word and type of each entity."""
    found = []
    for word, tag in enumerate(sentence.entities):
        if tag.startswith("B-"):
            found.append([word, word, tag[2:]])
        elif tag.startswith("I-"):
            found[-1][1] = word
    return found


def held(app, project, task):
    """Return status and newest annotation of each item of a task, in order."""
    store = Store.open(app.url)
    newest = store.newest_revisions(project.id, task)
    found = [
        (item.status, newest[item.id].annotation if item.id in newest else None)
        for item in store.items(project.id, task=task)
    ]
    store.close()
    return found


def done(app, project, task):
    """Return the annotation of each item of a task, all of which have to be done."""
    found = held(app, project, task)
    assert [status for status, _ in found] == ["done"] * len(found)
    return [annotation for _, annotation in found]


def decided(app, project, task):
    """Return how many disputed examples of a task are decided."""
    store = Store.open(app.url)
    found = [item.status for item in store.items(project.id, task=task, purpose=REVIEW)]
    store.close()
    return found.count("done")


def exported(app, project, path):
    """Write the gold annotation of every task to a CoNLL-U file, and return its path."""
    store = Store.open(app.url)
    gold = export_annotations(store, project, project.tasks, None, "annotated")
    formats.export(gold.held_by("conllu"), [tasks.get(name) for name in project.tasks], "conllu", path)
    store.close()
    return path


def compared(app, names, examples, others, people, **given):
    """Make a project whose examples the first person has annotated as they came, and the second as the others are."""
    project = make(app, names, examples, people=people, annotators=people, **given)
    store = Store.open(app.url)
    for name in names:
        for who, meant in zip(people, (examples, others), strict=True):
            items = store.items(project.id, annotator=who, task=name)
            for item, annotation in zip(items, gold(name, meant), strict=True):
                store.save(item.id, who, "tests", 1, annotation, done=True, seconds=10.0, edits=1)
    store.close()
    return project


def annotated(app, names, examples, **given):
    """Make a project whose every example is annotated as it came."""
    project = make(app, names, examples, **given)
    store = Store.open(app.url)
    for name in names:
        for item, annotation in zip(store.items(project.id, task=name), gold(name, examples), strict=True):
            store.save(item.id, ME, "tests", 1, annotation, done=True, seconds=10.0, edits=1)
    store.close()
    return project


def suggest(app, project, task, made):
    """Let a model suggest the same for every example of a project."""
    store = Store.open(app.url)
    store.add_suggestions((row.id, task, "m", made) for row in store.examples(project.id))
    store.close()


def passes_ud(path):
    """Assert that UD's own tools read a CoNLL-U file, and that it passes level 2 of its validation."""
    with path.open(encoding="utf-8") as file:
        load_conllu(file, str(path), {})
    state = udtools.Validator(lang="ud", level=2, output=None).validate_files([str(path)])
    assert state.passed(), [str(incident) for incident in state.error_tracker]
