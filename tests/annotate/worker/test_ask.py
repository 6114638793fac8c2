import os
import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest
import storing
from llm.scripted import asked, from_gold, response, serving
from making import examples, examples_of
from storing import made_items, made_project, run_job

from annotate.editing import content
from annotate.store import LLM, NewItem
from annotate.worker import ask, files, queue, run, settings
from fewshot import tasks
from fewshot.corpora.types import Sentence
from fewshot.llm.forms import form_of

KEY = "sk-canary-51bd"
SETTINGS = (settings.MODEL, settings.URL, settings.CAP, settings.TIMEOUT, settings.RATES)
POS = tasks.get("pos")
POOL = examples("sentences", 10, seed=3)
GOLD = from_gold(POS, POOL)


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in (*SETTINGS, "FEWSHOT_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "")


@contextmanager
def model_at_work(script=GOLD, name="tiny", cap=1.0):
    """Run a server that answers as a script does, and name its language model; yield the server."""
    with serving(script) as server:
        settings.LanguageModelSettings.create(name, server.url, cap, 30.0).export()
        yield server


@pytest.fixture
def done(store):
    """Run a job for a project; return how it ended and the suggestions of a task."""

    def go(project, task="pos", suggester="llm", **args):
        store.update_project(project.id, suggester=suggester)
        job = run_job(store, project, "ask", **args)
        assert job.error is None or "\n" not in job.error
        return job, store.suggestions_of(project.id, task, LLM)

    return go


@pytest.fixture
def asked_once(done):
    """Run a job with a server of its own; return how it ended, the suggestions of a task and the server."""

    def go(project, task="pos", script=GOLD, **args):
        with model_at_work(script) as server:
            return *done(project, task, **args), server

    return go


def confirm(store, project, item):
    (row,) = store.examples(project.id, ids=[item.example_id])
    (right,) = (one for one in POOL if one.id == row.key or one.words == content.from_json(row.content).words)
    store.save(item.id, item.annotator, "page", 1, content.annotation_of("pos", right), True, 1.0, 1)


def question(example, task=POS):
    return form_of(task).question(example)


def texts(store, project, ids=None):
    return {row.id: content.from_json(row.content) for row in store.examples(project.id, ids=ids)}


def sent(server):
    return [turn["content"] for request in server.requests for turn in request["messages"]]


def test_untouched_items_get_a_suggestion_blind_or_not_and_answers_go_with_their_project(store, make, asked_once):
    project = make()
    first, second, *rest = store.items(project.id)
    confirm(store, project, first)
    store.save(second.id, "ana", "page", 1, {"upos": ["_"] * 3}, False, 1.0, 1)
    job, found, _ = asked_once(project)
    assert job.state == "done"
    assert job.error.startswith("tiny: 5 suggested, 0 refused; $0.0")
    assert found.keys() == {item.example_id for item in rest} and any(item.blind for item in rest)
    assert store.suggestions_of(project.id, "pos") == {}, "which are those of an encoder"
    gold = {one.id: content.annotation_of("pos", one) for one in POOL}
    shown = texts(store, project, found)
    assert all(one.data == {"annotation": gold[shown[key].id]} for key, one in found.items())
    assert files.present(project) and list(files.answers(project).iterdir())
    files.remove(project, [])
    assert not files.present(project)


def test_the_prompt_has_guidelines_and_the_newest_confirmed_examples(store, make, asked_once, monkeypatch):
    monkeypatch.setattr(ask, "MAX_PROMPT_EXAMPLES", 2)
    project = make()
    items = store.items(project.id)
    for place in (2, 0, 1):
        confirm(store, project, items[place])
    *_, server = asked_once(project)
    turns, rows = server.requests[0]["messages"], texts(store, project)
    shown = [question(rows[items[place].example_id]) for place in (0, 1)]
    assert [turn["content"] for turn in turns if turn["role"] == "user"][:-1] == shown
    assert "as in UD" in turns[0]["content"]


def test_nothing_is_asked_twice_but_everything_again_with_newer_examples(store, make, done):
    project = make()
    items = store.items(project.id)
    with model_at_work() as server:
        _, before = done(project)
        _, again = done(project)
        assert (len(server.requests), again) == (7, before)
        with store.writing() as db:  # answers are counted once, also where suggestions are lost
            db.exec_driver_sql("DELETE FROM suggestions")
        _, again = done(project)
        assert len(server.requests) == 7
        assert {key: one.data for key, one in again.items()} == {key: one.data for key, one in before.items()}
        confirm(store, project, items[0])
        job, after = done(project)
        assert len(server.requests) == 7 + 6
    assert job.error.startswith("tiny: 6 suggested")
    assert {one.model for one in after.values()} > {one.model for one in again.values()}
    assert after[items[0].example_id] == again[items[0].example_id]


def test_answers_that_cannot_be_used_are_no_suggestions(make, asked_once):
    bad = {question(one) for one in POOL[5:]}

    def script(request, number):
        return response('{"words": []}') if asked(request) in bad else GOLD(request, number)

    job, found, _ = asked_once(make(), script=script)
    assert f"{len(found)} suggested, {7 - len(found)} refused" in job.error
    assert 0 < len(found) < 7


def test_neither_the_test_set_nor_the_labels_of_the_file_nor_what_another_decides_on_are_ever_sent(store, asked_once):
    """Also not as an example, where somebody has annotated the same words among the shots."""
    twin = replace(POOL[0], id="twin")
    project = made_project(store, storing.split_rows(POOL[:5], [*POOL[5:8], twin]), tasks=("pos",))
    ids = {row.key: row.id for row in store.examples(project.id)}
    shots = made_items(store, project, [NewItem(ids[one.id], "pos", "ana", False) for one in POOL[:5]])
    (bens,) = made_items(store, project, [NewItem(ids[POOL[2].id], "pos", "ben", False)])
    test = made_items(store, project, [(ids[one.id], "pos", "ana") for one in POOL[5:8]], purpose="test")
    for item in (*shots[:3], test[0]):
        confirm(store, project, item)
    _, found, server = asked_once(project)
    told = "\n".join(sent(server))
    assert found.keys() == {item.example_id for item in (bens, *shots[3:])}
    assert question(POOL[1]) in told
    for one in (POOL[0], *POOL[5:8]):
        assert question(one) not in told
    roles = [[turn["role"] for turn in request["messages"]] for request in server.requests]
    assert set(map(tuple, roles)) == {("system", "user", "assistant", "user")}  # the confirmed one, once
    examples = {request["messages"][1]["content"] for request in server.requests}
    assert examples == {question(POOL[1])}, "not the third, which ben has yet to annotate"


def test_a_shot_of_which_a_part_is_in_the_test_set_is_no_example(store, asked_once):
    words = ("Ana", "canta", ".", "Eva", "rie", ".")
    whole, other = Sentence("p1", "Ana canta . Eva rie .", words), Sentence("p2", "Lia lee", ("Lia", "lee"))
    test = Sentence("t1", "Eva rie .", words[3:])
    project = made_project(store, storing.split_rows([whole, other], [test]), tasks=("pos",))
    ids = {row.key: row.id for row in store.examples(project.id)}
    cut, _ = made_items(store, project, [NewItem(ids[key], "pos", "ana", False) for key in ("p1", "p2")])
    annotation = {"upos": ["PROPN", "VERB", "PUNCT"] * 2, "words": list(words), "ranges": [], "ends": [3]}
    store.save(cut.id, "ana", "page", 1, annotation, True, 1.0, 1)
    _, found, server = asked_once(project, script=from_gold(POS, [other.annotated(upos=("PROPN", "VERB"))]))
    assert found.keys() == {ids["p2"]}
    assert "Eva" not in "\n".join(sent(server))


def test_a_model_at_its_cap_ends_the_job_and_a_higher_cap_or_another_model_goes_on(make, done, monkeypatch, tmp_path):
    rates = "input = 1000.0\noutput = 1000.0\ndate = '2026-11-01'\nsource = 'a test'\n"  # ten cents a hundred tokens
    (tmp_path / "rates.toml").write_text(f"[llm.tiny]\n{rates}")
    monkeypatch.setenv(settings.RATES, str(tmp_path / "rates.toml"))
    project = make()
    with model_at_work(cap=0.3) as server:
        job, found = done(project)
        paid = len(server.requests)
        assert job.state == "failed"
        assert job.error.startswith(f"${paid * 0.11:.2f} of $0.3 are spent on tiny in this project; all answers")
        assert 3 <= paid < 7 and 0 < len(found) <= paid
        settings.LanguageModelSettings.create("tiny", server.url, 2.0, 30.0).export()
        job, found = done(project)
        assert (job.state, len(found), len(server.requests)) == ("done", 7, 7)
        assert job.error.endswith("$0.7700 of $2 spent on it in this project")
        settings.LanguageModelSettings.create("another", server.url, 0.3, 30.0).export()
        job, _ = done(project)
    assert job.state == "done" and job.error.startswith("another: 7 suggested, 0 refused; $0.0")


def test_a_server_that_dies_loses_nothing(make, done, monkeypatch):
    monkeypatch.setattr("fewshot.llm.client.ATTEMPTS", 1)
    monkeypatch.setattr(ask, "MAX_OPEN_REQUESTS", 1)
    project = make()
    with model_at_work(lambda request, number: GOLD(request, number) if number < 3 else (503, {}, b"away")):
        job, found = done(project)
    assert (job.state, len(found)) == ("failed", 3)
    assert "failed once" in job.error
    with model_at_work() as server:
        job, found = done(project)
        assert (job.state, len(found), len(server.requests)) == ("done", 7, 4)


def test_a_job_that_waits_for_a_busy_server_can_be_stopped(store, make, asked_once):
    project, reached = make(), threading.Event()

    def busy(*_):
        reached.set()
        return 429, {"Retry-After": "500"}, b"slow down"

    def cancel():
        reached.wait(30)
        store.cancel(store.jobs(project.id)[0].id)

    stopping = threading.Thread(target=cancel)
    stopping.start()
    job, found, _ = asked_once(project, script=busy)  # would take minutes
    stopping.join()
    assert (job.state, found) == ("cancelled", {})


def test_the_key_is_sent_to_the_server_and_kept_nowhere(make, asked_once, monkeypatch, tmp_path, caplog):
    caplog.set_level("DEBUG")
    monkeypatch.setenv("FEWSHOT_LLM_KEY", KEY)

    def repeats(request, number):
        if number == 5:
            return 401, {}, {"error": {"message": f"wrong key {KEY}"}}
        return {**GOLD(request, number), "model": f"tiny {KEY}"}

    job, _, server = asked_once(make(), script=repeats)
    assert all(headers["Authorization"] == f"Bearer {KEY}" for _, headers in server.headers)
    assert "401" in job.error
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "answers.jsonl" for path in kept) and any(path.suffix == ".db" for path in kept)
    assert not [path for path in kept if KEY.encode() in path.read_bytes()]
    assert KEY not in caplog.text


def test_what_a_process_of_its_own_inherits_names_the_language_model(store, make, monkeypatch):
    inherited = []
    monkeypatch.setattr(queue.subprocess, "Popen", lambda command, **options: inherited.append(options["env"]))
    monkeypatch.setattr(queue, "_watch", lambda *args: None)
    project = make(suggester="llm")
    with model_at_work():
        queue.suggest(store, project)
        settings.clear_language_model()
        assert settings.language_model() is None
        os.environ.update({name: inherited[0][name] for name in SETTINGS})
        (job,) = store.jobs(project.id)
        assert run.run(store, run.claim(store, job.id))
    job = store.job(job.id)
    assert (job.kind, job.state) == ("ask", "done"), job.error
    assert len(store.suggestions_of(project.id, "pos", LLM)) == 7


@pytest.mark.parametrize("task", tasks.annotatable())
def test_every_task_can_be_asked_for(store, make, asked_once, task):
    kind = tasks.get(task)
    gold = examples_of(kind, 10, seed=3)
    kind = kind.fitted(gold)
    project = make(kind.example.kind, tasks=(task,), labels={task: list(kind.choices)})
    job, found, _ = asked_once(project, task, script=from_gold(kind, gold))
    assert (job.state, len(found)) == ("done", 7), job.error
    right = {one.id: content.annotation_of(task, one) for one in gold}
    keys = {row.id: row.key for row in store.examples(project.id)}
    assert all(one.data["annotation"] == right[keys[key]] for key, one in found.items())


def test_a_project_is_not_sent_without_a_language_model_or_where_it_shows_no_such_suggestions(make, done, asked_once):
    job, _ = done(make())
    assert job.error == "no language model is configured; start fewshot app or fewshot worker with --llm MODEL"
    job, found, server = asked_once(make(), suggester="encoder")
    assert (server.requests, found) == ([], {})
    assert job.error == "the project no longer shows suggestions of a language model"


def test_items_are_asked_for_in_their_order_but_not_those_begun_meanwhile(store, make, asked_once, monkeypatch):
    monkeypatch.setattr(ask, "BATCH_ITEMS", 1)
    project = make()
    items, rows, begun = store.items(project.id), texts(store, project), []

    def answer(request, number):
        if not begun:
            begun.append(confirm(store, project, items[-1]))
        return GOLD(request, number)

    *_, server = asked_once(project, script=answer)
    questions = [request["messages"][-1]["content"] for request in server.requests]
    assert questions == [question(rows[item.example_id]) for item in items[:-1]]
