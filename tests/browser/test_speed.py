"""How few keys an expert needs, and how fast a key is on the screen."""

from statistics import median

from browser import moves, projects


class Fingers:
    """Presses keys and counts them."""

    def __init__(self, page):
        self.page, self.count = page, 0

    def press(self, *keys):
        self.count += len(keys)
        moves.press(self.page, *keys)


def test_twenty_suggested_tags_are_confirmed_one_by_one_in_at_most_25_keys(served, page):
    sentence = next(one for one in projects.sample("ja") if one.length == 20)
    (suggested,) = projects.gold("pos", [sentence])
    project = projects.make(served, ["pos"], [sentence], suggestions=[suggested])
    moves.annotate(page, served, project)
    fingers = Fingers(page)
    fingers.press(*["Enter"] * sentence.length, "Control+Enter")
    page.get_by_text("Nothing left to do").wait_for()
    assert projects.done(served, project, "pos") == [suggested]
    print(f"{fingers.count} keys for {sentence.length} tokens")
    assert fingers.count <= 25


def test_an_arc_hangs_elsewhere_after_at_most_4_keys(served, page):
    sentence = next(one for one in projects.sample("ja") if one.length >= 15)
    (gold,) = projects.gold("dep", [sentence])
    project = projects.make(served, ["dep"], [sentence], suggestions=[gold])
    moves.annotate(page, served, project)
    moves.press(page, "Shift+A", "Home")
    head = 14 if gold["heads"][0] != 14 else 13
    fingers = Fingers(page)
    fingers.press("Enter", *str(head), "Enter")
    moves.saved(page)
    ((_, annotation),) = projects.held(served, project, "dep")
    assert annotation["heads"] == [head, *gold["heads"][1:]]
    print(f"{fingers.count} keys for an arc")
    assert fingers.count <= 4


PAINT = """async () => {
  const roots = [...document.querySelectorAll("*")].map((node) => node.shadowRoot).filter(Boolean);
  const frame = roots.map((root) => root.querySelector(".frame")).find(Boolean);
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))));
  const times = [];
  for (let step = 0; step < 50; step += 1) {
    await painted();
    const start = performance.now();
    const key = step % 2 ? "ArrowLeft" : "ArrowRight";
    frame.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true }));
    times.push((await painted()) - start);
  }
  return times;
}"""


def test_a_key_is_on_the_screen_without_asking_the_server(served, page):
    sentence = max(projects.sample("en"), key=lambda one: one.length)
    project = projects.make(served, ["dep"], [sentence], lang="en", suggestions=projects.gold("dep", [sentence]))
    moves.annotate(page, served, project)
    page.context.set_offline(True)
    milliseconds = median(page.evaluate(PAINT))
    print(f"{milliseconds:.0f} ms from key to paint, {sentence.length} words")
    assert milliseconds < 200  # of a busy machine
