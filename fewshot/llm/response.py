"""The response of a server of language models, as far as it is read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NotRequired, TypedDict

from fewshot import records


@dataclass(frozen=True, slots=True)
class LlmAnswer:
    """The answer of a language model.

    Args:
        text: empty for a refusal.
        finish: reason of the end: ``stop``, ``length`` when it was cut off, or ``content_filter``.
        input_tokens: as the server counts them.
        output_tokens: including those of thoughts.
        version: name of the model that the server gave.
        seconds: from question to answer, without failed attempts; a share for simultaneous questions.
        confidence: geometric mean of the probabilities of its tokens; None without probabilities.
        without: parameters that the server refused.
    """

    text: str
    finish: str
    input_tokens: int
    output_tokens: int
    version: str
    seconds: float
    date: str
    confidence: float | None = None
    without: tuple[str, ...] = ()


class _Message(TypedDict):
    content: NotRequired[str | None]


class _Choice(TypedDict):
    message: _Message
    finish_reason: NotRequired[str | None]


class _Token(TypedDict):
    logprob: float


class _Probabilities(TypedDict):
    content: list[_Token]


class _Usage(TypedDict):
    prompt_tokens: int
    completion_tokens: int


class Response(TypedDict):
    """A response of ``/v1/chat/completions``, as far as it is read."""

    choices: list[_Choice]
    usage: _Usage
    model: NotRequired[str | None]
    system_fingerprint: NotRequired[str | None]


def confidence_of(choice: Mapping[str, Any]) -> float | None:
    """Return the geometric mean of the probabilities of an answer's tokens, or None without probabilities."""
    given: Any = choice.get("logprobs")
    if records.find_mismatch(given, _Probabilities) or not given["content"]:
        return None
    try:
        mean = math.fsum(token["logprob"] for token in given["content"]) / len(given["content"])
    except (ValueError, OverflowError):  # infinite numbers, or numbers of hundreds of digits
        return None
    return math.exp(min(mean, 0.0)) if math.isfinite(mean) else None


def seconds_of(retry_after: str) -> float | None:
    """Return the seconds of a ``Retry-After`` header, a number or a date; None if invalid."""
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)
