"""What the mouse is dragged over is selected: words, letters of words without spaces, answers in a paragraph."""

import pytest
from browser import moves, projects

from fewshot.corpora.types import Article, Paragraph, Question, Sentence

pytestmark = pytest.mark.app

HEBREW = Sentence(
    "he",
    "בת קראה בתל אביב .",
    ("בת", "קראה", "בתל", "אביב", "."),
    entities=("B-ORG", "I-ORG", "I-ORG|B-LOC", "I-ORG|I-LOC", "O"),
)
CHINESE = Sentence(
    "zh-1", "昨天我在𠮷野大学见到了李小龙。", ("昨天", "我", "在𠮷野", "大学见", "到", "了李小龙", "。")
)  # as a segmenter might have it
CONTEXT = "👩‍👩‍👧 Ayumi und Jürgen wohnen seit 2019 in 東京 🗼, sagt Jürgen."
"""Letters of several code units, and of several code points, before the answers."""


def drag(page, first, last):
    """Drag from one point to another."""
    page.mouse.move(*first)
    page.mouse.down()
    page.mouse.move(*last, steps=5)
    page.mouse.up()


def at(page, word, letter=None):
    """Return the middle of a word, or of one of its letters."""
    box = moves.box(page, f".piece[data-word='{word}']" + ("" if letter is None else f" [data-letter='{letter}']"))
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def picked(page):
    """Return the letters that are selected one by one, and the words that are."""
    letters = page.locator(".frame .form .selected").all_inner_texts()
    return "".join(letters), page.locator(".frame .piece.selected .form").all_inner_texts()


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
    drag(page, (box["x"] + 1, middle), (box["x"] + box["width"] - 1, middle))


def test_words_letters_and_answers_are_selected_by_the_mouse(app, page):
    types = moves.numbered("ner")
    project = projects.make(app, ["ner"], [HEBREW], lang="he", nested=True)
    moves.annotate(page, app, project)
    drag(page, at(page, 2), at(page, 3))
    assert picked(page) == ("", ["בתל", "אביב"])
    moves.press(page, types["LOC"])
    drag(page, at(page, 3), at(page, 0))
    moves.press(page, types["ORG"])
    inner, outer = (moves.box(page, selector) for selector in (".entity .entity", ".entity:has(.entity) > .type"))
    assert inner["x"] > outer["x"] + outer["width"], "the box of the outer entity ends at the left"
    moves.finish(page)
    assert projects.done(app, project, "ner") == projects.gold("ner", [HEBREW])

    project = projects.make(app, ["ner"], [CHINESE], lang="zh")
    moves.annotate(page, app, project)
    drag(page, at(page, 2, 1), at(page, 3, 1))  # 𠮷 to 学
    assert picked(page) == ("𠮷野大学", [])
    moves.press(page, types["ORG"])
    words = ["昨天", "我", "在", "𠮷野", "大学", "见", "到", "了李小龙", "。"]
    assert moves.words(page) == words
    drag(page, at(page, 7, 3), at(page, 7, 1))  # backwards, inside of one word
    moves.press(page, types["PER"])
    moves.finish(page)
    words[7:8] = ["了", "李小龙"]
    tags = ["O", "O", "O", "B-ORG", "I-ORG", "O", "O", "O", "B-PER", "O"]
    assert projects.done(app, project, "ner") == [{"words": words, "ranges": [], "entities": tags}]

    questions = Question("who", "Wer?"), Question("where", "Wo?")
    project = projects.make(app, ["qa"], [Article("familie", (Paragraph(CONTEXT, questions),))], lang="de")
    moves.annotate(page, app, project)
    answers = {"who": "Jürgen", "where": "東京 🗼"}
    for text in answers.values():
        drag_over(page, text)
        page.locator(".frame .answer", has_text=text).wait_for()
        moves.press(page, "ArrowDown")
    moves.finish(page)
    starts = {name: [{"text": text, "start": CONTEXT.index(text)}] for name, text in answers.items()}  # code points
    assert projects.done(app, project, "qa") == [{"answers": starts}]
