"""What the pages say and do, without a browser."""

import json
import sys

import pytest
from making import made_up, result
from serving import ROOT
from storing import made_items, made_project
from streamlit.testing.v1 import AppTest

from annotate import accounts
from annotate.components import fields, frame, housekeeping
from annotate.exchange import pool
from annotate.exchange.exporting import Export
from annotate.pages import new_project
from annotate.rounds import curve, effort
from annotate.rounds.training_data import training_data
from annotate.store import NewItem
from fewshot.corpora.formats import conllu
from fewshot.costs import prices


@pytest.fixture
def started(monkeypatch):
    """The jobs that pages start, without their processes."""
    jobs = []
    monkeypatch.setattr("annotate.worker.queue.start", lambda store, project, kind, args: jobs.append((kind, args)))
    return jobs


@pytest.fixture
def alone(store, started, monkeypatch):
    """Pages are those of one person at their own machine."""
    monkeypatch.delenv(frame.USERS, raising=False)
    monkeypatch.setattr(frame, "store", lambda: store)


@pytest.fixture
def page(alone):
    """The app, at the list of projects."""
    return AppTest.from_file(ROOT / "app.py", default_timeout=60).run()


def opened(name, project, **state):
    """Return one of a project's pages, of a window that holds some state."""

    def draw(name):
        from importlib import import_module

        import_module(f"annotate.pages.{name}").show()

    page = AppTest.from_function(draw, default_timeout=60, args=(name,))
    page.query_params["project"] = str(project.id)
    for key, value in state.items():
        page.session_state[key] = value
    page.run()
    assert not page.exception
    return page


def labelled(elements, label):
    """Return the element of a label."""
    (found,) = [one for one in elements if one.label == label]
    return found


def captions(page):
    return [one.value for one in page.caption]


def upload(page, sentences, name="mine.conllu"):
    """Upload sentences in the form of a new project."""
    labelled(page.radio, "Sentences").set_value(new_project.UPLOAD).run()
    labelled(page.text_input, "Language code").set_value("wo").run()
    text = "".join(map(conllu.to_text, sentences)) if name.endswith(".conllu") else "\n".join(sentences)
    return labelled(page.file_uploader, "Files").set_value([(name, text.encode(), "text/plain")]).run()


def press(page, label):
    done = labelled(page.button, label).click().run()
    assert not done.exception
    return done


def test_the_sizes_of_an_upload_are_said_before_the_project_is_made(store, page):
    upload(page, made_up(30, seed=1, shortest=8))
    assert "Pool 15 sentences, test set 15, drawn at random" in captions(page)
    labelled(page.number_input, "Test set, drawn at random").set_value(4).run()
    assert "Pool 26 sentences, test set 4, drawn at random" in captions(page)
    press(page, "Create project")
    (project,) = store.projects()
    assert (project.pool_size, project.test_size, project.source) == (26, 4, "mine.conllu")


def test_what_is_filled_in_stays_while_tasks_and_language_change(store, page):
    labelled(page.text_input, "Name").set_value("Walk").run()
    upload(page, made_up(30, seed=1, shortest=8))
    labelled(page.multiselect, "Tasks").set_value([]).run()
    assert labelled(page.button, "Create project").disabled
    labelled(page.multiselect, "Tasks").set_value(["dep"]).run()
    labelled(page.text_input, "Language code").set_value("").run()
    assert labelled(page.button, "Create project").disabled
    assert "A language code is missing." in captions(page)
    labelled(page.text_input, "Language code").set_value("sw").run()
    press(page, "Create project")
    (project,) = store.projects()
    assert (project.name, project.tasks, project.lang, project.source) == ("Walk", ("dep",), "sw", "mine.conllu")


def test_a_project_without_a_name_is_called_after_its_language(store, page):
    upload(page, made_up(30, seed=1, shortest=8))
    press(page, "Create project")
    assert [project.name for project in store.projects()] == ["Wolof pilot"]


def test_several_files_make_one_pool_and_bad_rows_of_each_are_listed(store, page):
    labelled(page.radio, "Sentences").set_value(new_project.UPLOAD).run()
    labelled(page.text_input, "Language code").set_value("wo").run()
    files = [
        (f"{name}.conllu", "".join(map(conllu.to_text, made_up(8, seed, 8)))) for name, seed in (("a", 1), ("b", 2))
    ]
    files.append(("c.conllu", "1\tbroken\n\n"))
    given = [(name, text.encode(), "text/plain") for name, text in files]
    labelled(page.file_uploader, "Files").set_value(given).run()
    assert "16 sentences, 1 bad row" in captions(page)
    assert page.code[0].value.startswith("c.conllu:1: 2 tab-separated columns")
    assert "Create project" not in [one.label for one in page.button]
    labelled(page.checkbox, "Leave out 1 bad row").check().run()
    labelled(page.number_input, "Test set, drawn at random").set_value(0).run()
    press(page, "Create project")
    (project,) = store.projects()
    assert (project.pool_size, project.source) == (16, "a.conllu, b.conllu, c.conllu")
    assert len({row.key for row in store.examples(project.id)}) == 16


def test_questions_that_nobody_has_answered_can_be_drawn(store, page):
    asked = [{"id": str(n), "question": "Lan?", "answers": given} for n, given in enumerate([[], None])]
    paragraphs = [{"context": f"Dakar mooy péey {one['id']}.", "qas": [one]} for one in asked]
    data = [{"title": one["context"], "paragraphs": [one]} for one in paragraphs]
    labelled(page.multiselect, "Tasks").set_value(["qa"]).run()
    labelled(page.radio, "Sentences").set_value(new_project.UPLOAD).run()
    labelled(page.text_input, "Language code").set_value("wo").run()
    file = ("questions.json", json.dumps({"data": data}).encode(), "application/json")
    labelled(page.file_uploader, "Files").set_value([file]).run()
    labelled(page.number_input, "Test set, drawn at random").set_value(0).run()
    press(page, "Create project")
    (project,) = store.projects()
    assert len(store.drawn(project.id)) == project.pool_size == 2


def test_a_project_is_renamed_archived_and_brought_back(store, alone):
    project = made_project(store, pool.both(made_up(5, seed=1), ()), name="a", k=2)
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    page.text_input(key=f"name {project.id}").set_value("b *new* name")
    press(page, "Save settings")
    assert store.project(project.id).name == "b *new* name"
    press(page, "Archive")
    assert store.projects() == []
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    assert not [one for one in page.button if one.label in ("Open", "Archive")]
    press(page, "Bring back")
    assert [one.archived for one in store.projects()] == [False]


def test_how_much_of_the_test_set_is_left_is_said(store, alone):
    project = made_project(store, pool.both(made_up(5, seed=1), made_up(4, seed=2, name="test")), k=2)
    kept, why = "4 sentences are kept for the test set", "Annotated blind, they show the score."
    assert f"{kept}. {why}" in captions(AppTest.from_file(ROOT / "app.py", default_timeout=60).run())
    (first, *_), me = store.lengths(project.id, "test"), frame.user().name
    for task in project.tasks:
        (item,) = made_items(store, project, [NewItem(first[0], task, me, True)], purpose="test")
        store.save(item.id, me, "page", 1, {}, True, 1.0, 1)
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    assert f"{kept}, 3 of them left to annotate. {why}" in captions(page)


def test_pace_is_of_what_was_annotated_here(store, alone):
    project = made_project(store, pool.both(made_up(3, seed=1, shortest=10, longest=10), ()), tasks=("pos",))
    me = frame.user().name
    came, mine, _ = made_items(
        store, project, [NewItem(row[0], "pos", me, False) for row in store.lengths(project.id, "pool")]
    )
    for item, seconds in ((came, 0.0), (mine, 40.0)):
        store.save(item.id, me, "page", 1, {"upos": ["NOUN"] * 10}, True, seconds, 1)
    assert any(line.endswith("40 s each · 4.0 s a token") for line in captions(opened("work", project)))
    (table,) = opened("data", project).dataframe
    assert table.value["s a token"].tolist() == ["4.0"]


def test_whoever_does_not_curate_archives_nothing(store, alone, monkeypatch):
    project = made_project(store, pool.both(made_up(5, seed=1), ()), k=2)
    monkeypatch.setattr(frame, "may_curate", lambda: False)
    housekeeping._archive(project, True)
    assert [one.archived for one in store.projects()] == [False]


def test_an_upload_is_read_through_once_for_each_test_set(page, monkeypatch):
    read, intake = [], pool.intake
    monkeypatch.setattr("annotate.exchange.pool.intake", lambda *args: read.append(args) or intake(*args))
    upload(page, made_up(30, seed=1, shortest=8))
    labelled(page.text_input, "Name").set_value("another").run()
    assert len(read) == 1
    labelled(page.number_input, "Test set, drawn at random").set_value(4).run()
    assert "Pool 26 sentences, test set 4, drawn at random" in captions(page)
    upload(page, made_up(20, seed=2, shortest=8))
    assert len(read) == 3


def test_an_upload_of_too_many_examples_is_refused_and_its_copies_go_with_the_project(page, store, monkeypatch):
    monkeypatch.setattr(fields, "MOST", 29)
    upload(page, made_up(30, seed=1, shortest=8))
    assert [one.value for one in page.error] == ["more than 29 examples; give fewer files, or a part of them"]
    monkeypatch.setattr(fields, "MOST", 30)
    upload(page, made_up(30, seed=2, shortest=8))
    assert not page.error
    ((_, path),) = page.session_state["files"].values()  # not that of before
    assert path.is_file()
    press(page, "Create project")
    assert store.projects()[0].pool_size == 15
    assert "files" not in page.session_state
    assert not path.exists()


def test_a_half_annotated_upload_is_continued(store, page):
    found = made_up(20, seed=1, shortest=8)
    upload(page, [*found[:12], *(one.annotated(upos=()) for one in found[12:])])
    assert labelled(page.radio, "The file's own labels").value == new_project.CONTINUE
    assert "12 of 20 are annotated, 12 of them without a gap." in captions(page)
    labelled(page.number_input, "Test set, drawn at random").set_value(0).run()
    press(page, "Create project")
    (project,) = store.projects()
    assert not project.hides_gold
    assert [(drawn.sampler, drawn.k) for drawn in store.rounds(project.id)] == [("import", 12), ("random", 8)]
    assert len(training_data(store, project, "pos").shots) == 12


def test_an_upload_with_all_labels_is_gold(store, page):
    upload(page, made_up(20, seed=1, shortest=8))
    assert labelled(page.radio, "The file's own labels").value == new_project.HIDE
    press(page, "Create project")
    (project,) = store.projects()
    assert project.hides_gold
    assert [drawn.sampler for drawn in store.rounds(project.id)] == ["random"]


def test_the_form_says_which_labels_of_an_upload_nothing_is_learned_from(page):
    found = made_up(20, seed=1, shortest=8)
    upload(page, [*found[:-1], found[-1].annotated(upos=("Noun", *found[-1].upos[1:]))])
    (said,) = [one.value for one in page.warning]
    assert said.startswith("Annotated with a fault, not used until it is mended: 1; the first: mine.conllu:")
    assert "'Noun'" in said


def test_an_upload_without_labels_has_none_to_ask_for(store, page):
    upload(page, [f"one two three {number}" for number in range(20)], "raw.txt")
    assert "The file's own labels" not in [one.label for one in page.radio]
    press(page, "Create project")
    assert [drawn.k for drawn in store.rounds(store.projects()[0].id)] == [10]


@pytest.mark.parametrize("gap", [False, True])
def test_a_file_on_this_machine_is_continued_where_labels_are_missing(store, page, tmp_path, gap):
    found = made_up(20, seed=1, shortest=8)
    conllu.write([found[0].annotated(upos=()) if gap else found[0], *found[1:]], tmp_path / "x.conllu")
    labelled(page.radio, "Sentences").set_value(new_project.PATH).run()
    labelled(page.text_input, "Language code").set_value("fi").run()
    labelled(page.text_input, "File or folder").set_value(str(tmp_path / "x.conllu")).run()
    press(page, "Create project")
    (project,) = store.projects()
    assert project.hides_gold is not gap
    assert (len(training_data(store, project, "pos").shots) >= 9) == gap


def test_what_is_left_out_of_an_upload_is_said(page):
    found = made_up(8, seed=1, shortest=8)
    upload(page, [*found, *made_up(4, seed=2, shortest=2, longest=2, name="t")])
    labelled(page.number_input, "Test set, drawn at random").set_value(0).run()
    assert any(line.endswith("; left out: 4 too short or too long") for line in captions(page))


def test_data_with_a_test_set_of_its_own_is_asked_for_no_other(page, tmp_path):
    said = "The test set is the one that comes with the data."
    assert said in captions(page)
    assert "Test set, drawn at random" not in [one.label for one in page.number_input]
    labelled(page.radio, "Sentences").set_value(new_project.PATH).run()
    labelled(page.text_input, "File or folder").set_value(str(tmp_path)).run()
    assert said in captions(page)
    (tmp_path / "raw.txt").write_text("a b c\n", encoding="utf-8")
    labelled(page.text_input, "File or folder").set_value(str(tmp_path / "raw.txt")).run()
    assert said not in captions(page)
    assert labelled(page.number_input, "Test set, drawn at random").value == 50


def test_raw_text_of_a_path_is_cut_as_asked_for(store, page, tmp_path):
    (tmp_path / "raw.txt").write_text("".join(f"well-known no.{n} here\n" for n in range(8)), encoding="utf-8")
    labelled(page.radio, "Sentences").set_value(new_project.PATH).run()
    labelled(page.text_input, "Language code").set_value("en").run()
    labelled(page.text_input, "File or folder").set_value(str(tmp_path / "raw.txt")).run()
    labelled(page.selectbox, "Its words").set_value("spaces").run()
    labelled(page.number_input, "Sentences to draw").set_value(2).run()
    press(page, "Create project")
    (project,) = store.projects()
    assert {row[1] for row in store.lengths(project.id, "pool")} == {3}
    assert project.test_size == 4


def test_paragraphs_are_split_and_shown_before_anything_is_made(store, page, tmp_path):
    (tmp_path / "raw.txt").write_text("Mae'r gath yma. Mae'r ci yno!\n" * 2 + "Un dau tri.\n", encoding="utf-8")
    labelled(page.radio, "Sentences").set_value(new_project.PATH).run()
    labelled(page.text_input, "Language code").set_value("cy").run()
    labelled(page.text_input, "File or folder").set_value(str(tmp_path / "raw.txt")).run()
    assert labelled(page.selectbox, "A line of plain text is").value == fields.PARAGRAPH
    labelled(page.text_input, "Clitics").set_value("'r").run()
    (preview,) = page.code
    assert preview.value.split("\n\n")[:2] == ["Mae | 'r | gath | yma | .", "Mae | 'r | ci | yno | !"]
    labelled(page.number_input, "Test set, drawn at random").set_value(0).run()
    labelled(page.number_input, "Sentences to draw").set_value(2).run()
    press(page, "Create project")
    (project,) = store.projects()
    assert sorted(row[1] for row in store.lengths(project.id, "pool")) == [4, 5, 5]


def test_wage_currency_and_share_of_two_can_be_changed_and_what_that_means_is_said(store, page):
    press(page, "Create project")
    (project,) = store.projects()
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    assert any("what was annotated before, too" in line for line in captions(page))
    page.number_input(key=f"wage {project.id}").set_value(31.0)
    page.selectbox(key=f"currency {project.id}").set_value("EUR")
    page.slider(key=f"double {project.id}").set_value(25)
    press(page, "Save settings")
    (changed,) = store.projects()
    assert (changed.wage, changed.currency, changed.double_share) == (31.0, "EUR", 0.25)
    assert any(line.endswith("€0.00") for line in captions(page))


def test_the_encoder_of_a_project_is_chosen_and_can_be_changed(store, page):
    labelled(page.text_input, "Encoder").set_value("xlm-roberta-base").run()
    press(page, "Create project")
    (project,) = store.projects()
    assert project.encoder == "xlm-roberta-base"
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    page.text_input(key=f"encoder {project.id}").set_value("mini").run()
    assert any("the curve begins anew" in line for line in captions(page))
    press(page, "Save settings")
    assert store.project(project.id).encoder == "mini"


def test_whose_suggestions_a_project_shows_is_chosen_where_a_language_model_is_named(store, page, monkeypatch):
    assert not any(one.label == "Suggestions" for one in page.radio)
    for name, value in (
        ("FEWSHOT_LLM", "tiny"),
        ("FEWSHOT_LLM_URL", "http://localhost:9/v1"),
        ("FEWSHOT_LLM_CAP", "2"),
        ("FEWSHOT_LLM_TIMEOUT", "30"),
    ):
        monkeypatch.setenv(name, value)
    page.run()
    assert not any("http://localhost:9/v1" in line for line in captions(page))
    labelled(page.radio, "Suggestions").set_value("both").run()
    said = "Texts are read by tiny at http://localhost:9/v1, on this machine unless that server hands them on. "
    said += "At most $2.00 are spent on it in this project."
    assert said in [line.replace("\\", "") for line in captions(page)]
    press(page, "Create project")
    (project,) = store.projects()
    assert project.suggester == "both"
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    page.radio(key=f"suggester {project.id}").set_value("llm").run()
    press(page, "Save settings")
    assert store.project(project.id).suggester == "llm"


def test_the_source_model_of_a_project_is_chosen_or_typed(store, page):
    labelled(page.selectbox, "Source model").set_value("auto").run()
    press(page, "Create project")
    (project,) = store.projects()
    assert project.source_model == "auto"
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    field = page.selectbox(key=f"source model {project.id}")
    assert list(field.options) == ["the newest", "ranked first", "English"]
    field.set_value("en").run()
    assert any("With another encoder or source model the curve begins anew" in line for line in captions(page))
    press(page, "Save settings")
    assert store.project(project.id).source_model == "en"


def test_a_model_may_draw_the_first_round(store, page, started):
    labelled(page.selectbox, "Sampler").set_value("entropy").run()
    assert any("reads the whole pool" in line for line in captions(page))
    labelled(page.checkbox, "Suggestions of the source model").uncheck().run()
    press(page, "Create project")
    (project,) = store.projects()
    ((kind, args),) = started
    assert (kind, args["sampler"], args["k"], args["suggest"]) == ("draw", "entropy", 10, False)
    assert store.items(project.id) == []
    said = "Nothing is drawn yet in POS tagging; draw on the Projects page."  # the job is not in the store
    assert [one.value for one in page.info] == [said]


def test_a_click_counts_though_a_job_has_ended_since_the_page_was_drawn(store, alone):
    for name in ("a", "b"):
        made_project(store, pool.both(made_up(5, seed=1), ()), name=name, k=2)
    first, second = store.projects()
    store.add_job(first.id, "suggest", {"tasks": ["pos"]})
    working = store.claim_job("here", 1)
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    assert any(one.label == "Stop" for one in page.button)
    store.finish(working)
    page.button(key=f"draw {second.id}").click().run()
    assert not page.exception
    assert store.items(second.id)


def test_the_first_round_is_drawn_by_the_sampler_of_the_task(page):
    assert labelled(page.selectbox, "Sampler").value == "random"
    labelled(page.multiselect, "Tasks").set_value(["ner"]).run()
    assert labelled(page.selectbox, "Sampler").value == "confused"
    assert any("reads the whole pool" in line for line in captions(page))


@pytest.fixture
def two(store):
    """A trained project in which ana and ben have tagged the same sentences, with suggestions shown and hidden."""
    sentences, left = made_up(8, seed=1, shortest=4), made_up(10, seed=2, shortest=4)
    project = made_project(
        store,
        pool.both([*sentences, *left], ()),
        name="Wolof",
        tasks=("pos",),
        labels={"pos": []},
        wage=36.0,
        kind="sentences",
    )
    ids = [row[0] for row in store.lengths(project.id, "pool")][: len(sentences)]
    tags = [{"upos": list(one.upos)} for one in sentences]
    store.add_suggestions([(key, "pos", "m", {"annotation": one}) for key, one in zip(ids, tags, strict=True)])
    wanted = [NewItem(key, "pos", who, place % 2 == 0) for who in ("ana", "ben") for place, key in enumerate(ids)]
    for item in made_items(store, project, wanted):
        one = sentences[ids.index(item.example_id)]
        seconds = one.length * (4.0 if item.blind else 3.0)
        proposed = store.suggestion(item.example_id, "pos")
        store.save(item.id, item.annotator, "page", 1, {"upos": list(one.upos)}, True, seconds, 1, proposed.id)
    test = training_data(store, project, "pos").scored_on(8)
    scores = [result(0, 40.0, scored_on=test), result(8, 60.0, "annotated", tokens=80, scored_on=test)]
    store.add_results(project.id, "pos", scores)
    return project


def test_what_suggestions_save_is_said_on_the_data_page_when_it_is_asked_for(alone, two):
    page = opened("data", two)
    assert not any("uggestions save" in line for line in captions(page))
    labelled(page.toggle, "Time: measured, published, and what suggestions save").set_value(True).run()
    assert any(
        line.startswith("Suggestions of the encoder save 25% [25, 25] of the time: 4.0 s a token")
        for line in captions(page)
    )


def test_the_test_set_is_marked_and_one_click_leads_there_and_back(alone, store):
    me = frame.user().name
    rows = pool.both(made_up(2, seed=1), made_up(3, seed=2, name="t"))
    project = made_project(store, rows, tasks=("pos",), k=2, people=[me])
    for split, purpose in (("pool", "shots"), ("test", "test")):
        ids = [row[0] for row in store.lengths(project.id, split)]
        made_items(store, project, [NewItem(key, "pos", me, purpose == "test") for key in ids], purpose=purpose)
    page = opened("work", project)
    assert not any("test set" in line.value for line in page.markdown)
    press(page, "Test set (3)")
    assert any("[test set]" in line.value for line in page.markdown)
    press(page, "Back to the shots (2)")
    assert not any("[test set]" in line.value for line in page.markdown)


def test_a_test_set_that_is_nobodys_is_led_to(alone, store):
    me = frame.user().name
    rows = pool.both(made_up(2, seed=1), made_up(4, seed=2, name="t"))
    project = made_project(store, rows, tasks=("pos",), k=2)
    for split, purpose, people in (("pool", "shots", [None, None]), ("test", "test", [None, None, me, "ben"])):
        ids = [row[0] for row in store.lengths(project.id, split)]
        found = [NewItem(key, "pos", name, purpose == "test") for key, name in zip(ids, people, strict=True)]
        made_items(store, project, found, purpose=purpose)
    page = opened("work", project)
    press(page, "Test set (3)")
    assert any("[test set]" in line.value for line in page.markdown)


@pytest.mark.parametrize(("source", "format"), [("x.bio", "bio"), ("UD_Wolof-WTB", "conllu"), ("a.txt", "conllu")])
def test_an_export_is_at_first_in_the_format_that_the_project_came_in(alone, store, source, format):
    project = made_project(
        store, pool.both(made_up(2, seed=1), ()), tasks=("ner",), labels={"ner": ["PER"]}, source=source
    )
    assert labelled(opened("data", project).selectbox, "Format").value == format


def test_an_export_is_made_only_when_it_is_asked_for(alone, two, monkeypatch):
    made = []
    monkeypatch.setattr("annotate.pages.data.export_annotations", lambda *args: made.append(args) or Export([], 1, 2))
    page = opened("data", two)
    labelled(page.radio, "Part").set_value("all").run()
    assert not made
    press(page, "Export")
    assert len(made) == 1
    assert any("1 in dispute are left open" in line and "2 begun and not" in line for line in captions(page))


def test_the_next_round_costs_what_the_measured_times_predict(alone, two, store):
    made = curve.project_curve(store, two, "pos", prices.load())
    price = effort.summary(store, two, "pos", made.curve).price
    page = opened("train", two)
    (said,) = [one.value for one in (*page.success, *page.warning) if one.value.startswith("The next round of 10")]
    assert f"for **€{10 * price:,.2f}**" in said


def test_annotators_of_a_project_stand_side_by_side(alone, two):
    page = opened("compare", two)
    assert "annotator" not in page.dataframe[-1].value  # not before somebody asks
    labelled(page.toggle, "Annotators side by side").set_value(True).run()
    people = page.dataframe[-1].value
    assert list(people["annotator"]) == ["ana", "ben"]
    assert set(people["others %"]) == {"100.0 [100.0, 100.0]"}
    assert any("uggestions of the encoder save 25%" in line.value for line in page.markdown)


def test_annotators_stand_side_by_side_before_anything_is_trained(alone, two, monkeypatch):
    monkeypatch.setattr("annotate.rounds.comparison.of_project", lambda *args: {})
    page = opened("compare", two)
    assert any("No curve to compare yet" in line.value for line in page.info)
    assert not page.multiselect
    labelled(page.toggle, "Annotators side by side").set_value(True).run()
    assert list(page.dataframe[-1].value["annotator"]) == ["ana", "ben"]


def test_only_what_is_picked_is_computed(alone, two, monkeypatch):
    computed, summary = [], effort.summary
    monkeypatch.setattr("annotate.rounds.effort.summary", lambda *args: computed.append(args) or summary(*args))
    page = opened("compare", two)
    assert len(computed) == 1
    labelled(page.multiselect, "Curves").set_value([]).run()
    assert len(computed) == 1
    assert [line.value for line in page.info] == ["Choose a curve."]


def test_agreement_is_of_what_can_be_compared_and_the_rest_is_counted(alone, two, store):
    page = opened("review", two)
    assert labelled(page.metric, "Sentences").value == "8"
    assert labelled(page.metric, "Observed agreement of words").value == "100.0"
    assert labelled(page.metric, "Cohen's kappa of words").value == "1.00"
    assert not any("Left out" in line for line in captions(page))
    first, second = store.items(two.id, annotator="ben")[:2]
    words = len(store.latest(first.id).annotation["upos"])
    gaps = {"upos": ["_" for _ in store.latest(second.id).annotation["upos"]]}
    store.save(first.id, "ben", "page", 2, {"upos": ["X"], "words": ["Wolof"], "ranges": []}, True, 1.0, 1)
    store.save(second.id, "ben", "page", 2, gaps, True, 1.0, 1)
    page = opened("review", two)
    assert labelled(page.metric, "Sentences").value == "7"
    left_out = f"Left out of the figures: {words + 1} words that only one has, 1 sentence with gaps"
    assert left_out in captions(page)


def test_why_an_agreement_is_not_defined_is_said(alone, two, store):
    for who in ("ana", "ben"):
        for item in store.items(two.id, annotator=who):
            same = {"upos": ["NOUN" for _ in store.latest(item.id).annotation["upos"]]}
            store.save(item.id, who, "page", 9, same, True, 1.0, 1)
    kappa = labelled(opened("review", two).metric, "Cohen's kappa of words")
    assert (kappa.value, kappa.delta) == ("–", "not defined: all words have one label")


def test_flags_and_comments_stand_on_the_review_page_before_two_people_have_finished_anything(alone, store):
    sentences = made_up(3, seed=1)
    project = made_project(store, pool.both(sentences, ()), tasks=("pos",))
    first, second = made_items(store, project, [(row[0], "pos", "ana") for row in store.lengths(project.id, "pool")])[
        :2
    ]
    page = opened("review", project)
    assert "No flags and no comments." in captions(page)
    store.flag(first.id, True)
    store.add_comment(second.example_id, "pos", "ana", "why?")
    table = opened("review", project).dataframe[0].value
    assert list(table["text"]) == [sentences[1].text, sentences[0].text]
    assert list(table["flagged"]) == ["", "⚑ ana"]
    assert list(table["newest comment"]) == ["ana: why?", ""]


def test_of_a_row_a_curator_reads_everything_that_was_said_and_what_is_saved(alone, two, store):
    first, second = (store.items(two.id, annotator=who)[place] for place, who in enumerate(("ana", "ben")))
    store.flag(first.id, True)
    said = ["a noun\nor a name?", "most of them are names " * 20]
    for text in said:
        store.add_comment(second.example_id, "pos", "ben", text)
    assert not opened("review", two).text_area
    page = opened("review", two, **{f"thread {two.id}": (second.example_id, "pos")})
    table, saved = (page.dataframe[place].value for place in (0, 1))
    assert list(table["annotator"]) == ["ana, ben", "ana"]
    assert [one.value for one in page.text][1:] == [text.strip() for text in said]
    assert list(saved["ben"]) == store.latest(second.id).annotation["upos"]
    assert "Take the flag away" not in [one.label for one in page.button]
    page = opened("review", two, **{f"thread {two.id}": (first.example_id, "pos")})
    assert "Take the flag away" in [one.label for one in page.button]


@pytest.fixture
def lab(store, started, monkeypatch):
    """The app of a lab that asks its organisation, with somebody there, as its provider describes them."""
    monkeypatch.setenv(frame.USERS, "1")
    monkeypatch.setattr(frame, "store", lambda: store)
    monkeypatch.setattr("annotate.pages.sign_in._from_cookie", lambda: None)
    monkeypatch.setattr(accounts, "COST", 2**4)
    store.add_user("ana@uni.edu", accounts.unknown(), "curator")

    def lab(trusted=False, **claims):
        page = AppTest.from_file(ROOT / "app.py", default_timeout=60)
        page.secrets["auth"] = {"client_id": "x"} | ({"trust_email": True} if trusted else {})
        page.user = {"is_logged_in": bool(claims)} | claims
        page.run()
        assert not page.exception
        return page

    return lab


@pytest.mark.parametrize("verified", [{"trusted": True}, {"email_verified": True}])
@pytest.mark.parametrize("address", ["ana@uni.edu", "Ana@Uni.edu"])
def test_whoever_the_organisation_knows_is_in(lab, verified, address):
    page = lab(email=address, **verified)
    assert any("Signed in as **ana@uni.edu**" in line for line in captions(page))


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"email": "ana@uni.edu", "email_verified": False}, "has not verified that ana@uni.edu is yours"),
        ({"email": "ana@uni.edu", "email_verified": "false"}, "has not verified that ana@uni.edu is yours"),
        ({"email": "ana@uni.edu"}, "does not say whether ana@uni.edu is verified"),
        ({"email": "ana@uni.edu", "email_verified": "false", "trusted": True}, "has not verified that"),
        ({"email": "eva@uni.edu", "email_verified": True}, "eva@uni.edu may not sign in here"),
        ({"name": "Ana"}, "does not say your e-mail address"),
    ],
)
def test_an_address_that_is_not_verified_or_not_known_stays_outside(lab, claims, reason):
    page = lab(**claims)
    assert [reason in one.value for one in page.error] == [True]
    assert [one.label for one in page.text_input] == ["Name", "Password"]


def test_what_is_missing_on_the_server_to_ask_the_organisation_is_one_line(lab, monkeypatch):
    monkeypatch.setitem(sys.modules, "authlib", None)
    monkeypatch.setattr("annotate.pages.sign_in.find_spec", lambda name: None)
    page = press(lab(), "Sign in with your organisation")
    assert ["pip install 'fewshot[oidc]'" in one.value for one in page.error] == [True]


def test_an_admin_adds_whoever_the_organisation_knows_without_a_password(lab, store):
    store.set_role("ana@uni.edu", "admin")
    page = lab(email="ana@uni.edu", email_verified=True)
    token = page.session_state.token

    def draw():
        from annotate.pages import people

        people.show()

    page = AppTest.from_function(draw, default_timeout=60)
    page.secrets["auth"] = {"client_id": "x"}
    page.session_state.token = token
    page.run()
    labelled(page.text_input, "Name, or e-mail address of your organisation").set_value("eva@uni.edu")
    press(page, "Add")
    assert store.user("eva@uni.edu").role == "annotator"


def test_what_a_message_quotes_from_right_to_left_is_isolated_and_nothing_is_markup():
    text = "'שלום' and 'a' and \"צה'ל\" and “عرب”: *b*"
    isolated = "'\u2068שלום\u2069' and 'a' and \"\u2068צה'ל\u2069\" and “\u2068عرب\u2069”: \\*b\\*"
    assert frame.plain(text) == isolated


def test_numbers_of_a_table_have_one_digit_behind_the_point():
    def draw():
        from annotate.components import frame

        frame.table([{"score": 82.0, "k": 10, "label": "X"}, {"score": 81.84, "k": 20, "label": "Y"}])

    drawn = AppTest.from_function(draw).run().dataframe[0]
    columns = json.loads(drawn.proto.columns)
    assert {name: column["type_config"]["format"] for name, column in columns.items() if "type_config" in column} == {
        "score": "%.1f"
    }
