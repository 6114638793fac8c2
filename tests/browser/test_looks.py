"""What everybody can read and tell apart on the screen."""

import dataclasses

import pytest
from browser import moves, projects
from playwright.sync_api import expect

pytestmark = pytest.mark.app

PARTS = {"pos": (".token.guess .tag", "color"), "dep": (".arc.guess .name", "fill"), "ner": (".entity.guess .type", "color")}  # fmt: skip # noqa: E501
"""Where each task shows a suggestion, and what its colour is called there."""

PAGES = ("", "sentences", "consistency", "review", "data", "train", "compare")

UNREADABLE = """() => {
  const paper = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    paper.clearRect(0, 0, 1, 1);
    paper.fillStyle = colour;
    paper.fillRect(0, 0, 1, 1);
    return [...paper.getImageData(0, 0, 1, 1).data];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((value, at) => (value * a + under[at] * (255 - a)) / 255);
  const linear = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const bright = (colour) => {
    const [r, g, b] = colour.map((value) => linear(value / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const around = (node) => (node ? [...around(node.parentElement ?? node.getRootNode().host), node] : []);
  const hard = (node) => {
    const { color, fill, fontSize } = getComputedStyle(node);
    const boxes = [...around(node).map((each) => getComputedStyle(each).backgroundColor)];
    const box = node instanceof SVGElement && node.parentNode.querySelector("rect");
    if (box && getComputedStyle(box).fill !== "none") boxes.push(getComputedStyle(box).fill);
    const under = boxes.reduce((below, colour) => over(rgba(colour), below), [255, 255, 255]);
    const text = over(rgba(node instanceof SVGElement ? fill : color), under);
    const [low, high] = [bright(text), bright(under)].sort((a, b) => a - b);
    return high / low < 4.5 || parseFloat(fontSize) < 12;
  };
  const own = (node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
  const inside = (root) => [...root.querySelectorAll("*")].flatMap((node) => [node, ...(node.shadowRoot ? inside(node.shadowRoot) : [])]);
  return inside(document)
    .filter((node) => own(node) && node.getClientRects().length && !node.closest(".spoken, style, script, [data-testid=stSlider]"))
    .filter((node) => !/Material/.test(getComputedStyle(node).fontFamily) && hard(node))
    .map((node) => `${node.tagName} ${node.textContent}`);
}"""  # noqa: E501
"""Texts of which the contrast is below 4.5 (WCAG 2.2, 1.4.3) or that are smaller than 12 pixels."""


def colours(page, selector, name, pseudo=None):
    """Return the colours of everything that a selector finds in the editor."""
    script = f"all => all.map(one => getComputedStyle(one, {pseudo!r})['{name}'])".replace("None", "null")
    return page.locator(f".frame {selector}").evaluate_all(script)


def places(page):
    """Return where the words are."""
    moves.saved(page)
    return page.locator(".frame .token .form").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(({ x, y, width }) => [Math.round(x + width / 2), Math.round(y)])"  # noqa: E501
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_suggestions_are_fainter_than_labels_entities_differ_and_words_stay_where_they_are(app, page, scheme):
    page.emulate_media(color_scheme=scheme)
    (sentence,) = projects.sample("en")[3:4]
    for task, (part, name) in PARTS.items():
        (annotation,) = projects.gold(task, [sentence])
        if task == "ner":
            annotation = {"entities": ["B-PER"] * sentence.length}
        likely = [0.99, 0.6, 0.3, *[0.01] * (sentence.length - 3)]
        project = projects.make(app, [task], [sentence], lang="en")
        projects.suggest(app, project, task, {"annotation": annotation, "confidence": likely})
        moves.annotate(page, app, project)
        moves.saved(page)
        assert len(set(colours(page, part, name)[:3])) == 3  # the less likely the fainter
        moves.press(page, "Enter", "Control+Enter")
        page.locator(".frame .note", has_text="“").wait_for()  # which words are left
        moves.saved(page)
        assert page.evaluate(UNREADABLE) == []
    documents = projects.sample("ar", "documents")[:1]
    suggested = projects.gold("topic", documents)
    moves.annotate(page, app, projects.make(app, ["topic"], documents, lang="ar", suggestions=suggested))
    moves.saved(page)
    assert page.evaluate(UNREADABLE) == []

    project = projects.make(app, ["ner", "pos"], [sentence], lang="en")
    moves.annotate(page, app, project)
    for key in "123":
        moves.press(page, key, "ArrowRight")
    page.locator(".frame .entity").nth(2).wait_for()
    moves.saved(page)  # nothing is drawn anew meanwhile
    assert len(set(colours(page, ".entity .type", "color"))) == 3
    dots = colours(page, ".palette .kind", "backgroundColor", "::before")
    assert len(set(dots)) == len(dots) == 3
    moves.choose(page, "pos")
    before = places(page)
    for tag in ("PROPN", "X", "PUNCT"):
        moves.press(page, moves.keys_of("pos")[tag])
    moves.press(page, "Home")
    assert places(page) == before


def test_every_page_can_be_read_and_is_no_wider_than_its_window(app, page):
    page.goto(app.address)
    page.get_by_text("Annotate a few sentences of your language").wait_for()
    for step in ("1. Make a project", "2. Annotate", "3. Train and see"):
        page.get_by_text(step).wait_for()
    project = projects.annotated(app, ["pos"], projects.sample("en")[:3], lang="en")
    for path in PAGES:
        page.goto(f"{app.address}/{path}?project={project.id}")
        page.get_by_role("heading").first.wait_for()
        moves.settle(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert page.evaluate(UNREADABLE) == [], path
    expect(page.get_by_text("Annotate a few sentences of your language")).to_have_count(0)


def test_classes_of_a_long_document_and_the_question_of_a_long_text_stay_on_the_screen(app, page):
    (document,) = projects.sample("en", "documents")[:1]
    long = dataclasses.replace(document, text=document.text * 40)
    moves.annotate(page, app, projects.make(app, ["topic"], [long], lang="en"))
    expect(page.locator(".frame .palette")).to_be_in_viewport(ratio=1)
    (article,) = projects.sample("en", "articles")[:1]
    first, *_ = article.paragraphs
    long = dataclasses.replace(
        article, paragraphs=(dataclasses.replace(first, context=first.context + " word" * 3000),)
    )
    moves.annotate(page, app, projects.make(app, ["qa"], [long], lang="en"))
    page.keyboard.press("End")
    expect(page.locator(".frame .cursor")).to_be_in_viewport()
    expect(page.locator(".frame .question")).to_be_in_viewport(ratio=1)
