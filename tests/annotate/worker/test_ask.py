"""The job that asks a language model: about what, with which examples, never twice, and what becomes of its answers."""

import json
import threading
from dataclasses import replace

import pytest
from llm.scripted import asked, from_gold, response, serving
from making import examples, examples_of
from storing import made_items, made_project

from annotate.editing import content
from annotate.store import LLM, NewItem
from annotate.worker import ask, files, queue, run, settings
from fewshot import tasks
from fewshot.corpora.types import Sentence
from fewshot.costs import prices
from fewshot.llm.forms import form_of

KEY = "sk-canary-51bd"
POS = tasks.get("pos")
POOL = examples("sentences", 10, seed=3)
PRICE = """
[llm.tiny]
input = 1000.0
output = 1000.0
date = "2026-11-01"
source = "a test"
"""


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """Nothing that a test names is known to others."""
    own = (settings.MODEL, settings.URL, settings.CAP, settings.TIMEOUT, settings.RATES)
    for name in (*own, "FEWSHOT_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "")


@pytest.fixture
def name():
    """Name the language model of a server."""

    def named(server, cap=1.0):
        settings.LanguageModel.of("tiny", getattr(server, "url", server), cap, 30.0).tell()

    return named


@pytest.fixture
def done(store):
    """Run a job for a project; return how it ended and the suggestions of a task."""

    def go(project, task="pos", suggester="llm", **args):
        store.update_project(project.id, suggester=suggester)
        made = store.add_job(project.id, "ask", {"device": "cpu", **args})
        run.run(store, run.claim(store, made.id))
        return store.job(made.id), store.suggestions_of(project.id, task, LLM)

    return go


@pytest.fixture
def priced(tmp_path, monkeypatch):
    """Ten cents a hundred tokens."""
    (tmp_path / "rates.toml").write_text(PRICE)
    monkeypatch.setenv(settings.RATES, str(tmp_path / "rates.toml"))


def confirm(store, item, seq=1):
    """Finish an item as it is right."""
    (row,) = store.examples(item_project(store, item), ids=[item.example_id])
    (right,) = (one for one in POOL if one.id == row.key or one.words == content.from_json(row.content).words)
    store.save(item.id, item.annotator, "page", seq, content.annotation_of("pos", right), True, 1.0, 1)


def item_project(store, item):
    return next(project.id for project in store.projects() if store.items(project.id, item_id=item.id))


def sent(server):
    """Return all texts that a server was told, of all turns."""
    return [turn["content"] for request in server.requests for turn in request["messages"]]


def test_what_nobody_has_begun_gets_a_suggestion_blind_or_not(store, make, done, name):
    project = make()
    first, second, *rest = store.items(project.id)
    confirm(store, first)
    store.save(second.id, "ana", "page", 1, {"upos": ["_"] * 3}, False, 1.0, 1)
    with serving(from_gold(POS, POOL)) as server:
        name(server)
        job, found = done(project)
    assert job.state == "done"
    assert job.error.startswith("tiny: 5 suggested, 0 refused; $0.0")
    assert found.keys() == {item.example_id for item in rest} and any(item.blind for item in rest)
    rows = {row.id: content.from_json(row.content) for row in store.examples(project.id, ids=found)}
    gold = {one.id: content.annotation_of("pos", one) for one in POOL}
    assert all(one.data == {"annotation": gold[rows[key].id]} for key, one in found.items())
    assert store.suggestions_of(project.id, "pos") == {}  # of an encoder


def test_the_prompt_has_guidelines_and_the_newest_confirmed_examples(store, make, done, name, monkeypatch):
    monkeypatch.setattr(ask, "SHOWN", 2)
    project = make()
    items = store.items(project.id)
    for place in (2, 0, 1):
        confirm(store, items[place])
    with serving(from_gold(POS, POOL)) as server:
        name(server)
        done(project)
    turns = server.requests[0]["messages"]
    rows = {row.id: content.from_json(row.content) for row in store.examples(project.id)}
    shown = [form_of(POS).question(POS, rows[items[place].example_id]) for place in (0, 1)]
    assert [turn["content"] for turn in turns if turn["role"] == "user"][:-1] == shown
    assert "as in UD" in turns[0]["content"]


def test_nothing_is_asked_twice_and_all_is_asked_anew_with_newer_examples(store, make, done, name):
    project = make()
    items = store.items(project.id)
    with serving(from_gold(POS, POOL)) as server:
        name(server)
        _, before = done(project)
        _, again = done(project)
        assert (len(server.requests), again) == (7, before)
        confirm(store, items[0])
        job, after = done(project)
        assert len(server.requests) == 7 + 6
    assert job.error.startswith("tiny: 6 suggested")
    assert {one.model for one in after.values()} > {one.model for one in before.values()}
    assert after[items[0].example_id] == before[items[0].example_id]


def test_what_was_answered_is_not_asked_again_for_another_database(store, make, done, name):
    """Answers are counted once, also where suggestions are lost."""
    project = make()
    with serving(from_gold(POS, POOL)) as server:
        name(server)
        _, before = done(project)
        with store.writing() as db:
            db.exec_driver_sql("DELETE FROM suggestions")
        _, after = done(project)
        assert len(server.requests) == 7
    assert {key: one.data for key, one in after.items()} == {key: one.data for key, one in before.items()}


def test_answers_that_cannot_be_used_are_no_suggestions(store, make, done, name):
    project = make()
    right = from_gold(POS, POOL)
    question = form_of(POS).question(POS, content.from_json(next(iter(store.examples(project.id))).content))
    bad = {form_of(POS).question(POS, one) for one in POOL[5:]} - {question}

    def script(request, number):
        return response('{"words": []}') if asked(request) in bad else right(request, number)

    with serving(script) as server:
        name(server)
        job, found = done(project)
    assert f"{len(found)} suggested, {7 - len(found)} refused" in job.error
    assert 0 < len(found) < 7


def test_trees_are_checked(store, make, done, name):
    task = tasks.get("dep")
    right = from_gold(task, POOL)

    def crooked(request, number):
        answer = json.loads(right(request, number)["choices"][0]["message"]["content"])
        for row in answer["words"]:
            row["head"] = 0
        return response(json.dumps(answer))

    project = make(tasks=("dep",), labels={"dep": list(task.choices)})
    with serving(crooked) as server:
        name(server)
        job, found = done(project, "dep")
    assert (job.state, found) == ("done", {})
    assert "0 suggested, 7 refused" in job.error
    complaints = [text for text in sent(server) if text.startswith("This cannot be used")]
    assert complaints and all("root" in text for text in complaints)


def rows_of(sentences, split):
    return [(split, one.id, one.length, content.to_json(one)) for one in sentences]


def test_nothing_of_the_test_set_is_ever_sent_nor_what_the_file_has_annotated(store, done, name):
    """Also not as an example, where somebody has annotated the same words among the shots."""
    twin = replace(POOL[0], id="twin")
    project = made_project(store, [*rows_of(POOL[:5], "pool"), *rows_of([*POOL[5:8], twin], "test")], tasks=("pos",))
    ids = {row.key: row.id for row in store.examples(project.id)}
    shots = made_items(store, project, [NewItem(ids[one.id], "pos", "ana", False) for one in POOL[:5]])
    test = made_items(store, project, [(ids[one.id], "pos", "ana") for one in POOL[5:8]], purpose="test")
    for item in (*shots[:2], test[0]):
        confirm(store, item)
    with serving(from_gold(POS, POOL)) as server:
        name(server)
        _, found = done(project)
        told = "\n".join(sent(server))
    assert found.keys() == {item.example_id for item in shots[2:]}
    assert form_of(POS).question(POS, POOL[1]) in told
    for one in (POOL[0], *POOL[5:8]):
        assert form_of(POS).question(POS, one) not in told
    roles = [[turn["role"] for turn in request["messages"]] for request in server.requests]
    assert set(map(tuple, roles)) == {("system", "user", "assistant", "user")}  # what was confirmed, once


def test_what_one_person_has_done_is_not_told_where_another_is_to_do_it(store, make, done, name):
    project = make()
    mine = store.items(project.id)[0]
    (theirs,) = made_items(store, project, [NewItem(mine.example_id, "pos", "ben", False)])
    confirm(store, mine)
    with serving(from_gold(POS, POOL)) as server:
        name(server)
        _, found = done(project)
        assert all(len(request["messages"]) == 2 for request in server.requests)
    assert theirs.example_id in found


def test_the_cap_ends_the_job_with_one_line_and_a_higher_one_goes_on(store, make, done, name, priced):
    project = make()
    with serving(from_gold(POS, POOL)) as server:
        name(server, cap=0.3)
        job, found = done(project)
        paid = len(server.requests)
        assert job.state == "failed" and "\n" not in job.error
        assert job.error.startswith(f"${paid * 0.11:.2f} of $0.3 are spent on tiny in this project; what was answered")
        assert 3 <= paid < 7 and 0 < len(found) <= paid
        name(server, cap=2.0)
        job, found = done(project)
        assert (job.state, len(found), len(server.requests)) == ("done", 7, 7)
    assert job.error.endswith("$0.7700 of $2 spent on it in this project")


def test_a_server_that_dies_loses_nothing(store, make, done, name, monkeypatch):
    monkeypatch.setattr("fewshot.llm.client.ATTEMPTS", 2)
    right, project = from_gold(POS, POOL), make()
    monkeypatch.setattr(ask, "AT_ONCE", 1)
    with serving(lambda request, number: right(request, number) if number < 3 else (503, {}, b"away")) as server:
        name(server)
        job, found = done(project)
    assert job.state == "failed" and "\n" not in job.error
    assert "was asked 2 times in vain" in job.error and len(found) == 3
    with serving(right) as server:
        name(server)
        monkeypatch.setenv(settings.URL, server.url)
        job, found = done(project)
        assert (job.state, len(found), len(server.requests)) == ("done", 7, 4)


def test_a_server_that_is_not_there_is_one_line(make, done, name):
    with serving(lambda *_: None) as server:
        url = server.url
    name(url)
    job, found = done(make())
    assert (job.state, found) == ("failed", {})
    assert job.error.startswith(f"tiny at {url} does not answer") and "\n" not in job.error


def test_a_busy_server_is_waited_for(make, done, name):
    right = from_gold(POS, POOL)
    busy = (429, {"Retry-After": "1"}, b"slow down")
    with serving(lambda request, number: busy if number == 0 else right(request, number)) as server:
        name(server)
        job, found = done(make())
    assert (job.state, len(found), len(server.requests)) == ("done", 7, 8)


def test_a_job_that_waits_for_a_busy_server_can_be_stopped(store, make, done, name):
    project, reached = make(), threading.Event()

    def busy(*_):
        reached.set()
        return 429, {"Retry-After": "500"}, b"slow down"

    def cancel():
        reached.wait(30)
        store.cancel(store.jobs(project.id)[0].id)

    with serving(busy) as server:
        name(server)
        stopping = threading.Thread(target=cancel)
        stopping.start()
        job, found = done(project)  # would take minutes
        stopping.join()
    assert (job.state, found) == ("cancelled", {})


def test_without_a_named_language_model_the_job_says_what_to_do(make, done):
    job, _ = done(make())
    assert job.error == "no language model is named here; start fewshot app, or fewshot worker, with --llm MODEL"


def test_a_server_elsewhere_needs_a_price_before_anything_is_sent():
    with pytest.raises(Exception, match="no price of nobody"):
        settings.LanguageModel.of("nobody", "https://elsewhere.example/v1", 1.0, 30.0)
    known = next(iter(prices.load().language_models))
    assert settings.LanguageModel.of(known, "https://elsewhere.example/v1", 1.0, 30.0).server.model == known


def test_the_key_is_sent_to_the_server_and_kept_nowhere(store, make, done, name, monkeypatch, tmp_path, caplog):
    caplog.set_level("DEBUG")
    monkeypatch.setenv("FEWSHOT_LLM_KEY", KEY)
    right = from_gold(POS, POOL)

    def repeats(request, number):
        if number == 5:
            return 401, {}, {"error": {"message": f"wrong key {KEY}"}}
        return {**right(request, number), "model": f"tiny {KEY}"}

    with serving(repeats) as server:
        name(server)
        job, _ = done(make())
        assert all(headers["Authorization"] == f"Bearer {KEY}" for _, headers in server.headers)
    assert "401" in job.error
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "answers.jsonl" for path in kept) and any(path.suffix == ".db" for path in kept)
    assert not [path for path in kept if KEY.encode() in path.read_bytes()]
    assert KEY not in caplog.text


def test_a_process_of_its_own_knows_whom_to_ask(store, make, name):
    project = make(suggester="llm")
    with serving(from_gold(POS, POOL)) as server:
        name(server)
        queue.suggest(store, project)
        (job,) = store.jobs(project.id)
        for _ in range(1200):
            if (job := store.job(job.id)).state in ("done", "failed"):
                break
            threading.Event().wait(0.05)
    assert (job.kind, job.state) == ("ask", "done"), job.error
    assert len(store.suggestions_of(project.id, "pos", LLM)) == 7


@pytest.mark.parametrize(
    ("suggester", "kinds"), [("encoder", ["suggest"]), ("llm", ["ask"]), ("both", ["suggest", "ask"])]
)
def test_a_project_is_suggested_for_by_whom_it_says(store, make, monkeypatch, suggester, kinds):
    monkeypatch.setenv(queue.ELSEWHERE, "1")
    project = make(suggester=suggester)
    queue.suggest(store, project)
    assert [(job.kind, job.args) for job in store.jobs(project.id)] == [(kind, {"tasks": ["pos"]}) for kind in kinds]


def test_answers_go_with_their_project(store, make, done, name):
    project = make()
    with serving(from_gold(POS, POOL)) as server:
        name(server)
        done(project)
    assert files.present(project) and list(files.answers(project).iterdir())
    files.remove(project, [])
    assert not files.present(project)


@pytest.mark.parametrize("task", tasks.annotatable())
def test_every_task_can_be_asked_for(store, make, done, name, task):
    kind = tasks.get(task)
    gold = examples_of(kind, 10, seed=3)
    kind = kind.fitted(gold)
    project = make(kind.example.kind, tasks=(task,), labels={task: list(kind.choices)})
    with serving(from_gold(kind, gold)) as server:
        name(server)
        job, found = done(project, task)
    assert (job.state, len(found)) == ("done", 7), job.error
    keys = {row.id: row.key for row in store.examples(project.id)}
    right = {one.id: content.annotation_of(task, one) for one in gold}
    assert all(one.data["annotation"] == right[keys[key]] for key, one in found.items())


def test_a_project_that_shows_no_such_suggestions_any_more_is_not_sent(make, done, name):
    with serving(from_gold(POS, POOL)) as server:
        name(server)
        job, found = done(make(), suggester="encoder")
    assert (server.requests, found) == ([], {})
    assert job.error == "the project shows no suggestions of a language model any more"


def test_each_model_has_a_cap_of_its_own(make, done, priced):
    project = make()
    with serving(from_gold(POS, POOL)) as server:
        settings.LanguageModel.of("tiny", server.url, 0.3, 30.0).tell()
        first, _ = done(project)
        settings.LanguageModel.of("another", server.url, 100.0, 30.0).tell()
        second, _ = done(project)
    assert "of $0.3 are spent on tiny in this project" in first.error
    assert second.state == "done" and second.error.startswith("another: 7 suggested, 0 refused; $0.0")


def test_it_is_asked_in_the_order_of_the_work_and_not_of_what_was_begun_meanwhile(store, make, done, name, monkeypatch):
    monkeypatch.setattr(ask, "CHUNK", 1)
    project = make()
    items = store.items(project.id)
    rows = {row.id: content.from_json(row.content) for row in store.examples(project.id)}
    right, begun = from_gold(POS, POOL), []

    def answer(request, number):
        if not begun:
            begun.append(confirm(store, items[-1]))
        return right(request, number)

    with serving(answer) as server:
        name(server)
        done(project)
    questions = [request["messages"][-1]["content"] for request in server.requests]
    assert questions == [form_of(POS).question(POS, rows[item.example_id]) for item in items[:-1]]


def test_a_shot_of_which_a_part_is_in_the_test_set_is_no_example(store, done, name):
    words = ("Ana", "canta", ".", "Eva", "rie", ".")
    whole, other = Sentence("p1", "Ana canta . Eva rie .", words), Sentence("p2", "Lia lee", ("Lia", "lee"))
    test = Sentence("t1", "Eva rie .", words[3:])
    project = made_project(store, [*rows_of([whole, other], "pool"), *rows_of([test], "test")], tasks=("pos",))
    ids = {row.key: row.id for row in store.examples(project.id)}
    cut, _ = made_items(store, project, [NewItem(ids[key], "pos", "ana", False) for key in ("p1", "p2")])
    annotation = {"upos": ["PROPN", "VERB", "PUNCT"] * 2, "words": list(words), "ranges": [], "ends": [3]}
    store.save(cut.id, "ana", "page", 1, annotation, True, 1.0, 1)
    tagged = other.annotated(upos=("PROPN", "VERB"))
    with serving(from_gold(POS, [tagged])) as server:
        name(server)
        _, found = done(project)
        assert found.keys() == {ids["p2"]}
        assert "Eva" not in "\n".join(sent(server))
