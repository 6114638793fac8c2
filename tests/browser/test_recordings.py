"""A sentence is heard in the editor: its stretch of the recording, by key or by click."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sounds
from browser import moves, projects

from annotate.store import Store
from fewshot.corpora.formats import conllu, eaf

pytestmark = pytest.mark.app

TEXTS = Path(__file__).parents[1] / "corpora" / "formats" / "interlinear"
SPEECH = """\
# sound_url = https://example.org/mp3/jos.mp3
1\tdi\t_\t_\t_\t_\t_\t_\t_\tAlignBegin=250|AlignEnd=1000

# sound_url = https://example.org/mp3/jos.mp3
1\ttime\t_\t_\t_\t_\t_\t_\t_\tAlignBegin=1000|AlignEnd=1500
2\twey\t_\t_\t_\t_\t_\t_\t_\tAlignBegin=1500|AlignEnd=2125

"""
AUDIO = ".frame .recording audio"


def keep(app, project, name, sound=None):
    with closing(Store.open(app.url)) as store:
        sounds.keep(store, project, name, sound or sounds.tone(4.0))


def stretch(page, text):
    """Wait until a stretch can be played."""
    page.locator(f".recording[data-playing=false] audio[src$='#t={text}']").wait_for(state="attached")


def test_each_sentence_has_its_own_stretch_joined_ones_have_theirs_together_and_one_without_shows_nothing(
    app, page, tmp_path
):
    rice = eaf.read(TEXTS / "wolof.eaf")
    rice = [*rice, replace(rice[0], words=(*rice[0].words[:-1], "lekkul"), recording=None)]
    project = projects.make(app, ["pos"], rice, lang="wo")
    keep(app, project, "rice.mp3", b"ID3 and nothing else that can be heard" * 100)
    moves.annotate(page, app, project)
    page.keyboard.press("Shift+P")
    page.get_by_text("this browser cannot play rice.mp3").wait_for()

    project = projects.make(app, ["pos"], rice, lang="wo")
    keep(app, project, "RICE.Wav")
    moves.annotate(page, app, project)
    page.get_by_role("button", name="play the recording").get_by_text("0:00.1–0:01.5").wait_for()
    page.locator(AUDIO).evaluate("audio => (audio.onplay = () => (window.played = true))")
    page.keyboard.press("Shift+P")
    page.wait_for_function("window.played")
    stretch(page, "0.1,1.5")
    assert 1.45 < page.locator(AUDIO).evaluate("audio => audio.currentTime") < 4
    assert page.locator(AUDIO).evaluate("audio => audio.duration") == pytest.approx(4.0)
    assert moves.words(page) == list(rice[0].words)
    page.locator(AUDIO).evaluate("audio => (audio.playbackRate = 0.0625)")  # long enough to be stopped
    page.keyboard.press("Shift+P")  # again, from the beginning
    page.locator(".recording[data-playing=true]").wait_for()
    page.keyboard.press("Shift+P")
    stretch(page, "0.1,1.5")
    assert page.locator(AUDIO).evaluate("audio => audio.currentTime") < 1.5
    page.get_by_role("button", name="play the recording").click()
    page.locator(".recording[data-playing=true]").wait_for()
    for place in ("1.5,2", "2.1,3"):
        moves.press_and_leave(page, "Alt+ArrowRight")
        stretch(page, place)
    moves.press_and_leave(page, "Alt+ArrowRight")
    page.locator(".recording").wait_for(state="hidden")
    page.keyboard.press("Shift+P")
    assert page.locator(AUDIO).evaluate("audio => audio.paused")

    (tmp_path / "speech.conllu").write_text(SPEECH, encoding="utf-8")
    sentences = conllu.read(tmp_path / "speech.conllu")
    project = projects.make(app, ["pos"], sentences, lang="pcm")
    keep(app, project, "jos.wav")
    moves.annotate(page, app, project)
    stretch(page, "0.25,1")
    moves.press(page, "End", ",")
    stretch(page, "0.25,2.125")
    versions = [[replace(one, upos=(tag,) * one.length) for one in sentences] for tag in ("NOUN", "VERB")]
    project = projects.compared(app, ["pos"], *versions, people=["anna", "ben"], lang="pcm")
    keep(app, project, "jos.wav")
    page.goto(f"{app.address}/review?project={project.id}")
    stretch(page, "0.25,1")
