"""Take the pictures of the documentation from the real app: ``python docs/pictures.py steps`` or ``... loop``.

``steps`` takes the steps of the pages of ``STEPS`` as a reader does, and a picture after each that shows one. ``loop``
annotates two rounds of ten Swahili sentences from gold and trains on them: the moving picture of the README and its
curve. Both need Chromium and the extra ``test``; what they write lies in ``images/``.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

DOCS = Path(__file__).resolve().parent
IMAGES = DOCS / "images"
sys.path[:0] = [str(DOCS.parent), str(DOCS.parent / "tests")]

STEPS = ("browser", "shoebox")
"""Pages of ``start/`` whose steps have pictures, named ``PAGE-STEP.png``."""

WINDOW = {"width": 1100, "height": 720}
COLOURS = 96
"""Of the moving picture, whose screens have few."""

PATIENCE = 3_600_000
"""Milliseconds that a training may take: it may share the machine."""

MARGIN = 24
"""Pixels that are left below a screen."""


def steps() -> None:
    """Write the screen after each step of the pages that shows one."""
    from browser import first_project

    for name in STEPS:
        text = (DOCS / "start" / f"{name}.md").read_text(encoding="utf-8")
        with window() as (app, page), tempfile.TemporaryDirectory() as folder:
            reader = first_project.Reader(page, Path(folder))
            reader.save(text)
            page.goto(app.address)
            for number, step in enumerate(first_project.steps(text), start=1):
                reader.take(step)
                if (file := f"{name}-{number}.png") in text:
                    trimmed(seen(settled(page))).save(IMAGES / file, optimize=True)


def loop() -> None:
    """Write ``loop.gif``, from the first key to the third point of the curve, and ``curve.png``."""
    from browser import loop as walk
    from browser import moves

    frames: list[tuple[Image.Image, int]] = []
    with window() as (app, page):
        begin(page, app, "Swahili")
        (project,) = moves.projects_of(app)
        gold, keys = moves.gold_of(app, "pos"), moves.keys_of("pos")
        for number in (1, 2):
            if number > 1:
                walk.draw(page, app, project)
            moves.annotate(page, app, project)
            shown = 2 if number == 1 else 0  # sentences of which each key is a frame
            while page.locator(".frame").count():
                for tag in gold[tuple(moves.words(page))].upos:
                    if shown > 0:
                        frames.append((seen(page), 350))
                    moves.press(page, keys[tag])
                if shown > 0:
                    frames.append((seen(page), 900))
                shown -= 1
                moves.finish(page)
            walk.train(page, app, project, 10 * number, PATIENCE)
            chart = settled(page).get_by_test_id("stPlotlyChart").first
            chart.scroll_into_view_if_needed()
            page.wait_for_timeout(1500)
            frames.append((seen(page), 2500))
        chart.screenshot(path=IMAGES / "curve.png")
    first, *others = [frame.quantize(COLOURS) for frame, _ in frames]
    times = [time for _, time in frames]
    first.save(IMAGES / "loop.gif", save_all=True, append_images=others, duration=times, loop=0, optimize=True)


def begin(page: Any, app: Any, language: str) -> None:
    """Make a project of the sample of a language."""
    from browser import moves

    moves.begin(page, app)
    page.get_by_role("combobox", name="Language").click()
    page.get_by_role("option", name=language).click()
    settled(page).get_by_role("button", name="Create project").click()
    page.locator(".frame").wait_for()


@contextmanager
def window() -> Iterator[tuple[Any, Any]]:
    """Start the app with an empty database, and Chromium in front of it."""
    from browser.conftest import CHROMIUM, running
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started, running(Path(folder)) as app:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport=WINDOW)
        page.set_default_timeout(120_000)
        yield app, page
        browser.close()


def settled(page: Any) -> Any:
    """Wait until the app draws nothing any more."""
    from browser import moves

    moves.settle(page)
    page.wait_for_timeout(1500)  # an editor comes after the page around it
    moves.settle(page)
    return page


def seen(page: Any) -> Image.Image:
    """Return what is on the screen."""
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def trimmed(picture: Image.Image) -> Image.Image:
    """Return a picture without what is empty below."""
    rows = np.asarray(picture)
    (filled,) = np.nonzero((rows != rows[-1]).any(axis=(1, 2)))
    return picture.crop((0, 0, picture.width, min(picture.height, int(filled[-1]) + MARGIN)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["steps", "loop"])
    {"steps": steps, "loop": loop}[parser.parse_args().what]()
