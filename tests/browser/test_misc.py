"""MISC of words: glosses and other pairs, with the keyboard alone, wherever words are annotated."""

import pytest
from browser import moves, projects

from fewshot.corpora.formats import conllu

pytestmark = pytest.mark.app

FILE = """# sent_id = s1
# text = El perro ladra, el gato no.
1	El	el	DET	_	_	2	det	_	Gloss=the
2	perro	perro	NOUN	_	_	3	nsubj	_	Gloss=dog|Typo=Yes
3	ladra	ladrar	VERB	_	_	0	root	_	NER=O|SpaceAfter=No
4	,	,	PUNCT	_	_	6	punct	_	_
5	el	el	DET	_	_	6	det	_	_
6	gato	gato	NOUN	_	_	3	conj	_	_
7	no	no	PART	_	_	6	advmod	_	NER=O|SpaceAfter=No
8	.	.	PUNCT	_	_	3	punct	_	_

"""


@pytest.fixture
def sentences(tmp_path):
    path = tmp_path / "dog.conllu"
    path.write_text(FILE, encoding="utf-8")
    return conllu.read(path)


def field(page):
    return page.locator(".frame .asking.misc input")


def held(served, project, task):
    return projects.held(served, project, task)[0][1].get("misc")


@pytest.mark.parametrize("task", ["pos", "dep", "ner"])
def test_words_are_glossed_one_after_the_other(served, page, task, sentences, tmp_path):
    project = projects.make(served, [task], sentences, lang="es")
    moves.annotate(page, served, project)
    moves.press(page, "ArrowRight", "ArrowRight", "Shift+M")
    for odd in ("barks", "Gloss=bark\ts"):
        field(page).fill("SpaceAfter=Yes")
        moves.press(page, "Enter")
        page.locator(".frame .why", has_text="SpaceAfter follows from the file").wait_for()
        field(page).fill(odd)
        moves.press(page, "Enter")
        page.locator(".frame .why", has_text="write pairs as in Gloss=dog").wait_for()
    field(page).fill("Gloss=barks")
    moves.press(page, "Enter", "Enter")  # the comma has none
    assert field(page).input_value() == "Gloss="
    offered = page.locator(".frame .asking.misc option").evaluate_all("(all) => all.map(({ value }) => value)")
    assert offered[0] == "Gloss=the"  # of the other "el"
    page.keyboard.type("the")
    moves.press(page, "Enter")
    page.keyboard.type("cat|Lang=es")
    moves.press(page, "Enter", "Escape", "Control+z", "Control+y")
    moves.saved(page)
    expected = [None, None, "Gloss=barks", None, "Gloss=the", "Gloss=cat|Lang=es", None, None]
    assert held(served, project, task) == expected
    page.reload()
    page.locator(".frame:focus").wait_for()
    moves.press(page, "ArrowRight", "Shift+M")
    field(page).fill("Typo=")
    moves.press(page, "Enter", "Escape")
    moves.saved(page)
    assert held(served, project, task)[1] == "Gloss=dog"
    page.locator(".frame", has_text="barks").wait_for()
