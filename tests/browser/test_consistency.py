"""The consistency page: a likely error is opened and mended, or changed at once, or left as it is."""

import pytest
from browser import moves, projects
from browser.test_sentences import change, choose, click, store, tags  # noqa: F401  # store is a fixture
from playwright.sync_api import expect
from serving import ME

from annotate.editing import content

pytestmark = pytest.mark.app


@pytest.fixture
def project(served, store):  # noqa: F811
    """Twelve English sentences with tags, of which *the* is a pronoun at one place."""
    examples = projects.sample("en")[:12]
    made = projects.make(served, ["pos"], examples, lang="en", people=[ME])
    wrong = next(one for one in examples if "the" in one.words).words.index("the")
    first = next(one for one in examples if "the" in one.words)
    for item, example in zip(store.items(made.id, task="pos"), examples, strict=True):
        annotation = content.annotation_of("pos", example)
        if example is first:
            annotation["upos"][wrong] = "PRON"
        store.save(item.id, ME, "page", 1, annotation, True, 5.0, 1)
    return made


def look(page, served, project):
    page.goto(f"{served.address}/consistency?project={project.id}")
    page.get_by_test_id("stDataFrame").first.locator("canvas").first.wait_for()


def test_a_word_with_a_stray_tag_is_changed_where_it_is_found(served, page, store, project):  # noqa: F811
    assert set(tags(store, project, "the")) == {"DET", "PRON"}
    look(page, served, project)
    page.get_by_role("radio", name="Tags (1)").wait_for()
    click(page, 0)
    page.get_by_text("1 hit in 1 sentence").wait_for()  # the rarest label comes first
    page.get_by_text("Change all").click()
    choose(page, "Set", "UPOS")
    choose(page, "to", "DET")
    change(page, "1 place", table=2)
    expect(page.get_by_text("Nothing is suspicious in 12 annotated sentences.")).to_be_visible()
    assert set(tags(store, project, "the")) == {"DET"}
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("radio", name="Tags (1)").wait_for()


def test_what_is_left_as_it_is_goes_from_the_list_and_comes_back(served, page, store, project):  # noqa: F811
    look(page, served, project)
    click(page, 0)
    page.get_by_role("button", name="Leave as it is").click()
    expect(page.get_by_text("Nothing is left of what was found in 12 annotated sentences.")).to_be_visible()
    page.get_by_text("Also what was left as it is (1)").click()
    click(page, 0)
    page.get_by_role("button", name="Put it back on the list").click()
    expect(page.get_by_text("Also what was left as it is")).to_have_count(0)


def test_a_hit_opens_the_sentence(served, page, project):
    look(page, served, project)
    click(page, 0)
    page.get_by_text("1 hit in 1 sentence").wait_for()
    click(page, 0, table=1)
    page.locator(".frame:focus").wait_for()


def test_a_word_with_several_features_is_changed_where_it_is_found(served, page, store):  # noqa: F811
    examples = [one for one in projects.sample("en") if "the" in one.words][:3]
    task = "pos+feats"
    made = projects.make(served, [task], examples, lang="en", people=[ME])
    for number, (item, example) in enumerate(zip(store.items(made.id, task=task), examples, strict=True)):
        the = "Definite=Def|PronType=Art" if number else "PronType=Dem"
        feats = [the if word == "the" else "" for word in example.words]
        store.save(item.id, ME, "page", 1, {"upos": list(example.upos), "feats": feats}, True, 5.0, 1)
    look(page, served, made)
    page.get_by_role("radio", name="Features (1)").wait_for()
    click(page, 0)
    page.get_by_text("Change all").click()
    moves.settle(page)
    field = page.get_by_role("combobox", name="to")
    field.fill("Definite=Def|PronType=Art")
    field.press("Enter")
    change(page, "1 place", table=2)
    page.get_by_text("Nothing is suspicious in 3 annotated sentences.").wait_for()
    saved = [store.latest(item.id).annotation["feats"] for item in store.items(made.id, task=task)]
    assert {value for feats in saved for value in feats} == {"", "Definite=Def|PronType=Art"}
