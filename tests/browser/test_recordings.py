"""A sentence is heard in the editor: its stretch of the recording that a curator has uploaded, by key or by click."""

import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest
import sounds
from browser import moves, projects

from annotate.store import Store
from fewshot.corpora.formats import conllu, eaf
from fewshot.corpora.recordings import Recording
from fewshot.corpora.types import Sentence

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


@pytest.fixture
def rice():
    """Three sentences, of which ELAN says where they are heard, and one that is heard nowhere."""
    found = eaf.read(TEXTS / "wolof.eaf")
    return [*found, replace(found[0], words=(*found[0].words[:-1], "lekkul"), recording=None)]


def keep(app, project, name="rice.wav"):
    store = Store.open(app.url)
    sounds.keep(store, project, name, sounds.tone(4.0))
    store.close()


def heard(page):
    """Return where the recording is, in seconds, once it has stopped."""
    page.locator(".recording[data-playing=false]").wait_for()
    return page.locator(AUDIO).evaluate("audio => audio.currentTime")


def asked(url, **headers):
    """Return status, type and bytes of an answer."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read()
    except urllib.error.HTTPError as error:
        return error.code, "", b""


def test_the_stretch_of_a_sentence_is_played_by_key_and_stops_where_the_sentence_ends(served, page, rice):
    project = projects.make(served, ["pos"], rice, lang="wo")
    keep(served, project)
    moves.annotate(page, served, project)
    assert page.locator(AUDIO).evaluate("audio => audio.src").endswith("/rice.wav#t=0.1,1.5")
    page.get_by_role("button", name="play the recording").get_by_text("0:00.1–0:01.5").wait_for()
    page.keyboard.press("Shift+P")
    page.locator(".recording[data-playing=true]").wait_for()
    assert 1.45 < heard(page) < 2.5
    assert page.locator(AUDIO).evaluate("audio => audio.duration") == pytest.approx(4.0)
    assert moves.words(page) == list(rice[0].words)
    page.keyboard.press("Shift+P")  # again, from the beginning
    page.locator(".recording[data-playing=true]").wait_for()
    page.keyboard.press("Shift+P")
    assert heard(page) < 1.5


def test_each_sentence_has_its_own_stretch_and_one_without_shows_nothing(served, page, rice):
    project = projects.make(served, ["pos"], rice, lang="wo")
    keep(served, project, "RICE.Wav")
    moves.annotate(page, served, project)
    page.get_by_role("button", name="play the recording").click()
    page.locator(".recording[data-playing=true]").wait_for()
    for stretch in ("1.5,2", "2.1,3"):
        moves.press_and_leave(page, "Alt+ArrowRight")
        page.locator(f".recording[data-playing=false] audio[src$='#t={stretch}']").wait_for(state="attached")
    moves.press_and_leave(page, "Alt+ArrowRight")
    page.locator(".recording").wait_for(state="hidden")
    page.keyboard.press("Shift+P")
    assert page.locator(AUDIO).evaluate("audio => audio.paused")


def test_sentences_that_are_joined_are_heard_together(served, page, tmp_path):
    path = tmp_path / "speech.conllu"
    path.write_text(SPEECH, encoding="utf-8")
    project = projects.make(served, ["pos"], conllu.read(path), lang="pcm")
    keep(served, project, "jos.wav")
    moves.annotate(page, served, project)
    page.locator(".recording audio[src$='#t=0.25,1']").wait_for(state="attached")
    moves.press(page, "End", ",")
    page.locator(".recording audio[src$='#t=0.25,2.125']").wait_for(state="attached")


def test_a_recording_that_is_not_here_shows_nothing_and_one_that_is_broken_says_so(served, page, rice):
    project = projects.make(served, ["pos"], rice, lang="wo")
    moves.annotate(page, served, project)
    page.locator(".recording").wait_for(state="hidden")
    store = Store.open(served.url)
    sounds.keep(store, project, "rice.mp3", b"ID3 and nothing else that can be heard" * 100)
    store.close()
    moves.annotate(page, served, project)
    page.keyboard.press("Shift+P")
    page.get_by_text("this browser cannot play rice.mp3").wait_for()


def test_a_recording_is_heard_in_review_too(served, page, rice):
    others = [replace(one, upos=("VERB",) * len(one.words)) for one in rice]
    firsts = [replace(one, upos=("NOUN",) * len(one.words)) for one in rice]
    project = projects.compared(served, ["pos"], firsts, others, lang="wo")
    keep(served, project)
    page.goto(f"{served.address}/review?project={project.id}")
    page.locator(".recording audio[src$='#t=0.1,1.5']").wait_for(state="attached")


def test_a_part_is_answered_and_nobody_gets_at_another_file_or_without_the_page(served, page, rice):
    project, other = (projects.make(served, ["pos"], rice, lang="wo") for _ in range(2))
    for one in (project, other):
        keep(served, one)
    keep(served, project, "other.wav")
    moves.annotate(page, served, project)
    url = page.locator(AUDIO).evaluate("audio => audio.src").partition("#")[0]
    whole = sounds.tone(4.0)
    assert asked(url) == (200, "audio/wav", whole)
    assert asked(url, Range="bytes=1000-1999") == (206, "audio/wav", whole[1000:2000])
    start, signature, _ = url.rsplit("/", 2)
    elsewhere = start.rpartition("/")[0]
    for wrong in (
        f"{start}/{signature}/other.wav",
        f"{start}/{'0' * 64}/rice.wav",
        f"{start}/{signature}%C3%A9/rice.wav",
        f"{start}/{signature}/..%2F..%2Ffewshot.db",
        f"{start}/{signature}/%2Fetc%2Fpasswd",
        f"{elsewhere}/{other.id}/{signature}/rice.wav",
        f"{elsewhere}/999/{signature}/rice.wav",
    ):
        status, kind, _ = asked(wrong)
        assert status in (400, 404) or kind.startswith("text/html"), wrong  # Streamlit's empty page


def test_curators_upload_recordings_and_are_told_which_are_missing(served, page, rice, tmp_path):
    more = Sentence("river", "dem", ("dem",), recording=Recording("river.wav", 0, 1))
    project = projects.make(served, ["pos"], [*rice, more], lang="wo")
    page.goto(f"{served.address}/data?project={project.id}")
    page.get_by_text("0 of 4 sentences").wait_for()
    page.get_by_text("Not here yet: rice.wav, river.wav").wait_for()
    for name in ("Rice.wav", "film.wav"):
        (tmp_path / name).write_bytes(sounds.tone(0.5))
    page.locator("input[type=file][multiple]").set_input_files([tmp_path / "Rice.wav", tmp_path / "film.wav"])
    page.get_by_role("button", name="Keep these").click()
    page.get_by_text("3 of 4 sentences").wait_for()
    page.get_by_text("Not here yet: river.wav").wait_for()
    box = page.get_by_test_id("stMultiSelect").filter(has_text="Kept here (2)")
    box.locator("input").fill("film")
    page.get_by_role("option", name="film.wav").click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Remove", exact=True).click()
    page.get_by_text("Kept here (1)").wait_for()
    (kept,) = Path(served.folder).glob(f"recordings/{project.id}-*/*")
    assert kept.name == "Rice.wav"
