"""Annotation that is made up for any example, and whether it comes back from every format."""

import json
import re
from dataclasses import replace

from annotate.editing import content, view
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.iob import to_iob2
from fewshot.corpora.types import Article
from fewshot.errors import CorpusError
from fewshot.tasks.pos import UPOS

TASKS = ("pos", "pos+feats+lemma+xpos", "dep", "ner", "nli", "topic", "qa")


def arbitrary(task, example, labels=("A", "B")):
    """Return a legal annotation that is hardly ever that of the file."""
    size = example.length
    made = {
        "pos": lambda: {"upos": [UPOS[word % len(UPOS)] for word in range(size)]},
        "feats": lambda: {"feats": ["Case=Nom" if word % 2 else "" for word in range(size)]},
        "lemma": lambda: {"lemmas": [f"l{word}" for word in range(size)]},
        "xpos": lambda: {"xpos": [f"x{word}" for word in range(size)]},
        "dep": lambda: {"heads": [*range(2, size + 1), 0], "deprels": ["dep"] * (size - 1) + ["root"]},
        "ner": lambda: {"entities": [f"B-{labels[0]}", f"I-{labels[0]}", *["O"] * size][:size]},
        "nli": lambda: {"label": labels[-1]},
        "topic": lambda: {"label": labels[-1]},
        "qa": lambda: {
            "answers": {
                asked.id: [{"text": paragraph.context.split()[0], "start": _first(paragraph.context)}]
                for paragraph in example.paragraphs
                for asked in paragraph.questions
            }
        },
    }
    return {key: values for name in task.split("+") for key, values in made[name]().items()}


def _first(text):
    return len(text) - len(text.lstrip())


def annotation(task, example):
    found = content.annotation_of(task, example)
    return found | {"entities": list(to_iob2(found["entities"]))} if "entities" in found else found


def _told(task, example):
    """Return the same, of answers in order: questions without an id are named after their file."""
    found = annotation(task, example)
    return list(found["answers"].values()) if "answers" in found else found


def _asked(example):
    """Return an example, of an article those paragraphs alone about which something is asked."""
    if not isinstance(example, Article):
        return example
    return replace(example, paragraphs=tuple(each for each in example.paragraphs if each.questions))


def come_back(examples, task, folder, bad=0):
    """Annotate what a reader has accepted, show it to the editor, write it in every format that can hold it, and
    assert that a reader gives the same texts and annotation back.

    A format may refuse a text that it cannot hold, when another one holds it. Other errors are raised as they are.

    Args:
        bad: how many rows of the file the reader has left out; they may come out again.
    """
    if task == "qa":  # of an article whose questions were all left out, there is nothing to annotate
        examples = [one for one in examples if _asked(one).paragraphs]
    layer, given = tasks.get(task), [arbitrary(task, one) for one in examples]
    for one in examples:
        stored = json.loads(json.dumps(content.to_json(one)))
        assert content.to_json(content.from_json(stored)) == stored, "the store changes it"
        view.example(one)
    made = [content.annotated(task, *each) for each in zip(examples, given, strict=True)]
    wanted = [_told(task, one) for one in made]
    holding, refused = formats.list_export_formats([layer]) if made else [], []
    for name in holding:
        path = folder / f"out{formats.FORMATS[name].suffix}"
        try:
            formats.export(made, [layer], name, path)
        except CorpusError as error:
            if not re.search("cannot be written as|cannot hold", str(error)):
                raise
            refused.append(str(error))
            continue
        again, worse = formats.check(path, name, "und", layer)
        assert worse.total <= bad, f"{name} writes {worse[0]}"
        assert [_asked(one).key for one in again] == [_asked(one).key for one in made], f"{name} changes the texts"
        assert [_told(task, one) for one in again] == wanted, f"{name} loses annotation"
    assert not made or len(refused) < len(holding), f"no format holds it: {refused}"
