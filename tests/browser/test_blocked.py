"""What is not finished or not valid is not done, and says how to mend it; wrong words are repaired."""

import pytest
from browser import moves, projects

from annotate.editing import labels
from annotate.store import Store
from fewshot.corpora.formats import conllu, text
from fewshot.corpora.segmentation import Segmentation
from fewshot.corpora.types import Sentence

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
    note.filter(has_text=parts[0]).wait_for()
    for part in parts:
        assert part in note.inner_text()


def test_a_tree_with_two_roots_or_a_cycle_is_refused_with_the_fix_named(served, page):
    sentence = next(one for one in projects.sample("en") if one.id == "en-pool-022")
    project = projects.make(served, ["dep"], [sentence], lang="en")
    moves.annotate(page, served, project)
    arcs = [(2, "nsubj"), (3, "aux"), (0, "root"), (0, "root"), (3, "punct")]  # It will snow tonight .
    for word, (head, relation) in enumerate(arcs):
        moves.attach(page, word, head, relation, word == len(arcs) - 1)
    refused(page, "“snow” (3) and “tonight” (4) are all roots", "attach “tonight” (4) to “snow” (3)")
    moves.attach(page, 3, 3, "obl", last=True)  # the cursor is at tonight
    moves.press(page, "ArrowLeft")
    moves.attach(page, 2, 1, "aux", last=True)
    refused(page, "hang on each other in a cycle", "attach one of them to another word, or make it the root")
    moves.saved(page)
    ((status, annotation),) = projects.held(served, project, "dep")
    assert (status, annotation["heads"]) == ("open", [2, 3, 1, 3, 3])
    moves.press(page, "Home", "ArrowRight", "ArrowRight", "Enter", "Enter")  # snow is the root
    moves.finish(page)
    (annotation,) = projects.done(served, project, "dep")
    assert annotation["heads"] == [2, 3, 0, 3, 3]


def test_a_word_without_a_tag_stops_the_sentence_and_gets_the_cursor(served, page):
    sentence = next(one for one in projects.sample("en") if one.id == "en-pool-022")
    project = projects.make(served, ["pos"], [sentence], lang="en")
    moves.annotate(page, served, project)
    keys = moves.keys_of("pos")
    moves.press(page, keys["PRON"], "ArrowRight", keys["VERB"], "ArrowRight", keys["PUNCT"])
    refused(page, "no tag yet: “will”, “tonight”")
    assert page.locator(".frame .token.here .form").inner_text() == "will"
    moves.press(page, keys["AUX"], "End", "Control+Enter")
    page.locator(".frame .token.here .form", has_text="tonight").wait_for()
    assert [status for status, _ in projects.held(served, project, "pos")] == ["open"]
    moves.press(page, keys["NOUN"])
    moves.finish(page)
    assert projects.done(served, project, "pos") == projects.gold("pos", [sentence])


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
    assert page.locator(".frame .node .form").all_text_contents() == REPAIRED
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


YORK = Sentence("york", "She loves New York.", ("She", "loves", "New", "York", "."))


def test_words_that_are_written_apart_become_a_word_with_a_space_and_no_multiword_token(served, page, tmp_path):
    tags = ["PRON", "VERB", "PROPN", "PROPN", "PUNCT"]
    project = projects.make(served, ["pos"], [YORK], lang="en", suggestions=[{"upos": tags}])
    moves.annotate(page, served, project)
    moves.press(page, "Enter", "ArrowRight", "=")  # She is confirmed; the cursor is at New
    page.locator(
        ".frame .note", has_text="“New” and “York” is written with a space; a multiword token is not"
    ).wait_for()
    assert page.locator(".frame .range").count() == 0
    moves.press(page, "+")
    assert moves.words(page) == ["She", "loves", "New York", "."]
    assert page.locator(".frame .token .tag").all_inner_texts() == ["PRON", "VERB 90%", "·", "PUNCT 90%"]
    moves.press(page, moves.keys_of("pos")["PROPN"], "Shift+A")
    moves.finish(page)
    exported = projects.exported(served, project, tmp_path / "out.conllu").read_text()
    assert "# text = She loves New York.\n" in exported
    rows = [line.split("\t") for line in exported.splitlines()]
    assert [(row[1], row[3], row[9]) for row in rows if len(row) > 1] == [
        ("She", "PRON", "_"), ("loves", "VERB", "_"), ("New York", "PROPN", "SpaceAfter=No"), (".", "PUNCT", "_"),
    ]  # fmt: skip


def test_what_is_written_as_one_stays_so_when_its_words_are_merged(served, page, tmp_path):
    path = tmp_path / "es.conllu"
    rows = ["1\tvoy", "2-3\tal", "2\ta", "3\tel", "4\tmar"]
    path.write_text("# text = voy al mar\n" + "".join(row + "\t_" * 8 + "\n" for row in rows) + "\n", encoding="utf-8")
    project = projects.make(served, ["pos"], conllu.read(path), lang="es")
    moves.annotate(page, served, project)
    note = page.locator(".frame .note")
    moves.press(page, "+")
    note.filter(has_text="“al” is one written word; merge the words that it stands for first").wait_for()
    moves.press(page, "ArrowRight", "=")
    note.filter(has_text="“al” is not written as “a” and “el”; merge them instead").wait_for()
    moves.press(page, "+")
    assert (moves.words(page), page.locator(".frame .range").count()) == (["voy", "al", "mar"], 0)


def test_a_relation_that_was_added_to_the_project_is_taken(served, page):
    project = projects.make(served, ["dep"], [YORK], lang="en")
    store = Store.open(served.url)
    labels.add(store, project, "dep", ["foo", "obl:x_y"])
    store.close()
    moves.annotate(page, served, project)
    relations = ["foo", "root", "foo:own", "obl:x_y", "punct"]
    for word, (head, relation) in enumerate(zip((2, 0, 4, 2, 2), relations, strict=True)):
        moves.press(page, "Home", *["ArrowRight"] * word, *(["Enter", str(head), "Enter"] if head else ["0"]))
        if head:
            moves.press(page, "l")
            page.locator(".frame .asking input").fill(relation)
            moves.press(page, "Enter")
    moves.finish(page)
    (annotation,) = projects.done(served, project, "dep")
    assert annotation["deprels"] == relations


def test_a_relation_that_ud_has_not_is_not_taken_and_the_field_says_why(served, page):
    project = projects.make(served, ["dep"], [YORK], lang="en")
    moves.annotate(page, served, project)
    for word, head in enumerate((2, 0, 4, 2, 2)):
        moves.press(page, "Home", *["ArrowRight"] * word, *(["Enter", str(head), "Enter"] if head else ["0"]))
    why = page.locator(".frame .asking .why")
    moves.press(page, "l", *"acl:", "Enter")
    why.filter(has_text="“acl:” is no subtype of acl; write letters a to z behind one colon").wait_for()
    field = page.locator(".frame .asking input")
    field.fill("foo")
    assert why.inner_text() == ""
    moves.press(page, "Enter")
    why.filter(has_text="“foo” is no relation of UD; choose one of the list").wait_for()
    field.fill("")
    moves.press(page, "Enter", "Control+Enter")
    page.locator(".frame .note", has_text="no relation yet: “She”, “New”, “York” and 1 more").wait_for()
    assert page.locator(".frame").get_by_text("no relation yet").count() == 1
    moves.press(page, "l", *"cc", "Enter")  # not ccomp
    for word, relation in enumerate(["nsubj:a", None, "compound", "obj", "punct"]):
        if relation:
            moves.press(page, "Home", *["ArrowRight"] * word, "l", *relation, "Enter")
    moves.press(page, "Home", "ArrowRight", "l", *"obj", "Enter", "Control+Enter")
    page.locator(".frame .note", has_text="“loves” (2): only the root is “root”, and it is nothing else").wait_for()
    moves.press(page, "0")
    moves.finish(page)
    (annotation,) = projects.done(served, project, "dep")
    assert annotation["heads"] == [2, 0, 4, 2, 2]
    assert annotation["deprels"] == ["nsubj:a", "root", "compound", "obj", "punct"]
