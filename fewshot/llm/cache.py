"""A cache of answers on disk: each question is asked, and paid for, once, up to a cost limit."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from threading import Lock
from typing import Any

from fewshot import records
from fewshot.curves import journal
from fewshot.errors import FewshotError
from fewshot.llm.client import Client, Messages
from fewshot.llm.response import LlmAnswer

ANSWERS = "answers.jsonl"
"""The file in the folder of a run: a line for each answer, under a hash of its question."""


class CapReachedError(FewshotError):
    """The cost limit is reached; the answers so far are kept."""


class NotAnsweredError(FewshotError):
    """The cache lacks the answer to a question."""


class AnswerCache:
    """Asks a client the questions whose answers are not on disk; several threads may ask at once.

    Args:
        path: of the file, in a folder that this process holds, see `journal.lock_folder`.
        client: no longer sends the parameters that the server refused in earlier sessions.
        price: returns the dollars of an answer.
        cap: maximum cost in dollars of all answers in the file. It is checked before each question, so that open
            questions may exceed it.

    Attributes:
        spent: dollars of all answers in the file.
        new: number of answers that this session asked for.

    Raises:
        FewshotError: with ``file:line``, for a damaged line.
    """

    def __init__(self, path: Path, client: Client, price: Callable[[LlmAnswer], float], cap: float) -> None:
        self.path, self.client, self.price, self.cap = path, client, price, cap
        journal.trim(path)
        self.known: dict[str, LlmAnswer] = dict(_line(path, number, line) for number, line in journal.read(path))
        client.refused.update(name for answer in self.known.values() for name in answer.without)
        self.spent = sum(map(price, self.known.values()))
        self.new = 0
        self._counting = Lock()
        self._asking: defaultdict[str, Lock] = defaultdict(Lock)

    @property
    def versions(self) -> list[str]:
        """The names of the model that the server gave, each with its first and last date."""
        days: dict[str, list[str]] = {}
        for answer in self.known.values():
            days.setdefault(answer.version or "of no name", []).append(answer.date)
        ends = {version: dict.fromkeys([min(dates), max(dates)]) for version, dates in days.items()}
        return [f"{version} ({' to '.join(dates)})" for version, dates in ends.items()]

    def ask(self, messages: Messages, schema: Mapping[str, Any]) -> LlmAnswer:
        """Return the answer to a question, from disk or else from the client.

        Raises:
            CapReachedError: when the answer is not on disk and the cost limit is reached.
            ServerError: see `Client.ask`.
            FewshotError: when the answer cannot be written.
        """
        key = self._key(messages)
        with self._counting:
            lock = self._asking[key]
        with lock:
            if key not in self.known:
                self._check_cap()
                self._keep(key, self.client.ask(messages, schema))
            return self.known[key]

    def recall(self, messages: Messages, schema: Mapping[str, Any]) -> LlmAnswer:
        """Return the answer to a question from disk; `NotAnsweredError` when it is not there."""
        key = self._key(messages)
        if key not in self.known:
            raise NotAnsweredError("a question is not answered yet")
        return self.known[key]

    def _check_cap(self) -> None:
        if self.spent >= self.cap:
            raise CapReachedError(
                f"${self.spent:.2f} of --llm-cap {self.cap:g} are spent on {len(self.known)} answers, which are kept; "
                "repeat the command with a higher cap to resume"
            )

    def _keep(self, key: str, answer: LlmAnswer) -> None:
        with self._counting:
            given = {name: value for name, value in asdict(answer).items() if value not in (None, ())}
            journal.append(self.path, {"question": key, **given})
            self.known[key] = answer
            self.spent += self.price(answer)
            self.new += 1

    def _key(self, messages: Messages) -> str:
        """Return a hash of what decides an answer: server, model, requested parameters and turns."""
        server = self.client.server
        asked = [server.url, server.model, dict(self.client.parameters), [dict(message) for message in messages]]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:32]


def _line(path: Path, number: int, line: bytes) -> tuple[str, LlmAnswer]:
    where, remedy = f"{path}:{number}: no answer of a language model", "remove this line and it is asked again"
    values = records.parse(line, LlmAnswer, where, remedy)
    key = values.get("question")
    if not isinstance(key, str):
        raise FewshotError(f"{where}: 'question' is missing; {remedy}")
    known = {field.name: values[field.name] for field in fields(LlmAnswer) if field.name in values}
    return key, LlmAnswer(**{**known, "without": tuple(known.get("without", ()))})
