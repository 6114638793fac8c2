"""Entities that begin or end inside a word of a text without spaces: the mouse selects letters, and words are split."""

import json

import pytest
from browser import moves, projects

from annotate.exchange.exporting import export_annotations
from annotate.store import Store
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Sentence

pytestmark = pytest.mark.app


CHINESE = Sentence(
    "zh-1", "昨天我在𠮷野大学见到了李小龙。", ("昨天", "我", "在𠮷野", "大学见", "到", "了李小龙", "。")
)  # as a segmenter might have it


def place(page, word, letter):
    """Return the middle of a letter."""
    box = moves.box(page, f".piece[data-word='{word}'] [data-letter='{letter}']")
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, first, last):
    """Drag from a letter to another, each given as word and number."""
    x, y = place(page, *first)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(*place(page, *last), steps=5)
    if first == last:
        page.mouse.move(x + 6, y)
    page.mouse.up()


def picked(page):
    """Return the letters that are selected one by one, and the words that are."""
    letters = page.locator(".frame .form .selected").all_inner_texts()
    return "".join(letters), page.locator(".frame .piece.selected .form").all_inner_texts()


def written(served, project, format, path):
    """Export what is gold."""
    store = Store.open(served.url)
    formats.export(
        export_annotations(store, project, project.tasks, None, "annotated").examples, [tasks.get("ner")], format, path
    )
    store.close()
    return path


def test_a_drag_over_letters_makes_an_entity_of_parts_of_words(served, page, tmp_path):
    project = projects.make(served, ["ner"], [CHINESE], lang="zh")
    moves.annotate(page, served, project)
    keys = moves.numbered("ner")
    drag(page, (2, 1), (3, 1))  # 𠮷 to 学
    assert picked(page) == ("𠮷野大学", [])
    moves.press(page, keys["ORG"])
    words = ["昨天", "我", "在", "𠮷野", "大学", "见", "到", "了李小龙", "。"]
    assert moves.words(page) == words
    drag(page, (7, 3), (7, 1))  # backwards, inside of one word
    moves.press(page, keys["PER"])
    moves.finish(page)
    words[7:8] = ["了", "李小龙"]
    (annotation,) = projects.done(served, project, "ner")
    tags = ["O", "O", "O", "B-ORG", "I-ORG", "O", "O", "O", "B-PER", "O"]
    assert annotation == {"words": words, "ranges": [], "entities": tags}
    (found,) = conllu.read(written(served, project, "conllu", tmp_path / "zh.conllu"))
    assert (found.text, found.words, found.entities) == (CHINESE.text, tuple(words), tuple(tags))
    rows = [line.split("\t") for line in found.lines if line[0].isdecimal()]
    assert [row[0] for row in rows] == [str(number) for number in range(1, 11)]
    assert all("SpaceAfter=No" in row[9] for row in rows[:-1])
    lines = written(served, project, "bio", tmp_path / "zh.bio").read_text(encoding="utf-8").splitlines()
    assert lines[3:5] == ["𠮷野\tB-ORG", "大学\tI-ORG"]
    row = json.loads(written(served, project, "spans", tmp_path / "zh.jsonl").read_text(encoding="utf-8"))
    assert [row["text"][one["start"] : one["end"]] for one in row["entities"]] == ["𠮷野大学", "李小龙"]
