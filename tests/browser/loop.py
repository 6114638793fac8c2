"""From an empty database to a learning curve, in a real browser: draw, annotate, train, look, draw again.

    python tests/browser/loop.py [--rounds 3] [--pictures FOLDER]

A scripted annotator answers from gold, a key a word. Prints how long each part took.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from browser import moves

PATIENCE = 600_000
"""Milliseconds that a training may take."""


def loop(page, app, rounds, say=print, picture=lambda name: None):
    """Make a project of Japanese POS, and for each round annotate ten sentences and train; return the scores."""
    begun = time.monotonic()
    moves.create(page, app, "Japanese POS")
    (project,) = moves.projects_of(app)
    gold, keys = moves.gold_of(app, "pos"), moves.keys_of("pos")
    for number in range(1, rounds + 1):
        if number > 1:
            draw(page, app, project)
        moves.annotate(page, app, project)
        picture(f"annotate {number}")
        for _ in range(10):
            moves.press(page, *(keys[tag] for tag in gold[tuple(moves.words(page))].upos))
            moves.finish(page)
        say(f"{time.monotonic() - begun:5.0f} s: {10 * number} sentences annotated")
        train(page, app, project, 10 * number)
        say(f"{time.monotonic() - begun:5.0f} s: trained on them")
        picture(f"curve {number}")
    return [float(text) for text in page.get_by_test_id("stMetricValue").all_inner_texts()[:2]]


def draw(page, app, project):
    """Draw the next round."""
    page.goto(f"{app.address}/rounds?project={project.id}")
    page.get_by_role("button", name="Draw 10").click()
    moves.settle(page)


def train(page, app, project, k, patience=PATIENCE):
    """Train on all that is annotated, and wait for its point on the curve."""
    page.goto(f"{app.address}/train?project={project.id}")
    page.get_by_role("button", name=f"Train on {k} sentences").click()
    page.get_by_test_id("stMetricLabel").filter(has_text=f"After {k} sentences").wait_for(timeout=patience)


def main():
    from browser.conftest import CHROMIUM, running
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pictures", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started, running(Path(folder)) as app:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 1500})

        def picture(name):
            if arguments.pictures:
                arguments.pictures.mkdir(parents=True, exist_ok=True)
                moves.settle(page)
                page.screenshot(path=arguments.pictures / f"{name}.png", full_page=True)

        try:
            first, last = loop(page, app, arguments.rounds, picture=picture)
        except Exception:
            picture("failed")
            raise
        print(f"zero-shot {first}, after {10 * arguments.rounds} sentences {last}")
        page.get_by_text("before and after").click()
        picture("before and after")
        page.goto(f"{app.address}/compare")
        page.get_by_role("button", name="Markdown").wait_for()
        picture("compare")
        browser.close()


if __name__ == "__main__":
    main()
