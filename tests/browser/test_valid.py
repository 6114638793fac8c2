"""Whatever is done in an editor: what it calls done, the app and the official validator have nothing against."""

import pytest
from browser import projects
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from serving import ME

from annotate.components import editor
from annotate.editing import content, session, view
from annotate.store import Store
from fewshot.corpora.formats import conllu

pytestmark = pytest.mark.app

DRIVER = """
async ([path, data, moves, heads, relations]) => {
  const { default: show } = await import(path);
  const parent = document.body.appendChild(document.createElement("div"));
  const close = await show({ data: { ...data, language: "en" }, parentElement: parent, setTriggerValue: () => {} });
  const frame = parent.querySelector(".frame");
  const press = (node, name) => {
    const parts = name.split(/\\+(?=.)/);
    const held = { ctrlKey: parts.includes("Ctrl"), shiftKey: parts.includes("Shift") };
    node.dispatchEvent(new KeyboardEvent("keydown", { key: parts.at(-1), ...held, bubbles: true, cancelable: true }));
  };
  const field = () => frame.querySelector(".asking input");
  const type = (key, text) => {
    press(frame, key);
    if (!field()) return;
    field().value = text;
    field().dispatchEvent(new Event("input"));
    press(field(), "Enter");
    if (field()) press(field(), "Escape"); // it was not taken
  };
  for (const [key, text] of moves) text === null ? press(frame, key) : type(key, text);
  const words = frame.querySelectorAll("[data-word]").length;
  press(frame, "Escape");
  for (let word = 0; word < words; word += 1) {
    press(frame, "Home");
    for (let step = 0; step < word; step += 1) press(frame, "ArrowRight");
    if (data.editor === "tags") press(frame, "n");
    if (data.editor === "spans") press(frame, "o"); // no more entities
    if (data.editor !== "tree") continue;
    const head = String(word ? 1 + heads[word % heads.length] % word : 0);
    if (head !== "0") press(frame, "Enter");
    for (const digit of head) press(frame, digit);
    if (head !== "0") press(frame, "Enter");
    const relation = relations[word % relations.length];
    if (word && relation) type("l", relation);
    else press(frame, " ");
  }
  press(frame, "Ctrl+Enter");
  const draft = JSON.parse(localStorage.getItem(`fewshot ${data.scope} ${data.item}`));
  close();
  parent.remove();
  return draft;
}
"""
"""Presses keys in an editor without the page around it, then annotates what is left, and returns what it would save."""

KEYS = ["ArrowRight", "ArrowLeft", "Enter", " ", "0", "1", "2", "o", "Backspace", "Shift+A", "Ctrl+z", "]"]
RELATIONS = ["obl", "acl:", "acl:relcl", "acl:Relcl", "acl:a:b", "foo", "cc", "root", "root:x", "nmod:1"]
moves = st.one_of(
    st.tuples(st.sampled_from(KEYS), st.none()),
    st.tuples(st.sampled_from("+="), st.none()),
    st.tuples(st.just("/"), st.text("ab  ", min_size=1, max_size=6)),
    st.tuples(st.just("l"), st.sampled_from(RELATIONS)),
)


@st.composite
def lines(draw):
    """A sentence in CoNLL-U: words that are glued or not, some in multiword tokens, which are made of them or not."""
    words = draw(st.lists(st.text("ab", min_size=1, max_size=3), min_size=2, max_size=6))
    starts = draw(st.sets(st.integers(1, len(words) - 1), max_size=2))
    ranges = {start: draw(st.sampled_from(["q", "".join(words[start - 1 : start + 1])])) for start in starts}
    ranges = {start: form for start, form in ranges.items() if start - 1 not in ranges}
    text, rows = "", []
    for word, form in enumerate(words, start=1):
        glued = "SpaceAfter=No" if word < len(words) and draw(st.booleans()) else "_"
        if word in ranges:
            rows.append(f"{word}-{word + 1}\t{ranges[word]}" + "\t_" * 7 + f"\t{glued}")
        inside = word in ranges or word - 1 in ranges
        rows.append(f"{word}\t{form}" + "\t_" * 7 + f"\t{'_' if inside else glued}")
        if word - 1 not in ranges:
            text += ranges.get(word, form) + ("" if glued != "_" else " ")
    return "\n".join([f"# sent_id = s\n# text = {text.strip()}", *rows]) + "\n\n"


@pytest.fixture(scope="module")
def blank(served, chromium):
    """A page of the app's that shows nothing."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{served.address}/_stcore/health")
    yield page
    context.close()


@pytest.mark.parametrize("task", ["pos", "dep", "ner"])
def test_what_an_editor_calls_done_is_valid(served, blank, task, tmp_path_factory):
    path = tmp_path_factory.mktemp(task) / "x.conllu"
    store = Store.open(served.url)
    suggestions = {
        "pos": lambda n: {"upos": ["X"] * n},
        "dep": lambda n: {"heads": [2, 0, *[2] * (n - 2)], "deprels": ["dep", "root", *["obl"] * (n - 2)]},
        "ner": lambda n: {"entities": ["B-PER", "I-PER", *["O"] * (n - 2)]},
    }

    tried = []

    @given(lines(), st.lists(moves, max_size=12), st.lists(st.integers(0, 9), min_size=1), st.data())
    @settings(deadline=None, max_examples=40, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    def check(text, keys, heads, data):
        relations = data.draw(st.lists(st.sampled_from(["dep", "obl", "acl:relcl", None]), min_size=1, max_size=3))
        path.write_text(text, encoding="utf-8")
        (sentence,) = conllu.read(path)
        project = projects.make(served, [task], [sentence], suggestions=[suggestions[task](len(sentence.words))])
        (item,) = session.items(store, project, task, ME)
        opened = session.open_item(store, project, store.item(item.id))
        shown = view.view(project, opened)
        draft = blank.evaluate(DRIVER, [f"/{editor.path()}/editor.js", shown, keys, heads, relations])
        done = bool(draft and draft["done"])
        tried.append(done)
        if not draft:
            return
        sent = {"item": item.id, "seq": 1, "client": "page", "annotation": draft["annotation"], "done": done}
        session.receive(store, project, ME, sent | {"seen": 0, "edits": 1, "seconds": 1.0})
        assert store.item(item.id).status == ("done" if done else "open")
        annotated = content.annotated(task, sentence.unannotated(), store.latest(item.id).annotation)
        assert annotated.text == sentence.text
        tree = {"heads": tuple(range(len(annotated.words))), "deprels": ("root", *["dep"] * (len(annotated.words) - 1))}
        others = {"upos": ("X",) * len(annotated.words), **(tree if task != "dep" or not done else {})}
        conllu.write([annotated.annotated(**others)], path)
        projects.passes_ud(path)

    check()
    store.close()
    assert sum(tried) > len(tried) / 3
