"""Trees are seen whole on every screen, drawn by mouse, and mirrored where a script runs from right to left."""

import re

import pytest
from browser import moves, projects
from playwright.sync_api import expect

from fewshot.corpora.types import Sentence

pytestmark = pytest.mark.app


LAPTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 800}


WORDS = 90


OUTSIDE = """scroller => {
  const box = scroller.getBoundingClientRect();
  const left = box.left - scroller.scrollLeft, top = box.top - scroller.scrollTop;
  return [...scroller.querySelectorAll(".form, .name, .below, .number")].filter((node) => {
    const one = node.getBoundingClientRect();
    const across = one.left >= left - 1 && one.right <= left + scroller.scrollWidth + 1;
    return !across || one.top < top - 1 || one.bottom > top + scroller.scrollHeight + 1;
  }).map((node) => node.textContent);
}"""
"""Words and labels that no scrolling brings into sight."""


OVERLAPPING = """scroller => {
  const all = [...scroller.querySelectorAll(".form, .name")].map((node) => [node.textContent, node.getBoundingClientRect()]);
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  return all.flatMap(([one, a], place) => all.slice(place + 1).filter(([, b]) => over(a, b)).map(([other]) => [one, other]));
}"""  # noqa: E501
"""Words and labels that stand on each other."""


HIDDEN = """scroller => [...scroller.querySelectorAll(".name")].filter((node) => {
  node.scrollIntoView({ block: "nearest", inline: "center" });
  const { left, top, width, height } = node.getBoundingClientRect();
  const at = node.getRootNode().elementFromPoint(left + width / 2, top + height / 2);
  return !at.matches(".name, .back");
}).map((node) => node.textContent)"""
"""Labels with something in front of them."""


WALK = """(frame, [key, words]) => {
  const here = () => {
    const scroller = frame.querySelector(".scroll"), here = scroller.querySelector(".here");
    const one = here.getBoundingClientRect(), box = scroller.getBoundingClientRect();
    const across = one.left >= box.left - 1 && one.right <= box.right + 1;
    const seen = across && one.top >= Math.max(box.top - 1, 0) && one.bottom <= Math.min(box.bottom, window.innerHeight) + 1;
    return [Number(here.dataset.word), seen];
  };
  const next = () => {
    frame.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    return here();
  };
  return [here(), ...Array.from({ length: words - 1 }, next)];
}"""  # noqa: E501
"""Press a key for each word; return the words at the cursor, and whether each was in sight."""


HEBREW = Sentence(
    "he", "הילדה קראה ספר בירושלים .", ("הילדה", "קראה", "ספר", "בירושלים", "."), heads=(2, 0, 2, 2, 2),
    deprels=("nsubj", "root", "obj", "obl", "punct"),
)  # fmt: skip


def long_sentence():
    """Return 90 words in nested clauses with long relations, and an arc that crosses others."""
    words = tuple(f"word{number}" if number % 3 else "a" for number in range(WORDS))
    heads = [0, *(1 + (number // 7) * 7 if number % 7 else 1 + number // 14 * 7 for number in range(1, WORDS))]
    heads = [head if head != place else place - 1 for place, head in enumerate(heads, start=1)]
    heads[20] = 40
    deprels = ["root", *("acl:relcl" if number % 2 else "det" for number in range(1, WORDS))]
    upos = tuple("NOUN" if number % 3 else "DET" for number in range(WORDS))
    return Sentence("long", " ".join(words), words, upos=upos, heads=tuple(heads), deprels=tuple(deprels))


def scroller(page):
    return page.locator(".frame .scroll")


def test_every_word_and_label_of_a_long_tree_can_be_seen_and_dragged_to_and_none_stands_on_another(app, window):
    sentence = long_sentence()
    project = projects.make(app, ["dep"], [sentence], lang="en", suggestions=projects.gold("dep", [sentence]))
    for size in (PHONE, LAPTOP):
        page = window(viewport=size)
        moves.annotate(page, app, project)
        expect(page.locator(".frame .down")).to_have_count(1)  # of itself
        is_whole(page, "down")
        if size is PHONE:
            leads_to_every_word(page, "ArrowDown")
        for view in ("fit", "across"):
            moves.press(page, "z")
            page.locator(".frame svg .node").first.wait_for()
            is_whole(page, view)
    leads_to_every_word(page, "ArrowRight")
    moves.press(page, "t")
    page.locator(".frame .down").wait_for()
    drag_to_the_last(page)
    moves.saved(page)
    ((_, annotation),) = projects.held(app, project, "dep")
    assert annotation["heads"][1] == WORDS
    expect(page.locator(".frame .dragged")).to_have_count(0)


def drag_to_the_last(page):
    """Drag the second word to the last one: a line follows, and the tree scrolls at its edge."""
    box = moves.box(page, ".scroll")
    page.locator(".frame .node[data-word='1'] .form").hover()
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + box["height"] - 10, steps=4)
    scroller(page).evaluate(
        """async (one) => {
          for (let frame = 0; frame < 600 && one.scrollTop + one.clientHeight < one.scrollHeight - 1; frame += 1)
            await new Promise(requestAnimationFrame);
        }"""
    )
    expect(page.locator(".frame .dragged path")).to_have_attribute("d", re.compile("^M"))
    page.locator(f".frame .node[data-word='{WORDS - 1}'] .form").hover()
    page.mouse.up()


def leads_to_every_word(page, key):
    """Assert that a key leads to every word and brings it into sight."""
    moves.press(page, "Home")
    assert page.locator(".frame").evaluate(WALK, [key, WORDS]) == [[word, True] for word in range(WORDS)]


def is_whole(page, view):
    """Assert that every word and label of a tree can be brought into sight, and that none stands on another."""
    for part in (".form", ".name"):
        expect(scroller(page).locator(part)).to_have_count(WORDS)
    assert scroller(page).evaluate(OUTSIDE) == []
    assert scroller(page).evaluate(OVERLAPPING) == []
    assert scroller(page).evaluate(HIDDEN) == []
    expect(page.locator(".frame .reading")).to_have_text(long_sentence().text)
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth <= main.clientWidth")
    if view == "fit":
        assert scroller(page).evaluate("one => one.scrollWidth <= one.clientWidth + 1")


def boxes(page, of):
    """Return left and right edge of some parts of the editor."""
    moves.saved(page)  # nothing is drawn anew meanwhile
    found = page.locator(f".frame {of}").evaluate_all("all => all.map(one => one.getBoundingClientRect().toJSON())")
    return [(box["left"], box["right"]) for box in found]


def middles(page, of):
    return [(left + right) / 2 for left, right in boxes(page, of)]


def test_from_right_to_left_a_tree_is_mirrored(app, page):
    suggestions = projects.gold("dep", [HEBREW])
    project = projects.make(app, ["dep"], [HEBREW], lang="he", suggestions=suggestions)
    moves.annotate(page, app, project)
    words = middles(page, ".node")
    assert words == sorted(words, reverse=True)
    assert middles(page, ".arc .tip") == pytest.approx(words, abs=1)  # every arrow points at its word
    lines, labels = boxes(page, ".arc path:not(.tip)"), boxes(page, ".arc .back")
    for word, head in enumerate(HEBREW.heads):
        if head:
            low, high = sorted((words[word], words[head - 1]))
            (left, right), label = lines[word], labels[word]
            assert low - 1 <= left < label[0] - 3 and label[1] + 3 < right <= high + 1
    fill_table(page)
    ((_, annotation),) = projects.held(app, project, "dep")
    assert (annotation["heads"], annotation["deprels"][:3]) == ([2, -1, 1, 2, 2], ["nsubj", "_", "iobj"])


def fill_table(page):
    """Take suggestions in a table, go down and across, and leave a typed value by a click on another row."""

    def cell(column, word):
        return page.locator(f".frame tr[data-word='{word}'] [data-column='{column}']")

    moves.press(page, "t", "t")
    cell("heads", 0).click()
    page.keyboard.press("Enter")
    expect(cell("heads", 1)).to_be_focused()
    for key in ("ArrowUp", "Tab", "Enter", "ArrowDown"):
        page.keyboard.press(key)
    expect(cell("deprels", 2)).to_be_focused()
    page.keyboard.type("iobj")
    cell("heads", 3).click()
    expect(cell("heads", 3)).to_be_focused()
    expect(cell("deprels", 2)).to_have_value("iobj")
    for key in ("Enter", "Enter", "Escape"):
        page.keyboard.press(key)
    cell("heads", 2).click()
    page.keyboard.type("1")
    page.keyboard.press("Escape")
    expect(page.locator(".frame")).to_be_focused()
    expect(cell("heads", 2)).to_have_value("")
    cell("heads", 2).click()
    page.keyboard.type("1")
    page.keyboard.press("Control+Enter")
    moves.saved(page)
