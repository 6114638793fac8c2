"""A person annotates: what they did is there, whatever happens in between."""

from browser import moves, projects

from annotate.store import Store


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
