"""The loop of annotation and training, and what the pages about curves offer."""

import os
import re
import zipfile
from contextlib import closing

import pytest
from browser import moves
from browser.conftest import running
from browser.loop import draw, loop
from waiting import wait_until

from annotate.store import SHOTS, Store
from annotate.worker import queue
from fewshot.corpora.formats import conllu

pytestmark = pytest.mark.system


SITE = """
import sys

if "annotate.worker" in sys.orig_argv:
    from annotate.worker import run

    run.KINDS["learn"] = "short_learning"
"""
"""A module that Python imports before all others: a worker learns in few updates while people annotate."""

SHORT_LEARNING = """
from annotate.worker import learn

learn.MAX_UPDATES = 5
run = learn.run
"""


@pytest.fixture
def app(chromium, tmp_path_factory):
    """An app whose jobs are done."""

    def configure(app):
        (app.folder / "sitecustomize.py").write_text(SITE)
        (app.folder / "short_learning.py").write_text(SHORT_LEARNING)
        app.environment["PYTHONPATH"] = os.pathsep.join([str(app.folder), os.environ.get("PYTHONPATH", "")])

    with running(tmp_path_factory.mktemp("app"), before=configure) as app:
        yield app


def downloaded(page, name, folder):
    with page.expect_download() as coming:
        page.get_by_test_id("stDownloadButton").get_by_role("button", name=name).click()
    path = folder / coming.value.suggested_filename
    coming.value.save_as(path)
    return path


def labelled(page, app, folder):
    """Label the rest of the pool, and return the file."""
    page.get_by_role("button", name="Label the rest").click()
    page.get_by_test_id("stDownloadButton").get_by_role("button", name="Labelled").wait_for(timeout=120_000)
    return downloaded(page, "Labelled", folder)


def test_ten_sentences_become_a_point_a_model_and_a_report(app, page, tmp_path):
    first, last = loop(page, app, rounds=1, say=lambda line: None)
    assert last > first + 10
    with zipfile.ZipFile(downloaded(page, "Model", tmp_path)) as model:
        assert set(model.namelist()) == {"model/model.json", "model/model.safetensors"}
    rest = conllu.read(labelled(page, app, tmp_path))
    assert len(rest) == moves.projects_of(app)[0].pool_size - 10
    assert all("_" not in sentence.upos for sentence in rest)
    page.get_by_text("before and after").click()
    page.get_by_text("Of the test set", exact=True).wait_for()
    page.goto(f"{app.address}/compare")
    table = downloaded(page, "Markdown", tmp_path).read_text(encoding="utf-8")
    (score,) = re.findall(r"\| Japanese POS \| 10 \| ([\d.]+) \|", table)
    assert round(float(score), 1) == last
    report = downloaded(page, "Report", tmp_path).read_text(encoding="utf-8")
    assert f"from {first:.1f} to {last:.1f}" in report
    page.get_by_label("Target score (%)").fill("99")
    page.keyboard.press("Enter")
    page.get_by_text("99 is out of reach").or_(page.get_by_text("99 takes about")).wait_for()
    page.get_by_label("Add runs from a folder").fill(str(tmp_path))
    page.keyboard.press("Enter")
    page.get_by_text("no run of pos in this folder").wait_for()
    learn_on(page, app)


def suggested_ahead(store, project):
    """Return how many of the shots that are still open have a suggestion."""
    shots = store.items(project.id, task="pos", purpose=SHOTS)
    return sum(item.status == "open" and store.suggestion(item.example_id, "pos") is not None for item in shots)


def learn_on(page, app):
    """Annotate four more sentences; the page shows from how many the model has learned, and how right it has become."""
    (project,), gold, keys = moves.projects_of(app), moves.gold_of(app, "pos"), moves.keys_of("pos")
    draw(page, app, project)
    with closing(Store.open(app.url)) as store:
        wait_until(lambda: suggested_ahead(store, project) == 10)
        moves.annotate(page, app, project)
        for _ in range(4):
            moves.press(page, *(keys[tag] for tag in gold[tuple(moves.words(page))].upos))
            moves.finish(page)
        wait_until(lambda: (queue.last_learning(store, project.id, "pos") or (0,))[0] > 10)
    moves.annotate(page, app, project)
    page.get_by_text(re.compile(r"The model learned from 1[34] sentences, ")).wait_for()
    page.get_by_role("img", name=re.compile(r"Correct suggestions in your last \d+: from \d+% to \d+%")).wait_for()
