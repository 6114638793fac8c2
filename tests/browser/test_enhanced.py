"""Enhanced dependencies in the tree editor, with the keyboard alone."""

import pytest
from browser import moves
from serving import ME
from storing import made_items, made_project

from annotate.exchange import pool
from annotate.exchange.exporting import export_annotations
from annotate.store import Store
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu

pytestmark = pytest.mark.app

FILE = """# sent_id = s1
# text = Ana canta y baila en casa.
1	Ana	_	PROPN	_	_	2	nsubj	2:nsubj|4:nsubj	_
2	canta	_	VERB	_	_	0	root	0:root	_
3	y	_	CCONJ	_	_	4	cc	4:cc	_
4	baila	_	VERB	_	_	2	conj	2:conj:y	_
4.1	ella	_	PRON	_	_	_	_	4:nsubj	_
5	en	_	ADP	_	_	6	case	6:case	_
6	casa	_	NOUN	_	_	4	obl	4:obl:en	SpaceAfter=No
7	.	_	PUNCT	_	_	2	punct	2:punct	_

"""


def made(served, tmp_path, text):
    path = tmp_path / "in.conllu"
    path.write_text(text, encoding="utf-8")
    store = Store.open(served.url)
    found = made_project(
        store, pool.both(conllu.read(path), []), people=(ME,), lang="es", tasks=("dep",),
        labels={"dep": list(tasks.get("dep").choices)}, hides_gold=False,
    )  # fmt: skip
    (row,) = store.examples(found.id)
    made_items(store, found, [(row.id, "dep", ME)])
    store.close()
    return found


@pytest.fixture
def project(served, tmp_path):
    return made(served, tmp_path, FILE)


@pytest.fixture
def plain(served, tmp_path):
    """A project whose file has no enhanced dependencies."""
    rows = [line.split("\t") for line in FILE.splitlines() if not line.startswith("4.1")]
    lines = ("\t".join([*row[:8], "_", row[9]] if len(row) > 1 else row) for row in rows)
    return made(served, tmp_path, "\n".join(lines) + "\n")


def deps(served, project, path):
    store = Store.open(served.url)
    found = export_annotations(store, project, project.tasks, None, "all")
    store.close()
    formats.export(found.examples, [tasks.get("dep")], "conllu", path)
    rows = [line.split("\t") for line in path.read_text().splitlines() if "\t" in line]
    return {row[0]: row[8] for row in rows}


def below(page):
    return [text for text in page.locator(".frame .tree .enhanced").all_text_contents() if text]


def test_arcs_follow_the_tree_and_are_added_changed_and_taken_away(served, page, project, tmp_path):
    moves.annotate(page, served, project)
    assert page.locator(".frame .nodes").inner_text() == "4.1 ella 4:nsubj"
    assert below(page) == ["4:nsubj", "2:conj:y", "4:obl:en"]
    moves.press(page, "End", "ArrowLeft", "Enter", "2", "Enter")  # casa hangs on canta
    assert below(page)[2] == "2:obl:en"
    field = page.locator(".frame input.deps")
    moves.press(page, "Shift+D")
    assert field.input_value() == "2:obl:en"
    for typed, said in (("9:obl", "9 is no word"), ("6:obl", "not its own head"), ("obl", "write head:relation")):
        field.fill(typed)
        moves.press(page, "Enter")
        page.locator(".frame .why", has_text=said).wait_for()
    field.fill("4:obl:en|2:obl:en")
    moves.press(page, "Enter", "Home", "Shift+D")
    field.fill("2:nsubj|4.1:nsubj")
    moves.press(page, "Enter")
    assert below(page) == ["4.1:nsubj", "2:conj:y", "2:obl:en 4:obl:en"]
    moves.press(page, "Shift+D")
    field.fill("2:nsubj")
    moves.press(page, "Enter")
    assert below(page) == ["2:conj:y", "2:obl:en 4:obl:en"]
    moves.press(page, "Control+z", "Control+y")
    moves.finish(page)
    expected = {"1": "2:nsubj", "2": "0:root", "3": "4:cc", "4": "2:conj:y", "4.1": "4:nsubj", "5": "6:case"}
    assert deps(served, project, tmp_path / "out.conllu") == expected | {"6": "2:obl:en|4:obl:en", "7": "2:punct"}


def test_enter_on_the_arc_of_the_tree_makes_no_enhanced_dependencies(served, page, plain, tmp_path):
    moves.annotate(page, served, plain)
    moves.press(page, "Home", "Shift+D", "Enter")
    moves.finish(page)
    assert set(deps(served, plain, tmp_path / "out.conllu").values()) == {"_"}


def test_an_empty_field_takes_enhanced_dependencies_away(served, page, plain, tmp_path):
    moves.annotate(page, served, plain)
    for typed, shown in (("2:nsubj|4:nsubj", ["4:nsubj"]), ("", [])):
        moves.press(page, "Home", "Shift+D")
        page.locator(".frame input.deps").fill(typed)
        moves.press(page, "Enter")
        assert below(page) == shown
    moves.finish(page)
    assert set(deps(served, plain, tmp_path / "out.conllu").values()) == {"_"}


def test_a_word_that_is_attached_later_has_the_arc_of_the_tree_again(served, page, project, tmp_path):
    moves.annotate(page, served, project)
    moves.press(page, "End", "ArrowLeft", "Backspace", "Shift+D")
    page.locator(".frame input.deps").fill("2:obl:en")
    moves.press(page, "Enter", "Enter", "4", "Enter", "l")
    page.locator(".frame .asking input").fill("obl")
    moves.press(page, "Enter")
    moves.finish(page)
    assert deps(served, project, tmp_path / "out.conllu")["6"] == "2:obl:en|4:obl:en"
