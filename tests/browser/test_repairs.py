"""Wrong words and sentences are repaired in two tasks, and come out of the export as they were repaired."""

import pytest
from browser import moves, projects
from playwright.sync_api import expect

from annotate.exchange.importing import import_annotations
from annotate.store import Store
from fewshot.corpora.formats import conllu, text
from fewshot.corpora.segmentation import Segmentation

pytestmark = pytest.mark.app


REPAIRED = ["I", "'ll", "say", "you", "can", "not", "."]


@pytest.fixture
def sentence(tmp_path):
    """A sentence cut into the wrong words: I ' ll say you cannot ."""
    path = tmp_path / "raw.txt"
    path.write_text("I'll say you cannot.\n", encoding="utf-8")
    (made,) = text.read(path, Segmentation(r"re:\w+|[^\w\s]"))
    return made


def refused(page, *parts):
    """Try to finish, and read why that is refused."""
    moves.press(page, "Control+Enter")
    note = page.locator(".frame .note")
    for part in parts:
        expect(note).to_contain_text(part)


def test_words_are_split_merged_and_written_as_one_and_the_tree_follows(served, page, sentence, tmp_path):
    project = projects.make(served, ["pos", "dep"], [sentence], lang="en")
    moves.annotate(page, served, project, "dep")
    wrong = [(4, "nsubj"), None, (4, "aux"), (0, "root"), (6, "nsubj"), (4, "ccomp"), (4, "punct")]
    for word, arc in enumerate(wrong):
        if arc:
            moves.attach(page, word, *arc, last=False)
        else:
            moves.press(page, "ArrowRight")
    moves.saved(page)
    moves.choose(page, "pos")
    moves.press(page, "ArrowRight", "+", "ArrowLeft", "=")  # ' and ll are 'll; I and 'll are I'll
    page.locator(".frame .range", has_text="I'll = I + 'll").wait_for()
    moves.press(page, *["ArrowRight"] * 4, "/", "End", *["ArrowLeft"] * 3, " ", "Enter")
    page.locator(".frame .token .form", has_text="can").first.wait_for()
    assert moves.words(page) == REPAIRED
    keys = moves.keys_of("pos")
    tags = ["PRON", "AUX", "VERB", "PRON", "AUX", "PART", "PUNCT"]
    moves.press(page, "Home", *[keys[tag] for tag in tags])
    moves.finish(page)
    moves.choose(page, "dep")
    expect(page.locator(".frame .node .form")).to_have_text(REPAIRED)
    refused(page, "no head yet: “not”")  # all others have theirs
    moves.attach(page, 5, 5, "advmod", last=True)
    moves.finish(page)
    projects.passes_ud(projects.exported(served, project, tmp_path / "out.conllu"))
    rows = [line.split("\t") for line in (tmp_path / "out.conllu").read_text().splitlines() if "\t" in line]
    assert [(row[0], row[1], row[3], row[6], row[7]) for row in rows] == [
        ("1-2", "I'll", "_", "_", "_"),
        *zip(
            map(str, range(1, 8)),
            REPAIRED,
            tags,
            "3305353",
            ["nsubj", "aux", "root", "nsubj", "ccomp", "advmod", "punct"],
            strict=True,
        ),
    ]


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
    expect(page.locator(".frame .gloss")).to_have_text(["she", "drinks", "about", "of", "the", "wine"])
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
