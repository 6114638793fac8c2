"""The loop of annotation and training, and what the pages about curves offer."""

import zipfile

from browser.loop import loop


def downloaded(page, name, folder):
    with page.expect_download() as coming:
        page.get_by_test_id("stDownloadButton").get_by_role("button", name=name).click()
    path = folder / coming.value.suggested_filename
    coming.value.save_as(path)
    return path


def test_ten_sentences_become_a_point_a_model_and_a_report(app, page, tmp_path):
    first, last = loop(page, app, rounds=1, say=lambda line: None)
    assert last > first + 10
    with zipfile.ZipFile(downloaded(page, "Model", tmp_path)) as model:
        assert set(model.namelist()) == {"model/model.json", "model/model.safetensors"}
    page.get_by_text("before and after").click()
    page.get_by_text("Of the test set", exact=True).wait_for()
    page.goto(f"{app.address}/compare")
    table = downloaded(page, "Markdown", tmp_path).read_text(encoding="utf-8")
    assert f"| Japanese POS | 10 | {last:.1f}" in table
    report = downloaded(page, "Report", tmp_path).read_text(encoding="utf-8")
    assert f"from {first:.1f} to {last:.1f}" in report
    page.get_by_label("A score to reach (%)").fill("99")
    page.keyboard.press("Enter")
    page.get_by_text("99 is out of reach").or_(page.get_by_text("99 takes about")).wait_for()
    page.get_by_label("Runs as well").fill(str(tmp_path))
    page.keyboard.press("Enter")
    page.get_by_text("no run of pos here").wait_for()
