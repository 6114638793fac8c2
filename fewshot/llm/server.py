"""Where a language model answers, and the one line that says so before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from fewshot.errors import FewshotError

HERE = "http://localhost:11434/v1"
"""The address that Ollama has on one's own machine: where nothing else is said, nothing leaves it."""

KEY = "FEWSHOT_LLM_KEY"
"""The environment variable that holds the key of a server; keys are told in no other way, and written nowhere."""

OPENAI, OPENAI_KEY = "api.openai.com", "OPENAI_API_KEY"
"""The one host that is given the key of the other variable, so that no other server gets to see it."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server that speaks ``/v1/chat/completions``, as OpenAI, vLLM, Ollama, llama.cpp and `transformers serve` do.

    Args:
        url: up to ``/v1``.
        model: as the server calls it.
        key: sent in the header of every request; empty for none.

    Raises:
        FewshotError: for an address that is none, or holds a key or a password, and for a model without a name.
    """

    url: str
    model: str
    key: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise FewshotError("--llm names no model; give its name, as its server calls it")
        try:
            parts = urlsplit(self.url)
            (parts.hostname or "").encode("idna")  # as whoever opens a connection does
            whole = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
        except ValueError:
            whole = False
        if not whole:
            shown = "" if "@" in self.url else f" {self.url!r}"  # a password may stand before it
            raise FewshotError(f"--llm-url{shown} is no address; write e.g. {HERE}")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise FewshotError(
                f"--llm-url holds more than an address; write http(s)://HOST/v1 alone, and put the key into {KEY}"
            )
        if not (self.key.isascii() and self.key.isprintable()) or " " in self.key:
            raise FewshotError(f"the key in the environment ({KEY}) is none: it has a space or a line end in it")
        object.__setattr__(self, "url", self.url.rstrip("/"))

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    @property
    def is_encrypted(self) -> bool:
        """Whether nobody on the way reads what is sent."""
        return urlsplit(self.url).scheme == "https"

    def notice(self, what: str) -> str:
        """Say where texts are sent, before they are.

        Args:
            what: is sent.
        """
        if self.is_here:
            return f"{what} are read by {self.model} at {self.url}, on this machine unless that server hands them on"
        open_line = "" if self.is_encrypted else ", UNENCRYPTED"
        return f"{what} LEAVE THIS MACHINE{open_line}: they are sent to {self.model} at {self.url}"


def key_of(url: str, environment: Mapping[str, str]) -> str:
    """Return the key that the environment holds for a server, empty where it has none.

    Args:
        url: of the server.
        environment: variables by name.
    """
    known = environment.get(KEY, "")
    return known or (environment.get(OPENAI_KEY, "") if urlsplit(url).hostname == OPENAI else "")
