from pathlib import Path

import pytest
import sounds
from app_page import field, fill, open_app, open_page, press, values
from desk import new_project
from serving import ROOT

from annotate.components import data_source
from annotate.exchange import recordings
from fewshot.corpora.formats import eaf, flextext, sfm
from fewshot.corpora.recordings import Recording
from fewshot.corpora.types import Sentence

TEXTS = ROOT / "tests" / "corpora" / "formats" / "interlinear"


@pytest.mark.parametrize(
    ("module", "gloss", "lines"),
    [
        (
            flextext,
            "xalɛ · child",
            ["Translation (English)", "The children ate and went.", "Literal translation (English)", "Note (English)"],
        ),
        (sfm, "child", ["Translation", "The children eat rice.", "Note", "slow"]),
        (eaf, "CL.PL-DEF", ["Translation (English)", "The children ate and went."]),
    ],
)
def test_glosses_and_translations_stand_beside_the_words(new_desk, alone, module, gloss, lines):
    (sentence, *_) = module.read(TEXTS / f"wolof.{module.FORMAT.name}")
    desk = new_desk([sentence], "pos", "ner", hides_gold=True)
    for item in desk.draw((0, "pos", alone), (0, "ner", alone)):
        shown = str(desk.show(item))
        assert all(part in shown for part in gloss.split(" · "))
    page = open_page("work", desk.project)
    assert set(lines) <= {*values(page.caption), *values(page.text)}


def test_a_text_of_toolbox_is_uploaded_whatever_its_name_and_exported_as_one(store, alone):
    file = ("rice.txt", (TEXTS / "wolof.sfm").read_bytes(), "text/plain")
    page = fill(open_app(), {"Sentences": data_source.UPLOAD, "Language code": "wo", "Files": [file]})
    assert "3 sentences" in values(page.caption)
    assert "Each line of plain text is" not in [one.label for one in page.selectbox]
    press(page, "Create project")
    assert field(open_page("data", *store.projects()), "Format").value == "sfm"


def test_recordings_are_uploaded_and_missing_ones_are_named(store, alone):
    sentences = [*eaf.read(TEXTS / "wolof.eaf"), Sentence("river", "dem", ("dem",), recording=Recording("river.wav"))]
    project = new_project(store, sentences, "pos", hides_gold=True)
    page = open_page("data", project)

    def state():
        return " ".join(values((*page.warning, *page.markdown))).replace("**", "")

    assert "0 of 4 sentences" in state() and "Missing files: rice.wav, river.wav" in state()
    fill(page, {"Recordings": [(name, sounds.tone(0.5), "audio/wav") for name in ("Rice.wav", "film.wav")]})
    press(page, "Store these files")
    assert "3 of 4 sentences" in state() and "Missing files: river.wav" in state()
    press(fill(page, {"Stored here (2)": ["film.wav"]}), "Remove")
    assert [Path(path).name for path in recordings.kept(store, project).values()] == ["Rice.wav"]
