"""The address of a language model, and the notice that is shown before texts are sent there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from fewshot.errors import FewshotError

DEFAULT_URL = "http://localhost:11434/v1"
"""The address of Ollama on the same machine, so that by default no text leaves it."""

KEY_VARIABLE = "FEWSHOT_LLM_KEY"
"""Environment variable with the key of a server; keys are read from nowhere else and never written."""

OPENAI_HOST, OPENAI_KEY_VARIABLE = "api.openai.com", "OPENAI_API_KEY"
"""The only host that receives the key of this variable."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server with ``/v1/chat/completions``: OpenAI, vLLM, Ollama, llama.cpp, `transformers serve`.

    Args:
        url: up to ``/v1``.
        model: its name on the server.
        key: sent in the header of every request; empty for none.

    Raises:
        FewshotError: for an invalid URL, a URL with a key or a password, an invalid key, and an empty model name.
    """

    url: str
    model: str
    key: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise FewshotError("--llm is empty; give the name of the model on its server")
        try:
            parts = urlsplit(self.url)
            (parts.hostname or "").encode("idna")  # as a connection encodes it
            is_valid = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
        except ValueError:
            is_valid = False
        if not is_valid:
            shown = "" if "@" in self.url else f" {self.url!r}"  # a password may precede the @
            raise FewshotError(f"invalid --llm-url{shown}; write e.g. {DEFAULT_URL}")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise FewshotError(
                f"--llm-url must be http(s)://HOST/v1, without user, password or query; set the key in {KEY_VARIABLE}"
            )
        if not (self.key.isascii() and self.key.isprintable()) or " " in self.key:
            raise FewshotError(
                f"the key in {KEY_VARIABLE} is invalid: it has a space, a line end or a character outside ASCII"
            )
        object.__setattr__(self, "url", self.url.rstrip("/"))

    @property
    def is_here(self) -> bool:
        """Whether the server is on this machine."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    @property
    def is_encrypted(self) -> bool:
        """Whether the connection is encrypted."""
        return urlsplit(self.url).scheme == "https"

    def notice(self, what: str) -> str:
        """Return a line that says where texts are sent.

        Args:
            what: names the texts.
        """
        if self.is_here:
            return f"{what} are read by {self.model} at {self.url}, on this machine unless that server hands them on"
        open_line = "" if self.is_encrypted else ", UNENCRYPTED"
        return f"{what} LEAVE THIS MACHINE{open_line}: they are sent to {self.model} at {self.url}"


def key_of(url: str, environment: Mapping[str, str]) -> str:
    """Return the key of the server at a URL, from environment variables; empty when there is none."""
    known = environment.get(KEY_VARIABLE, "")
    try:
        is_openai = urlsplit(url).hostname == OPENAI_HOST
    except ValueError:  # an invalid URL, which `Server` refuses
        is_openai = False
    return known or (environment.get(OPENAI_KEY_VARIABLE, "") if is_openai else "")
