"""Every editor, by keyboard and by mouse: what was meant is what the store holds."""

import pytest
from browser import moves, projects

from fewshot.corpora.types import Article, Paragraph, Question

pytestmark = pytest.mark.app


def trees(count):
    """Return short Japanese trees."""
    return [sentence for sentence in projects.sample("ja") if 6 <= sentence.length <= 9][:count]


def test_trees_are_drawn_with_the_keyboard(served, page):
    sentences = trees(3)
    project = projects.make(served, ["dep"], sentences)
    moves.annotate(page, served, project)
    for sentence in sentences:
        assert tuple(page.locator(".frame .node .form").all_text_contents()) == sentence.words
        arcs = list(zip(sentence.heads, sentence.deprels, strict=True))
        for word, (head, relation) in enumerate(arcs):
            moves.attach(page, word, head, relation, word == len(arcs) - 1)
        moves.finish(page)
    assert projects.done(served, project, "dep") == projects.gold("dep", sentences)


def test_trees_are_drawn_with_the_mouse(served, page):
    (sentence,) = trees(1)
    project = projects.make(served, ["dep"], [sentence])
    moves.annotate(page, served, project)

    def node(word):
        return page.locator(f".frame .node[data-word='{word}']")

    for word, (head, relation) in enumerate(zip(sentence.heads, sentence.deprels, strict=True)):
        if head and word % 2:
            node(word).hover()
            page.mouse.down()
            node(head - 1).hover()
            page.mouse.up()
        else:
            node(word).click()
            node(head - 1 if head else word).click()
        if head:
            page.locator(".frame .arc.current .name").click()
            page.locator(".frame .asking input").fill(relation)
            page.locator(".frame .option.first").click()
    moves.finish(page)
    assert projects.done(served, project, "dep") == projects.gold("dep", [sentence])


def test_the_relation_to_another_head_than_the_models_is_open_until_it_is_confirmed(served, page):
    (sentence,) = trees(1)
    (gold,) = projects.gold("dep", [sentence])
    project = projects.make(served, ["dep"], [sentence], suggestions=[gold])
    moves.annotate(page, served, project)
    word = next(word for word, head in enumerate(gold["heads"]) if word and head > 1)
    moves.press(page, "Home", *["ArrowRight"] * word, "Enter", "1", "Enter")
    assert page.locator(".frame .arc.current.unnamed .name").text_content() == f"{gold['deprels'][word]}?"
    moves.saved(page)
    ((_, annotation),) = projects.held(served, project, "dep")
    assert (annotation["heads"][word], annotation["deprels"][word]) == (1, "_")
    moves.press(page, " ")
    moves.saved(page)
    ((_, annotation),) = projects.held(served, project, "dep")
    assert (annotation["heads"][word], annotation["deprels"][word]) == (1, gold["deprels"][word])


def test_an_arrow_leads_in_the_direction_of_arabic(served, page):
    sentence = next(one for one in projects.sample("ar") if one.id == "ar-pool-014")
    project = projects.make(served, ["pos", "dep", "ner"], [sentence], lang="ar")
    moves.annotate(page, served, project, "dep")
    lefts = [moves.box(page, f".node[data-word='{word}']")["x"] for word in range(sentence.length)]
    assert lefts == sorted(lefts, reverse=True)  # the first word is the rightmost
    for word, head in enumerate(sentence.heads):
        target = head - 1 if head else word
        moves.press(page, "Enter", *["ArrowLeft" if target > word else "ArrowRight"] * abs(target - word), "Enter")
        if head:
            moves.relate(page, sentence.deprels[word])
        moves.press(page, "ArrowLeft")
    moves.finish(page)
    assert projects.done(served, project, "dep") == projects.gold("dep", [sentence])
    moves.choose(page, "ner")
    types = moves.numbered("ner")
    for word, tag in enumerate(sentence.entities):
        if tag != "O":
            moves.press(page, types[tag[2:]])
        if word < sentence.length - 1:
            moves.press(page, "ArrowLeft")
    moves.finish(page)
    assert projects.done(served, project, "ner") == projects.gold("ner", [sentence])
    moves.choose(page, "pos")
    moves.press(page, *["ArrowLeft"] * 2, "ArrowRight", moves.keys_of("pos")["NOUN"])
    moves.saved(page)
    ((_, annotation),) = projects.held(served, project, "pos")
    assert annotation["upos"] == ["_", "NOUN", *["_"] * (sentence.length - 2)]


def test_entities_are_selected_by_keys_and_by_mouse_and_the_rest_is_no_entity(served, page):
    sentences = [one for one in projects.sample("ja") if sum(tag[0] == "B" for tag in one.entities) > 1][:5]
    project = projects.make(served, ["ner"], sentences)
    moves.annotate(page, served, project)
    types = moves.numbered("ner")
    for number, sentence in enumerate(sentences):
        for first, last, type_ in projects.entities(sentence):
            moves.mark(page, first, last, types[type_], mouse=number % 2)
        moves.finish(page)
    assert projects.done(served, project, "ner") == projects.gold("ner", sentences)


def test_a_suggested_entity_is_confirmed_or_rejected_before_the_sentence_is_done(served, page):
    sentence = next(one for one in projects.sample("ja") if one.id == "ja-pool-018")
    (suggested,) = projects.gold("ner", [sentence])
    project = projects.make(served, ["ner"], [sentence], suggestions=[suggested])
    moves.annotate(page, served, project)
    assert page.locator(".frame .entity.guess").count() == 2
    moves.press(page, "Enter", "Control+Enter")  # the second is not decided
    page.locator(".frame .note", has_text="not decided").wait_for()
    moves.press(page, "Backspace")
    moves.finish(page)
    ((first, last, type_), _) = projects.entities(sentence)
    wanted = ["O"] * sentence.length
    wanted[first : last + 1] = [f"B-{type_}", *[f"I-{type_}"] * (last - first)]
    assert projects.done(served, project, "ner") == [{"entities": wanted}]


@pytest.mark.parametrize(("task", "kind", "lang"), [("nli", "pairs", "sw"), ("topic", "documents", "ar")])
def test_one_key_chooses_a_class_and_goes_on_and_back_again(served, page, task, kind, lang):
    examples = projects.sample(lang, kind)[:4]
    project = projects.make(served, [task], examples, lang=lang)
    moves.annotate(page, served, project)
    keys = moves.numbered(task)
    other = next(name for name in keys if name != examples[0].label)
    moves.press_and_leave(page, keys[other])
    moves.press_and_leave(page, "Alt+ArrowLeft")
    assert page.locator(".frame .choice.chosen").inner_text().endswith(other)
    for example in examples:
        moves.press_and_leave(page, keys[example.label])
    assert projects.done(served, project, task) == projects.gold(task, examples)


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


def test_an_answer_is_taken_back_and_another_given(served, page):
    asked = article()
    project = projects.make(served, ["qa"], [asked], lang="de")
    moves.annotate(page, served, project)
    moves.press(page, "Enter", "Backspace")
    drag_over(page, "Ayumi")
    moves.press(page, "ArrowDown", "0", "ArrowDown", "0")
    moves.finish(page)
    (found,) = projects.done(served, project, "qa")
    assert found["answers"] == {"who": [at(asked.paragraphs[0].context, "Ayumi")], "where": [], "why": []}
