"""The text around the open sentence: what is shown of it, and what a click opens."""

import pytest
from desk import new_project

from annotate.editing import session
from annotate.editing.running_text import Neighbour, around
from fewshot.corpora.formats import conllu

DOCUMENTS = """# newdoc id = d1
# text = One.
1\tOne.\t_\t_\t_\t_\t_\t_\t_\t_

# text = Two.
1\tTwo.\t_\t_\t_\t_\t_\t_\t_\t_

# newdoc
# text = Three.
1\tThree.\t_\t_\t_\t_\t_\t_\t_\t_

# text = Four.
1\tFour.\t_\t_\t_\t_\t_\t_\t_\t_

# text = Five.
1\tFive.\t_\t_\t_\t_\t_\t_\t_\t_

"""


@pytest.fixture
def project(store, tmp_path):
    (tmp_path / "chapter.conllu").write_text(DOCUMENTS, encoding="utf-8")
    (tmp_path / "next.conllu").write_text(DOCUMENTS.partition("# newdoc\n")[0].partition("\n")[2], encoding="utf-8")
    read = [sentence for name in ("chapter", "next") for sentence in conllu.read(tmp_path / f"{name}.conllu")]
    return new_project(store, read, "pos")


def test_a_sentence_has_a_place_in_its_document_and_own_items_around_it(store, project, desk):
    second, fourth, fifth, _, last = desk.draw(
        *((place, "pos", who) for place, who in [(1, "ana"), (3, "ana"), (4, "ana"), (2, "ben"), (6, "ana")])
    )
    text = around(store, project, fourth)
    assert (text.document, text.number, text.all) == ("chapter.conllu", 2, 3)
    assert (text.before, text.after) == ([Neighbour("Three.", None)], [Neighbour("Five.", fifth.id)])
    assert around(store, project, second).document == "chapter.conllu · d1"
    assert around(store, project, last).before == [Neighbour("One.", None)]
    assert around(store, project, last).document == "next.conllu"


def test_joined_sentences_are_shown_with_the_one_before(store, project, desk):
    first, third = desk.draw((2, "pos", "ana"), (4, "pos", "ana"))
    desk.save(first, {"upos": ["X", "X"], "words": ["Three.", "Four."], "ranges": [], "joined": 1})
    assert [one.text for one in around(store, project, third).before] == ["Three. Four."]
    assert [one.text for one in around(store, project, first).after] == ["Five."]


def test_a_click_opens_an_own_item_and_no_other(store, project, desk):
    mine, other, bens = desk.draw((0, "pos", "ana"), (1, "pos", "ana"), (2, "pos", "ben"))
    look = {"item": mine.id, "seq": 0}
    assert session.receive(store, project, "ana", look | {"go": other.id}).id == other.id
    assert session.receive(store, project, "ana", look | {"go": bens.id}).id == mine.id
