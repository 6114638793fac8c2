"""Two windows on one item: what one makes without knowing of the other's is never silently the newest."""

import pytest
from browser import moves, projects

from annotate.components import editor

pytestmark = pytest.mark.app

SAME = {"upos": ["NOUN", "VERB", "X"]}
OTHER = {"upos": ["NOUN", "ADJ", "X"]}
HALF = {"upos": ["NOUN", "_", "_"]}
TREE = {"heads": [0, 3, 1], "deprels": ["root", "case", "obl"]}
REPAIRED = {"words": ["a", "el", "mar"], "ranges": [[1, 2, "al"]]}
FEWER = {"words": ["al", "mar"], "ranges": []}
ANSWERS = {"q1": [{"text": "mar", "start": 0}], "q2": []}


def tags(page):
    """Return the tags that the editor shows."""
    return page.locator(".frame .token .tag").all_inner_texts()


def newest(app, project):
    """Return the tags of the first sentence as they are saved."""
    return projects.held(app, project, "pos")[0][1]["upos"]


def without_news(page):
    """Let a window not ask for the newest version, as one that has the focus all the time or is on another machine."""
    page.add_init_script("addEventListener('focus', (event) => event.stopImmediatePropagation(), true)")


def two_windows(page, app, window=None):
    """Open one sentence in two windows; in both its first word is a noun."""
    without_news(page)
    project = projects.make(app, ["pos"], projects.sample("ja")[:2])
    moves.annotate(page, app, project)
    moves.press(page, moves.keys_of("pos")["NOUN"])
    moves.saved(page)
    second = window() if window else page.context.new_page()
    moves.annotate(second, app, project)
    return project, second


@pytest.fixture
def agreed(served, page):
    """Returns what two versions agree on, as the editors say."""
    page.goto(served.address)
    script = f"([one, two]) => import('/{editor.path()}/windows.js').then(({{agreed}}) => agreed(one, two))"
    return lambda *versions: page.evaluate(script, versions)


def test_what_two_versions_agree_on_or_one_alone_says_is_kept_and_the_rest_is_open(agreed):
    for first, second, wanted in (
        (SAME, SAME, SAME),
        (SAME, OTHER, {"upos": ["NOUN", "_", "X"]}),
        (SAME, HALF, SAME),
        (SAME | REPAIRED, OTHER | REPAIRED, {"upos": ["NOUN", "_", "X"], **REPAIRED}),
        (TREE, {**TREE, "heads": [0, 1, 1]}, {**TREE, "heads": [0, -1, 1]}),
        ({"entities": ["B-LOC", "O"]}, {"entities": ["O", "O"]}, {"entities": ["_", "O"]}),
        ({"entities": ["B-LOC", "_", "O"]}, {"entities": ["_", "B-PER", "_"]}, {"entities": ["B-LOC", "B-PER", "O"]}),
        ({"entities": ["B-PER", "I-PER"]}, {"entities": ["B-PER", "O"]}, {"entities": ["_", "_"]}),
        ({"label": "news"}, {"label": "news"}, {"label": "news"}),
        ({"label": "news"}, {"label": "sport"}, {"label": "_"}),
        ({"label": "news"}, {"label": "_"}, {"label": "news"}),
        ({"answers": ANSWERS}, {"answers": {**ANSWERS, "q1": []}}, {"answers": {"q2": []}}),
        ({"answers": ANSWERS}, {"answers": {}}, {"answers": ANSWERS}),
    ):
        assert agreed(first, second) == wanted
        assert agreed(second, first) == wanted


def test_of_versions_with_different_words_nothing_is_kept_but_the_words_of_the_first(agreed):
    assert agreed({"upos": ["X", "X"], **FEWER}, SAME) == {"upos": ["_", "_"], **FEWER}
    assert agreed(SAME, {"upos": ["X", "X"], **FEWER}) == {"upos": ["_", "_", "_"]}
    assert agreed({"entities": ["B-PER", "O"], **FEWER}, {"entities": ["O"]}) == {"entities": ["_", "_"], **FEWER}


@pytest.mark.parametrize("machine", ["same", "another"])
def test_a_window_that_saves_over_a_newer_version_is_told_so_and_shows_both(served, page, window, machine):
    project, second = two_windows(page, served, None if machine == "same" else window)
    keys = moves.keys_of("pos")
    moves.press(second, "Home", keys["ADJ"], keys["VERB"])
    moves.saved(second)
    both = newest(served, project)
    moves.press(page, "Home", keys["PROPN"], "End", keys["PUNCT"])
    page.locator(".frame .note", has_text="another window has saved this too").wait_for()
    assert newest(served, project) == both  # until somebody has decided
    assert tags(page)[:2] == ["PROPN | ADJ", "VERB"]
    assert page.locator(".frame .undecided.here").count() == 1
    assert [" ".join(text.split()) for text in page.locator(".frame .hints .hint").all_text_contents()[:2]] == [
        "[ this window: PROPN", "] the other window: ADJ",
    ]  # fmt: skip
    page.reload()  # what this window made is kept
    page.locator(".frame .note", has_text="another window has saved this too").wait_for()
    assert tags(page)[:2] == ["PROPN | ADJ", "VERB"]
    moves.press(page, "[")
    moves.saved(page)
    assert newest(served, project) == ["PROPN", "VERB", *["_"] * (len(both) - 3), "PUNCT"]
    moves.press(page, "Home", "]")
    moves.saved(page)
    assert newest(served, project)[0] == "ADJ"


def test_entities_on_which_two_windows_differ_are_decided_before_the_sentence_is_done(served, page):
    without_news(page)
    sentence = next(one for one in projects.sample("ja") if one.id == "ja-pool-018")
    project = projects.make(served, ["ner"], [sentence])
    moves.annotate(page, served, project)
    second = page.context.new_page()
    moves.annotate(second, served, project)
    moves.press(second, "1")
    moves.saved(second)
    moves.press(page, "2", "ArrowRight", "Control+Enter")
    page.locator(".frame .note", has_text="another window has saved this too").wait_for()
    moves.press(page, "End", "Control+Enter")
    page.locator(".frame .note", has_text="not decided").wait_for()
    assert page.locator(".frame .here").get_attribute("data-word") == "0"
    moves.press(page, "]")
    moves.finish(page)
    ((first, *rest),) = (one["entities"] for one in projects.done(served, project, "ner"))
    assert moves.numbered("ner")[first.removeprefix("B-")] == "1"
    assert set(rest) == {"O"}


def test_what_two_windows_made_of_different_words_is_put_together(served, page):
    project, second = two_windows(page, served)
    keys = moves.keys_of("pos")
    moves.press(second, "ArrowRight", keys["VERB"])
    moves.saved(second)
    moves.press(page, "End", keys["PUNCT"])
    page.locator(".frame .note", has_text="both are put together here").wait_for()
    moves.saved(page)
    assert newest(served, project) == ["NOUN", "VERB", *["_"] * (len(tags(page)) - 3), "PUNCT"]


def test_a_window_in_which_nothing_was_done_leaves_the_newer_version_as_it_is(served, page):
    project, second = two_windows(page, served)
    moves.press(second, "ArrowRight", moves.keys_of("pos")["VERB"])
    moves.saved(second)
    page.wait_for_timeout(1200)  # so much time is sent when the sentence is left
    moves.press(page, "ArrowRight", "Alt+ArrowRight")
    page.locator(".frame .note", has_text="this is the newest version").wait_for()
    assert newest(served, project)[:2] == tags(page)[:2] == ["NOUN", "VERB"]
    moves.press_and_leave(page, "Alt+ArrowRight")
    assert newest(served, project)[:2] == ["NOUN", "VERB"]


def test_whoever_was_cut_off_finds_both_versions_when_they_come_back(served, page, window):
    project, second = two_windows(page, served, window)
    keys, link = moves.keys_of("pos"), page.url
    page.context.set_offline(True)
    moves.press(page, "Home", keys["PROPN"])
    page.goto("about:blank")
    page.context.set_offline(False)
    moves.press(second, "Home", keys["ADJ"])
    moves.saved(second)
    page.goto(link)
    page.locator(".frame .note", has_text="another window has saved this too").wait_for()
    assert tags(page)[0] == "PROPN | ADJ"
    assert newest(served, project)[0] == "ADJ"
