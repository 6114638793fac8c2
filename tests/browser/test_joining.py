"""A sentence that was cut too early is joined with the next one, annotated, taken apart again, and exported."""

import pytest
from browser import moves, projects

from annotate.exchange import pool
from annotate.exchange.importing import import_annotations
from annotate.store import Store
from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Sentence

pytestmark = pytest.mark.app

TEXT = """\
# newpar
# sent_id = p1
# text = Elle boit env.
# text_en = She drinks appr.
1\tElle\telle\t_\t_\t_\t_\t_\t_\tGloss=she
2\tboit\tboire\t_\t_\t_\t_\t_\t_\tGloss=drinks
3\tenv\tenviron\t_\t_\t_\t_\t_\t_\tGloss=about|SpaceAfter=No
4\t.\t.\t_\t_\t_\t_\t_\t_\t_

# sent_id = p2
# text = du vin
# text_en = some wine
# checked = no
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\t_\t_\t_\t_\t_\t_\tGloss=of
2\tle\tle\t_\t_\t_\t_\t_\t_\tGloss=the
3\tvin\tvin\t_\t_\t_\t_\t_\t_\tGloss=wine

# sent_id = p3
# text = Oui
1\tOui\toui\t_\t_\t_\t_\t_\t_\tGloss=yes

"""

ANNOTATED = """\
# newpar
# sent_id = p1
# text = Elle boit env. du vin
# text_en = She drinks appr. some wine
# checked = no
1\tElle\telle\tPRON\t_\t_\t2\tnsubj\t_\tGloss=she
2\tboit\tboire\tVERB\t_\t_\t0\troot\t_\tGloss=drinks
3\tenv\tenviron\tADV\t_\t_\t2\tadvmod\t_\tGloss=about|SpaceAfter=No
4\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_
5-6\tdu\t_\t_\t_\t_\t_\t_\t_\t_
5\tde\tde\tADP\t_\t_\t7\tcase\t_\tGloss=of
6\tle\tle\tDET\t_\t_\t7\tdet\t_\tGloss=the
7\tvin\tvin\tNOUN\t_\t_\t2\tobj\t_\tGloss=wine

# sent_id = p3
# text = Oui
1\tOui\toui\tINTJ\t_\t_\t0\troot\t_\tGloss=yes

"""

FIRST, SECOND = ["PRON", "VERB", "ADV", "PUNCT"], ["ADP", "DET", "NOUN"]
ARCS = [(2, "nsubj"), (0, "root"), (2, "advmod"), (2, "punct"), (7, "case"), (7, "det"), (2, "obj")]


@pytest.fixture
def sentences(tmp_path):
    (tmp_path / "in.conllu").write_text(TEXT)
    return conllu.read(tmp_path / "in.conllu")


def splits(served, project):
    store = Store.open(served.url)
    found = [row.split for row in store.examples(project.id)]
    store.close()
    return found


def test_two_sentences_are_joined_tagged_attached_reloaded_and_exported(served, page, sentences, tmp_path):
    project = projects.make(served, ["pos", "dep"], sentences, lang="fr")
    moves.annotate(page, served, project, "pos")
    keys = moves.keys_of("pos")
    moves.press(page, *[keys[tag] for tag in FIRST])
    hint = page.locator(".frame .hint", has_text="join with next sentence")
    hint.click()  # in sight where the last word is
    moves.press(page, "End", "ArrowLeft", "ArrowLeft", *[keys[tag] for tag in SECOND])
    assert page.locator(".frame .gloss").all_text_contents() == ["she", "drinks", "about", "of", "the", "wine"]
    moves.saved(page)
    assert splits(served, project) == ["pool", "joined pool", "pool"]
    page.get_by_text("0 of 2").wait_for()
    moves.press_and_leave(page, "Control+Enter")
    moves.press(page, keys["INTJ"])
    moves.finish(page)
    moves.choose(page, "dep")
    for word, arc in enumerate(ARCS):
        moves.attach(page, word, *arc, last=word == 6)
    page.reload()
    page.locator(".frame:focus").wait_for()
    assert len(moves.words(page)) == 7
    moves.press_and_leave(page, "Control+Enter")
    moves.press(page, "0")
    moves.finish(page)
    path = projects.exported(served, project, tmp_path / "out.conllu")
    assert path.read_text() == ANNOTATED
    projects.passes_ud(path)
    store = Store.open(served.url)
    taken = import_annotations(store, project, "dep", path, "ben")
    store.close()
    assert (taken.saved, taken.unknown, taken.wrong) == (2, 0, 0)


def test_a_join_is_undone_and_done_again_with_what_both_had(served, page, sentences):
    project = projects.make(served, ["dep"], sentences, lang="fr")
    moves.annotate(page, served, project)
    for word, arc in enumerate(ARCS[:4]):
        moves.attach(page, word, *arc, last=word == 3)
    moves.press_and_leave(page, "Control+Enter")
    for word, arc in enumerate([(3, "case"), (3, "det"), (0, "root")]):
        moves.attach(page, word, *arc, last=word == 2)
    moves.press_and_leave(page, "Control+Enter")
    moves.press_and_leave(page, "Alt+ArrowLeft")
    moves.press_and_leave(page, "Alt+ArrowLeft")
    moves.press(page, ",", "Control+Enter")
    assert "are all roots" in page.locator(".frame .note").text_content()  # two roots
    moves.saved(page)
    ((_, made), _) = projects.held(served, project, "dep")
    assert (made["heads"], made["joined"]) == ([2, 0, 2, 2, 7, 7, 0], 1)
    page.reload()
    page.locator(".frame:focus").wait_for()
    moves.press(page, "Control+z")
    moves.saved(page)
    found = projects.held(served, project, "dep")
    assert [status for status, _ in found] == ["open", "done", "open"]
    assert [made["heads"] for _, made in found[:2]] == [[2, 0, 2, 2], [3, 3, 0]]
    assert splits(served, project) == ["pool"] * 3
    moves.press(page, "Control+y")
    moves.saved(page)
    assert splits(served, project) == ["pool", "joined pool", "pool"]


def test_halves_of_what_was_split_are_joined_again(served, page, sentences):
    project = projects.make(served, ["pos"], sentences, lang="fr")
    moves.annotate(page, served, project)
    moves.press(page, "ArrowRight", ".")
    page.locator(".frame .sentence .end").wait_for(state="attached")
    moves.press(page, "Home", ",")
    page.locator(".frame .sentence .end").wait_for(state="detached")
    moves.saved(page)
    assert splits(served, project) == ["pool"] * 3
    moves.press(page, ".", "End", ",")  # a split first half, and a join behind the second
    moves.saved(page)
    ((_, made), _) = projects.held(served, project, "pos")
    assert (made["ends"], made["joined"], len(made["words"])) == ([1], 1, 7)


def test_why_two_cannot_be_joined_is_said(served, page, sentences):
    project = projects.make(served, ["ner"], sentences[:1], lang="fr", test=[sentences[1]])
    moves.annotate(page, served, project)
    moves.press(page, ",")
    assert page.locator(".frame .note").text_content() == "the next sentence is in the test set"


def test_entities_are_marked_over_the_seam(served, page):
    one = Sentence("s1", "Le Dr.", ("Le", "Dr."), where="in.txt:1")
    other = Sentence("s2", "Ana Roy dort", ("Ana", "Roy", "dort"), where="in.txt:2")
    project = projects.make(served, ["ner"], [one, other], lang="fr")
    moves.annotate(page, served, project)
    keys = moves.numbered("ner")
    moves.press(page, ",", "Home", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", keys["PER"])
    moves.finish(page)
    (made,) = projects.done(served, project, "ner")
    assert made["entities"] == ["O", "B-PER", "I-PER", "I-PER", "O"]


def test_in_a_review_two_are_joined_as_one_person_has_them_or_apart_as_the_other(served, page):
    one = Sentence("s1", "Go St.", ("Go", "St."), upos=("VERB", "PROPN"), where="in.txt:1")
    other = Sentence("s2", "John now", ("John", "now"), where="in.txt:2")
    project = projects.compared(served, ["pos"], [one], [one], lang="en", test=())
    store = Store.open(served.url)
    store.add_examples(project.id, pool.both([other], []))
    (item,) = store.items(project.id, annotator="ben", task="pos")
    both = {"upos": ["VERB", "PROPN", "PROPN", "ADV"], "words": ["Go", "St.", "John", "now"], "ranges": [], "joined": 1}
    store.save(item.id, "ben", "tests", 2, both, done=True, seconds=1.0, edits=1, joined=1)
    store.close()
    moves.annotate(page, served, project, path="review")
    assert moves.words(page) == ["Go", "St.", "John", "now"]
    assert page.locator(".frame .undecided .form").all_text_contents() == ["John", "now"]
    moves.press(page, "End", "]")
    page.locator(".frame .form", has_text="John").wait_for(state="detached")
    assert moves.words(page) == ["Go", "St."]
    moves.press(page, "Control+z", "End", "[", "ArrowLeft", "[")
    moves.saved(page)
    made = projects.reviewed(served, project, "pos")
    assert made == both
