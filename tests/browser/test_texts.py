"""Classes of pairs and answers in a paragraph, by keyboard and by mouse."""

import re

import pytest
from browser import moves, projects
from playwright.sync_api import expect

from fewshot.corpora.types import Article, Paragraph, Question

pytestmark = pytest.mark.app


def article():
    """Return an article with letters of several code units, and of several code points, before its answers."""
    context = "👩‍👩‍👧 Ayumi und Jürgen wohnen seit 2019 in 東京 🗼, sagt Jürgen."
    questions = [Question(name, text) for name, text in (("who", "Wer?"), ("where", "Wo?"), ("why", "Warum?"))]
    return Article("familie", (Paragraph(context, tuple(questions)),))


def at(context, text, occurrence=0):
    """Return an answer as JSON; Python counts in code points."""
    start = -1
    for _ in range(occurrence + 1):
        start = context.index(text, start + 1)
    return {"text": text, "start": start}


def drag_over(page, text):
    """Select a text of the paragraph with the mouse."""
    box = page.locator(".frame").evaluate(  # which stays, while the paragraph may be drawn anew at any time
        """(frame, text) => {
          const walker = document.createTreeWalker(frame.querySelector(".context"), NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const start = node.data.indexOf(text);
            if (start < 0) continue;
            const range = document.createRange();
            range.setStart(node, start);
            range.setEnd(node, start + text.length);
            return range.getBoundingClientRect().toJSON();
          }
        }""",
        text,
    )
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 1, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 1, middle, steps=4)
    page.mouse.up()


@pytest.mark.parametrize(("task", "kind", "lang"), [("nli", "pairs", "sw"), ("topic", "documents", "ar")])
def test_one_key_chooses_a_class_and_goes_on_and_back_again(served, page, task, kind, lang):
    examples = projects.sample(lang, kind)[:4]
    project = projects.make(served, [task], examples, lang=lang)
    moves.annotate(page, served, project)
    keys = moves.numbered(task)
    other = next(name for name in keys if name != examples[0].label)
    moves.press_and_leave(page, keys[other])
    moves.press_and_leave(page, "Alt+ArrowLeft")
    expect(page.locator(".frame .choice.chosen")).to_have_text(re.compile(f"{other}$"))
    for example in examples:
        moves.press_and_leave(page, keys[example.label])
    assert projects.done(served, project, task) == projects.gold(task, examples)


def test_answers_are_selected_by_mouse_and_by_keys_with_offsets_in_code_points(served, page):
    asked = article()
    context = asked.paragraphs[0].context
    project = projects.make(served, ["qa"], [asked], lang="de")
    moves.annotate(page, served, project)
    drag_over(page, "Jürgen")
    page.locator(".frame .answer", has_text="Jürgen").wait_for()
    moves.press(page, "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Enter")  # Ayumi und Jürgen
    page.locator(".frame .answer", has_text="Ayumi und Jürgen").wait_for()
    moves.press(page, "ArrowDown")
    drag_over(page, "東京 🗼")
    moves.press(page, "ArrowDown", "Control+Enter")
    page.locator(".frame .note", has_text="Warum?").wait_for()
    moves.press(page, "0")
    moves.finish(page)
    assert projects.done(served, project, "qa") == [
        {
            "answers": {
                "who": [at(context, "Jürgen"), at(context, "Ayumi und Jürgen")],
                "where": [at(context, "東京 🗼")],
                "why": [],
            }
        }
    ]
