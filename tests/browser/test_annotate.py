"""A person annotates: what they did is there, whatever happens in between."""

import pytest
from browser import moves, projects

from annotate.store import Store
from fewshot import tasks
from fewshot.corpora.types import Sentence

pytestmark = pytest.mark.app


def tag_sentence(page, app, gold):
    """Tag the sentence that is shown with its gold tags, one key a word, and go on."""
    before = tuple(moves.words(page))
    keys = {name: key for key, name in tag_keys(page).items()}
    for tag in gold[before].upos:
        page.keyboard.press(keys[tag])
    moves.finish(page)
    return before


def tag_keys(page):
    """Return the tag of each key that the palette shows."""
    texts = "all => all.map(one => [...one.childNodes].map(part => part.textContent))"
    return dict(page.locator(".frame .choice").evaluate_all(texts))


def test_ten_sentences_survive_a_reload_and_a_killed_server(app, page):
    moves.create(page, app)
    gold = moves.gold_of(app, "pos")
    tagged = []
    for number in range(10):
        if number == 3:
            page.keyboard.press("n")
            moves.saved(page)
            page.reload()
            page.locator(".frame .token.sure").first.wait_for()
            page.keyboard.press("Control+z")  # undo survives the reload
            assert page.locator(".frame .token.sure").count() == 0
        if number == 6:
            app.kill()
            page.keyboard.press("n")  # typed while the server is away
            app.start()
            moves.saved(page)
            page.locator(".frame:focus").wait_for()
            page.keyboard.press("Control+z")
        tagged.append(tag_sentence(page, app, gold))
    page.get_by_text("Nothing left to do").wait_for()
    assert {words: annotation["upos"] for words, annotation in moves.done(app, "pos").items()} == {
        words: list(gold[words].upos) for words in tagged
    }


def test_a_suggestion_that_comes_while_a_sentence_is_shown_is_not_counted_as_shown_with_it(served, page):
    sentences = projects.sample("ja")[:2]
    project = projects.make(served, ["pos"], sentences)
    moves.annotate(page, served, project)
    store = Store.open(served.url)
    items = store.items(project.id, task="pos")
    guesses = [projects.guess("pos", one, {"upos": list(one.upos)}) for one in sentences]
    store.add_suggestions([(item.example_id, "pos", "m", made) for item, made in zip(items, guesses, strict=True)])
    for item in items:
        page.locator(f".frame[data-item='{item.id}']:focus").wait_for()
        if item == items[1]:  # a newer model's, while the first one's is shown
            store.add_suggestions([(item.example_id, "pos", "newer", guesses[1])])
        moves.press(page, "n")
        moves.saved(page)
        page.keyboard.press("Alt+ArrowRight")
    begun = store.first_of(project.id, "pos")
    shown = begun[items[1].id].suggestion_id
    assert (begun[items[0].id].suggestion_id, store.suggestions([shown])[shown].model) == (None, "m")
    store.close()


def test_a_reload_stays_at_the_task_and_the_sentence_and_a_link_leads_there(served, page, window):
    project = projects.make(served, ["pos", "dep"], projects.sample("ja")[:2])
    moves.annotate(page, served, project, "dep")
    moves.press_and_leave(page, "Alt+ArrowRight")
    item = page.locator(".frame").get_attribute("data-item")
    same = f".frame[data-item='{item}'][aria-label='dependency parsing editor']"
    linked = window()
    linked.goto(page.url)
    linked.locator(same).wait_for()
    page.reload()
    page.locator(same).wait_for()
    moves.choose(page, "pos")
    page.locator(".frame .token").first.wait_for()


def test_a_window_in_which_nothing_was_done_yet_saves_once_the_server_is_started_again(app, page):
    project = projects.make(app, ["pos"], projects.sample("ja")[:1])
    moves.annotate(page, app, project)
    app.kill()
    app.start()
    moves.press(page, "n")
    moves.saved(page)


def test_the_first_task_with_something_left_to_do_is_opened(served, page):
    project = projects.make(served, ["pos", "dep"], projects.sample("ja")[:1])
    moves.annotate(page, served, project)
    page.get_by_role("application", name="POS tagging editor").wait_for()
    words = len(projects.sample("ja")[0].words)
    moves.press(page, *["n"] * words, "Control+Enter")
    page.get_by_text("Nothing left to do in POS tagging").wait_for()
    page.goto(f"{served.address}/annotate?project={project.id}")
    page.get_by_role("application", name="dependency parsing editor").wait_for()


def test_what_is_annotated_without_a_connection_is_kept_and_saved_once_it_is_back(served, page):
    project = projects.make(served, ["pos"], projects.sample("ja")[:1])
    moves.annotate(page, served, project)
    page.context.set_offline(True)
    moves.press(page, "n", "v")
    page.locator(".frame .state", has_text="server away, kept here").wait_for()
    page.context.set_offline(False)
    moves.saved(page)
    ((_, annotation),) = projects.held(served, project, "pos")
    assert annotation["upos"][:2] == ["NOUN", "VERB"]


def test_what_is_done_without_a_connection_and_without_a_change_is_done_after_a_reload(served, page):
    sentences = projects.sample("ja")[:1]
    project = projects.make(served, ["pos"], sentences)
    moves.annotate(page, served, project)
    keys = moves.keys_of("pos")
    moves.press(page, *(keys[tag] for tag in sentences[0].upos))
    moves.saved(page)
    link = page.url
    page.goto(link)  # a window in which nothing was changed
    page.locator(".frame .token.sure").first.wait_for()
    page.context.set_offline(True)
    moves.press(page, "Control+Enter")
    page.locator(".frame .state", has_text="server away, kept here").wait_for()
    page.goto("about:blank")
    page.context.set_offline(False)
    page.goto(link)
    page.locator(".frame .state", has_text="saved as done").wait_for()
    assert len(projects.done(served, project, "pos")) == 1


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


@pytest.mark.parametrize("task", ["dep", "ner"])
def test_half_a_sentence_survives_reloads_and_a_killed_server_and_undo_goes_back_to_before(app, page, task):
    sentence = next(one for one in projects.sample("ja") if one.id == "ja-pool-018")
    project = projects.make(app, [task], [sentence])
    moves.annotate(page, app, project)
    first, second, *rest = range(sentence.length) if task == "dep" else projects.entities(sentence)
    draw(page, sentence, first)
    one = drawn(page)
    draw(page, sentence, second)
    both = drawn(page)
    assert one != both
    steps = 2 if task == "dep" else 1  # head and relation

    def undo():
        page.locator(".frame:focus").wait_for()
        assert drawn(page) == both
        moves.press(page, *["Control+z"] * steps)

    def redo():
        page.locator(".frame:focus").wait_for()
        assert drawn(page) == one
        moves.press(page, *["Control+y"] * steps)

    moves.saved(page)
    page.reload()
    undo()
    page.reload()  # whether that is saved yet or not
    redo()
    app.kill()
    undo()
    app.start()
    moves.saved(page)
    redo()
    for part in rest:
        draw(page, sentence, part)
    moves.finish(page)
    assert projects.done(app, project, task) == projects.gold(task, [sentence])


def test_the_keyboard_is_the_editors_after_a_reload_and_after_clicks_that_ask_for_no_text(served, page):
    project = projects.make(served, ["pos", "ner"], projects.sample("ja")[:1])
    moves.annotate(page, served, project)
    typed = []

    def type_at_once(name):
        moves.press(page, moves.keys_of("pos")[name])
        typed.append(name)
        page.locator(".frame .token.sure").nth(len(typed) - 1).wait_for()
        assert page.locator(".frame .token.sure .tag").all_inner_texts() == typed

    type_at_once("NOUN")
    page.get_by_role("radio", name=tasks.get("pos").title).click()  # which is chosen already
    type_at_once("VERB")
    page.get_by_role("button", name="Flag").click()
    type_at_once("ADJ")
    page.get_by_test_id("stMain").click(position={"x": 60, "y": 700})
    type_at_once("ADV")
    moves.saved(page)
    moves.choose(page, "ner")
    moves.press(page, "1")
    page.locator(".frame .entity").wait_for()
    moves.saved(page)
    moves.choose(page, "pos")
    moves.press(page, *["ArrowRight"] * len(typed))
    type_at_once("ADP")
    moves.saved(page)
    page.reload()
    page.locator(".frame:focus").wait_for()
    moves.press(page, *["ArrowRight"] * len(typed))
    type_at_once("PRON")


def test_what_is_typed_into_a_comment_stays_there(served, page):
    project = projects.make(served, ["pos"], projects.sample("ja")[:1])
    moves.annotate(page, served, project)
    page.get_by_role("button", name="Comment").click()
    box = page.get_by_role("textbox", name="Comment")
    box.click()
    page.wait_for_timeout(1000)  # longer than the editor waits before it looks whether somebody has the keyboard
    page.keyboard.type("n and v")
    assert box.input_value() == "n and v"
    assert page.locator(".frame .token.sure").count() == 0


def test_whoever_closes_the_news_of_a_lost_server_goes_on_annotating_and_it_is_saved_when_it_is_back(app, page):
    project = projects.make(app, ["pos"], projects.sample("ja")[:1])
    moves.annotate(page, app, project)
    keys = moves.keys_of("pos")
    moves.press(page, keys["NOUN"])
    moves.saved(page)
    app.kill()
    page.get_by_role("dialog", name="Connection error").wait_for()
    page.keyboard.press("Escape")
    page.locator(".frame:focus").wait_for()
    moves.press(page, keys["VERB"], keys["ADJ"])
    app.start()
    moves.saved(page)
    ((_, annotation),) = projects.held(app, project, "pos")
    assert annotation["upos"][:4] == ["NOUN", "VERB", "ADJ", "_"]


def test_the_end_of_a_round_leads_on_to_training_drawing_and_the_test_set(served, page):
    (sentence,) = projects.sample("ja")[:1]
    project = projects.make(served, ["pos"], [sentence], test=projects.sample("ja")[1:3])
    moves.annotate(page, served, project)
    keys = moves.keys_of("pos")
    moves.press(page, *[keys[tag] for tag in sentence.upos], "Control+Enter")
    for name in ("Draw more, or name annotators", "Review", "Export"):
        page.get_by_role("button", name=name).wait_for()
    page.get_by_role("button", name="Annotate the test set").click()
    page.locator(".frame:focus").wait_for()
    assert tuple(moves.words(page)) in [one.words for one in projects.sample("ja")[1:3]]
    moves.press(page, *["n"] * len(moves.words(page)), "Control+Enter")
    page.locator(f".frame:not([data-item='{page.locator('.frame').get_attribute('data-item')}'])").wait_for()
    moves.press(page, *["n"] * len(moves.words(page)), "Control+Enter")
    page.get_by_role("button", name="Train").click()
    page.get_by_role("heading", name="Train").wait_for()


def test_all_keys_are_named_when_asked_for(served, page):
    project = projects.make(served, ["pos"], projects.sample("ja")[:1])
    moves.annotate(page, served, project)
    few = hints(page)
    moves.press(page, "?")
    assert {"Ctrl y redo", "Alt → next", "Home first word", "End last word", "? fewer keys"} <= hints(page) - few
    moves.press(page, "?")
    assert hints(page) == few


def hints(page):
    """Return the keys that stand below the sentence, each with what it does."""
    keys = "all => all.map(one => [...one.childNodes].map(part => part.textContent.trim()).filter(Boolean).join(' '))"
    return set(page.locator(".frame .hint").evaluate_all(keys))


def test_the_next_sentence_is_suggested_as_the_same_words_were_tagged_before(served, page):
    sentences = [Sentence(str(n), text, tuple(text.split())) for n, text in enumerate(("xaj ndaw", "ndaw xaj"))]
    project = projects.make(served, ["pos"], sentences, lang="wo")
    store = Store.open(served.url)
    for item in store.items(project.id, task="pos"):
        made = projects.guess("pos", sentences[item.position], {"upos": ["X", "X"]}) | {
            "upos_ranked": [[["X", 0.9]]] * 2
        }
        store.add_suggestions([(item.example_id, "pos", "m", made)])
    store.close()
    moves.annotate(page, served, project)
    moves.press(page, "n", "a")  # NOUN, ADJ
    moves.finish(page)
    page.locator(".frame .token.guess").nth(1).wait_for()
    assert page.locator(".frame .token .tag").all_inner_texts() == ["ADJ ×1", "NOUN ×1"]
    assert "ADJ, suggested, as decided once before" in page.locator(".frame .token").first.get_attribute("aria-label")
    moves.press(page, "Shift+A")
    moves.finish(page)
    page.get_by_text("Nothing left to do").wait_for()
    held = projects.held(served, project, "pos")
    assert [annotation["upos"] for _, annotation in held] == [["NOUN", "ADJ"], ["ADJ", "NOUN"]]
