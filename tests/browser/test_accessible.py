"""All text can be read: its contrast and its size."""

import pytest
from browser import moves, projects

pytestmark = pytest.mark.app

HARD = """() => {
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


def suggested(app, task, kind="sentences", lang="ar", count=1):
    """Make a project in which a model suggests what the examples came with."""
    examples = projects.sample(lang, kind)[:count]
    return projects.make(app, [task], examples, lang=lang, suggestions=projects.gold(task, examples))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("task", "kind"), [("pos", "sentences"), ("dep", "sentences"), ("ner", "sentences"), ("topic", "documents")])  # fmt: skip # noqa: E501
def test_all_text_beside_an_editor_can_be_read(served, page, scheme, task, kind):
    page.emulate_media(color_scheme=scheme)
    moves.annotate(page, served, suggested(served, task, kind))
    if task in ("pos", "dep"):
        moves.press(page, "Enter", "Enter", "Control+Enter")
        page.locator(".frame .note", has_text="yet").wait_for()
    moves.saved(page)
    assert page.evaluate(HARD) == []


@pytest.mark.parametrize("path", ["", "review", "data", "sentences"])
def test_all_text_of_other_pages_can_be_read(served, page, path):
    project = suggested(served, "pos")
    page.goto(f"{served.address}/{path}?project={project.id}")
    page.get_by_test_id("stCaptionContainer").first.wait_for()
    assert page.evaluate(HARD) == []
