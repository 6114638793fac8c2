import ast

import pytest
import storing
from app_page import field, fill, has_button, labelled, open_page, press, says, values
from desk import Desk, new_project
from making import made_up, result
from serving import ROOT
from streamlit.testing.v1 import AppTest

from annotate.components import frame, uploads
from annotate.exchange.exporting import Export
from annotate.rounds.training_data import training_data
from annotate.worker import queue
from fewshot.corpora.formats import conllu
from fewshot.errors import FewshotError


@pytest.fixture
def two(store, tmp_path):
    """A trained project in which ana and ben have tagged the same sentences, with suggestions shown and hidden."""
    sentences, left = made_up(8, seed=1, shortest=4), made_up(10, seed=2, shortest=4)
    project = new_project(store, [*sentences, *left], "pos", name="Wolof", wage=36.0, hides_gold=True)
    desk = Desk(store, project, tmp_path)
    tags = [{"upos": list(one.upos)} for one in sentences]
    store.add_suggestions([(id, "pos", "m", {"annotation": one}) for id, one in zip(desk.ids, tags, strict=False)])
    wanted = [(place, "pos", who, place % 2 == 0) for who in ("ana", "ben") for place in range(8)]
    for (place, *_), item in zip(wanted, desk.draw(*wanted), strict=True):
        seconds = sentences[place].length * (4.0 if item.blind else 3.0)
        proposed = store.suggestion(item.example_id, "pos")
        store.save(item.id, item.annotator, "page", 1, tags[place], True, seconds, 1, proposed.id)
    test = training_data(store, project, "pos").scored_on(8)
    scores = [result(0, 40.0, scored_on=test), result(8, 60.0, "annotated", tokens=80, scored_on=test)]
    store.add_results(project.id, "pos", scores)
    return project


@pytest.mark.parametrize("learns", [True, False])
def test_a_finished_sentence_asks_for_a_learning_and_the_page_says_what_was_learned(
    store, alone, tmp_path, started, learns
):
    desk = Desk(store, new_project(store, made_up(3, seed=1), "pos", learns=learns), tmp_path)
    item, *_ = desk.draw(*((place, "pos", alone) for place in range(3)))
    assert not says(open_page("work", desk.project).caption, "has learned")
    tags = {"upos": ["NOUN"] * desk.open(item).example.length}
    desk.send(item, tags)
    queue.learn(store, desk.project, "pos")
    assert started == [("learn", {"task": "pos"})] * learns
    job = store.claim_job("here", 1, storing.add_job(store, desk.project.id, "learn", {"task": "pos"}).id)
    store.finish(job, remark="learned from 7")
    page = open_page("work", desk.project)
    assert says(page.caption, "The model learned from 7 sentences, ") == learns
    assert not says(page.caption, "Correct suggestions")


def test_bars_show_how_right_suggestions_became(store, alone, tmp_path):
    project = new_project(store, made_up(6, seed=1, shortest=4, longest=4), "pos", learns=True)
    items = Desk(store, project, tmp_path).draw(*((place, "pos", alone) for place in range(5)))
    job = store.claim_job("here", 1, storing.add_job(store, project.id, "learn", {"task": "pos"}).id)
    store.finish(job, remark="learned from 3")
    for right, item in zip((1, 2, 3, 4), items, strict=False):
        if right == 4:  # three are too few
            assert not says(open_page("work", project).caption, "Correct suggestions")
        tags = ["NOUN"] * right + ["VERB"] * (4 - right)
        store.add_suggestions([(item.example_id, "pos", "model", {"annotation": {"upos": tags}})])
        suggested = store.suggestion(item.example_id, "pos").id
        store.save(item.id, alone, "page", right, {"upos": ["NOUN"] * 4}, True, 1.0, 1, suggested)
    page = open_page("work", project)
    assert says(page.caption, "Correct suggestions in your last 4: from 25% to 100%")
    (bars,) = page.get("html")
    assert [f"height: {height}px" in bars.proto.body for height in (4, 9, 14, 18)] == [True] * 4


def test_the_saving_of_suggestions_and_an_export_are_made_when_they_are_asked_for(alone, store, two, monkeypatch):
    made = []
    monkeypatch.setattr("annotate.pages.data.export_annotations", lambda *args: made.append(args) or Export([], 1, 2))
    page = open_page("data", two)
    assert not says(page.caption, "uggestions save")
    fill(page, {"Time: measured, published, and saved by suggestions": True, "Part": "all"})
    saving = "Suggestions of the encoder save 25% [25, 25] of the time: 4.0 s a token"
    assert any(line.startswith(saving) for line in values(page.caption))
    assert not made
    press(page, "Export")
    assert len(made) == 1
    assert any("1 in dispute are left open" in line and "2 begun and not" in line for line in values(page.caption))
    assert field(page, "Format").value == "conllu"
    project = new_project(store, made_up(2, seed=1), "ner", source="x.bio")
    assert field(open_page("data", project), "Format").value == "bio", "the format of its source"


@pytest.mark.parametrize("others", [False, True])
def test_the_test_set_is_marked_and_one_click_leads_there_and_back(store, alone, tmp_path, others):
    """Also where nobody has its items yet, or somebody else."""
    people = [None, None, alone, "ben"] if others else [alone] * 3
    pool, test = made_up(2, seed=1), made_up(len(people), seed=2, name="t")
    desk = Desk(store, new_project(store, pool, "pos", test=test, k=2, people=[alone]), tmp_path)
    desk.draw(*((place, "pos", None if others else alone) for place in (0, 1)))
    desk.draw(*((2 + place, "pos", who, True) for place, who in enumerate(people)), purpose="test")
    page = open_page("work", desk.project)
    assert not says(page.markdown, "test set")
    press(page, "Test set (3)")
    assert says(page.markdown, "[test set]")
    press(page, "Back to the shots (2)")
    assert not says(page.markdown, "[test set]")


def test_annotators_of_a_project_stand_side_by_side(alone, two, monkeypatch):
    page = open_page("compare", two)
    assert "annotator" not in page.dataframe[-1].value  # not before somebody asks
    fill(page, {"Annotators side by side": True})
    people = page.dataframe[-1].value
    assert list(people["annotator"]) == ["ana", "ben"]
    assert set(people["others %"]) == {"100.0"}
    assert says(page.markdown, "uggestions of the encoder save 25%")
    monkeypatch.setattr("annotate.rounds.comparison.project_curves", lambda *args: {})
    page = open_page("compare", two)
    assert says(page.info, "There is no curve to compare yet") and not page.multiselect
    fill(page, {"Annotators side by side": True})
    assert list(page.dataframe[-1].value["annotator"]) == ["ana", "ben"]


def figures(page):
    labels = ("Sentences", "Observed agreement of words", "Cohen's kappa of words")
    return [labelled(page.metric, label).value for label in labels]


def test_a_review_counts_comparable_words_and_shows_all_comments_and_annotations_of_a_row(alone, two, store):
    page = open_page("review", two)
    assert figures(page) == ["8", "100.0", "1.00"]
    assert not says(page.caption, "Left out") and not page.text_area
    (anas, *_), (first, second, *_) = (store.items(two.id, annotator=who) for who in ("ana", "ben"))
    store.flag(anas.id, True)
    comments = ["a noun\nor a name?", "most of them are names " * 20]
    for text in comments:
        store.add_comment(second.example_id, "pos", "ben", text)
    page = open_page("review", two, **{f"thread {two.id}": (second.example_id, "pos")})
    table, saved = (page.dataframe[place].value for place in (0, 1))
    assert list(table["annotator"]) == ["ana, ben", "ana"]
    assert values(page.text)[1:] == [text.strip() for text in comments]
    assert list(saved["ben"]) == store.latest(second.id).annotation["upos"]
    assert not has_button(page, "Remove the flag")
    words, gaps = (len(store.latest(item.id).annotation["upos"]) for item in (first, second))
    others = {first: {"upos": ["X"], "words": ["Wolof"], "ranges": []}, second: {"upos": ["_"] * gaps}}
    for item, annotation in others.items():
        store.save(item.id, "ben", "page", 2, annotation, True, 1.0, 1)
    page = open_page("review", two, **{f"thread {two.id}": (anas.example_id, "pos")})
    assert has_button(page, "Remove the flag")
    assert figures(page)[0] == "7"
    assert says(page.caption, f"Left out of the figures: {words + 1} words in one version only, 1 sentence with gaps")


def test_flags_and_comments_stand_on_the_review_page_before_two_people_have_finished_anything(alone, store, new_desk):
    sentences = made_up(3, seed=1)
    desk = new_desk(sentences, "pos")
    first, second = desk.draw((0, "pos", "ana"), (1, "pos", "ana"))
    assert "No flags and no comments." in values(open_page("review", desk.project).caption)
    store.flag(first.id, True)
    store.add_comment(second.example_id, "pos", "ana", "why?")
    table = open_page("review", desk.project).dataframe[0].value
    assert list(table["text"]) == [sentences[1].text, sentences[0].text]
    assert list(table["flagged"]) == ["", "⚑ ana"]
    assert list(table["newest comment"]) == ["ana: why?", ""]


def test_quotes_from_right_to_left_are_isolated_and_nothing_is_markup():
    text = "'שלום' and 'a' and \"צה'ל\" and “عرب”: *b* ![x](y)"
    isolated = "'\u2068שלום\u2069' and 'a' and \"\u2068צה'ל\u2069\" and “\u2068عرب\u2069”: \\*b\\* !\\[x\\](y)"
    assert frame.plain(text) == isolated
    for text, escaped in (
        ("# a:red b: 5:30", "\\# a\\:red b: 5:30"),
        ("12. AT&amp;T", "12\\. AT\\&amp;T"),
        ("- a-b", "\\- a-b"),
        ("x.txt:2: a :dog:", "x.txt:2: a :\u2060dog:"),
        ("1984. Roman :100:", "1984\\. Roman :\u2060100:"),
        ("a\n- b\n  # c", "a\n\\- b\n  \\# c"),
        ("a -- b -> c <= d", "a -\u2060- b -\u2060\\> c \\<\u2060= d"),
        ("well--known a->b <> <->", "well--known a-\\>b \\<\\> \\<\u2060-\\>"),
    ):
        assert frame.plain(text) == escaped


def test_a_fragment_says_in_one_line_that_the_database_is_away(alone, monkeypatch):
    def away(*_arguments):
        raise FewshotError("the database is away")

    def draw():
        from types import SimpleNamespace

        from annotate.components import jobs

        jobs.beside_the_menu(SimpleNamespace(id=1))

    monkeypatch.setattr("annotate.worker.queue.visible_jobs", away)
    page = AppTest.from_function(draw).run()
    assert not page.exception and values(page.error) == ["the database is away"]


def test_fragments_show_trouble_of_their_own():
    """A fragment that is drawn alone has nothing around it."""
    bare = []
    for path in (ROOT / "annotate").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        for function in ast.walk(ast.parse(source)) if "st.fragment" in source else ():
            decorators = " ".join(map(ast.unparse, getattr(function, "decorator_list", ())))
            if "st.fragment" in decorators and "frame.trouble()" not in ast.unparse(function):
                bare.append(function.name)
    assert bare == []


def test_a_copy_of_an_upload_has_a_name_that_every_file_system_takes():
    expected = {
        "../../etc/passwd": "_.._etc_passwd",
        "..": "file",
        "a\0b\n.tsv": "a_b_.tsv",
        "語" * 300 + ".conllu": "語" * 66 + ".conllu",
        "a." + "b" * 300: "a." + "b" * 19,
    }
    assert {name: uploads.safe_name(name) for name in expected} == expected


def test_an_imported_file_is_saved_but_for_what_is_broken_which_is_named(store, alone, tmp_path):
    sentences = made_up(3, seed=1, shortest=4)
    project = new_project(store, [one.unannotated() for one in sentences], "pos")
    Desk(store, project, tmp_path).draw(*((place, "pos", alone) for place in range(3)))
    lines = [conllu.to_text(one).splitlines(True) for one in sentences]
    short = next(number for number, line in enumerate(lines[1]) if line.startswith("2\t"))
    lines[1][short] = "2\tmal\n"

    def take(name, content):
        page = fill(open_page("data", project), {"File": (name, content, "text/plain")})
        return press(page, "Import")

    page = take("broken.conllu", "".join(line for sentence in lines for line in sentence).encode())
    assert says(page.warning, "2 saved, 0 not in this project, 0 not valid, 0 without annotation, 1 not readable")
    wanted = f"broken.conllu:{len(lines[0]) + short + 1}: 2 tab-separated columns where CoNLL-U has 10"
    assert page.code[0].value.startswith(wanted)
    page = take("photo.conllu", bytes(range(256)) * 40)
    assert values(page.error) == ["photo.conllu:2: byte 0x80 is not UTF-8; save the file as UTF-8"]
    other = made_up(1, seed=2, shortest=4, name="other")
    page = take("whole.conllu", "".join(map(conllu.to_text, [*sentences, *other])).encode())
    assert says(page.success, "3 saved, 1 not in this project, 0 not valid, 0 without annotation, 0 not readable")
    newest = [store.latest(item.id).annotation["upos"] for item in store.items(project.id)]
    assert newest == [list(one.upos) for one in sentences]
