"""Answers on disk: each question is asked, and paid for, once, until as much is spent as may be."""

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
from fewshot.llm.response import Answer

ANSWERS = "answers.jsonl"
"""In the folder of a run: a line an answer, under a hash of the question; the question itself is not kept."""


class CapReachedError(FewshotError):
    """As much is spent as may be; what was answered is kept."""


class NotAnsweredError(FewshotError):
    """A question that nobody has answered yet."""


class AnswerCache:
    """Asks a client what is not on disk yet; several threads may ask at once, and none the same as another.

    Args:
        path: of the file, in a folder that this process holds, see `journal.lock_folder`.
        client: that is asked; what the server did not take in earlier sessions it leaves out from now on.
        price: from an answer to its dollars.
        cap: most dollars that all answers of the file may cost, those of earlier sessions included. It is looked at
            before each question, so that those under way may go beyond it.

    Attributes:
        spent: dollars of all answers of the file.
        new: number of answers that this session asked for.
        versions: of the model, as the server has said them, with the first and the last date.

    Raises:
        FewshotError: with ``file:line``, for a line that is damaged.
    """

    def __init__(self, path: Path, client: Client, price: Callable[[Answer], float], cap: float) -> None:
        self.path, self.client, self.price, self.cap = path, client, price, cap
        journal.trim(path)
        self.known: dict[str, Answer] = dict(_line(path, number, line) for number, line in journal.read(path))
        client.refused.update(name for answer in self.known.values() for name in answer.without)
        self.spent = sum(map(price, self.known.values()))
        self.new = 0
        self._counting = Lock()
        self._asking: defaultdict[str, Lock] = defaultdict(Lock)

    @property
    def versions(self) -> list[str]:
        """What the server has called the model, each with the days on which it did."""
        days: dict[str, list[str]] = {}
        for answer in self.known.values():
            days.setdefault(answer.version or "of no name", []).append(answer.date)
        ends = {version: dict.fromkeys([min(dates), max(dates)]) for version, dates in days.items()}
        return [f"{version} ({' to '.join(dates)})" for version, dates in ends.items()]

    def ask(self, messages: Messages, schema: Mapping[str, Any]) -> Answer:
        """Return the answer to a question, which is asked where it is not on disk.

        Raises:
            CapReachedError: when it would have to be asked, and as much is spent as may be.
            ServerError: see `Client.ask`.
            FewshotError: when the answer cannot be written.
        """
        key = self._key(messages)
        with self._counting:
            one_by_one = self._asking[key]
        with one_by_one:
            if key not in self.known:
                self._check_cap()
                self._keep(key, self.client.ask(messages, schema))
            return self.known[key]

    def recall(self, messages: Messages, schema: Mapping[str, Any]) -> Answer:
        """Return the answer to a question that is on disk.

        Raises:
            NotAnsweredError: when it is not.
        """
        key = self._key(messages)
        if key not in self.known:
            raise NotAnsweredError("a question is not answered yet")
        return self.known[key]

    def _check_cap(self) -> None:
        if self.spent >= self.cap:
            raise CapReachedError(
                f"${self.spent:.2f} of --llm-cap {self.cap:g} are spent on {len(self.known)} answers, which are kept; "
                "the same command with a higher cap goes on from here"
            )

    def _keep(self, key: str, answer: Answer) -> None:
        with self._counting:
            given = {name: value for name, value in asdict(answer).items() if value not in (None, ())}
            journal.append(self.path, {"question": key, **given})
            self.known[key] = answer
            self.spent += self.price(answer)
            self.new += 1

    def _key(self, messages: Messages) -> str:
        """Return a hash of all that decides an answer: server, model, parameters as they are meant, and the turns."""
        server = self.client.server
        asked = [server.url, server.model, dict(self.client.parameters), [dict(message) for message in messages]]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:32]


def _line(path: Path, number: int, line: bytes) -> tuple[str, Answer]:
    where, remedy = f"{path}:{number}: no answer of a language model", "remove this line and it is asked again"
    values = records.parse(line, Answer, where, remedy)
    key = values.get("question")
    if not isinstance(key, str):
        raise FewshotError(f"{where}: 'question' is missing; {remedy}")
    known = {field.name: values[field.name] for field in fields(Answer) if field.name in values}
    return key, Answer(**{**known, "without": tuple(known.get("without", ()))})
