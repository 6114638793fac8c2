"""What happens to the work in the middle of an item: a reload, a killed server, a lost connection."""

from browser import moves, projects


def test_a_reload_stays_at_the_task_and_the_sentence_and_a_link_leads_there(served, page, window):
    sentences = projects.sample("ja")[:2]
    project = projects.make(served, ["pos", "dep"], sentences)
    moves.annotate(page, served, project, "dep")
    moves.press_and_leave(page, "Alt+ArrowRight")
    item = page.locator(".frame").get_attribute("data-item")
    address = page.url
    page.reload()
    page.locator(f".frame[data-item='{item}'][aria-label='dependency parsing editor']").wait_for()
    moves.choose(page, "pos")
    page.locator(".frame .token").first.wait_for()
    linked = window()
    linked.goto(address)
    linked.locator(f".frame[data-item='{item}'][aria-label='dependency parsing editor']").wait_for()
