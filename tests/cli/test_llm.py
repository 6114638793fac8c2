import json
import shutil
import signal
import sys
import threading

import pytest
from cli.calls import call, run
from llm.scripted import from_gold, response, serving

from fewshot import tasks
from fewshot.corpora.load import load

KEY = "sk-canary-9f2c"
POS = tasks.get("pos")
FAST = ("--shot-sets", "1", "--updates", "2")


def ask(place, out, server, *more, ends=None):
    return run(place, out, *FAST, "--llm", "tiny", "--llm-url", server.url, *more, ends=ends)


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.fixture(scope="module")
def right(place):
    corpus = load("xx", place / "xx")
    return from_gold(POS, [*corpus.test, *corpus.pool])


def test_the_language_model_stands_beside_the_encoder_and_is_asked_once(place, right, tmp_path):
    out, guide = tmp_path / "out", tmp_path / "guide.txt"
    guide.write_text("Kala is a fish.\n")
    with serving(right) as server:
        result = ask(place, out, server, "--llm-guidelines", guide, "--test-share", "0.4")
        requests = len(server.requests)
        again = ask(place, out, server, "--llm-guidelines", guide, "--test-share", "0.4")
        assert len(server.requests) == requests == 2 * 6
        assert "Kala is a fish." in server.requests[0]["messages"][0]["content"]
    assert (result.exit_code, again.exit_code) == (0, 0), result.output
    header = next(line for line in result.output.splitlines() if line.startswith("LLM"))
    said = f"are read by tiny at {server.url}, on this machine unless that server hands them on; at most $1 (--llm-cap)"
    assert said in header and result.output.index(header) < result.output.index("tiny random")
    assert "6 of 15 test sentences" in result.output
    assert "4 sentences: tiny random, in its prompt, 100.0 [" in result.output
    assert "; encoder random, trained on them," in result.output
    assert "tiny: 12 answers for 12 questions, 0 refused; 1,200 tokens read and 120 written" in result.output
    page = (out / "report.html").read_text(encoding="utf-8")
    for part in (
        "The language model",
        "may reflect memory",
        "The prompt in full",
        "[system]\nYou are a linguist who annotates texts in xx. Task: POS tagging.",
        "tiny-2026 fp1 (20",
        "temperature 0.0, seed 0, max_tokens 8192",
    ):
        assert part in page
    lines = [line for file in out.rglob("results.jsonl") for line in file.read_text().splitlines()]
    assert [json.loads(line)["test_units"]["sentence"] for line in lines] == [6] * 4


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
        result = ask(place, tmp_path / "out", server)
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
    with serving(right) as server:
        result = ask(place, tmp_path / "out", server, "--rates", prices, "--llm-cap", "2")
        assert 20 <= len(server.requests) < 24
    assert result.exit_code == 2
    assert "of --llm-cap 2 are spent on" in result.output
    assert "encoder random" in result.output
    assert "tiny zero-shot" in result.output  # is whole
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "tiny: $1000 for a million tokens read, $0 written (2026-11). mine" in page


def test_ctrl_c_leaves_a_report_of_what_is_whole(place, right, tmp_path):
    def script(request, number):
        if number == 20:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        return right(request, number) if number < 20 else (503, {"Retry-After": "300"}, {})

    with serving(script) as server:
        result = ask(place, tmp_path / "out", server, ends=130)
        assert len(server.requests) < 30
    assert "tiny zero-shot" in result.output
    assert "tiny zero-shot" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--llm", "tiny", "--llm-url", "https://example.org/v1"), 'no price of tiny; add a table [llm."tiny"]'),
        (("--llm", "gpt-5-mini", "--llm-url", "https://me:secret@example.org/v1"), "without user, password or query"),
        (("--llm", "tiny", "--llm-guidelines", "/no/file"), "/no/file: cannot be read as UTF-8 text"),
        (("--llm", " "), "--llm is empty"),
        (("--test-share", "0"), "--test-share 0 is out of range"),
        (("--silver", "5"), "--silver 5: silver labels need a language model; add --llm MODEL"),
        (("--silver", "5", "--llm", "tiny", "--k", "0"), "the prompt needs at least one annotated example"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_trained(place, tmp_path, options, message):
    result = run(place, tmp_path / "out", *options, ends=2)
    assert message in result.output
    assert "secret" not in result.output
    assert not files(tmp_path)


def test_a_run_without_the_option_needs_no_client(place, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx2", None)
    assert run(place, tmp_path / "out", "--k", "0").exit_code == 0
    result = run(place, tmp_path / "other", *FAST, "--llm", "tiny", ends=2)
    assert "pip install 'fewshot[llm]'" in result.output


def test_silver_labels_are_a_line_of_their_own_with_its_bill_and_are_asked_once(place, right, tmp_path):
    out = tmp_path / "out"
    with serving(right) as server:
        result = ask(place, out, server, "--silver", "5", ends=0)
        assert len(server.requests) == 2 * 15 + 5
        twice = ask(place, shutil.copytree(out, tmp_path / "twice"), server, "--silver", "6")
    folders = [path.name for path in tmp_path.glob("twice/taught-*")]
    assert len(folders) == 2 and "tiny random, in its prompt" in twice.output, twice.output
    for folder in folders:  # one sentence each, and one line of the table
        assert twice.output.count(f"sentences: encoder taught by tiny ({folder}) random") == 1
    assert "15 test sentences, 5 of the pool for each draw, and up to 4 annotated ones at once," in result.output
    assert "encoder taught by tiny random" in result.output
    assert "tiny: 5 answers for 5 questions, 0 refused; 500 tokens read and 50 written" in result.output
    (taught,) = out.glob("taught-*")
    assert "5 asked of tiny for each draw; they weigh 0.3, people" in (taught / "plan.json").read_text()
    both = call("compare", out, *out.glob("llm-*"), taught, "--out", tmp_path / "both", ends=0)
    for name in ("encoder random", "tiny random", "encoder taught by tiny random", "best score for the money"):
        assert name in both.output
    assert "may reflect memory" in (tmp_path / "both" / "report.html").read_text(encoding="utf-8")

    for file in (*out.glob("*/results.jsonl"), *out.glob("*/model/model.json")):
        file.unlink()  # as if it had been stopped before them, and the answers were there: nobody is asked
    again = ask(place, out, server, "--silver", "5", ends=0)
    assert "encoder taught by tiny random" in again.output
    alone = run(place, out, *FAST)
    assert "encoder taught by tiny random" in alone.output
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "The language model" in page and "Silver labels" in page
    more = ask(place, out, server, "--silver", "6")
    assert more.exit_code == 2 and "does not answer" in more.output


@pytest.mark.parametrize("task", ["dep", "ner", "qa"])
def test_every_task_is_asked_and_taught_from_the_command_to_the_curve(tiny_mini, tmp_path, task):
    kind = tasks.get(task).example.kind
    corpus = load("sw", "sample", kind, task=tasks.get(task))
    every = [*corpus.pool, *corpus.test]
    with serving(from_gold(tasks.get(task).fitted(every), every)) as server:
        plan = ["--lang", "sw", "--k", "2", "--sampler", "random", "--seeds", "1", "--shot-sets", "1", "--updates", "1"]
        asked = f"--test-share {0.3 if task == 'ner' else 0.1} --llm tiny --silver 3 --llm-url {server.url}".split()
        result = call("run", "--task", task, *plan, *asked, "--out", tmp_path / "out")
        questions = len(server.requests)
    assert result.exit_code == 0, result.output
    files = [next(tmp_path.glob(f"out/{name}-*/results.jsonl")) for name in ("llm", "taught")]
    prompted, taught = ([json.loads(line) for line in path.read_text().splitlines()] for path in files)
    assert [(one["k"], one["score"], one["asked"]["refused"]) for one in prompted] == [(0, 100, 0), (2, 100, 0)]
    assert [(one["k"], one["asked"]["kept"]) for one in taught if one["k"]] == [(2, 3)]
    assert questions == 2 * prompted[0]["asked"]["examples"] + taught[-1]["asked"]["examples"] > 3
    assert f"2 {kind}: tiny random, in its prompt, 100.0" in result.output
    assert f"2 {kind}: mini taught by tiny random" in result.output
