"""Wrong words and sentences are repaired in two tasks, and come out of the export as they were repaired."""

import pytest
from browser import moves, projects
from playwright.sync_api import expect

from fewshot.corpora.formats import conllu

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
# text = aujourd'hui voyons
1\taujourd\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\t'hui\t_\t_\t_\t_\t_\t_\t_\t_
3\tvoyons\t_\t_\t_\t_\t_\t_\t_\t_

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
# text = aujourd'hui voyons
1\taujourd'hui\t_\tADV\t_\t_\t2\tadvmod\t_\t_
2-3\tvoyons\t_\t_\t_\t_\t_\t_\t_\t_
2\tvoy\t_\tVERB\t_\t_\t0\troot\t_\t_
3\tons\t_\tX\t_\t_\t2\tdep\t_\t_

"""

FIRST, SECOND, REPAIRED = ["PRON", "VERB", "ADV", "PUNCT"], ["ADP", "DET", "NOUN"], ["ADV", "VERB", "X"]
ARCS = [(2, "nsubj"), (0, "root"), (2, "advmod"), (2, "punct"), (7, "case"), (7, "det"), (2, "obj")]


def test_sentences_are_joined_and_words_merged_split_and_written_as_one_for_both_tasks(app, page, store, tmp_path):
    (tmp_path / "in.conllu").write_text(TEXT)
    project = projects.make(app, ["pos", "dep"], conllu.read(tmp_path / "in.conllu"), lang="fr")
    moves.annotate(page, app, project, "pos")
    moves.tag(page, FIRST)
    page.locator(".frame .hint", has_text="join with next sentence").click()  # in sight where the last word is
    moves.press(page, "End", "ArrowLeft", "ArrowLeft")
    moves.tag(page, SECOND)
    expect(page.locator(".frame .gloss")).to_have_text(["she", "drinks", "about", "of", "the", "wine"])
    moves.saved(page)
    assert [row.split for row in store.examples(project.id)] == ["pool", "joined pool", "pool"]
    page.get_by_text("0 of 2").wait_for()
    moves.press_and_leave(page, "Control+Enter")  # to the tree of the sentence
    for word, arc in enumerate(ARCS):
        moves.attach(page, word, *arc, last=word == 6)
    page.reload()
    page.locator(".frame:focus").wait_for()
    assert len(moves.words(page)) == 7
    moves.press_and_leave(page, "Control+Enter")  # to the tags of the next one
    moves.press(page, "+", "ArrowRight", "/")
    page.locator(".frame .asking input").fill("voy ons")
    moves.press(page, "Enter", "=")
    page.locator(".frame .range", has_text="voyons = voy + ons").wait_for()
    moves.press(page, "Home")
    moves.tag(page, REPAIRED)
    moves.press_and_leave(page, "Control+Enter")
    expect(page.locator(".frame .node .form")).to_have_text(["aujourd'hui", "voy", "ons"])
    for word, arc in enumerate([(2, "advmod"), (0, "root"), (2, "dep")]):
        moves.attach(page, word, *arc, last=word == 2)
    moves.finish(page)
    path = projects.exported(app, project, tmp_path / "out.conllu")
    assert path.read_text() == ANNOTATED
    projects.passes_ud(path)
