"""What is not right is not done, and the message names the fix."""

import pytest
from browser import moves, projects

from annotate import content, transfer
from annotate.store import Store
from fewshot.corpora import conllu


def tree(served, page):
    sentence = next(one for one in projects.sample("ja") if one.length == 7)
    (gold,) = projects.gold("dep", [sentence])
    project = projects.make(served, ["dep"], [sentence], suggestions=[gold])
    moves.annotate(page, served, project)
    moves.press(page, "Shift+A", "Home")
    return project, sentence


def test_two_roots_are_refused_and_the_fix_is_named(served, page):
    project, sentence = tree(served, page)
    other = next(word for word, head in enumerate(sentence.heads) if head != 0)
    moves.press(page, *["ArrowRight"] * other, "Enter", "Enter", "Control+Enter")
    page.locator(".frame .note", has_text="are all roots; attach").wait_for()
    moves.saved(page)
    ((status, annotation),) = projects.held(served, project, "dep")
    assert (status, annotation["heads"].count(0)) == ("open", 2)
    moves.press(page, "Control+z")
    moves.finish(page)


def test_a_circle_is_refused_and_the_fix_is_named(served, page):
    _, sentence = tree(served, page)
    root = sentence.heads.index(0)
    child = next(word for word, head in enumerate(sentence.heads) if head == root + 1)
    moves.press(page, *["ArrowRight"] * root, "Enter", *str(child + 1), "Enter", "Control+Enter")
    page.locator(".frame .note", has_text="hang on each other in a circle; attach one of them").wait_for()
    moves.press(page, "Control+z")
    moves.finish(page)


def test_open_words_are_refused_and_the_cursor_goes_there(served, page):
    sentence = next(one for one in projects.sample("ja") if one.length == 7)
    project = projects.make(served, ["pos"], [sentence])
    moves.annotate(page, served, project)
    moves.press(page, "n", "v", "Control+Enter")
    page.locator(".frame .note", has_text="no tag yet").wait_for()
    assert page.locator(".frame .token.here .form").inner_text() == sentence.words[2]


@pytest.mark.parametrize("repair", ["split", "merge"])
def test_repaired_words_are_those_of_the_tree_and_of_the_export(served, page, tmp_path, repair):
    sentence = next(one for one in projects.sample("en") if len(one.words[1]) > 3 and one.length == 6)
    project = projects.make(served, ["pos", "dep"], [sentence], lang="en")
    moves.annotate(page, served, project)
    moves.press(page, "n", "v", "ArrowLeft")
    if repair == "split":
        moves.press(page, "/")
        page.locator(".frame .asking input").fill(f"{sentence.words[1][:2]} {sentence.words[1][2:]}")
        moves.press(page, "Enter")
        words = [sentence.words[0], sentence.words[1][:2], sentence.words[1][2:], *sentence.words[2:]]
    else:
        moves.press(page, "ArrowLeft", "+")
        words = [sentence.words[0] + sentence.words[1], *sentence.words[2:]]
    assert moves.words(page) == words
    moves.press(page, "Home", *["n"] * len(words))
    moves.press(page, "Control+Enter")
    page.get_by_text("Nothing left to do").wait_for()
    moves.choose(page, "dep")
    assert page.locator(".frame .node .form").all_text_contents() == words
    store = Store.open(served.url)
    (exported,) = transfer.annotated(store, store.project(project.id), ["pos"], None, None)
    store.close()
    conllu.write([exported], tmp_path / "x.conllu")
    (read,) = conllu.read(tmp_path / "x.conllu")
    assert (list(read.words), set(read.upos)) == (words, {"NOUN"})
    assert content.annotation_of("pos", read)["upos"] == ["NOUN"] * len(words)
