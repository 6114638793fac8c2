"""Keys and seconds of a scripted annotator for twenty sentences: from nothing, and from what a model suggests.

    python tests/browser/keystrokes.py --task pos --data ud/fi_tdt --lang fi [--source MODEL] [--sentences 20]

The annotator works in the real app, knows the gold annotation and every key, and takes the fewest of these that this
script knows of. Beside it stands what the same edits take in ConlluEditor by its README: a click on a word and a letter
for a tag or relation that has one; a click on the dependent, one on the head and the relation in the window that opens
for an arc; for features a double click, a click on the field, all of them typed, a click on *save*; a click to the next
sentence. What was suggested stands in its file already, where nothing has to be confirmed.

Seconds are those of hands alone, by the keystroke-level model (Card, Moran & Newell 1980): 0.2 a key, 1.1 to point at
something, 0.2 to click; nobody thinks, and moving the hand between mouse and keyboard is free.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from browser import moves, projects
from serving import ME

from annotate.editing import session
from annotate.store import Store
from fewshot import tasks
from fewshot.corpora.load import find_split, read

KEY, POINT, CLICK = 0.2, 1.1, 0.2
OPEN = "_"


@dataclass
class Tally:
    """What hands have done."""

    keys: int = 0
    clicks: int = 0

    def add(self, keys=0, clicks=0):
        self.keys += keys
        self.clicks += clicks

    @property
    def seconds(self):
        return KEY * self.keys + (POINT + CLICK) * self.clicks


class Annotator:
    """Presses keys in the app, and counts what the same would take in ConlluEditor."""

    def __init__(self, page, task):
        self.page, self.task = page, task
        self.letters = moves.keys_of(task.name)
        self.here, self.there = Tally(), Tally()

    def press(self, *keys):
        moves.press(self.page, *keys)
        self.here.add(keys=len(keys))

    def tags(self, gold, suggested):
        """Tag word by word, with features where the task has them."""
        columns = [column for column in ("upos", "feats") if column in gold]
        for word in range(len(gold["upos"])):
            wrong = [one for one in columns if not suggested or suggested[one][word] != gold[one][word]]
            if not wrong:
                self.press("Enter")
                continue
            self.press(self.letters[gold["upos"][word]])
            if "upos" in wrong:
                self.there.add(clicks=1, keys=1)
            if "feats" in columns:
                typed = gold["feats"][word] or OPEN
                self.press("Shift+F", *(typed if "feats" in wrong else ()), "Enter")
                if "feats" in wrong and (suggested or gold["feats"][word]):
                    self.there.add(clicks=4, keys=len(typed))

    def tree(self, gold, suggested):
        """Attach word by word."""
        ranked = suggested["heads_ranked"] if suggested else [[] for _ in gold["heads"]]
        guessed = (
            suggested["annotation"] if suggested else {"heads": [-1] * len(ranked), "deprels": [OPEN] * len(ranked)}
        )
        for word, (head, relation) in enumerate(zip(gold["heads"], gold["deprels"], strict=True)):
            right = guessed["heads"][word] == head, guessed["deprels"][word] == relation
            if all(right):
                self.press(" ")
                continue
            self._hang(word, head, [one for one, _ in ranked[word][:3]], right[0])
            if head and not right[1]:
                self._relate(relation)
            if head and right[1]:
                self.press(" ")
            elif word + 1 < len(ranked):
                self.press("ArrowRight")
            self._elsewhere(head, relation, right[0])

    def _hang(self, word, head, likely, right):
        if head == 0:
            self.press("0")
        elif not right and head in likely:
            self.press("qwe"[likely.index(head)])
        elif not right:
            self.press("Enter", *str(head), "Enter")

    def _relate(self, relation):
        """Give a relation by its letter, else by as much of its name as the palette needs."""
        if relation in self.letters:
            return self.press(self.letters[relation])
        self.press("l")
        first = self.page.locator(".frame .option.first b")
        for letter in relation:
            self.press(letter)
            if first.count() and first.inner_text() == relation:
                break
        self.press("Enter")

    def _elsewhere(self, head, relation, right):
        if head == 0:
            self.there.add(clicks=2)
        elif right and relation in self.letters:
            self.there.add(clicks=1, keys=1)
        else:
            names = [one for one in self.task.choices if one != relation]
            typed = next(
                (n for n in range(1, len(relation)) if not any(one.startswith(relation[:n]) for one in names)),
                len(relation),
            )
            self.there.add(clicks=1 if right else 2, keys=typed + 1)

    def finish(self):
        moves.finish(self.page)
        self.here.add(keys=1)
        self.there.add(clicks=1)


def opened(app, project, task):
    """Return what is suggested of the next sentence, as the app shows it."""
    with closing(Store.open(app.url)) as store:
        return session.open_item(store, project, store.next_item(project.id, task, ME, "shots")).suggestion


def measure(page, app, task, lang, examples, suggestions):
    """Annotate sentences, check that what was saved is gold, and return the two tallies."""
    project = projects.make(app, [task.name], examples, lang=lang)
    with closing(Store.open(app.url)) as store:
        rows = zip(store.examples(project.id, "pool"), suggestions, strict=True) if suggestions else ()
        store.add_suggestions((row.id, task.name, "mini", made) for row, made in rows)
    moves.annotate(page, app, project)
    annotator = Annotator(page, task)
    for gold in projects.gold(task.name, examples):
        suggestion = opened(app, project, task.name)
        if "heads" in gold:
            annotator.tree(gold, suggestion)
        else:
            annotator.tags(gold, suggestion and suggestion["annotation"])
        annotator.finish()
    assert projects.done(app, project, task.name) == projects.gold(task.name, examples)
    return annotator.here, annotator.there


def suggested(task, examples, source):
    """Return what the source model suggests."""
    import fewshot as fs
    from fewshot.encoders.load import load_encoder
    from fewshot.evaluation import suggest
    from fewshot.training.model import load_model

    model = load_model(source, load_encoder("mini")) if source else fs.source(task.name)
    return suggest(model, examples)


def main():
    from browser.conftest import CHROMIUM, running
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", default="pos", help="pos, pos+feats or dep")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--lang", required=True)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--sentences", type=int, default=20)
    arguments = parser.parse_args()
    asked = tasks.get(arguments.task)
    pool = read(find_split(arguments.data, "dev", "sentences"), arguments.lang, task=asked)
    fit = [one for one in pool if asked.is_whole(one) and 3 <= one.length <= 50]
    drawn = random.Random(0).sample(fit, arguments.sentences)
    made = suggested(asked, drawn, arguments.source)
    words = sum(one.length for one in drawn)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started, running(Path(folder)) as app:
        page = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]).new_page()
        page.set_default_timeout(moves.PATIENCE)
        for name, given in (("nothing", None), ("suggestions", made)):
            here, there = measure(page, app, asked, arguments.lang, drawn, given)
            print(
                f"{asked.name}, {len(drawn)} sentences of {words} words, from {name}: {here.keys} keys, "
                f"{here.seconds / words:.2f} s a word; ConlluEditor {there.clicks} clicks and {there.keys} keys, "
                f"{there.seconds / words:.2f} s a word"
            )


if __name__ == "__main__":
    main()
