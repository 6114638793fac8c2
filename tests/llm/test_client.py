import json
import math
import socket
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from threading import Lock

import pytest
from llm.scripted import Cut, Hang, response, serving

from fewshot.errors import FewshotError
from fewshot.llm import AnswerCache, Client, Server
from fewshot.llm.cache import CapReachedError, NotAnsweredError
from fewshot.llm.client import ATTEMPTS, ServerError
from fewshot.llm.server import DEFAULT_URL, key_of
from fewshot.llm.shared_time import SharedTime

SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
KEY = "sk-canary-7381"


def ask(script, key="", timeout=5.0, questions=1):
    """Ask some questions; return the last answer, the waits, and the server."""
    waits = []
    with serving(script) as server:
        client = Client(Server(server.url, "tiny", key), timeout, wait=waits.append)
        for number in range(questions):
            answer = client.ask([{"role": "user", "content": f"question {number}"}], SCHEMA)
        client.close()
    return answer, waits, server


def first(*responses):
    return lambda request, number: responses[number] if number < len(responses) else response("{}")


def test_an_answer_says_text_tokens_and_version_and_no_key_is_sent_where_there_is_none():
    answer, waits, server = ask(lambda *_: response("{}", 12, 3), KEY)
    assert (answer.text, answer.input_tokens, answer.output_tokens, answer.finish) == ("{}", 12, 3, "stop")
    assert answer.version == "tiny-2026 fp1"
    assert waits == []
    path, headers = server.headers[0]
    assert (path, headers["Authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert server.requests[0].items() >= {"temperature": 0, "seed": 0, "max_tokens": 8192}.items()
    assert server.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA
    _, _, server = ask(lambda *_: response("{}"))
    assert "Authorization" not in server.headers[0][1]


@pytest.mark.parametrize(
    ("bad", "wait"),
    [
        ((429, {"Retry-After": "7"}, {"error": "slow down"}), 7.0),
        ((503, {}, b"<html>busy</html>"), 1.0),
        ((500, {"Retry-After": "nonsense"}, {}), 1.0),
        ((500, {"Retry-After": f"Mon, 1 Jan {'9' * 30} 00:00:00 GMT"}, {}), 1.0),
        (response("{}") | {"usage": None}, 1.0),
        (response("{}") | {"usage": {"prompt_tokens": 10**400, "completion_tokens": 1}}, 1.0),
        (Cut(b'{"choices": ['), 1.0),
        (b"x" * 5_000_000, 1.0),
        ((200, {"Content-Encoding": "gzip"}, b"no gzip"), 1.0),
    ],
    ids=["full", "busy", "error", "no date", "no usage", "no count", "half stream", "huge", "garbled"],
)
def test_what_may_pass_is_waited_for(bad, wait):
    answer, waits, server = ask(first(response("{}"), bad), questions=2)
    assert answer.text == "{}"
    assert waits == [wait]
    assert server.requests[1] == server.requests[2]


def test_an_answer_that_does_not_come_in_time_is_asked_again_and_retry_after_may_be_a_date():
    answer, waits, _ = ask(first(Hang(3)), timeout=0.3)
    assert (answer.text, waits) == ("{}", [1.0])
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    _, waits, _ = ask(first((429, {"Retry-After": moment}, {})))
    assert 30 < waits[0] <= 40


@pytest.mark.parametrize(
    ("status", "headers", "error", "said"),
    [
        (429, {"Retry-After": "3600"}, {}, "asks to wait 3600 s"),
        (429, {}, {"code": "insufficient_quota"}, "insufficient_quota"),
        (401, {}, {"message": "no"}, "FEWSHOT_LLM_KEY"),
        (404, {}, {"message": "no"}, "correct --llm"),
        (307, {"Location": "http://127.0.0.1:9/"}, {"message": "no"}, "if you trust it"),
    ],
)
def test_what_does_not_pass_ends_at_once(status, headers, error, said):
    with pytest.raises(ServerError, match=said):
        ask(lambda *_: (status, headers, {"error": error}))


def test_waits_grow_and_end_in_one_line():
    waits = []
    broken = (500, {}, {"error": {"message": "out\nof order"}})
    with serving(lambda *_: broken) as server, pytest.raises(ServerError) as error:
        Client(Server(server.url, "tiny"), wait=waits.append).ask([], SCHEMA)
    assert f"failed {ATTEMPTS} times: it answers 500" in str(error.value)
    assert "repeat the command to resume" in str(error.value) and "\n" not in str(error.value)
    assert waits == [1, 2, 4, 8, 16]


def test_what_this_machine_reads_goes_through_no_proxy(monkeypatch):
    with serving(lambda *_: response("proxied")) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
        answer, _, _ = ask(lambda *_: response("{}"))
        assert (answer.text, proxy.requests) == ("{}", [])


@pytest.mark.parametrize(("proxy", "said"), [("socks5://localhost:1080", "SOCKS"), ("htp://localhost:1", "htp://")])
def test_a_proxy_that_cannot_be_used_is_said_in_a_line(monkeypatch, proxy, said):
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(FewshotError, match=f"ALL_PROXY.*{said}.*; write e.g. http://proxy:3128, or unset it") as caught:
        Client(Server("http://llm.example/v1", "tiny"))
    assert "\n" not in str(caught.value)


def test_a_server_that_is_not_there_is_said_at_once():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    client = Client(Server(f"http://127.0.0.1:{port}/v1", "tiny"), wait=pytest.fail)
    for ask in (client.reach, lambda: client.ask([], SCHEMA)):
        with pytest.raises(ServerError, match=rf"tiny at http://127.0.0.1:{port}/v1 does not answer .*start it, or"):
            ask()


@pytest.mark.parametrize(
    ("unknown", "status", "said", "without"),
    [
        (("response_format", "temperature"), 400, "Unsupported parameter: '{}'", ("response_format", "temperature")),
        (("response_format",), 500, "1 validation error: [{{'type': 'literal_error', 'loc': ('body', '{}', 'type')}}]",
         ("response_format",)),  # which a server may call its own error
        (("max_tokens",), 400, "Unsupported parameter: '{}' is not supported. Use 'max_completion_tokens' instead.",
         ("max_tokens",)),
        (("max_tokens", "max_completion_tokens"), 400, "Unsupported parameter: '{}'", ()),
    ],
)  # fmt: skip
def test_parameters_that_a_server_does_not_take_are_left_out(unknown, status, said, without):
    def script(request, _):
        for name in unknown:
            if name in request:
                return status, {}, {"error": {"message": said.format(name)}}
        return response("{}")

    answer, waits, server = ask(script, questions=2)
    sent = {"model", "messages", "seed", "max_tokens", "temperature", "response_format"} - {*unknown}
    bound = {"max_completion_tokens"} if unknown == ("max_tokens",) else set()
    assert (answer.text, waits, len(server.requests)) == ("{}", [], 2 + len(unknown))
    assert set(server.requests[-1]) == sent | bound


def test_a_server_that_fails_and_names_a_parameter_is_asked_with_it_again_and_a_filter_is_an_answer_of_no_text():
    _, waits, server = ask(first((500, {}, {"error": "out of memory while reading response_format"})))
    assert len(waits) == 1 and "response_format" in server.requests[-1]
    answer, _, _ = ask(lambda *_: (400, {}, {"error": {"code": "content_filter", "message": "filtered"}}))
    assert (answer.text, answer.finish) == ("", "content_filter")


def test_who_stops_does_not_wait_for_a_busy_server():
    with serving(lambda *_: (503, {"Retry-After": "300"}, {})) as server, ThreadPoolExecutor(1) as threads:
        client = Client(Server(server.url, "tiny"))
        answer = threads.submit(client.ask, [], SCHEMA)
        while not server.requests:
            assert not answer.done()
        client.stop()
        with pytest.raises(ServerError, match="asked nothing more"):
            answer.result(10)
        assert len(server.requests) == 1


def test_a_key_that_the_server_repeats_is_not_and_one_of_a_letter_spoils_no_answer():
    answer, _, _ = ask(lambda request, _: response(f'{{"key": "{KEY}"}}', model=KEY), KEY)
    assert KEY not in json.dumps([answer.text, answer.version])
    quoted = 'canary"back\\slash'
    for key, part in ((KEY, KEY), (quoted, "slash")):
        with pytest.raises(ServerError) as error:
            ask(lambda *_, key=key: (401, {}, {"error": {"message": f"bad key {key}"}}), key)
        assert part not in str(error.value)
    assert KEY not in repr(Server(DEFAULT_URL, "tiny", KEY))
    answer, _, _ = ask(lambda *_: response('{"label": "x"}'), "x")
    assert answer.text == '{"label": "x"}'


def test_halves_of_characters_can_be_written(tmp_path):
    with answering(tmp_path, lambda *_: json.dumps(response("\ud800 {}")).encode()) as (_, make):
        make().ask([], SCHEMA)
    assert AnswerCache(tmp_path / "answers.jsonl", Client(Server(DEFAULT_URL, "tiny")), lambda _: 0, 1).known


NO_ADDRESSES = ["localhost", "ftp://a/v1", "http://", "http://me:pw@a/v1", "http://me:pw@a:99999/v1", "me:pw@a/v1"]
NO_ADDRESSES += ["https://a/v1?key=1", "http://a:b/v1", "http://a..b/v1", "http://a\x7f/v1", "http://[::1/v1"]


@pytest.mark.parametrize("url", NO_ADDRESSES)
def test_addresses_that_are_none_or_hold_a_key_are_refused(url):
    with pytest.raises(FewshotError, match="--llm-url") as error:
        Client(Server(url, "tiny"))
    assert "pw" not in str(error.value)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        *((url, "on this machine") for url in ("http://localhost:1/v1", "http://127.0.0.1:1/v1", "http://[::1]:1/v1")),
        ("https://api.example.org/v1", "LEAVE THIS MACHINE: they are sent to tiny at https://api.example.org/v1"),
        ("http://192.168.0.7/v1", "LEAVE THIS MACHINE, UNENCRYPTED"),
        ("http://localhost.example.org/v1", "LEAVE THIS MACHINE"),
        ("http://a.localhost/v1", "LEAVE THIS MACHINE"),
    ],
)
def test_the_notice_says_where_to(url, words):
    assert words in Server(url, "tiny").notice("3 sentences")


def test_a_key_goes_to_the_server_that_it_is_of():
    both = {"OPENAI_API_KEY": "a"}
    assert key_of("https://api.openai.com/v1", both) == "a"
    assert key_of("https://api.openai.com.example.org/v1", both) == key_of(DEFAULT_URL, both) == ""
    assert key_of("https://example.org/v1", {**both, "FEWSHOT_LLM_KEY": "b"}) == "b"


@contextmanager
def answering(folder, script=lambda *_: response("{}"), cap=1.0, price=0.25):
    """A server, and what makes answers of a file with it; an answer costs so much."""
    with serving(script) as served:

        def make(cap=cap):
            client = Client(Server(served.url, "tiny"), wait=lambda _: None)
            return AnswerCache(folder / "answers.jsonl", client, lambda _: price, cap)

        yield served, make


def question(number):
    return [{"role": "user", "content": f"question {number}"}]


def test_each_question_is_asked_once_in_all_sessions_and_recalled_only_where_it_was_answered(tmp_path):
    with answering(tmp_path) as (served, make):
        one = make()
        for number in (0, 1, 0):
            one.ask(question(number), SCHEMA)
        two = make()
        assert (two.ask(question(1), SCHEMA).text, two.new, two.spent) == ("{}", 0, 0.5)
        assert two.recall(question(0), SCHEMA).text == "{}"
        with pytest.raises(NotAnsweredError):
            two.recall(question(2), SCHEMA)
        assert len(served.requests) == 2
        assert one.versions == two.versions == [f"tiny-2026 fp1 ({datetime.now(UTC).date()})"]


def test_the_cap_stops_between_two_questions_and_a_higher_one_goes_on(tmp_path):
    with answering(tmp_path, cap=0.5) as (served, make):
        answers = make()
        answers.ask(question(0), SCHEMA)
        answers.ask(question(1), SCHEMA)
        with pytest.raises(CapReachedError, match=r"\$0.50 of --llm-cap 0.5 are spent on 2 answers, which are kept"):
            answers.ask(question(2), SCHEMA)
        assert answers.ask(question(0), SCHEMA).text == "{}"  # is on disk
        with pytest.raises(CapReachedError):
            make().ask(question(2), SCHEMA)
        assert make(cap=2.0).ask(question(2), SCHEMA).text == "{}"
        assert len(served.requests) == 3


def test_an_answer_that_a_crash_cut_off_is_asked_again_and_a_damaged_line_named(tmp_path):
    path = tmp_path / "answers.jsonl"
    with answering(tmp_path) as (_, make):
        make().ask(question(0), SCHEMA)
        make().ask(question(1), SCHEMA)
        path.write_bytes(path.read_bytes()[:-20])
        again = make()
        assert len(again.known) == 1
        again.ask(question(1), SCHEMA)
        assert len(make().known) == 2
        path.write_text('{"question": "a"}\n')
        with pytest.raises(FewshotError, match=r"answers.jsonl:1: no answer of a language model: 'text' is missing"):
            make()


def test_what_a_server_does_not_take_is_remembered_in_later_sessions(tmp_path):
    def script(request, _):
        if "response_format" in request:
            return 400, {}, {"error": {"message": "Unsupported parameter: 'response_format'"}}
        return response("{}")

    with answering(tmp_path, script) as (served, make):
        make().ask(question(0), SCHEMA)
        assert len(served.requests) == 2
        later = make()
        assert later.client.refused == {"response_format"}
        later.ask(question(1), SCHEMA)
        assert len(served.requests) == 3


def test_an_answer_says_how_sure_the_model_is_where_it_is_asked():
    bodies = [response("{}") for _ in range(6)]
    told = {"content": [{"token": "{", "logprob": -0.5}, {"token": "}", "logprob": -1.5}]}
    odd = [[math.inf, -math.inf], [-1e308, -1e308], [-(10**400)]]
    given = [told, {"tokens": [1]}, *({"content": [{"logprob": number} for number in each]} for each in odd)]
    for body, logprobs in zip(bodies, given, strict=False):
        body["choices"][0]["logprobs"] = logprobs
    with serving(lambda _, number: bodies[number]) as server:
        client = Client(Server(server.url, "tiny"), confidences=True)
        answers = [client.ask([{"role": "user", "content": "?"}], SCHEMA) for _ in bodies]
        assert server.requests[0]["logprobs"] is True
    assert [answer.confidence for answer in answers] == [pytest.approx(math.exp(-1)), *[None] * 5]
    _, _, server = ask(lambda *_: response("{}"))
    assert "logprobs" not in server.requests[0]


def test_the_bill_of_many_threads_is_the_servers_own_count_and_nothing_is_asked_twice(tmp_path):
    """Also where it is busy or fails in between; and a second session costs nothing."""
    counted, counting = Counter(), Lock()

    def script(request, number):
        if number % 50 == 3:
            return 429, {"Retry-After": "0"}, {}
        if number % 50 == 33:
            return 500, {}, {}
        answered = response("{}", read=50 + number % 97, written=1 + number % 13)
        with counting:
            counted.update(answered["usage"])
        return answered

    def asks(served):
        client = Client(Server(served.url, "tiny"), wait=lambda _: None)
        price = lambda answer: answer.input_tokens + 10 * answer.output_tokens  # noqa: E731
        answers = AnswerCache(tmp_path / "answers.jsonl", client, price, 1e9)
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda number: answers.ask(question(number % 150), SCHEMA), range(300)))
        return answers

    with serving(script) as served:
        first = asks(served)
        asked = len(served.requests)
        second = asks(served)
        assert len(served.requests) == asked > 150
    assert (first.new, second.new) == (150, 0)
    assert first.spent == second.spent == counted["prompt_tokens"] + 10 * counted["completion_tokens"]


def test_answers_that_came_at_once_are_paid_for_by_the_time_that_passed():
    moments = iter([0.0, 10.0, 14.0, 20.0, 20.0, 29.0, 29.0])
    shared = SharedTime(lambda: next(moments))
    with shared.measured() as first:  # from 10
        with shared.measured() as second:  # from 14 to 20
            inside = second()
        whole = first()
    assert (inside, whole) == pytest.approx((3.0, 16.0))
    assert inside + whole == pytest.approx(29 - 10)
