"""Scripts of all kinds: written from right to left, with letters that join, without blanks; and input methods."""

from itertools import pairwise

import pytest
from browser import moves, projects

from annotate.store import Store
from fewshot.corpora.types import Article, Paragraph, Question, Sentence

pytestmark = pytest.mark.app


def sentence(text, heads, deprels, entities, blank=" "):
    words = tuple(text.split())
    tree = {"heads": tuple(heads), "deprels": tuple(deprels.split())}
    return Sentence(words[0], blank.join(words), words, entities=tuple(entities.split()), **tree)


SENTENCES = {
    "he": sentence(
        "הילדה קראה ספר בירושלים .",
        (2, 0, 2, 2, 2),
        "nsubj root obj obl punct",
        "O O O B-LOC O",
    ),
    "ar": sentence(
        "قرأت سلمى كتابا في دمشق .",
        (0, 1, 1, 5, 1, 1),
        "root nsubj obj case obl punct",
        "O B-PER O O B-LOC O",
    ),
    "hi": sentence(
        "सीता ने दिल्ली में किताब पढ़ी ।",
        (6, 1, 6, 3, 6, 0, 6),
        "nsubj case obl case obj root punct",
        "B-PER O B-LOC O O O O",
    ),
    "zh": sentence(
        "小明 在 北京 大学 读书 。",
        (5, 4, 4, 5, 0, 5),
        "nsubj case compound obl root punct",
        "B-PER O B-ORG I-ORG O O",
        blank="",
    ),
    "th": sentence(
        "สมชาย ไป กรุงเทพ มหานคร เมื่อวาน",
        (2, 0, 2, 3, 2),
        "nsubj root obj flat obl",
        "B-PER O B-LOC I-LOC O",
        blank="",
    ),
}


def boxes(page, of):
    """Return left and right edge of some parts of the editor."""
    moves.saved(page)  # nothing is drawn anew meanwhile
    found = page.locator(f".frame {of}").evaluate_all("all => all.map(one => one.getBoundingClientRect().toJSON())")
    return [(box["left"], box["right"]) for box in found]


def middles(page, of):
    return [(left + right) / 2 for left, right in boxes(page, of)]


def open_task(page, app, lang, task):
    project = projects.make(app, [task], [SENTENCES[lang]], lang=lang)
    moves.annotate(page, app, project)
    return project


@pytest.mark.parametrize("lang", ["he", "ar"])
def test_a_tree_of_a_script_from_right_to_left_is_mirrored_and_arrows_lead_to_the_left(served, page, lang):
    wanted = SENTENCES[lang]
    project = open_task(page, served, lang, "dep")
    for word, (head, relation) in enumerate(zip(wanted.heads, wanted.deprels, strict=True)):
        target = head - 1 if head else word
        moves.press(page, "Enter", *["ArrowLeft" if target > word else "ArrowRight"] * abs(target - word), "Enter")
        if head:
            moves.relate(page, relation)
        moves.press(page, "ArrowLeft")
    words = middles(page, ".node")
    assert words == sorted(words, reverse=True)
    assert middles(page, ".arc .tip") == pytest.approx(words, abs=1)  # every arrow points at its word
    lines, labels = boxes(page, ".arc path:not(.tip)"), boxes(page, ".arc .back")
    for word, head in enumerate(wanted.heads):
        if head:
            low, high = sorted((words[word], words[head - 1]))
            (left, right), label = lines[word], labels[word]
            assert low - 1 <= left < label[0] - 3 and label[1] + 3 < right <= high + 1
    moves.finish(page)
    assert projects.done(served, project, "dep") == projects.gold("dep", [wanted])


@pytest.mark.parametrize("lang", ["he", "ar"])
def test_words_run_from_right_to_left_and_the_cursor_with_them(served, page, lang):
    project = open_task(page, served, lang, "pos")
    words = middles(page, ".token")
    assert words == sorted(words, reverse=True)
    keys = moves.keys_of("pos")
    moves.press(page, "ArrowLeft", "ArrowLeft", "ArrowRight", keys["NOUN"], "End", keys["PUNCT"], "Home", keys["X"])
    moves.saved(page)
    ((_, annotation),) = projects.held(served, project, "pos")
    assert annotation["upos"] == ["X", "NOUN", *["_"] * (len(words) - 3), "PUNCT"]


@pytest.mark.parametrize("lang", sorted(SENTENCES))
@pytest.mark.parametrize("mouse", [False, True], ids=["keys", "mouse"])
def test_entities_of_every_script_are_selected_over_their_words(served, page, lang, mouse):
    wanted = SENTENCES[lang]
    project = open_task(page, served, lang, "ner")
    forward = "ArrowLeft" if lang in ("he", "ar") else "ArrowRight"
    types = moves.numbered("ner")
    for first, last, type_ in projects.entities(wanted):
        moves.mark(page, first, last, types[type_], mouse, forward)
    shown = page.locator(".frame .entity .type").all_text_contents()
    assert shown == [type_ for _, _, type_ in projects.entities(wanted)]
    moves.finish(page)
    assert projects.done(served, project, "ner") == projects.gold("ner", [wanted])


@pytest.mark.parametrize("lang", ["zh", "th"])
def test_a_script_without_blanks_is_shown_without_blanks(served, page, lang):
    open_task(page, served, lang, "ner")
    edges = boxes(page, ".piece")
    gaps = [after[0] - before[1] for before, after in pairwise(edges)]
    assert gaps == pytest.approx([0.0] * len(gaps), abs=1)


@pytest.mark.parametrize(("task", "form"), [("pos", ".token .form"), ("dep", ".node .form"), ("ner", ".piece .form")])
def test_the_letters_of_a_word_of_hindi_are_shaped_together(served, page, task, form):
    open_task(page, served, "hi", task)
    assert page.locator(f".frame {form}").all_text_contents() == list(SENTENCES["hi"].words)
    pieces = page.locator(f".frame {form}").evaluate_all("all => all.map(one => one.childNodes.length)")
    assert set(pieces) == {1}  # one run of text


def test_no_answer_ends_inside_a_letter_of_hindi(served, page):
    context = "सीता ने दिल्ली में किताब पढ़ी।"
    asked = Article("a", (Paragraph(context, (Question("what", "क्या?"), Question("where", "कहाँ?"))),))
    project = projects.make(served, ["qa"], [asked], lang="hi")
    moves.annotate(page, served, project)
    select(page, context.index("किताब"), context.index("किताब") + 3)  # ta without its vowel sign
    page.locator(".frame .answer", has_text="किता").wait_for()
    moves.press(page, "ArrowDown", "ArrowRight", "ArrowRight", "Enter")
    moves.finish(page)
    (found,) = projects.done(served, project, "qa")
    assert found["answers"] == {
        "what": [{"text": "किता", "start": context.index("किताब")}],
        "where": [{"text": "दिल्ली", "start": context.index("दिल्ली")}],
    }


def select(page, start, end):
    """Select a part of the paragraph as a mouse may, and let go of the button."""
    page.locator(".frame").evaluate(  # which stays, while the paragraph may be drawn anew at any time
        """(frame, [start, end]) => {
          const paragraph = frame.querySelector(".context");
          const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
          const at = (wanted) => {
            let before = 0;
            walker.currentNode = paragraph;
            for (let node = walker.nextNode(); node; before += node.data.length, node = walker.nextNode())
              if (wanted <= before + node.data.length) return [node, wanted - before];
          };
          getSelection().setBaseAndExtent(...at(start), ...at(end));
          paragraph.dispatchEvent(new PointerEvent("pointerup", { bubbles: true, composed: true }));
        }""",
        [start, end],
    )


def compose(page, text):
    """Write a text with an input method that has not settled it yet."""
    page.context.new_cdp_session(page).send(
        "Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)}
    )


def settle(page, text):
    """Write the text that an input method has settled."""
    page.context.new_cdp_session(page).send("Input.insertText", {"text": text})


def test_keys_of_an_input_method_neither_split_a_word_nor_leave_the_field(served, page):
    project = open_task(page, served, "zh", "pos")
    moves.press(page, "/")
    field = page.locator(".frame .asking input")
    field.fill("")
    for key in ("Enter", "Escape"):
        compose(page, "xiao ming")
        moves.press_in_composition(page, key)
        assert field.count() == 1
        assert moves.words(page) == list(SENTENCES["zh"].words)
    settle(page, "小 明")
    moves.press(page, "Enter")
    page.locator(".frame .token").nth(len(SENTENCES["zh"].words)).wait_for()
    assert moves.words(page) == ["小", "明", *SENTENCES["zh"].words[1:]]
    moves.saved(page)
    ((_, annotation),) = projects.held(served, project, "pos")
    assert annotation["upos"] == ["_"] * len(annotation["words"])  # no letter of the input method was a tag


def test_a_relation_is_looked_for_with_an_input_method(served, page):
    project = open_task(page, served, "zh", "dep")
    moves.press(page, "Enter", "ArrowRight", "Enter", "l")
    for key in ("Enter", "Escape"):
        compose(page, "ns")
        moves.press_in_composition(page, key)
        assert page.locator(".frame .asking input").count() == 1
    settle(page, "nsubj")
    moves.press(page, "Enter")
    moves.saved(page)
    ((_, annotation),) = projects.held(served, project, "dep")
    assert (annotation["heads"][0], annotation["deprels"][0]) == (2, "nsubj")


def test_a_comment_is_written_with_an_input_method(served, page):
    project = open_task(page, served, "zh", "pos")
    page.get_by_role("button", name="Comment").click()
    box = page.get_by_role("textbox", name="Comment")
    box.click()
    compose(page, "ni hao")
    moves.press_in_composition(page, "Enter")
    settle(page, "你好")
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Comment (1)").wait_for()
    store = Store.open(served.url)
    (item,) = store.items(project.id)
    assert [one.text.strip() for one in store.comments(item.example_id)] == ["你好"]
    store.close()
    assert page.locator(".frame .token.sure").count() == 0


def test_a_key_that_an_input_method_has_taken_changes_no_tag(served, page):
    open_task(page, served, "zh", "pos")
    moves.press_in_composition(page, moves.keys_of("pos")["NOUN"])
    moves.press(page, "ArrowRight", moves.keys_of("pos")["VERB"])
    assert page.locator(".frame .token .tag").all_inner_texts()[:2] == ["·", "VERB"]
