import json

import pytest
import storing
from app_page import checked, field, fill, has_button, labelled, open_app, open_page, press, says, values
from desk import Desk, new_project
from making import made_up
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

import samplers
from annotate.components import data_source, frame, housekeeping, sampling, terms, uploads
from annotate.exchange import pool
from annotate.pages import new_project as form
from annotate.pages import projects
from annotate.rounds.draw import begin_round, next_seed
from annotate.rounds.training_data import training_data
from fewshot import tasks
from fewshot.corpora.formats import conllu

TEST_SIZE = "Test set, drawn at random"
SENTENCES = made_up(30, seed=1, shortest=8)
FEW = made_up(20, seed=1, shortest=8)


@pytest.fixture
def page(alone):
    return open_app()


@pytest.fixture
def create(page, store):
    def create():
        press(page, "Create project")
        (project,) = store.projects()
        return project

    return create


def upload(page, *files, lang="wo"):
    """Upload files, each a name and a text or sentences, or one file of sentences without a name."""
    fill(page, {"Sentences": data_source.UPLOAD, "Language code": lang})
    named = [file if isinstance(file, tuple) else ("mine.conllu", file) for file in files]
    texts = [(name, text if isinstance(text, str) else "".join(map(conllu.to_text, text))) for name, text in named]
    return fill(page, {"Files": [(name, text.encode(), "text/plain") for name, text in texts]})


def test_an_upload_is_sized_named_and_read_once_for_each_test_set(store, page, create, monkeypatch):
    reads, intake = [], pool.intake
    monkeypatch.setattr("annotate.exchange.pool.intake", lambda *args: reads.append(args) or intake(*args))
    upload(page, SENTENCES)
    assert "Pool 15 sentences, test set 15, drawn at random" in values(page.caption)
    fill(page, {"Name": "another"})
    assert len(reads) == 1
    fill(page, {TEST_SIZE: 4, "Name": ""})
    assert "Pool 26 sentences, test set 4, drawn at random" in values(page.caption)
    assert len(reads) == 2
    project = create()
    assert (project.pool_size, project.test_size, project.source) == (26, 4, "mine.conllu")
    assert project.name == "Wolof pilot"


def test_a_pasted_text_is_cut_and_counted_as_a_file_is_and_only_sentences_are_pasted(store, page, create):
    for task, offered in {"dep": True, "nli": False, "pos": True}.items():
        fill(page, {"Tasks": [task]})
        assert ("Paste text" in field(page, "Sentences").options) == offered
    text = "Xaj bi nekk na fi .\n" * 2
    fill(page, {"Sentences": data_source.PASTE, "Language code": "wo", "Text": " \n"})
    assert not has_button(page, "Create project")
    fill(page, {"Text": text + "Xale yi dem nañu ekol ba .\nJigéen ji jënd na jën .\nMan dama bëgga lekk .\n"})
    assert page.code[0].value.startswith("Xaj | bi | nekk | na | fi | .")
    fill(page, {"Text": text + "Xale yi dem nañu ekol ba .\nJigéen ji jënd na jën .\n"})
    assert len(page.session_state["files"]) == 1  # no copy of what stood there before
    project = create()
    assert project.source == "pasted.txt"
    assert (project.pool_size, project.test_size) == (2, 1)


def test_a_mistake_in_the_first_form_leaves_the_archived_projects_there(store, alone):
    store.update_project(new_project(store, made_up(5, seed=1), "pos", k=2).id, archived=True)
    page = fill(open_page("projects"), {"Sentences": data_source.UD, "Language code": "wo"})
    fill(page, {"Treebank": "nonsense"})
    assert says(page.error, "there is no treebank") and has_button(page, "Restore")


def test_sentences_are_drawn_in_the_order_of_the_file(store, page, create):
    assert sampling.DRAWN_FIRST.keys() == samplers.registry().keys()
    upload(fill(page, {"Sampler": "text-order"}), SENTENCES)
    assert says(
        page.caption, "In the order of the file; each round continues after the last sentence of the round before."
    )
    fill(page, {"Sentences to draw": 4})
    project = create()
    order = [id for id, _ in store.lengths(project.id, "pool")]
    begin_round(store, project, 3, "text-order", next_seed(store, project), suggest=False)
    assert [item.example_id for item in store.items(project.id)] == order[:7]


def test_nested_entities_are_taken_once_they_are_allowed(store, page, create):
    spans = [{"start": 0, "end": 19, "label": "ORG"}, {"start": 14, "end": 19, "label": "LOC"}]
    rows = [{"text": f"University of Dakar sings {number}", "entities": spans} for number in range(6)]
    upload(page, ("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows)))
    assert not page.error  # tags annotate no entities
    fill(page, {"Tasks": ["ner"]})
    assert says(page.error, "a.jsonl:1: Dakar (LOC) overlaps another entity; keep one of the two, or allow nested")
    assert not has_button(page, "Create project")
    fill(page, {"Nested entities, one inside another": True})
    project = create()
    assert (project.nested, project.labels["ner"]) == (True, ["ORG", "LOC"])
    page = open_page("settings", project)
    page.checkbox(key=f"nested {project.id}").set_value(False)
    press(page, "Save settings")
    assert not store.project(project.id).nested


def test_the_whole_file_is_annotated(store, page, create):
    long = made_up(2, seed=3, shortest=60, longest=60, name="long")
    upload(page, [*long, *FEW, FEW[0].annotated(id="again")])
    fill(page, {"Annotate the whole file, in its order": True, TEST_SIZE: 5})
    assert "Pool 18 sentences, test set 5, drawn at random" in values(page.caption)
    project = create()
    items = store.items(project.id)
    assert [item.example_id for item in items] == [row.id for row in store.examples(project.id)]
    assert (len(items), sum(item.purpose == "test" for item in items), project.sampler) == (23, 5, "text-order")


def test_fields_keep_their_values_while_tasks_and_language_change(page, create):
    upload(fill(page, {"Name": "Walk"}), SENTENCES)
    fill(page, {"Tasks": []})
    assert labelled(page.button, "Create project").disabled
    fill(page, {"Tasks": ["dep"], "Language code": ""})
    assert labelled(page.button, "Create project").disabled
    assert says(page.caption, "A language code is missing.")
    fill(page, {"Language code": "sw"})
    project = create()
    assert (project.name, project.tasks, project.lang, project.source) == ("Walk", ("dep",), "sw", "mine.conllu")


def test_a_task_is_found_by_the_word_for_what_is_annotated():
    topics = ["topic", "topic+several"]
    expected = {"tree": ["dep"], "entities": ["ner"], "pairs": ["nli"], "topic": topics, "question": ["qa"]}
    named = {task: terms.offered_task(task) for task in tasks.annotatable()}
    assert {typed: [task for task in named if typed in named[task]] for typed in expected} == expected


def test_a_task_of_another_kind_keeps_the_files_and_the_place_where_they_come_from(page):
    fill(page, {"Sentences": data_source.UPLOAD, "Language code": "fr"})
    fill(page, {"Files": [("t.tsv", b"text\tlabel\nun match\tsport\nun vote\tvote\n", "text/plain")]})
    assert says(page.caption, "Nothing can be read here")
    assert not any(box.label.startswith("Leave out") for box in page.checkbox)
    fill(page, {"Tasks": ["topic"]})
    assert (field(page, "Sentences").value, field(page, "Language code").value) == (data_source.UPLOAD, "fr")
    assert "Pool 1 document, test set 1, drawn at random" in values(page.caption)


def test_a_mistake_in_a_field_of_the_data_leaves_the_other_fields_as_they_are(page):
    fill(page, {"Sentences": data_source.PASTE, "Language code": "wo", "Text": "Xaj bi nekk na fi .\n" * 2})
    wanted = {"Name": "Walk", "Annotators, separated by commas": "ana, ben", "Sampler": "longest"}
    fill(page, {"Test set": data_source.FILE})
    fill(page, wanted | {"Clitics": "[Ll"})
    assert says(page.error, "invalid regular expression") and not has_button(page, "Create project")
    fill(page, {"Clitics": ""})
    wanted["Test set"] = data_source.FILE
    assert {label: field(page, label).value for label in wanted} == wanted


def test_an_error_stands_below_the_button_that_was_pressed(store, page, create):
    upload(fill(page, {"Name": "mine"}), SENTENCES)
    create()
    page = upload(fill(open_page("new_project"), {"Name": "mine"}), SENTENCES)
    press(page, "Create project")
    (right,) = [column for column in page.columns if any(button.label == "Create project" for button in column.button)]
    assert says(right.error, "there is a project named 'mine' already")


UNREADABLE = {
    "a.tsv": (b"label\ttext\none\nx\t\n", ["a.tsv:2: 1 columns, but", "a.tsv:3: empty text"]),
    "photo.tsv": (bytes(range(256)), ["photo.tsv:2: byte 0x80 is not UTF-8"]),
    "photo.png": (b"\x89PNG\r\n\x1a\n", ["photo.png: unknown file type '.png' for topic"]),
}


def test_a_file_that_cannot_be_read_makes_no_project_and_each_line_says_why(page):
    fill(page, {"Tasks": ["topic"], "Sentences": data_source.UPLOAD, "Language code": "ja"})
    for name, (content, wanted) in UNREADABLE.items():
        fill(page, {"Files": [(name, content, "text/plain")]})
        lines = page.code[0].value.splitlines()
        assert [line[: len(start)] for line, start in zip(lines, wanted, strict=True)] == wanted
        assert not has_button(page, "Create project")


def test_a_file_of_its_own_is_the_test_set_within_the_same_lengths(store, page, create):
    pool, (short, *test) = made_up(4, seed=1, shortest=6), [*made_up(1, 2, 3, 5, "u"), *made_up(3, 3, 6, name="t")]
    upload(page, pool)
    content = "".join(map(conllu.to_text, [short, *test])).encode()
    fill(page, {"Test set": data_source.FILE, "Files of the test set": [("t.conllu", content, "text/plain")]})
    assert "Pool 4 sentences, test set 4" in values(page.caption)
    fill(page, {"Minimum words": 6})
    assert any(line.startswith("Pool 4 sentences, test set 3") for line in values(page.caption))
    project = create()
    kept = {split: [row.key for row in store.examples(project.id, split=split)] for split in ("pool", "test")}
    assert kept == {"pool": [one.id for one in pool], "test": [one.id for one in test]}


def test_an_upload_of_too_many_examples_is_refused_and_its_copies_go_with_the_project(page, create, monkeypatch):
    monkeypatch.setattr(uploads, "MAX_EXAMPLES", 29)
    upload(page, SENTENCES)
    assert values(page.error) == ["more than 29 examples; give fewer or smaller files"]
    monkeypatch.setattr(uploads, "MAX_EXAMPLES", 30)
    upload(page, made_up(30, seed=2, shortest=8))
    assert not page.error
    ((_, copy),) = page.session_state["files"].values()  # not that of before
    assert copy.is_file()
    assert create().pool_size == 15
    assert "files" not in page.session_state
    assert not copy.exists()


def test_the_copy_of_an_upload_goes_with_its_window():
    folder = uploads.UploadFolder()
    path = folder.path
    del folder
    assert not path.exists()


@pytest.mark.parametrize(
    ("annotated", "choice", "rounds"),
    [
        (20, form.HIDE, [("random", 10)]),
        (12, form.CONTINUE, [("import", 12), ("random", 8)]),
        (0, None, [("random", 10)]),
    ],
)
def test_labels_of_an_upload_are_hidden_if_complete_and_continued_if_not(
    store, page, create, annotated, choice, rounds
):
    upload(page, [*FEW[:annotated], *(one.annotated(upos=()) for one in FEW[annotated:])])
    offered = [radio.value for radio in page.radio if radio.label == "The file's own labels"]
    assert offered == [choice] * (choice is not None)
    if choice == form.CONTINUE:
        assert says(page.caption, "12 of 20 are annotated, 12 of them completely.")
    fill(page, {TEST_SIZE: 0})
    project = create()
    assert project.hides_gold == (choice == form.HIDE)
    assert [(drawn.sampler, drawn.k) for drawn in store.rounds(project.id)] == rounds
    assert len(training_data(store, project, "pos").shots) == (12 if choice == form.CONTINUE else 0)


def test_a_file_that_a_restarted_app_has_lost_is_asked_for_again(page, monkeypatch):
    upload(page, SENTENCES)
    assert has_button(page, "Create project") and not page.warning
    monkeypatch.setattr(MemoryUploadedFileManager, "get_files", lambda *given, **named: [])
    page.run()
    assert not has_button(page, "Create project")
    assert says(page.warning, "upload it again")


def test_wrong_labels_and_left_out_sentences_of_an_upload_are_named(page):
    odd = FEW[7].annotated(upos=("Noun", *FEW[7].upos[1:]))
    upload(page, [*FEW[:7], odd, *made_up(4, seed=2, shortest=2, longest=2, name="t")])
    (warning,) = values(page.warning)
    assert warning.startswith("Invalid annotation, not used until it is corrected: 1; the first: mine.conllu:")
    assert "'Noun'" in warning
    fill(page, {TEST_SIZE: 0})
    assert any(
        line.endswith("; not drawn: 4 with fewer than 3 or more than 50 words; see the page Sentences")
        for line in values(page.caption)
    )
    fill(page, {"Maximum words": 9})  # which leaves out more than it leaves
    assert says(page.warning, "or more than 9 words")


def test_only_data_without_a_test_set_is_asked_for_one_and_its_paragraphs_are_shown_split(
    store, page, create, tmp_path, monkeypatch
):
    monkeypatch.setenv("HOME", str(tmp_path))
    own = "The test set is that of the data."
    assert own in values(page.caption)
    assert TEST_SIZE not in [one.label for one in page.number_input]
    fill(page, {"Sentences": data_source.PATH, "File or folder": str(tmp_path)})
    assert own in values(page.caption)
    (tmp_path / "raw.txt").write_text("Mae'r gath yma. Mae'r ci yno!\n" * 2 + "Un dau tri.\n", encoding="utf-8")
    fill(page, {"Language code": "cy", "File or folder": "~/raw.txt"})
    assert own not in values(page.caption) and field(page, TEST_SIZE).value == 50
    assert field(page, "Each line of plain text is").value == uploads.PARAGRAPH
    fill(page, {"Clitics": "'r"})
    assert page.code[0].value.split("\n\n")[:2] == ["Mae | 'r | gath | yma | .", "Mae | 'r | ci | yno | !"]
    fill(page, {TEST_SIZE: 0, "Sentences to draw": 2})
    assert sorted(row[1] for row in store.lengths(create().id, "pool")) == [4, 5, 5]


CHANGES = [
    ("text_input", "name", "b *new* name"),
    ("number_input", "wage", 31.0),
    ("selectbox", "currency", "USD"),
    ("slider", "double", 25),
    ("checkbox", "learns", False),
    ("text_input", "encoder", "mini"),
    ("selectbox", "source model", "en"),
    ("radio", "suggester", "llm"),
]


def test_projects_are_listed_newest_first_and_many_are_filtered(store, alone):
    for number in range(projects.MAX_UNFILTERED):
        new_project(store, made_up(5, seed=1), "pos", name=f"p{number}", k=2)
    page = open_page("projects")
    assert [text.value.split("  ")[0] for text in page.markdown if text.value.startswith("**p")][:2] == [
        "**p7**",
        "**p6**",
    ]
    assert not page.text_input
    new_project(store, made_up(5, seed=1), "dep", name="other", k=2)
    page = open_page("projects")
    for typed, shown in {"DEPENDENCY": 1, "p1": 1, "japanese": 9, "nothing": 0}.items():
        fill(page, {"Filter by name, language or task": typed})
        assert [button.label for button in page.button].count("Open") == shown


def test_settings_and_the_suggester_where_a_language_model_is_named_are_chosen_and_can_be_changed(
    store, page, create, monkeypatch
):
    fill(page, {"Encoder": "xlm-roberta-base", "Source model": "auto"})
    assert "Suggestions" not in [one.label for one in page.radio]
    for name, value in {"": "tiny", "_URL": "http://localhost:9/v1", "_CAP": "2", "_TIMEOUT": "30"}.items():
        monkeypatch.setenv(f"FEWSHOT_LLM{name}", value)
    page.run()
    assert not says(page.caption, "http://localhost:9/v1")
    fill(page, {"Suggestions": "both"})
    (notice,) = [line.replace("\\", "") for line in values(page.caption) if "Texts are sent" in line]
    assert notice.startswith("Texts are sent to tiny at http://localhost:9/v1. They stay on this machine")
    assert notice.endswith("At most $2.00 are spent on it in this project.")
    project = create()
    assert (project.encoder, project.source_model, project.learns) == ("xlm-roberta-base", "auto", True)
    assert "Nested entities, one inside another" not in [box.label for box in page.checkbox]
    assert project.suggester == "both"
    page = open_page("settings", project)
    assert list(page.selectbox(key=f"source model {project.id}").options) == ["the newest", "ranked first", "English"]
    for kind, name, value in CHANGES:
        getattr(page, kind)(key=f"{name} {project.id}").set_value(value)
    assert says(page.run().caption, "With another encoder or source model the curve starts again")
    press(page, "Save settings")
    changed = store.project(project.id)
    assert (changed.name, changed.wage, changed.currency, changed.double_share) == ("b *new* name", 31.0, "USD", 0.25)
    assert (changed.learns, changed.encoder, changed.source_model) == (False, "mini", "en")
    assert changed.suggester == "llm"


def test_a_draw_that_fails_or_a_slip_saves_no_setting_and_loses_nothing_that_was_typed(store, alone):
    project = new_project(store, made_up(5, seed=1), "pos", k=2)
    page = open_page("settings", project)

    def is_refused(reason):
        assert says(page.error, reason)
        assert page.text_area(key=f"guidelines {project.id}").value == "Words of others are X."
        assert store.project(project.id) == project

    page.text_area(key=f"guidelines {project.id}").set_value("Words of others are X.")
    page.number_input(key=f"k {project.id}").set_value(1000)
    press(checked(page.run()), "Draw 1000")
    is_refused("not 1000; draw fewer")
    source_model = page.selectbox(key=f"source model {project.id}")
    source_model.options.append("Finnish")  # AppTest types none
    source_model.set_value("Finnish")
    press(page, "Save settings")
    is_refused("Finnish is not a known language code")


def test_two_windows_change_different_settings_and_neither_undoes_the_other(store, alone):
    project = new_project(store, made_up(5, seed=1), "pos", k=2)
    first, second = open_page("settings", project), open_page("settings", project)
    fill(first, {"Guidelines (Markdown)": "Names are X.", "Annotators, separated by commas": "ana, eva"})
    press(first, "Save settings")
    fill(second, {"Wage per hour": 31.0})
    press(second, "Save settings")
    saved = store.project(project.id)
    assert (saved.guidelines, saved.wage, store.project_people(project.id)) == ("Names are X.", 31.0, ["ana", "eva"])
    fill(second, {"Guidelines (Markdown)": "Names are PROPN."})
    press(second, "Save settings")
    assert says(second.error, "somebody else has changed these settings")
    assert field(second, "Guidelines (Markdown)").value == "Names are PROPN.", "what was written can be copied"
    fill(first, {"Guidelines (Markdown)": "Names are X, as before."})
    press(first, "Save settings")
    press(first, "Save settings")
    assert (store.project(project.id).guidelines, store.project(project.id).wage) == ("Names are X, as before.", 31.0)


def test_other_settings_are_saved_though_another_project_has_the_same_name(store, alone):
    project, other = (new_project(store, made_up(5, seed=1), "pos", k=2, name=name) for name in ("a", "b"))
    store.update_project(other.id, name="a")
    page = press(fill(open_page("settings", project), {"Wage per hour": 31.0}), "Save settings")
    assert store.project(project.id).wage == 31.0
    press(fill(page, {"Name": "b"}), "Save settings")
    press(fill(page, {"Name": "a"}), "Save settings")
    assert says(page.error, "there is a project named 'a' already")
    assert [one.name for one in store.projects()] == ["b", "a"]


def test_curators_archive_a_project_and_bring_it_back_and_admins_delete(store, alone, sign_in, monkeypatch):
    project = new_project(store, made_up(5, seed=1), "pos", k=2)
    with monkeypatch.context() as patch:
        patch.setattr(frame, "may_curate", lambda: False)
        housekeeping._archive(project, True)
    assert [one.archived for one in store.projects()] == [False]
    for role, archives, deletes in (("annotator", False, False), ("curator", True, False), ("admin", True, True)):
        sign_in("ana", role)
        page = open_page("settings", project)
        assert (has_button(page, "Archive"), has_button(page, "Delete")) == (archives, deletes)
    press(page, "Archive")
    assert store.projects() == []
    page = open_app()
    assert not has_button(page, "Open") and not has_button(page, "Archive")
    press(page, "Restore")
    assert [one.archived for one in store.projects()] == [False]


def test_the_settings_say_how_much_of_the_test_set_is_left(store, alone, tmp_path):
    project = new_project(store, made_up(5, seed=1), "pos", "dep", test=made_up(4, seed=2, name="test"), k=2)
    reserved = "4 sentences are reserved for the test set"
    why = "They are annotated without suggestions, and models are scored on them."
    assert f"{reserved}. {why}" in values(open_page("settings", project).caption)
    desk = Desk(store, project, tmp_path)
    for task in project.tasks:
        desk.keep(*desk.draw((5, task, alone, True), purpose="test"), {})
    assert f"{reserved}; 3 of them are not annotated yet. {why}" in values(open_page("settings", project).caption)


def test_a_click_counts_though_a_job_has_ended_since_the_page_was_drawn(store, alone):
    project = new_project(store, made_up(5, seed=1), "pos", k=2)
    storing.add_job(store, project.id, "suggest", {"tasks": ["pos"]})
    working = store.claim_job("here", 1)
    page = open_page("settings", project)
    assert has_button(page, "Stop")
    store.finish(working)
    press(page, "Draw 2")
    assert store.items(project.id)


def test_a_double_click_draws_one_round(store, alone):
    project = new_project(store, made_up(5, seed=1), "pos", k=2)
    page = open_page("settings", project)
    button = labelled(page.button, "Draw 2")
    for _ in range(2):  # the second click meets the page of the first
        checked(button.click().run())
    assert len(store.rounds(project.id)) == 1
    press(page, "Draw 2")
    assert len(store.rounds(project.id)) == 2


def test_a_click_draws_though_somebody_has_opened_a_review_since_the_page_was_drawn(store, alone):
    project = new_project(store, made_up(5, seed=1), "pos", k=2)
    page = open_page("settings", project)
    storing.made_items(store, project, [], purpose="review")
    press(page, "Draw 2")
    assert [drawn.purpose for drawn in store.rounds(project.id)] == ["review", "shots"]
