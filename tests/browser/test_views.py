"""Trees of every length are seen whole: across, down and as a table, on a laptop and on a phone."""

import pytest
from browser import moves, projects

from fewshot.corpora.formats import conllu
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

HERE = """scroller => {
  const here = scroller.querySelector(".here"), one = here.getBoundingClientRect(), box = scroller.getBoundingClientRect();
  const seen = one.left >= box.left - 1 && one.right <= box.right + 1 && one.top >= box.top - 1 && one.bottom <= box.bottom + 1;
  return [Number(here.dataset.word), seen && one.top >= 0 && one.bottom <= window.innerHeight + 1];
}"""  # noqa: E501
"""The word at the cursor, and whether it is in sight."""


def long_sentence():
    """Return 90 words in nested clauses with long relations, and an arc that crosses others."""
    words = tuple(f"word{number}" if number % 3 else "a" for number in range(WORDS))
    heads = [0, *(1 + (number // 7) * 7 if number % 7 else 1 + number // 14 * 7 for number in range(1, WORDS))]
    heads = [head if head != place else place - 1 for place, head in enumerate(heads, start=1)]
    heads[20] = 40
    deprels = ["root", *("acl:relcl" if number % 2 else "det" for number in range(1, WORDS))]
    upos = tuple("NOUN" if number % 3 else "DET" for number in range(WORDS))
    return Sentence("long", " ".join(words), words, upos=upos, heads=tuple(heads), deprels=tuple(deprels))


def open_long(page, app, size=LAPTOP):
    page.set_viewport_size(size)
    sentence = long_sentence()
    project = projects.make(app, ["dep"], [sentence], lang="en", suggestions=projects.gold("dep", [sentence]))
    moves.annotate(page, app, project)
    return project


def scroller(page):
    return page.locator(".frame .scroll")


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
@pytest.mark.parametrize("view", ["down", "across", "fit"])
def test_every_word_and_label_of_a_long_tree_can_be_seen_and_none_stands_on_another(served, page, size, view):
    open_long(page, served, size)
    assert page.locator(".frame .down").count() == 1  # of itself
    if view != "down":
        moves.press(page, "z", *([] if view == "fit" else ["z"]))
        page.locator(".frame svg .node").first.wait_for()
    assert scroller(page).locator(".form").count() == scroller(page).locator(".name").count() == WORDS
    assert scroller(page).evaluate(OUTSIDE) == []
    assert scroller(page).evaluate(OVERLAPPING) == []
    assert scroller(page).evaluate(HIDDEN) == []
    assert page.locator(".frame .reading").inner_text() == long_sentence().text
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth <= main.clientWidth")
    if view == "fit":
        assert scroller(page).evaluate("one => one.scrollWidth <= one.clientWidth + 1")


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
@pytest.mark.parametrize("view", ["down", "across"])
def test_the_keyboard_leads_to_every_word_of_a_long_tree_and_brings_it_into_sight(served, page, size, view):
    open_long(page, served, size)
    if view == "across":
        moves.press(page, "t", "t")
        page.locator(".frame svg .node").first.wait_for()
    found = [scroller(page).evaluate(HERE)]
    for _ in range(WORDS - 1):
        moves.press(page, "ArrowDown" if view == "down" else "ArrowRight")
        found.append(scroller(page).evaluate(HERE))
    assert found == [[word, True] for word in range(WORDS)]
    moves.press(page, "Home")
    assert scroller(page).evaluate(HERE) == [0, True]
    moves.press(page, "Enter", "8", "7", "Enter")
    moves.saved(page)


def test_a_short_tree_is_drawn_across_in_the_width_of_the_window(served, page):
    page.set_viewport_size(LAPTOP)
    sentence = projects.sample("en")[0]
    moves.annotate(page, served, projects.make(served, ["dep"], [sentence], lang="en"))
    assert moves.box(page, ".scroll")["width"] > 1050
    page.get_by_test_id("stExpandSidebarButton").wait_for()
    assert page.locator(".frame svg .node").count() == sentence.length
    assert page.locator(".frame .reading").count() == 0  # the words are the text
    moves.press(page, "t")
    assert page.locator(".frame .down .node").count() == sentence.length
    moves.press(page, "t")
    assert page.locator(".frame .table tbody tr").count() == sentence.length


def test_a_line_follows_what_is_dragged_and_the_tree_scrolls_at_its_edge(served, page):
    project = open_long(page, served)
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
    assert page.locator(".frame .dragged path").get_attribute("d").startswith("M")
    page.locator(f".frame .node[data-word='{WORDS - 1}'] .form").hover()
    page.mouse.up()
    moves.saved(page)
    ((_, annotation),) = projects.held(served, project, "dep")
    assert annotation["heads"][1] == WORDS
    assert page.locator(".frame .dragged").count() == 0


def test_tags_lemmas_and_glosses_of_the_file_stand_under_the_words_of_a_tree(served, page, tmp_path):
    rows = ("1\tDogs\tdog\tNOUN\t_\t_\t0\troot\t_\tGloss=chien", "2\tbark\tbark\tVERB\t_\t_\t1\tdep\t_\t_")
    path = tmp_path / "x.conllu"
    path.write_text("\n".join(["# text = Dogs bark", *rows]) + "\n\n", encoding="utf-8")
    (sentence,) = conllu.read(path)
    project = projects.make(served, ["dep"], [sentence], lang="en")
    moves.annotate(page, served, project)
    assert page.locator(".frame .node").first.locator(".below").all_text_contents() == ["1", "dog", "chien"]
    moves.press(page, "t")
    assert page.locator(".frame .node").first.locator(".below bdi").all_text_contents() == ["dog", "chien"]
