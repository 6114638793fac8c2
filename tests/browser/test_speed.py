"""How many keys a practised annotator needs, and how soon a key is seen."""

import os
import signal
import statistics
from contextlib import contextmanager

import pytest
from browser import moves, projects

from fewshot.corpora.types import Sentence

pytestmark = pytest.mark.app

PRESSES = 50


def sentence_of(length):
    return next(sentence for sentence in projects.sample("ja") if sentence.length == length)


@contextmanager
def counted(page):
    """Count the keys that the browser gets; Ctrl, Shift and Alt are part of the key that they are held with."""
    page.evaluate(
        """() => {
          window.presses = 0;
          const count = ({ key }) => (window.presses += !["Control", "Shift", "Alt", "Meta"].includes(key));
          window.addEventListener("keydown", count, true);
        }"""
    )
    yield lambda: page.evaluate("window.presses")


def test_a_suggested_sentence_of_20_tokens_is_confirmed_in_25_keys(served, page):
    sentence = sentence_of(20)
    (gold,) = projects.gold("pos", [sentence])
    wrong = {3: "X", 9: "SYM", 16: "INTJ"}
    suggested = {"upos": [wrong.get(word, tag) for word, tag in enumerate(gold["upos"])]}
    project = projects.make(served, ["pos"], [sentence], suggestions=[suggested])
    moves.annotate(page, served, project)
    keys = moves.keys_of("pos")
    with counted(page) as presses:
        for guess, tag in zip(suggested["upos"], gold["upos"], strict=True):
            moves.press(page, "Enter" if guess == tag else keys[tag])
        moves.finish(page)
        assert 20 <= presses() <= 25
    assert projects.done(served, project, "pos") == [gold]


def test_an_arc_is_attached_to_another_head_in_4_keys(served, page):
    sentence = sentence_of(20)
    (gold,) = projects.gold("dep", [sentence])
    word = max(range(20), key=lambda word: gold["heads"][word] if gold["deprels"][word] != "root" else 0)
    head = gold["heads"][word]
    assert head > 9  # two digits: the longest number of a head in such a sentence
    heads = list(gold["heads"])
    heads[word] = next(other for other in range(1, 9) if other not in (word + 1, head))
    project = projects.make(served, ["dep"], [sentence], suggestions=[{**gold, "heads": heads}])
    moves.annotate(page, served, project)
    moves.press(page, *["ArrowRight"] * word)
    with counted(page) as presses:
        moves.press(page, "Enter", *str(head), "Enter")
        assert 0 < presses() <= 4
    moves.saved(page)
    moves.press(page, "Shift+A")
    moves.finish(page)
    assert projects.done(served, project, "dep") == [gold]


@contextmanager
def stopped(served):
    """Let the server stand still: it can answer nothing."""
    os.killpg(served.process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(served.process.pid, signal.SIGCONT)


@pytest.mark.parametrize(("task", "keys"), [("pos", "nv"), ("dep", ["ArrowRight"])])
def test_a_key_is_seen_within_200_ms_without_the_server(served, page, task, keys):
    words = tuple(f"word{number}" for number in range(PRESSES + 10))
    sentence = Sentence("long", " ".join(words), words)
    heads = [0, *range(1, len(words))]
    tree = {"heads": heads, "deprels": ["root", *["dep"] * (len(words) - 1)]}
    suggestions = {"pos": [{"upos": ["X"] * len(words)}], "dep": [tree]}
    project = projects.make(served, [task], [sentence], lang="en", suggestions=suggestions[task])
    moves.annotate(page, served, project)
    frame = page.locator(".frame")
    frame.evaluate(
        """frame => {
          window.seen = [];
          const painted = (pressed) => {
            const words = [...frame.querySelectorAll(".token, .node")];
            window.seen.push([performance.now() - pressed, words.findIndex((word) => word.classList.contains("here"))]);
          };
          const wait = (event) => requestAnimationFrame(() => setTimeout(() => painted(event.timeStamp)));
          window.addEventListener("keydown", wait, true);
        }"""
    )
    with stopped(served):
        for press in range(PRESSES):
            moves.press(page, keys[press % len(keys)])
            page.wait_for_function("count => window.seen.length === count", arg=press + 1)
    times, places = zip(*page.evaluate("window.seen"), strict=True)
    assert places == tuple(range(1, PRESSES + 1))  # what is timed is on the screen: the cursor is at the next word
    median = statistics.median(times)
    print(f"{task}: key to paint, median {median:.0f} ms, longest {max(times):.0f} ms of {PRESSES}, {len(words)} words")
    assert median < 200
