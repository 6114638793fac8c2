"""Whatever is done in an editor: what it calls done, the app and the official validator have nothing against."""

import json
from random import Random
from types import SimpleNamespace

import pytest
from browser import projects
from desk import message, receive
from serving import ME

from annotate.editing import content, session, view
from annotate.store import Store
from fewshot.corpora.formats import conllu

pytestmark = [pytest.mark.app, pytest.mark.timeout(900)]

CASES = 16
KEYS = ["ArrowRight", "ArrowLeft", "Enter", " ", "0", "1", "2", "o", "Backspace", "Shift+A", "Ctrl+z", "]"]
RELATIONS = ["obl", "acl:", "acl:relcl", "acl:Relcl", "acl:a:b", "foo", "cc", "root", "root:x", "nmod:1"]
SUGGESTED = {
    "pos": lambda count: {"upos": ["X"] * count},
    "dep": lambda count: {"heads": [2, 0, *[2] * (count - 2)], "deprels": ["dep", "root", *["obl"] * (count - 2)]},
    "ner": lambda count: {"entities": ["B-PER", "I-PER", *["O"] * (count - 2)]},
}


def letters(random, alphabet, most):
    return "".join(random.choices(alphabet, k=random.randint(1, most)))


def made_moves(random):
    """Return up to twelve keys, each with what is typed into the field that it opens, or None."""
    kinds = (
        lambda: (random.choice(KEYS), None),
        lambda: (random.choice("+="), None),
        lambda: ("/", letters(random, "ab  ", 6)),
        lambda: ("l", random.choice(RELATIONS)),
    )
    return [random.choice(kinds)() for _ in range(random.randint(0, 12))]


def made_file(random, name):
    """Return a sentence in CoNLL-U: words that are glued or not, some in multiword tokens, made of them or not."""
    words = [letters(random, "ab", 3) for _ in range(random.randint(2, 6))]
    starts = random.sample(range(1, len(words)), min(len(words) - 1, random.randint(0, 2)))
    ranges = {start: random.choice(["q", "".join(words[start - 1 : start + 1])]) for start in starts}
    ranges = {start: form for start, form in ranges.items() if start - 1 not in ranges}
    text, rows = "", []
    for word, form in enumerate(words, start=1):
        glued = "SpaceAfter=No" if word < len(words) and random.random() < 0.5 else "_"
        if word in ranges:
            rows.append(f"{word}-{word + 1}\t{ranges[word]}" + "\t_" * 7 + f"\t{glued}")
        inside = word in ranges or word - 1 in ranges
        rows.append(f"{word}\t{form}" + "\t_" * 7 + f"\t{'_' if inside else glued}")
        if word - 1 not in ranges:
            text += ranges.get(word, form) + ("" if glued != "_" else " ")
    return "\n".join([f"# sent_id = {name}\n# text = {text.strip()}", *rows]) + "\n\n"


def made_case(random, app, store, task, path, number):
    """Return project, sentence and item of a case, and what node is told of it."""
    path.write_text(made_file(random, f"s{number}"), encoding="utf-8")
    (sentence,) = conllu.read(path)
    project = projects.make(app, [task], [sentence], suggestions=[SUGGESTED[task](len(sentence.words))])
    (item,) = session.items(store, project, task, ME)
    told = {
        "data": view.view(project, session.open_item(store, project, item)),
        "moves": made_moves(random),
        "heads": [random.randrange(10) for _ in range(4)],
        "relations": random.choices(["dep", "obl", "acl:relcl", None], k=3),
    }
    return project, sentence, item, told


@pytest.mark.parametrize("task", ["pos", "dep", "ner"])
def test_what_an_editor_calls_done_is_valid(node, task, tmp_path):
    random, app, path = Random(task), SimpleNamespace(url=f"sqlite:///{tmp_path}/app.db"), tmp_path / "x.conllu"
    store = Store.open(app.url)
    cases = [made_case(random, app, store, task, path, number) for number in range(CASES)]
    asked, answered = tmp_path / "cases.json", tmp_path / "results.json"
    asked.write_text(json.dumps([told for *_, told in cases]), encoding="utf-8")
    ended = node("tests/editors/drive.js", asked, answered)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    drafts = json.loads(answered.read_text(encoding="utf-8"))
    rows = zip(cases, drafts, strict=True)
    conllu.write([saved(store, *case[:3], draft) for case, draft in rows if draft], path)
    store.close()
    projects.passes_ud(path)
    assert sum(bool(draft and draft["done"]) for draft in drafts) > CASES / 3


def saved(store, project, sentence, item, draft):
    """Return the sentence as the app has it once an editor has saved a draft, with the columns of other tasks."""
    receive(store, project, ME, message(store, project, item, draft["annotation"], done=draft["done"]))
    assert store.item(item.id).status == ("done" if draft["done"] else "open")
    annotated = content.annotated(item.task, sentence.unannotated(), store.latest(item.id).annotation)
    assert annotated.text == sentence.text
    count = len(annotated.words)
    tree = {"heads": tuple(range(count)), "deprels": ("root", *["dep"] * (count - 1))}
    return annotated.annotated(upos=("X",) * count, **(tree if item.task != "dep" or not draft["done"] else {}))
