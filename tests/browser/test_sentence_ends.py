"""A sentence that was cut wrongly becomes two: each is annotated, and comes out as a sentence of its own."""

import pytest
from browser import moves, projects

from fewshot.corpora import formats
from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Sentence

pytestmark = pytest.mark.app

TEXT = """\
# newpar
# sent_id = p1
# text = Du vin rouge. Elle boit
# text_en = Some red wine. She drinks
1-2\tDu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\t_\t_\t_\t_\t_\t_\tGloss=of
2\tle\tle\t_\t_\t_\t_\t_\t_\tGloss=the
3\tvin\tvin\t_\tN\tGender=Masc\t_\t_\t_\tGloss=wine
4\trouge\trouge\t_\t_\t_\t_\t_\t_\tGloss=red|SpaceAfter=No
5\t.\t.\t_\t_\t_\t_\t_\t_\t_
6\tElle\telle\t_\t_\t_\t_\t_\t_\tGloss=she|Own=1
7\tboit\tboire\t_\t_\t_\t_\t_\t_\tGloss=drinks

"""

ANNOTATED = """\
# newpar
# sent_id = p1A
# text = Du vin rouge.
# text_en = Some red wine. She drinks
1-2\tDu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\t_\t_\t3\tcase\t_\tGloss=of
2\tle\tle\tDET\t_\t_\t3\tdet\t_\tGloss=the
3\tvin\tvin\tNOUN\tN\tGender=Masc\t0\troot\t_\tGloss=wine
4\trouge\trouge\tADJ\t_\t_\t3\tamod\t_\tGloss=red|SpaceAfter=No
5\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_

# sent_id = p1B
# text = Elle boit
1\tElle\telle\tPRON\t_\t_\t2\tnsubj\t_\tGloss=she|Own=1
2\tboit\tboire\tVERB\t_\t_\t0\troot\t_\tGloss=drinks

"""

TAGS = ["ADP", "DET", "NOUN", "ADJ", "PUNCT", "PRON", "VERB"]
ARCS = [(3, "case"), (3, "det"), (0, "root"), (3, "amod"), (3, "punct"), (7, "nsubj"), (0, "root")]


@pytest.fixture
def sentence(tmp_path):
    (tmp_path / "in.conllu").write_text(TEXT)
    return conllu.read(tmp_path / "in.conllu")[0]


def test_a_sentence_becomes_two_that_are_tagged_attached_reloaded_and_exported(served, page, sentence, tmp_path):
    project = projects.make(served, ["pos", "dep"], [sentence], lang="fr")
    moves.annotate(page, served, project, "pos")
    keys = moves.keys_of("pos")
    moves.press(page, *["ArrowRight"] * 4, ".", "Home", *[keys[tag] for tag in TAGS])
    page.locator(".frame .sentence .end").wait_for(state="attached")
    assert page.locator(".frame .gloss").all_text_contents() == ["of", "the", "wine", "red", "she", "drinks"]
    moves.finish(page)
    moves.choose(page, "dep")
    page.locator(".frame .tree .end").wait_for(state="attached")
    for word, arc in enumerate(ARCS[:6]):
        moves.attach(page, word, *arc, last=False)
    moves.saved(page)
    page.reload()
    page.locator(".frame .tree .end").wait_for(state="attached")
    moves.press(page, "End", "Enter", "3", "Enter")
    assert "a sentence ends between “boit” and “vin”" in page.locator(".frame .note").text_content()
    moves.press(page, "Escape", "End", "0")
    moves.finish(page)
    path = projects.exported(served, project, tmp_path / "out.conllu")
    assert path.read_text() == ANNOTATED
    projects.passes_ud(path)


def test_an_end_opens_what_passed_over_it_and_is_undone_with_it(served, page):
    heads, relations = [2, 0, 2, 6, 6, 2, 5], ["nsubj", "root", "punct", "nsubj", "advmod", "parataxis", "advmod"]
    words = ("She", "left", ".", "He", "very", "stayed", "much")
    sentence = Sentence("s", "She left. He very stayed much", words)
    project = projects.make(served, ["dep"], [sentence], lang="en")
    moves.annotate(page, served, project)
    for word, arc in enumerate(zip(heads, relations, strict=True)):
        moves.attach(page, word, *arc, last=word == 6)
    moves.press(page, "Home", "ArrowRight", "ArrowRight", ".")
    moves.saved(page)
    ((_, made),) = projects.held(served, project, "dep")
    assert (made["ends"], made["heads"]) == ([3], [2, 0, 2, 6, 6, 0, 5])
    moves.press(page, ".", "ArrowLeft", ".", "ArrowLeft")  # a second time it goes on; then it ends a word too early
    note = page.locator(".frame .note").text_content()
    assert note == "another sentence had the head of “.”; attach again what is open"
    moves.press(page, "Control+z", "Control+z", "Control+z")
    moves.saved(page)
    ((_, made),) = projects.held(served, project, "dep")
    assert "ends" not in made and made["heads"] == heads


def test_two_roots_are_refused_and_a_sentence_end_between_them_mends_it(served, page):
    sentence = Sentence("s", "Go. Stay", ("Go", ".", "Stay"))
    project = projects.make(served, ["dep"], [sentence], lang="en")
    moves.annotate(page, served, project)
    moves.press(page, "0", "ArrowRight")
    moves.attach(page, 1, 1, "punct", last=False)
    moves.press(page, "0", "Control+Enter")
    assert (
        "if these are two sentences, press . on the last word of the first"
        in page.locator(".frame .note").text_content()
    )
    moves.press(page, "ArrowLeft", ".")
    moves.finish(page)
    assert projects.done(served, project, "dep")[0]["ends"] == [2]


def test_an_entity_ends_with_its_sentence(served, page, tmp_path):
    sentence = Sentence("s", "In New York Ana sleeps", ("In", "New", "York", "Ana", "sleeps"))
    project = projects.make(served, ["ner"], [sentence], lang="en")
    moves.annotate(page, served, project)
    keys = moves.numbered("ner")
    moves.press(page, "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", keys["LOC"], "ArrowLeft", ".")
    moves.press(page, "Home", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", keys["PER"])
    assert "a sentence ends within “New York Ana”" in page.locator(".frame .note").text_content()
    moves.finish(page)
    made = formats.check(
        projects.exported(served, project, tmp_path / "out.conllu"), None, "en", projects.tasks.get("ner")
    )[0]
    assert [(one.id, one.entities) for one in made] == [("sA", ("O", "B-LOC", "I-LOC")), ("sB", ("B-LOC", "O"))]


def test_in_a_review_an_end_is_one_persons_or_the_others(served, page):
    words = ("Go", ".", "Stay")
    one = Sentence("s", "Go. Stay", words, upos=("VERB", "PUNCT", "VERB"))
    project = projects.compared(served, ["pos"], [one], [one.annotated(ends=(2,), upos=("VERB", "PUNCT", "AUX"))])
    moves.annotate(page, served, project, path="review")
    assert page.locator(".frame .sentence .end").count() == 0
    assert page.locator(".frame .disputed .form").all_text_contents() == [".", "Stay"]
    moves.press(page, "Home", "ArrowRight", "]")
    page.locator(".frame .sentence .end").wait_for(state="attached")
