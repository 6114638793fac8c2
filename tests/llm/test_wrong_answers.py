import json
import random
from contextlib import suppress

import pytest
from llm.scripted import AGAIN, Cut, Hang, asked, gold, response, serving
from making import examples_of

from fewshot import tasks
from fewshot.llm import AnswerCache, Client, Prompt, Server, annotate
from fewshot.llm.annotate import faults_of
from fewshot.llm.client import ServerError

TASKS = ("pos", "pos+feats+lemma", "dep", "ner", "nli", "qa", "topic")


def fewer(rng, value):
    rows = next(iter(value.values()))
    if isinstance(rows, list) and rows:
        rows.pop(rng.randrange(len(rows)))
    return json.dumps(value)


def more(rng, value):
    rows = next(iter(value.values()))
    if isinstance(rows, list) and rows:
        rows.insert(rng.randrange(len(rows) + 1), dict(rng.choice(rows)))
    return json.dumps(value)


def leaves(value, path=()):
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))
    else:
        yield path


JUNK = ["NOUNN", "", "_", "B-CITY", "root", "root:x", 0, -1, 10**30, 1.5, None, True, [], {}]
JUNK += ["\ud800", "a\tb", "\x00", "😀" * 50]


def other_values(rng, value):
    """Change some leaves to something else, of any type."""
    for path in rng.sample(places := list(leaves(value)), min(len(places), rng.randint(1, 3))):
        inner = value
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = rng.choice(JUNK)
    return json.dumps(value)


def cut(rng, value):
    text = json.dumps(value)
    return text[: rng.randrange(len(text))]


def noise(rng, value):
    return "".join(chr(rng.choice([*range(32, 127), 0x3042, 0x1F600, 0])) for _ in range(rng.randint(1, 300)))


def deep(rng, value):
    return '{"words": ' + "[" * 50_000 + "]" * 50_000 + "}"


def prose(rng, value):
    return rng.choice(["I am sorry, I cannot do this.", "Sure! {", "```json\n```", "{}", "[]", "null", "{{}}", '"'])


CONTENT = (fewer, more, other_values, other_values, other_values, cut, noise, deep, prose)

RETRY_STATUSES = (
    lambda rng: (429, {"Retry-After": str(rng.randint(0, 5))}, {"error": "slow down"}),
    lambda rng: (rng.choice([500, 502, 503, 529]), {}, b"<html>"),
    lambda rng: Cut(b'{"choices": [{"message"'),
    lambda rng: b"",
    lambda rng: b'{"choices": [{"message": {"content": 5}}]}',
    lambda rng: response("{}") | {"choices": "none"},
    lambda rng: response(None) | {"usage": {"prompt_tokens": "many", "completion_tokens": 1}},
    lambda rng: b"y" * 4_100_000,
)


@pytest.mark.parametrize("seed", range(42))
def test_wrong_answers_do_no_harm(seed, tmp_path):
    rng = random.Random(seed)
    task = tasks.get(TASKS[seed % len(TASKS)])
    made = examples_of(task, 4, seed=seed)
    task = task.fitted(made)
    answers, told = gold(task, made), []
    slow = seed % 10 == 0
    passing = (*RETRY_STATUSES, lambda rng: Hang(0.6)) if slow else RETRY_STATUSES

    def script(request, number):
        if rng.random() < 0.25:
            return rng.choice(passing)(rng)
        value = json.loads(json.dumps(answers[asked(request)]))
        again = request["messages"][-1]["content"].startswith(AGAIN)
        text = json.dumps(value) if again and rng.random() < 0.3 else rng.choice(CONTENT)(rng, value)
        empty = rng.random() < 0.05
        told.append((rng.randint(1, 500), rng.randint(1, 500)))
        return response(None if empty else text, *told[-1])

    with serving(script) as server:
        client = Client(Server(server.url, "tiny"), 0.3 if slow else 30.0, wait=lambda _: None)
        asking = AnswerCache(tmp_path / "answers.jsonl", client, lambda one: 1e-6 * one.output_tokens, 1.0)
        prompt, replies = Prompt(task, "Xish", shots=made[:1]), []
        for example in made:
            with suppress(ServerError):  # it fails six times
                replies.append((example, annotate(prompt, example.unannotated(), asking.ask)))
        client.close()
    for example, reply in replies:
        assert (reply.example is None) == bool(reply.refusal)
        if reply.example is not None:
            assert faults_of(task, reply.example) == []
            assert reply.example.key == example.key
    kept = AnswerCache(tmp_path / "answers.jsonl", client, lambda one: 1e-6 * one.output_tokens, 1.0)
    counted = [(one.input_tokens, one.output_tokens) for one in kept.known.values()]
    rest = iter(told)
    assert all(one in rest for one in counted) if slow else counted == told  # one that came too late is not counted
    assert kept.spent == asking.spent == pytest.approx(1e-6 * sum(written for _, written in counted))
    assert {answer for _, reply in replies for answer in reply.answers} <= {*kept.known.values()}
