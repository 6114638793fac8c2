"""``fewshot run --llm``: what it says, sends and writes."""

import json
import shutil
import signal
import sys
import threading
from types import SimpleNamespace

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
    corpus = load("xx", place / "xx")
    return from_gold(POS, [*corpus.test, *corpus.pool])


@pytest.fixture(scope="module")
def beside(place, right, tmp_path_factory):
    """A run of an encoder, of a language model and of an encoder that the language model taught."""
    folder = tmp_path_factory.mktemp("beside")
    (folder / "guide.txt").write_text("Kala is a fish.\n")
    with serving(right) as server:
        options = (*FAST, "--llm", "tiny", "--silver", "5", "--llm-url", server.url)
        options += ("--llm-guidelines", str(folder / "guide.txt"))
        result = run(place, folder / "out", *options)
    assert result.exit_code == 0, result.output
    return SimpleNamespace(out=folder / "out", output=result.output, requests=server.requests, options=options)


@pytest.fixture
def copied(beside, tmp_path):
    """The output folder of that run, to change."""
    return shutil.copytree(beside.out, tmp_path / "copied")


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_language_model_and_the_encoder_that_it_taught_stand_beside_the_encoder(beside):
    assert len(beside.requests) == 2 * 15 + 5
    assert "Kala is a fish." in beside.requests[0]["messages"][0]["content"]
    header = next(line for line in beside.output.splitlines() if line.startswith("LLM"))
    assert "on this machine unless that server hands them on; at most $1 (--llm-cap)" in header
    assert beside.output.index(header) < beside.output.index("tiny random")
    for part in (
        "15 test sentences, 5 of the pool for each draw, and up to 4 annotated ones at once,",
        "4 sentences: tiny random, in its prompt, 100.0 [100.0, 100.0]; encoder random, trained on them,",
        "tiny: 30 answers for 30 questions, 0 refused; 3,000 tokens read and 300 written",
        "tiny: 5 answers for 5 questions, 0 refused; 500 tokens read and 50 written",
        "encoder taught by tiny random",
    ):
        assert part in beside.output
    page = (beside.out / "report.html").read_text(encoding="utf-8")
    for part in (
        "The language model",
        "may be remembered",
        "The prompt in full",
        "[system]\nYou are a linguist who annotates texts in xx. Task: POS tagging.",
        "tiny-2026 fp1 (20",
        "temperature 0.0, seed 0, max_tokens 8192",
        "Silver labels",
    ):
        assert part in page
    plan = (next(beside.out.glob("taught-*")) / "plan.json").read_text()
    assert "5 asked of tiny for each draw; they weigh 0.3, people" in plan


def test_compare_mixes_encoders_and_language_models(beside, tmp_path):
    folders = (beside.out, *beside.out.glob("llm-*"), *beside.out.glob("taught-*"))
    result = call("compare", *folders, "--out", tmp_path, "--table", tmp_path / "all.csv")
    assert result.exit_code == 0, result.output
    for part in ("encoder random", "tiny random", "encoder taught by tiny random", "best score for the money"):
        assert part in result.output
    assert "tiny zero-shot k" not in result.output
    assert "may be remembered" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_answers_on_disk_need_no_server_and_stay_in_the_report(place, beside, copied):
    for file in (*copied.glob("*/results.jsonl"), *copied.glob("*/model/model.json")):
        file.unlink()  # as if the command had been stopped after the last answer
    again = run(place, copied, *beside.options)
    assert again.exit_code == 0, again.output
    assert "encoder taught by tiny random" in again.output
    assert "encoder taught by tiny random" in run(place, copied, *FAST).output
    page = (copied / "report.html").read_text(encoding="utf-8")
    assert "The language model" in page
    assert "Silver labels" in page
    more = run(place, copied, *beside.options, "--silver", "6")
    assert more.exit_code == 2
    assert "does not answer" in more.output


def test_two_encoders_of_one_teacher_have_curves_of_different_names(place, right, beside, copied):
    with serving(right) as server:
        result = run(place, copied, *beside.options, "--silver", "6", "--llm-url", server.url)
    assert result.exit_code == 0, result.output
    folders = [path.name for path in copied.glob("taught-*")]
    assert len(folders) == 2
    for folder in folders:  # one sentence each, and one line of the table
        assert result.output.count(f"sentences: encoder taught by tiny ({folder}) random") == 1
    assert "tiny random, in its prompt" in result.output


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


def test_a_share_of_the_test_set_is_scored_by_both(place, right, tmp_path):
    with serving(right) as server:
        result = run(place, tmp_path, *FAST, "--test-share", "0.4", "--llm", "tiny", "--llm-url", server.url)
        assert len(server.requests) == 2 * 6
    assert result.exit_code == 0, result.output
    assert "6 of 15 test sentences" in result.output
    scored = [json.loads(line)["test_units"] for file in tmp_path.rglob("results.jsonl") for line in file.open()]
    assert [units["sentence"] for units in scored] == [6] * 4


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
        (("--silver", "5"), "--silver 5: a language model gives these labels; add --llm MODEL"),
        (("--silver", "27", "--llm", "tiny"), "--silver 27: beside 4 shots the pool has 26 sentences; give that or"),
        (("--silver", "5", "--llm", "tiny", "--k", "0"), "there are no confirmed sentences to show"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_trained(place, tmp_path, options, message):
    result = run(place, tmp_path / "out", *options)
    assert result.exit_code == 2
    assert message in result.output
    assert "secret" not in result.output
    assert not files(tmp_path)


def test_a_run_without_a_language_model_needs_no_library_and_opens_no_connection(place, tmp_path, monkeypatch):
    monkeypatch.setattr("httpx2.Client.__init__", lambda *_, **__: pytest.fail("a client was made"))
    assert run(place, tmp_path / "out", *FAST).exit_code == 0
    monkeypatch.setitem(sys.modules, "httpx2", None)
    assert run(place, tmp_path / "without", *FAST, "--k", "0").exit_code == 0
    result = run(place, tmp_path / "other", *FAST, "--llm", "tiny")
    assert result.exit_code == 2
    assert "pip install 'fewshot[llm]'" in result.output


@pytest.mark.parametrize("task", ["dep", "ner", "nli", "qa", "topic"])
def test_every_task_is_asked_and_taught_from_the_command_to_the_curve(tmp_path, task):
    corpus = load("sw", "sample", tasks.get(task).example.kind, task=tasks.get(task))
    every = [*corpus.pool, *corpus.test]
    with serving(from_gold(tasks.get(task).fitted(every), every)) as server:
        plan = ("--k", "2", "--sampler", "random", "--seeds", "1", "--shot-sets", "1", "--updates", "1")
        asked = ("--test-share", "0.1", "--llm", "tiny", "--silver", "3", "--llm-url", server.url)
        result = call("run", "--lang", "sw", "--task", task, *plan, *asked, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    asked, taught = (
        [json.loads(line) for line in next(tmp_path.glob(f"{name}-*/results.jsonl")).open()]
        for name in ("llm", "taught")
    )
    assert [(one["k"], one["score"], one["asked"]["refused"]) for one in asked] == [(0, 100, 0), (2, 100, 0)]
    assert len(server.requests) == 2 * asked[0]["asked"]["examples"] + 3
    assert [(one["k"], one["asked"]["kept"]) for one in taught if one["k"]] == [(2, 3)]
    kind = tasks.get(task).example.kind
    assert f"2 {kind}: tiny random, in its prompt, 100.0" in result.output
    assert f"2 {kind}: mini taught by tiny random" in result.output
