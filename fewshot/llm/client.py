"""One question to a server of language models, whatever goes wrong on the way."""

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
from fewshot.llm.response import Answer, Response, confidence_of, seconds_of
from fewshot.llm.server import HERE, KEY, Server
from fewshot.llm.shared_time import SharedTime

Messages: TypeAlias = Sequence[Mapping[str, str]]
"""What is said, in turns: each has a ``role`` and its ``content``."""

MOST_TOKENS = 8192
"""That an answer may have unless somebody says otherwise; thoughts need room, and long sentences many rows."""

TOKENS, NEWER_TOKENS = "max_tokens", "max_completion_tokens"
"""The parameter that bounds an answer, and what newer models of OpenAI take in its place."""

FORMAT = "response_format"
"""The parameter that holds the answer to a JSON schema, where the server can do that; likewise."""

PROBABILITIES = "logprobs"
"""The parameter that has the probabilities of tokens told too; likewise."""

ATTEMPTS = 6
"""How often a question is asked before the server counts as gone: within about half a minute."""

LONGEST_WAIT = 600.0
"""Seconds that a server may ask to be left alone (``Retry-After``)."""

MOST_BYTES = 4_000_000
"""Of a response; one that is longer is broken."""

PASSING = (408, 409, 425, 429)
"""What a server answers that may answer otherwise soon; those from 500 on are such too."""

INVALID, INVALID_SAID = (400, 422), "validation error"
"""What a server answers that does not take a parameter; llama-cpp-python says it with a 500, in pydantic's words."""

NO_MONEY = "insufficient_quota"
"""What OpenAI says with a 429 that no waiting helps against."""

REMEDIES = {
    **dict.fromkeys((401, 403), f"give its key in the environment as {KEY}"),
    **dict.fromkeys((301, 302, 307, 308), "give the address that it has now as --llm-url, if you trust it"),
    404: "mend --llm or --llm-url",
}

FILTERED = "content_filter"

SECRET = 8
"""Fewest characters of a key that is one: ``x`` or ``none`` is typed for a server that wants any."""


class ServerError(FewshotError):
    """A server that does not answer, or will not; what it answered before is kept."""


class _BrokenError(Exception):
    """A response that is none, after which the question may be asked once more."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class Client:
    """Asks a server, and asks again where that may help.

    Args:
        server: that is asked.
        timeout: seconds that an answer may take.
        tokens: most that an answer may have.
        wait: takes seconds and waits as long; None: until `stop` is called at most.
        confidences: whether answers say how sure the model is, where the server tells it.

    Attributes:
        parameters: what every question is asked with, as far as the server takes it.
        refused: parameters that the server does not take, which are left out since.
        heard: whether it is there: one that nothing was ever heard of is not waited for.

    Raises:
        FewshotError: when the library that talks to servers is not installed.
    """

    def __init__(
        self,
        server: Server,
        timeout: float = 120.0,
        tokens: int = MOST_TOKENS,
        wait: Callable[[float], object] | None = None,
        confidences: bool = False,
    ) -> None:
        try:
            import httpx2
        except ImportError:
            raise FewshotError("language models need a library more: pip install 'fewshot[llm]'") from None
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
            raise FewshotError(f"--llm-url {server.url!r} is no address ({error}); write e.g. {HERE}") from None
        headers = {"Authorization": f"Bearer {server.key}"} if server.key else {}
        # Redirects, which keys would follow, are not; what this machine reads must not go through a proxy elsewhere.
        try:
            self._http = httpx2.Client(headers=headers, timeout=timeout, trust_env=not server.is_here)
        except (ImportError, ValueError) as error:  # of a scheme that it cannot speak
            reason = str(error).partition(". ")[0]
            raise FewshotError(
                f"a proxy of the environment (ALL_PROXY, HTTPS_PROXY, HTTP_PROXY) cannot be used: {reason}; "
                "write e.g. http://proxy:3128, or unset it"
            ) from None

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def stop(self) -> None:
        """Ask nothing more, and nothing again; answers under way still come."""
        self._stopped.set()

    def reach(self) -> None:
        """Make sure that the server is there, before hours of training; no text is sent.

        Raises:
            ServerError: when nothing answers at its address.
        """
        with suppress(self._request_error):  # whatever else is wrong with it, it is there
            try:
                self._http.get(f"{self.server.url}/models")
            except self._connect_errors as error:
                raise self._gone(str(error), 1) from None
        self.heard = True

    def ask(self, messages: Messages, schema: Mapping[str, Any]) -> Answer:
        """Return the answer to a question.

        Args:
            messages: the turns so far.
            schema: JSON schema of the answer.

        Raises:
            ServerError: when the server refuses, or does not answer however often it is asked, or after `stop`.
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
        raise ServerError(f"{self._named} is asked nothing more; the same command goes on from here")

    def _body(self, messages: Messages, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return a request with what the server takes."""
        wanted = {"type": "json_schema", "json_schema": {"name": "annotation", "strict": True, "schema": schema}}
        known = {**self.parameters, FORMAT: wanted, **({PROBABILITIES: True} if self.confidences else {})}
        if TOKENS in self.refused:
            known[NEWER_TOKENS] = self.parameters[TOKENS]
        taken = {name: value for name, value in known.items() if name not in self.refused}
        return {"model": self.server.model, "messages": messages, **taken}

    def _once(self, messages: Messages, schema: Mapping[str, Any]) -> Answer:
        """Ask once; parameters that are refused do not count as a failure."""
        while True:
            body = self._body(messages, schema)
            with self._time.measured() as share:
                status, headers, data = self._post(body)
                seconds = share()
            if status == 200:
                return self._answer(data, seconds)
            said = self._said(data)
            if status == 400 and FILTERED in data.decode(errors="replace"):
                return Answer("", FILTERED, 0, 0, "", seconds, _today())
            names = (*self.parameters, NEWER_TOKENS, FORMAT, PROBABILITIES)
            unknown = {name for name in names if name in body and name in said}
            if not unknown or not (status in INVALID or INVALID_SAID in said):
                raise self._failed(status, headers, said)
            self.refused |= unknown

    def _post(self, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        """Return status, headers and body of a response; raise where it does not come whole and in time."""
        end, data = time.monotonic() + self.timeout, bytearray()
        try:
            with self._http.stream("POST", f"{self.server.url}/chat/completions", json=body) as response:
                self.heard = True
                for chunk in response.iter_bytes():
                    data += chunk
                    if len(data) > MOST_BYTES:
                        raise _BrokenError(f"its answer is longer than {MOST_BYTES // 1_000_000} MB")
                    if time.monotonic() > end:
                        raise _BrokenError(f"its answer has no end after {self.timeout:g} s")
                return response.status_code, response.headers, bytes(data)
        except self._request_error as error:
            self.heard |= not isinstance(error, self._connect_errors)
            raise _BrokenError(f"{type(error).__name__}: {error}".rstrip(": ")) from None

    def _answer(self, data: bytes, seconds: float) -> Answer:
        try:
            response = json.loads(data)
            wrong = records.find_mismatch(response, Response)
        except (ValueError, RecursionError):
            wrong = "it is no JSON"
        if wrong or not response["choices"]:
            raise _BrokenError(f"its answer is none of a chat: {wrong or 'it is empty'}")
        choice, usage = response["choices"][0], response["usage"]
        version = " ".join(filter(None, (response.get("model"), response.get("system_fingerprint"))))
        return Answer(
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

    def _failed(self, status: int, headers: Mapping[str, str], said: str) -> Exception:
        """Return what a response that is no answer amounts to: something to wait for, or the end."""
        told = f"it answers {status}" + (f": {said}" if said else "")
        if (status in PASSING or status >= 500) and NO_MONEY not in said:
            wait = seconds_of(headers.get("retry-after", ""))
            if wait is None or wait <= LONGEST_WAIT:
                return _BrokenError(told, wait)
            return self._gone(f"{told}, and asks to wait {wait:.0f} s", 1)
        remedy = REMEDIES.get(status, "mend what it says and repeat the command, which goes on from here")
        return ServerError(f"{self._named}: {told}; {remedy}")

    def _gone(self, why: str, times: int) -> ServerError:
        if not self.heard:
            return ServerError(f"{self._named} does not answer ({self._clean(why)}); start it, or mend --llm-url")
        asked = "once" if times == 1 else f"{times} times"
        return ServerError(
            f"{self._named} was asked {asked} in vain: {self._clean(why)}; "
            "what it answered is kept, and the same command goes on from here"
        )

    @property
    def _named(self) -> str:
        return f"{self.server.model} at {self.server.url}"

    def _said(self, data: bytes) -> str:
        """Return what a server says of an error, in one short line."""
        try:
            error = json.loads(data)
            error = error.get("error", error) if isinstance(error, dict) else error
            text = json.dumps(error, ensure_ascii=False) if isinstance(error, dict | list) else str(error)
        except (ValueError, RecursionError):
            text = data.decode(errors="replace")
        return self._clean(" ".join(text.split()))[:300]

    def _clean(self, text: str) -> str:
        """Return a text without the key, should a server repeat it, and without halves of characters."""
        key = self.server.key
        for written in (key, json.dumps(key)[1:-1]) if len(key) >= SECRET else ():
            text = text.replace(written, "***")
        return text.encode("utf-8", "replace").decode()


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
