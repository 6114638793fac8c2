"""Files go in and come out again, and what is wrong with one is said line by line."""

import pytest
from browser import moves, projects
from playwright.sync_api import expect

from fewshot.corpora.formats import conllu

pytestmark = pytest.mark.app

NO_TEXT = bytes(range(256)) * 40
BROKEN = {
    "labels.tsv": (
        b"id\tlabel\ttext\none\nfirst\ttravel\t\n",
        ["labels.tsv:2: 1 columns, but the first line names 3", "labels.tsv:3: empty text"],
    ),
    "photo.tsv": (NO_TEXT, ["photo.tsv:2: byte 0x80 is not UTF-8"]),
    "photo.png": (b"\x89PNG\r\n\x1a\n", ["photo.png: unknown file type '.png' for topic"]),
}


def test_an_upload_that_cannot_be_read_makes_no_project_and_one_with_a_test_set_does(app, page, store, tmp_path):
    moves.begin(page, app, chosen=("document classification",))
    page.get_by_text("Upload files").click()
    page.get_by_label("Language code").fill("ja")
    for name, (content, wanted) in BROKEN.items():
        (tmp_path / name).write_bytes(content)
        page.locator("input[type=file]").set_input_files(tmp_path / name)
        code = page.get_by_test_id("stCode").filter(has_text=name)
        code.wait_for()
        moves.settle(page)
        lines = code.inner_text().strip().splitlines()
        assert [line[: len(start)] for line, start in zip(lines, wanted, strict=True)] == wanted
        expect(page.get_by_role("button", name="Create project")).to_have_count(0)
    expect(page.get_by_test_id("stException")).to_have_count(0)

    sentences = sorted(projects.sample("ja"), key=lambda one: one.length)
    pool, test = sentences[5:9], [sentences[0], *sentences[9:12]]
    for name, some in (("pool", pool), ("test", test)):
        conllu.write([one.unannotated() for one in some], tmp_path / f"{name}.conllu")
    moves.begin(page, app)
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
    moves.settle(page)
    page.get_by_label("Suggestions of the source model").click(force=True)
    moves.press_button(page, "Create project")
    page.locator(".frame:focus").wait_for()
    (project,) = store.projects()
    kept = {split: [row.key for row in store.examples(project.id, split=split)] for split in ("pool", "test")}
    assert kept == {"pool": [one.id for one in pool], "test": [one.id for one in test[1:]]}


def open_data(page, app, project):
    page.goto(f"{app.address}/data?project={project.id}")
    page.get_by_role("heading", name="Import").wait_for()


def upload(page, path, said):
    """Import a file on the data page."""
    page.locator("input[type=file]").set_input_files(path)
    moves.press_button(page, "Import")
    page.get_by_text(said).wait_for()


def test_what_was_annotated_is_downloaded_and_imported_elsewhere_but_for_what_is_broken(app, page, tmp_path):
    sentences = projects.sample("ja")[:4]
    open_data(page, app, projects.annotated(app, ["pos"], sentences))
    moves.press_button(page, "Export")
    with page.expect_download() as coming:
        page.get_by_test_id("stDownloadButton").get_by_role("button").click()
    path = tmp_path / coming.value.suggested_filename
    coming.value.save_as(path)
    tagged = [sentence.unannotated().annotated(upos=sentence.upos) for sentence in sentences]
    assert path.read_text(encoding="utf-8") == "".join(map(conllu.to_text, tagged))

    again = projects.make(app, ["pos"], sentences[:3])
    open_data(page, app, again)
    first, second, third = (list(one.lines) for one in sentences[:3])
    short = next(number for number, line in enumerate(second) if line.startswith("2\t"))
    second[short] = "2\tみじかい\n"
    broken, photo = tmp_path / "broken.conllu", tmp_path / "photo.conllu"
    broken.write_text("".join([*first, *second, *third]), encoding="utf-8")
    upload(page, broken, "2 saved, 0 not in this project, 0 not valid, 0 without annotation, 1 not readable")
    (line,) = page.get_by_test_id("stCode").inner_text().strip().splitlines()
    assert line.startswith(f"broken.conllu:{len(first) + short + 1}: 2 tab-separated columns where CoNLL-U has 10")
    open_data(page, app, again)
    photo.write_bytes(NO_TEXT)
    upload(page, photo, "photo.conllu:2: byte 0x80 is not UTF-8")
    expect(page.get_by_test_id("stException")).to_have_count(0)
    open_data(page, app, again)
    upload(page, path, "saved, 1 not in this project, 0 not valid, 0 without annotation, 0 not readable")
    assert projects.done(app, again, "pos") == projects.gold("pos", sentences[:3])
