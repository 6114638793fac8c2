"""``fewshot run --llm``: what it says, sends and writes."""

import json
import signal
import threading

import pytest
from cli.calls import call, run
from llm.scripted import from_gold, response, serving

from fewshot import tasks
from fewshot.corpora.load import load

KEY = "sk-canary-9f2c"
POS = tasks.get("pos")
FAST = ("--shot-sets", "1", "--updates", "2")


@pytest.fixture(scope="module")
def right(place):
    return from_gold(POS, load("xx", place / "xx").test)


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_the_language_model_stands_beside_the_encoder(place, right, tmp_path):
    with serving(right) as server:
        result = run(place, tmp_path / "out", *FAST, "--llm", "tiny", "--llm-url", server.url)
        requests = len(server.requests)
        again = run(place, tmp_path / "out", *FAST, "--llm", "tiny", "--llm-url", server.url)
        assert len(server.requests) == requests == 2 * 15
    assert (result.exit_code, again.exit_code) == (0, 0), result.output
    header = next(line for line in result.output.splitlines() if line.startswith("LLM"))
    assert (
        f"are read by tiny at {server.url}, on this machine unless that server hands them on; at most $1 (--llm-cap)"
        in header
    )
    assert result.output.index(header) < result.output.index("tiny random")
    assert (
        "4 sentences: tiny random, in its prompt, 100.0 [79.6, 100.0]; encoder random, trained on them,"
        in result.output
    )
    assert "tiny: 30 answers for 30 questions, 0 refused; 3,000 tokens read and 300 written" in result.output
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for part in (
        "The language model",
        "may be remembered",
        "The prompt in full",
        "[system]\nYou are a linguist who annotates texts in xx. Task: POS tagging.",
        "tiny-2026 fp1 (20",
        "temperature 0.0, seed 0, max_tokens 8192",
    ):
        assert part in page


def test_no_file_and_no_line_holds_the_key(place, tmp_path, monkeypatch):
    monkeypatch.setenv("FEWSHOT_LLM_KEY", KEY)

    def script(request, number):
        if number == 3:
            return 500, {}, {"error": f"you said {KEY}"}
        if number < 10:
            body = response(f"your key is {KEY}", model=f"tiny {KEY}")
            body["choices"][0]["finish_reason"] = KEY
            return body
        return 401, {"X-Key": KEY}, {"error": {"message": f"Incorrect API key provided: {KEY}"}}

    with serving(script) as server:
        result = run(place, tmp_path / "out", *FAST, "--llm", "tiny", "--llm-url", server.url)
        assert server.headers[0][1]["Authorization"] == f"Bearer {KEY}"
    assert result.exit_code == 2
    assert "it answers 401" in result.output
    assert KEY not in result.output
    written = files(tmp_path)
    assert any(path.name == "answers.jsonl" for path in written)
    assert not [path for path in written if KEY.encode() in path.read_bytes()]


def test_what_stops_the_language_model_leaves_the_report_of_the_encoder(place, right, tmp_path):
    prices = tmp_path / "my.toml"
    prices.write_text('[llm.tiny]\ninput = 1000\noutput = 0\ndate = "2026-11"\nsource = "mine"\n')  # 10 cents an answer
    out = tmp_path / "out"
    options = (*FAST, "--llm", "tiny", "--rates", str(prices), "--llm-cap")
    with serving(right) as server:
        result = run(place, out, *options, "2", "--llm-url", server.url)
        assert 20 <= len(server.requests) < 24
        assert result.exit_code == 2
        assert "of --llm-cap 2 are spent on" in result.output
        assert "encoder random" in result.output
        assert "tiny zero-shot" in result.output  # is whole
        assert "tiny: $1000 for a million tokens read, $0 written (2026-11). mine" in (out / "report.html").read_text()
        assert run(place, out, *options, "5", "--llm-url", server.url).exit_code == 0
        assert len(server.requests) == 30


def test_ctrl_c_leaves_a_report_of_what_is_whole(place, right, tmp_path):
    def script(request, number):
        if number == 20:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        return right(request, number) if number < 20 else (503, {"Retry-After": "300"}, {})

    with serving(script) as server:
        result = run(place, tmp_path / "out", *FAST, "--llm", "tiny", "--llm-url", server.url)
        assert result.exit_code == 130
        assert len(server.requests) < 30
    assert "tiny zero-shot" in result.output
    assert "tiny zero-shot" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_compare_mixes_both(place, right, tmp_path):
    out = tmp_path / "out"
    with serving(right) as server:
        assert run(place, out, *FAST, "--llm", "tiny", "--llm-url", server.url).exit_code == 0
    (folder,) = out.glob("llm-*")
    result = call("compare", out, folder, "--out", tmp_path / "both", "--table", tmp_path / "both.csv")
    assert result.exit_code == 0, result.output
    assert "tiny random" in result.output
    assert "encoder random" in result.output
    assert "best score for the money" in result.output
    assert "tiny zero-shot k" not in result.output
    page = (tmp_path / "both" / "report.html").read_text(encoding="utf-8")
    assert "may be remembered" in page


def test_a_share_of_the_test_set_is_scored_by_both(place, right, tmp_path):
    out = tmp_path / "out"
    with serving(right) as server:
        result = run(place, out, *FAST, "--test-share", "0.4", "--llm", "tiny", "--llm-url", server.url)
        assert len(server.requests) == 2 * 6
    assert result.exit_code == 0, result.output
    assert "6 of 15 test sentences" in result.output
    shown = [
        json.loads(line)["test_units"]["sentence"]
        for file in out.rglob("results.jsonl")
        for line in file.read_text().splitlines()
    ]
    assert shown == [6] * 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--llm", "tiny", "--llm-url", "https://example.org/v1"), 'no price of tiny; add a table [llm."tiny"]'),
        (("--llm", "gpt-5-mini", "--llm-url", "https://me:secret@example.org/v1"), "holds more than an address"),
        (("--llm", "tiny", "--llm-guidelines", "/no/file"), "/no/file: no text in UTF-8"),
        (("--llm", "tiny", "--llm-url", "http://127.0.0.1:9/v1"), "does not answer"),
        (("--llm", " "), "--llm names no model"),
        (("--test-share", "0"), "--test-share 0 is no share"),
        (("--test-share", "1.5"), "--test-share 1.5 is no share"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_trained(place, tmp_path, options, message):
    result = run(place, tmp_path / "out", *options)
    assert result.exit_code == 2
    assert message in result.output
    assert "secret" not in result.output
    assert not files(tmp_path)


def test_without_the_library_everything_else_works(place, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "httpx2", None)
    assert run(place, tmp_path / "out", *FAST).exit_code == 0
    result = run(place, tmp_path / "other", *FAST, "--llm", "tiny")
    assert result.exit_code == 2
    assert "pip install 'fewshot[llm]'" in result.output


def test_no_command_without_the_option_opens_a_connection(place, tmp_path, monkeypatch):
    monkeypatch.setattr("httpx2.Client.__init__", lambda *_, **__: pytest.fail("a client was made"))
    assert run(place, tmp_path / "out", *FAST).exit_code == 0


def test_guidelines_are_told(place, right, tmp_path):
    (tmp_path / "guide.txt").write_text("Kala is a fish.\n")
    more = ("--llm", "tiny", "--llm-guidelines", str(tmp_path / "guide.txt"))
    with serving(right) as server:
        assert run(place, tmp_path / "out", *FAST, *more, "--llm-url", server.url).exit_code == 0
        assert "Kala is a fish." in server.requests[0]["messages"][0]["content"]


@pytest.mark.parametrize("task", ["dep", "ner", "nli", "qa", "topic"])
def test_every_task_is_asked_from_the_command_to_the_curve(tiny_mini, tmp_path, task):
    corpus = load("sw", "sample", tasks.get(task).example.kind, task=tasks.get(task))
    with serving(from_gold(tasks.get(task).fitted([*corpus.pool, *corpus.test]), corpus.test)) as server:
        plan = ("--k", "2", "--sampler", "random", "--seeds", "1", "--shot-sets", "1", "--updates", "1")
        asked = ("--test-share", "0.3", "--llm", "tiny", "--llm-url", server.url)
        result = call("run", "--lang", "sw", "--task", task, *plan, *asked, "--out", tmp_path / "out")
        questions = [request["messages"][-1]["content"] for request in server.requests]
    assert result.exit_code == 0, result.output
    (results,) = (tmp_path / "out").glob("llm-*/results.jsonl")
    found = [json.loads(line) for line in results.read_text().splitlines()]
    assert [(one["k"], one["score"], one["asked"]["refused"]) for one in found] == [(0, 100, 0), (2, 100, 0)]
    assert len(questions) == 2 * found[0]["asked"]["examples"] > 0
    assert f"2 {tasks.get(task).example.kind}: tiny random, in its prompt, 100.0" in result.output


@pytest.fixture(scope="module")
def right_of_pool(place):
    corpus = load("xx", place / "xx")
    return from_gold(POS, [*corpus.test, *corpus.pool])


def test_silver_labels_are_a_line_of_their_own_with_its_bill(place, right_of_pool, tmp_path):
    out = tmp_path / "out"
    with serving(right_of_pool) as server:
        options = (*FAST, "--llm", "tiny", "--silver", "5", "--llm-url", server.url)
        result = run(place, out, *options)
        assert result.exit_code == 0, result.output
        requests = len(server.requests)
        assert requests == 2 * 15 + 5
        assert run(place, out, *options).exit_code == 0
        assert len(server.requests) == requests
    assert "15 test sentences, 5 of the pool for each draw, and up to 4 annotated ones at once," in result.output
    assert "encoder taught by tiny random" in result.output
    assert "tiny: 5 answers for 5 questions, 0 refused; 500 tokens read and 50 written" in result.output
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Silver labels" in page
    assert (
        "5 asked of tiny for each draw; they weigh 0.3, people"
        in (next(out.glob("taught-*")) / "plan.json").read_text()
    )
    both = call("compare", out, *out.glob("llm-*"), *out.glob("taught-*"), "--out", tmp_path / "both")
    assert both.exit_code == 0, both.output
    for name in ("encoder random", "tiny random", "encoder taught by tiny random"):
        assert name in both.output


def test_what_is_answered_needs_no_server_and_stays_in_the_report(place, right_of_pool, tmp_path):
    out = tmp_path / "out"
    with serving(right_of_pool) as server:
        options = (*FAST, "--llm", "tiny", "--silver", "5", "--llm-url", server.url)
        assert run(place, out, *options).exit_code == 0
    again = run(place, out, *options)
    assert again.exit_code == 0, again.output
    for file in (*out.glob("*/results.jsonl"), *out.glob("*/model/model.json")):
        file.unlink()  # as if it had been stopped before them, and the answers were there
    again = run(place, out, *options)
    assert again.exit_code == 0, again.output
    assert "encoder taught by tiny random" in again.output
    alone = run(place, out, *FAST)
    assert "encoder taught by tiny random" in alone.output
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "The language model" in page
    assert "Silver labels" in page
    more = run(place, out, *FAST, "--llm", "tiny", "--silver", "6", "--llm-url", server.url)
    assert more.exit_code == 2
    assert "does not answer" in more.output


def test_two_encoders_of_one_teacher_have_curves_of_different_names(place, right_of_pool, tmp_path):
    out = tmp_path / "out"
    with serving(right_of_pool) as server:
        for size in (5, 6):
            result = run(place, out, *FAST, "--llm", "tiny", "--silver", size, "--llm-url", server.url)
            assert result.exit_code == 0, result.output
    folders = [path.name for path in out.glob("taught-*")]
    assert len(folders) == 2
    for folder in folders:  # one sentence each, and one line of the table
        assert result.output.count(f"sentences: encoder taught by tiny ({folder}) random") == 1
    assert "tiny random, in its prompt" in result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--silver", "5"), "--silver 5: a language model gives these labels; add --llm MODEL"),
        (("--silver", "27", "--llm", "tiny"), "--silver 27: beside 4 shots the pool has 26 sentences; give that or"),
        (("--silver", "5", "--llm", "tiny", "--k", "0"), "there are no confirmed sentences to show"),
    ],
)
def test_silver_labels_that_cannot_be_had_are_refused(place, tmp_path, options, message):
    result = run(place, tmp_path / "out", *options)
    assert result.exit_code == 2
    assert message in result.output
    assert not files(tmp_path)


@pytest.mark.parametrize("task", ["dep", "ner", "nli", "qa", "topic"])
def test_every_task_is_taught_from_the_command_to_the_curve(tiny_mini, tmp_path, task):
    corpus = load("sw", "sample", tasks.get(task).example.kind, task=tasks.get(task))
    every = [*corpus.pool, *corpus.test]
    with serving(from_gold(tasks.get(task).fitted(every), every)) as server:
        plan = ("--k", "2", "--sampler", "random", "--seeds", "1", "--shot-sets", "1", "--updates", "1")
        asked = ("--test-share", "0.1", "--llm", "tiny", "--silver", "3", "--llm-url", server.url)
        result = call("run", "--lang", "sw", "--task", task, *plan, *asked, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    (results,) = (tmp_path / "out").glob("taught-*/results.jsonl")
    found = [json.loads(line) for line in results.read_text().splitlines()]
    assert [(one["k"], one["asked"]["kept"]) for one in found if one["k"]] == [(2, 3)]
    assert f"2 {tasks.get(task).example.kind}: mini taught by tiny random" in result.output
