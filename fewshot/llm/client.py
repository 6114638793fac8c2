"""A client of a server of language models, which handles failures of the server."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from threading import Event
from typing import Any, TypeAlias

from fewshot import records
from fewshot.errors import FewshotError
from fewshot.llm.response import LlmAnswer, Response, confidence_of, seconds_of
from fewshot.llm.server import DEFAULT_URL, KEY_VARIABLE, Server
from fewshot.llm.shared_time import SharedTime

Messages: TypeAlias = Sequence[Mapping[str, str]]
"""The turns of a dialogue: each has a ``role`` and a ``content``."""

MAX_TOKENS = 8192
"""Default limit of the tokens of an answer, with room for thoughts and for the rows of long sentences."""

TOKENS, NEWER_TOKENS = "max_tokens", "max_completion_tokens"
"""The parameter that limits an answer, and its name in newer models of OpenAI."""

FORMAT = "response_format"
"""The parameter with the JSON schema of the answer; optional for a server."""

PROBABILITIES = "logprobs"
"""The parameter that requests the probabilities of tokens; optional for a server."""

ATTEMPTS = 6
"""Number of times that a question is asked, within about half a minute, before the server counts as down."""

MAX_WAIT_SECONDS = 600.0
"""Longest wait that a server may request (``Retry-After``)."""

MAX_RESPONSE_BYTES, MAX_DIGITS = 4_000_000, 19
"""Most bytes of a response, and digits of a number in it."""

RETRY_STATUSES = (408, 409, 425, 429)
"""Statuses after which the question is asked again, as after those from 500 on."""

INVALID_STATUSES, INVALID_TEXT = (400, 422), "validation error"
"""Signs that a server refuses a parameter; llama-cpp-python answers 500 with this text of pydantic."""

NO_CREDIT = "insufficient_quota"
"""Text of OpenAI's 429 without credit, after which waiting does not help."""

REMEDIES = {
    **dict.fromkeys((401, 403), f"set its key in the environment variable {KEY_VARIABLE}"),
    **dict.fromkeys((301, 302, 307, 308), "give its new address as --llm-url, if you trust it"),
    404: "correct --llm or --llm-url",
}

FILTERED = "content_filter"

MIN_KEY_LENGTH = 8
"""Characters of a key that is kept secret; shorter texts such as ``none`` are placeholders for servers without keys."""


class ServerError(FewshotError):
    """The server does not answer, or refuses; its earlier answers are kept."""


class _BrokenError(Exception):
    """An invalid response, after which the question may be asked again."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class Client:
    """Asks a server, and repeats questions that failed.

    Args:
        timeout: seconds that an answer may take.
        tokens: maximum number of tokens of an answer.
        wait: waits a number of seconds; None waits until `stop` is called at most.
        confidences: whether answers have the confidence of the model, if the server gives it.

    Attributes:
        parameters: sent with every question, unless refused.
        refused: parameters that the server refused.
        heard: whether the server has ever responded; otherwise questions are not repeated.

    Raises:
        FewshotError: when the library that talks to servers is not installed.
    """

    def __init__(
        self,
        server: Server,
        timeout: float = 120.0,
        tokens: int = MAX_TOKENS,
        wait: Callable[[float], object] | None = None,
        confidences: bool = False,
    ) -> None:
        try:
            import httpx2
        except ImportError:
            raise FewshotError("language models need httpx2; pip install 'fewshot[llm]'") from None
        self._stopped = Event()
        self._time = SharedTime()
        self.server, self.timeout, self.wait = server, timeout, wait or self._stopped.wait
        self.parameters: Mapping[str, Any] = {"temperature": 0.0, "seed": 0, TOKENS: tokens}
        self.confidences = confidences
        self.refused: set[str] = set()
        self.heard = False
        self._request_error = httpx2.RequestError
        self._connect_errors = httpx2.ConnectError, httpx2.ConnectTimeout
        try:
            httpx2.URL(server.url)
        except httpx2.InvalidURL as error:
            raise FewshotError(f"invalid --llm-url {server.url!r} ({error}); write e.g. {DEFAULT_URL}") from None
        headers = {"Authorization": f"Bearer {server.key}"} if server.key else {}
        # Redirects are not followed, since the key would be sent along; texts for this machine must not pass a proxy.
        try:
            self._http = httpx2.Client(headers=headers, timeout=timeout, trust_env=not server.is_here)
        except (ImportError, ValueError) as error:  # an unknown scheme of the proxy
            reason = str(error).partition(". ")[0]
            raise FewshotError(
                f"a proxy of the environment (ALL_PROXY, HTTPS_PROXY, HTTP_PROXY) cannot be used: {reason}; "
                "write e.g. http://proxy:3128, or unset it"
            ) from None

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def stop(self) -> None:
        """Ask no further question, and repeat none; open questions are still answered."""
        self._stopped.set()

    def reach(self) -> None:
        """Check, without sending text, that the server is there; `ServerError` when nothing answers."""
        with suppress(self._request_error):  # any other error comes from a server that is there
            try:
                self._http.get(f"{self.server.url}/models")
            except self._connect_errors as error:
                raise self._gone(str(error), 1) from None
        self.heard = True

    def ask(self, messages: Messages, schema: Mapping[str, Any]) -> LlmAnswer:
        """Return the answer to a question.

        Args:
            messages: the turns so far.
            schema: JSON schema of the answer.

        Raises:
            ServerError: when the server refuses, fails `ATTEMPTS` times, or after `stop`.
        """
        times = 0
        while not self._stopped.is_set():
            try:
                return self._once(messages, schema)
            except _BrokenError as broken:
                times += 1
                if times == ATTEMPTS or not self.heard:
                    raise self._gone(str(broken), times) from None
                self.wait(2.0 ** (times - 1) if broken.wait is None else broken.wait)
        raise ServerError(f"{self._name} is asked nothing more; repeat the command to resume")

    def _body(self, messages: Messages, schema: Mapping[str, Any]) -> dict[str, Any]:
        wanted = {"type": "json_schema", "json_schema": {"name": "annotation", "strict": True, "schema": schema}}
        known = {**self.parameters, FORMAT: wanted, **({PROBABILITIES: True} if self.confidences else {})}
        if TOKENS in self.refused:
            known[NEWER_TOKENS] = self.parameters[TOKENS]
        taken = {name: value for name, value in known.items() if name not in self.refused}
        return {"model": self.server.model, "messages": messages, **taken}

    def _once(self, messages: Messages, schema: Mapping[str, Any]) -> LlmAnswer:
        """Ask once; refused parameters do not count as a failure."""
        while True:
            body = self._body(messages, schema)
            with self._time.measured() as share:
                status, headers, data = self._post(body)
                seconds = share()
            if status == 200:
                return self._answer(data, seconds)
            error_text = self._error_text(data)
            if status == 400 and FILTERED in data.decode(errors="replace"):
                return LlmAnswer("", FILTERED, 0, 0, "", seconds, _today())
            names = (*self.parameters, NEWER_TOKENS, FORMAT, PROBABILITIES)
            unknown = {name for name in names if name in body and name in error_text}
            if not unknown or not (status in INVALID_STATUSES or INVALID_TEXT in error_text):
                raise self._failed(status, headers, error_text)
            self.refused |= unknown

    def _post(self, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        """Return status, headers and body of a response; raise `_BrokenError` when it is incomplete or late."""
        end, data = time.monotonic() + self.timeout, bytearray()
        try:
            with self._http.stream("POST", f"{self.server.url}/chat/completions", json=body) as response:
                self.heard = True
                for chunk in response.iter_bytes():
                    data += chunk
                    if len(data) > MAX_RESPONSE_BYTES:
                        raise _BrokenError(f"its answer is longer than {MAX_RESPONSE_BYTES // 1_000_000} MB")
                    if time.monotonic() > end:
                        raise _BrokenError(f"its answer is incomplete after {self.timeout:g} s")
                return response.status_code, response.headers, bytes(data)
        except self._request_error as error:
            self.heard |= not isinstance(error, self._connect_errors)
            raise _BrokenError(f"{type(error).__name__}: {error}".rstrip(": ")) from None

    def _answer(self, data: bytes, seconds: float) -> LlmAnswer:
        try:
            response = json.loads(data, parse_int=_whole_number)
            wrong = records.find_mismatch(response, Response)
        except (ValueError, RecursionError):
            wrong = "it is no JSON"
        if wrong or not response["choices"]:
            raise _BrokenError(f"its answer is not a chat completion: {wrong or 'it is empty'}")
        choice, usage = response["choices"][0], response["usage"]
        version = " ".join(filter(None, (response.get("model"), response.get("system_fingerprint"))))
        return LlmAnswer(
            text=self._clean(choice["message"].get("content") or ""),
            finish=self._clean(choice.get("finish_reason") or "stop"),
            input_tokens=max(usage["prompt_tokens"], 0),
            output_tokens=max(usage["completion_tokens"], 0),
            version=self._clean(version),
            seconds=seconds,
            date=_today(),
            confidence=confidence_of(choice),
            without=tuple(sorted(self.refused)),
        )

    def _failed(self, status: int, headers: Mapping[str, str], error_text: str) -> Exception:
        """Return the exception for a response without an answer: retry, or give up."""
        reason = f"it answers {status}" + (f": {error_text}" if error_text else "")
        if (status in RETRY_STATUSES or status >= 500) and NO_CREDIT not in error_text:
            wait = seconds_of(headers.get("retry-after", ""))
            if wait is None or wait <= MAX_WAIT_SECONDS:
                return _BrokenError(reason, wait)
            return self._gone(f"{reason}, and asks to wait {wait:.0f} s", 1)
        remedy = REMEDIES.get(status, "correct this and repeat the command to resume")
        return ServerError(f"{self._name}: {reason}; {remedy}")

    def _gone(self, why: str, times: int) -> ServerError:
        if not self.heard:
            return ServerError(f"{self._name} does not answer ({self._clean(why)}); start it, or correct --llm-url")
        times_text = "once" if times == 1 else f"{times} times"
        return ServerError(
            f"{self._name} failed {times_text}: {self._clean(why)}; "
            "its earlier answers are kept; repeat the command to resume"
        )

    @property
    def _name(self) -> str:
        return f"{self.server.model} at {self.server.url}"

    def _error_text(self, data: bytes) -> str:
        try:
            error = json.loads(data)
            error = error.get("error", error) if isinstance(error, dict) else error
            text = json.dumps(error, ensure_ascii=False) if isinstance(error, dict | list) else str(error)
        except (ValueError, RecursionError):
            text = data.decode(errors="replace")
        return self._clean(" ".join(text.split()))[:300]

    def _clean(self, text: str) -> str:
        """Return a text without the key, which a server may repeat, and without incomplete characters."""
        key = self.server.key
        for written in (key, json.dumps(key)[1:-1]) if len(key) >= MIN_KEY_LENGTH else ():
            text = text.replace(written, "***")
        return text.encode("utf-8", "replace").decode()


def _whole_number(digits: str) -> float:
    """Return an int, or a float for more digits than a count has."""
    return int(digits) if len(digits) < MAX_DIGITS else float(digits)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
