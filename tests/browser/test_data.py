"""The data page: what was annotated comes out and goes in again, and what is wrong with a file is said line by line."""

import re

import pytest
from browser import moves, projects
from playwright.sync_api import expect

from annotate.store import Store
from fewshot.corpora.formats import conllu

pytestmark = pytest.mark.app


def open_data(page, app, project):
    page.goto(f"{app.address}/data?project={project.id}")
    page.get_by_role("heading", name="Import").wait_for()


def upload(page, path):
    """Import a file on the data page."""
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_role("button", name="Import", exact=True).click()


def listed(page):
    """Return the list of what is wrong."""
    return page.get_by_test_id("stCode").inner_text().strip()


def test_what_was_annotated_is_downloaded_and_imported_again(served, page, tmp_path):
    sentences = projects.sample("ja")[:4]
    open_data(page, served, projects.annotated(served, ["pos"], sentences))
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as coming:
        page.get_by_test_id("stDownloadButton").get_by_role("button").click()
    path = tmp_path / coming.value.suggested_filename
    coming.value.save_as(path)
    tagged = [sentence.unannotated().annotated(upos=sentence.upos) for sentence in sentences]
    assert path.read_text(encoding="utf-8") == "".join(map(conllu.to_text, tagged))
    again = projects.make(served, ["pos"], sentences[:3])
    open_data(page, served, again)
    upload(page, path)
    page.get_by_text("3 saved, 1 not in this project, 0 not valid, 0 not readable").wait_for()
    assert projects.done(served, again, "pos") == projects.gold("pos", sentences[:3])


def test_each_broken_sentence_of_a_file_is_listed_with_line_and_reason_and_the_others_are_saved(served, page, tmp_path):
    first, second, third = projects.sample("ja")[:3]
    lines = [*first.lines, *second.lines, *third.lines]
    short = len(first.lines) + next(n for n, line in enumerate(second.lines) if line.startswith("2\t"))
    lines[short] = "2\tみじかい\n"
    path = tmp_path / "broken.conllu"
    path.write_text("".join(lines), encoding="utf-8")
    project = projects.make(served, ["pos"], [first, second, third])
    open_data(page, served, project)
    upload(page, path)
    page.get_by_text("2 saved, 0 not in this project, 0 not valid, 1 not readable").wait_for()
    assert listed(page).startswith(f"broken.conllu:{short + 1}: 2 tab-separated columns where CoNLL-U has 10")
    assert len(listed(page).splitlines()) == 1


BROKEN = {
    "labels.tsv": (
        b"id\tlabel\ttext\none\nfirst\ttravel\t\n",
        ["labels.tsv:2: 1 columns, but the first line names 3", "labels.tsv:3: empty text"],
    ),
    "photo.tsv": (bytes(range(256)) * 40, ["photo.tsv:2: byte 0x80 is not UTF-8"]),
    "photo.png": (b"\x89PNG\r\n\x1a\n", ["photo.png: unknown file type '.png' for topic"]),
}


def test_an_upload_that_cannot_be_read_makes_no_project_and_says_why(served, page, tmp_path):
    moves.begin(page, served, chosen=("document classification",))
    page.get_by_text("Upload files").click()
    page.get_by_label("Language code").fill("sw")
    for name, (content, wanted) in BROKEN.items():
        path = tmp_path / name
        path.write_bytes(content)
        page.locator("input[type=file]").set_input_files(path)
        code = page.get_by_test_id("stCode").filter(has_text=name)
        code.wait_for()
        moves.settle(page)
        lines = code.inner_text().strip().splitlines()
        assert [line[: len(start)] for line, start in zip(lines, wanted, strict=True)] == wanted
        assert page.get_by_role("button", name="Create project").count() == 0
    assert page.get_by_test_id("stException").count() == 0


def test_a_file_of_which_nothing_can_be_read_is_refused_in_one_line(served, page, tmp_path):
    path = tmp_path / "photo.conllu"
    path.write_bytes(bytes(range(256)) * 40)
    open_data(page, served, projects.make(served, ["pos"], projects.sample("ja")[:1]))
    upload(page, path)
    page.get_by_text("no sentences in photo.conllu (photo.conllu:2: byte 0x80 is not UTF-8").wait_for()
    assert page.get_by_test_id("stException").count() == 0


def shows_one_of(page, sentences):
    """Wait until the editor shows one of some sentences, which it does after the page around it."""
    first = "|".join(re.escape(one.words[0]) for one in sentences)
    expect(page.locator(".frame .form").first).to_have_text(re.compile(f"^({first})$"))
    assert moves.words(page) in [list(one.words) for one in sentences]


def test_a_test_set_of_its_own_is_uploaded_kept_within_the_limits_and_marked(served, page, tmp_path):
    sentences = sorted(projects.sample("ja"), key=lambda one: one.length)
    pool, test = sentences[5:9], [sentences[0], *sentences[9:12]]
    for name, some in (("pool", pool), ("test", test)):
        conllu.write([one.unannotated() for one in some], tmp_path / f"{name}.conllu")
    moves.begin(page, served)
    page.get_by_text("Upload files").click()
    page.get_by_label("Language code").fill("ja")
    page.locator("input[type=file]").set_input_files(tmp_path / "pool.conllu")
    page.get_by_text("a file of its own").click()
    page.locator("input[type=file]").nth(1).set_input_files(tmp_path / "test.conllu")
    page.get_by_text("Pool 4 sentences, test set 4").wait_for()
    page.get_by_text("More: test set, lengths").click()
    page.get_by_label("Fewest words", exact=True).fill(str(sentences[5].length))
    page.keyboard.press("Tab")
    page.get_by_text("Pool 4 sentences, test set 3").wait_for()
    page.get_by_label("Suggestions of the source model").click(force=True)
    page.get_by_role("button", name="Create project").click()
    page.locator(".frame:focus").wait_for()
    project = moves.projects_of(served)[-1]
    store = Store.open(served.url)
    kept = {split: [row.key for row in store.examples(project.id, split=split)] for split in ("pool", "test")}
    store.close()
    assert kept == {"pool": [one.id for one in pool], "test": [one.id for one in test[1:]]}
    page.goto(served.address)
    moves.settle(page)  # the new project comes last
    page.get_by_text("Next round, suggestions, settings").last.click()
    page.get_by_role("button", name="Annotate the test set").last.click()
    page.get_by_text("test set", exact=True).wait_for()
    shows_one_of(page, test[1:])
    page.get_by_role("button", name="Back to the shots (4)").click()
    page.get_by_text("test set", exact=True).wait_for(state="detached")
    shows_one_of(page, pool)
