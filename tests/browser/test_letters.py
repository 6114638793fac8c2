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
THAI = Sentence("th-1", "สมชายไปกรุงเทพมหานครเมื่อวาน ฝนตก", ("สมชายไป", "กรุงเทพ", "มหานครเมื่อ", "วาน", "ฝนตก"))


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


def test_letters_of_thai_stay_whole_and_spaces_stay_where_they_are(served, page, tmp_path):
    project = projects.make(served, ["ner"], [THAI], lang="th")
    moves.annotate(page, served, project)
    keys = moves.numbered("ner")
    drag(page, (0, 0), (0, 4))
    moves.press(page, keys["PER"])
    drag(page, (2, 0), (3, 5))
    assert picked(page) == ("มหานคร", ["กรุงเทพ"])
    moves.press(page, keys["LOC"])
    moves.finish(page)
    (found,) = conllu.read(written(served, project, "conllu", tmp_path / "th.conllu"))
    assert found.words == ("สมชาย", "ไป", "กรุงเทพ", "มหานคร", "เมื่อ", "วาน", "ฝนตก")
    assert found.entities == ("B-PER", "O", "B-LOC", "I-LOC", "O", "O", "O")
    assert found.text == THAI.text
    spaces = ["SpaceAfter=No" not in line for line in found.lines if line[0].isdecimal()]
    assert spaces == [False, False, False, False, False, True, True]


def test_one_undo_takes_entity_and_split_back_and_a_drag_alone_changes_nothing(served, page):
    project = projects.make(served, ["ner"], [CHINESE], lang="zh")
    moves.annotate(page, served, project)
    drag(page, (5, 1), (5, 3))
    assert page.locator(".frame .state").inner_text() == "nothing to save"
    moves.press(page, moves.numbered("ner")["PER"])
    page.locator(".frame .entity").wait_for()
    moves.press(page, "Control+z")
    assert tuple(moves.words(page)) == CHINESE.words
    assert page.locator(".frame .entity").count() == 0
    assert picked(page) == ("李小龙", [])
    moves.press(page, "Control+y")
    assert moves.words(page)[5:7] == ["了", "李小龙"]
    moves.press(
        page, "Control+z", "ArrowRight", "ArrowLeft", moves.numbered("ner")["PER"]
    )  # the selection is a word now
    moves.saved(page)
    ((_, annotation),) = projects.held(served, project, "ner")
    assert "words" not in annotation or tuple(annotation["words"]) == CHINESE.words
    assert "B-PER" in annotation["entities"]


def test_a_split_keeps_the_entities_and_the_tags_of_the_sentence(served, page):
    project = projects.make(served, ["pos", "ner"], [CHINESE], lang="zh")
    moves.annotate(page, served, project)
    moves.press(page, *[moves.keys_of("pos")["NOUN"]] * len(CHINESE.words))
    moves.finish(page)
    moves.choose(page, "ner")
    keys = moves.numbered("ner")
    moves.press(page, "Home", keys["LOC"])
    drag(page, (2, 1), (3, 1))
    moves.press(page, keys["ORG"])
    moves.finish(page)
    (annotation,) = projects.done(served, project, "ner")
    assert annotation["entities"] == ["B-LOC", "O", "O", "B-ORG", "I-ORG", "O", "O", "O", "O"]
    moves.choose(page, "pos")
    assert moves.words(page) == annotation["words"]
    tags = page.locator(".frame .token .tag").all_inner_texts()
    assert tags == ["NOUN", "NOUN", "NOUN", "·", "NOUN", "·", "NOUN", "NOUN", "NOUN"]


def test_other_suggestions_stay_when_a_word_is_split(served, page):
    suggested = {"entities": ["B-LOC", "B-PER", "B-ORG", "I-ORG", "O", "B-PER", "O"]}
    project = projects.make(served, ["ner"], [CHINESE], lang="zh", suggestions=[suggested])
    moves.annotate(page, served, project)
    drag(page, (2, 1), (3, 1))
    moves.press(page, moves.numbered("ner")["ORG"])
    assert page.locator(".frame .entity.guess .form").all_inner_texts() == ["昨天", "我", "了李小龙"]
    drag(page, (7, 1), (7, 3))  # what the model has cut wrongly goes with the cut
    moves.press(page, moves.numbered("ner")["PER"], "Home", "Enter", "Backspace")
    moves.finish(page)
    (annotation,) = projects.done(served, project, "ner")
    assert annotation["entities"] == ["B-LOC", "O", "O", "B-ORG", "I-ORG", "O", "O", "O", "B-PER", "O"]


@pytest.mark.parametrize(
    ("text", "words", "lang"),
    [
        ("Anna lives in Berlin.", ["Anna", "lives", "in", "Berlin", "."], "en"),
        ("Yes!", ["Yes", "!"], "en"),
        ("昨天 我 在北京 大学 见 到 他", ["昨天", "我", "在北京", "大学", "见", "到", "他"], "zh"),
    ],
)
def test_where_words_stand_apart_a_drag_over_a_part_of_one_selects_all_of_it(served, page, text, words, lang):
    project = projects.make(served, ["ner"], [Sentence("s", text, tuple(words))], lang=lang)
    moves.annotate(page, served, project)
    assert page.locator(".frame [data-letter]").count() == 0
    assert page.get_by_role("button", name="drag over letters").count() == 0
    box = moves.box(page, ".piece[data-word='0'] .form")
    page.mouse.move(box["x"] + 3, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 10, steps=3)
    page.mouse.up()
    assert picked(page) == ("", words[:1])


def test_a_run_of_other_letters_is_not_cut_and_the_hint_names_both_ways(served, page):
    sentence = Sentence("zh-2", "他用iPhone12拍照。", ("他", "用iPhone12", "拍照", "。"))
    project = projects.make(served, ["ner"], [sentence], lang="zh")
    moves.annotate(page, served, project)
    assert page.get_by_role("button", name="/ split, or drag over letters").count() == 1
    assert page.locator(".frame .piece[data-word='1'] [data-letter]").all_inner_texts() == ["用", "iPhone12"]
    drag(page, (1, 1), (1, 1))
    assert picked(page) == ("iPhone12", [])
    x, y = place(page, 1, 1)
    page.mouse.click(x, y)
    assert picked(page) == ("", ["用iPhone12"])
    moves.press(page, "/")
    field = page.locator(".frame .asking input")
    field.fill("用 iPhone12")
    moves.press(page, "Enter")
    assert moves.words(page) == ["他", "用", "iPhone12", "拍照", "。"]
