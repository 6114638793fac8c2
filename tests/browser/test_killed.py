"""A page is loaded anew, the connection breaks, the server is killed: what a person did is there."""

import pytest
from browser import moves, projects
from playwright.sync_api import expect

pytestmark = pytest.mark.system


def drawn(page):
    """Return what is drawn, with the cursor at the first word: where arcs go and their labels, entities and types."""
    moves.press(page, "Home")
    return page.locator(".frame .arc path, .frame .arc .name, .frame .entity").evaluate_all(
        "all => all.map(one => one.getAttribute('d') ?? one.textContent)"
    )


def draw(page, sentence, part):
    """Draw a word's arc, or an entity."""
    if isinstance(part, list):
        first, last, type_ = part
        moves.mark(page, first, last, moves.numbered("ner")[type_])
    else:
        moves.press(page, "Home", *["ArrowRight"] * part)
        moves.attach(page, part, sentence.heads[part], sentence.deprels[part], last=True)


def away(page):
    """Wait until the editor says that it keeps what is made while the server is away."""
    page.locator(".frame .state", has_text="server unreachable; kept in this window").wait_for()


def test_nothing_is_lost_when_page_connection_or_server_goes(app, page):
    sentences = [*(one for one in projects.sample("ja") if one.id == "ja-pool-018"), *projects.sample("ja")[:2]]
    project = projects.make(app, ["pos", "dep", "ner"], sentences)
    moves.annotate(page, app, project, "pos")
    page.get_by_text("Example by example").click()
    page.wait_for_url("**by_example=no**")
    app.kill()
    app.start()
    page.locator(".frame:focus").wait_for()
    moves.tag(page, sentences[0].upos[:1])  # in a window in which nothing was done before
    moves.saved(page)
    page.reload()
    page.locator(".frame:focus .token.sure").wait_for()
    page.keyboard.press("Control+z")  # undo survives the reload
    assert moves.sure(page) == []
    moves.tag(page, sentences[0].upos)
    moves.finish(page)

    page.context.set_offline(True)
    moves.tag(page, sentences[1].upos[:2])
    away(page)
    page.context.set_offline(False)
    moves.saved(page)
    assert projects.held(app, project, "pos")[1][1]["upos"][:3] == [*sentences[1].upos[:2], "_"]
    moves.tag(page, sentences[1].upos[2:])
    moves.finish(page)

    moves.tag(page, sentences[2].upos)
    moves.saved(page)
    link = page.url
    page.goto(link)  # a window in which nothing was changed
    page.locator(".frame:focus .token.sure").first.wait_for()
    page.context.set_offline(True)
    moves.press(page, "Control+Enter")
    away(page)
    page.goto("about:blank")
    page.context.set_offline(False)
    page.goto(link)
    page.locator(".frame .state", has_text="saved as done").wait_for()
    assert projects.done(app, project, "pos") == projects.gold("pos", sentences)

    (sentence, *_) = sentences
    heads = [*sentence.heads[:2], *[-1] * (sentence.length - 2)]
    assert half_a_sentence(app, page, project, "dep", sentence, range(2))["heads"] == heads
    tags = ["_" if tag == "O" else tag for tag in sentence.entities]
    assert half_a_sentence(app, page, project, "ner", sentence, projects.entities(sentence))["entities"] == tags


def half_a_sentence(app, page, project, task, sentence, parts):
    """Draw two parts and lose page and server meanwhile; undo goes back to before. Return what is saved."""
    moves.annotate(page, app, project, task)
    first, second = parts
    draw(page, sentence, first)
    one = drawn(page)
    draw(page, sentence, second)
    both = drawn(page)
    assert one != both
    steps = 2 if task == "dep" else 1  # head and relation

    def expect_and_press(before, key):
        page.locator(".frame:focus").wait_for()
        assert drawn(page) == before
        moves.press(page, *[key] * steps)

    moves.saved(page)
    page.reload()
    expect_and_press(both, "Control+z")
    page.reload()  # whether that is saved yet or not
    expect_and_press(one, "Control+y")
    if task == "dep":
        app.kill()
        expect_and_press(both, "Control+z")  # no dialog takes the keyboard
        away(page)
        expect(page.get_by_role("dialog")).to_have_count(0)
        app.start()
        moves.saved(page)
        expect_and_press(one, "Control+y")
    moves.saved(page)
    return projects.held(app, project, task)[0][1]
