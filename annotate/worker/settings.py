"""Settings of jobs, which the app and the worker processes inherit in environment variables.

The API key of a language model's server is an environment variable, too, see `fewshot.llm.server.KEY_VARIABLE`.
"""

from __future__ import annotations

import hashlib
import os
import socket
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Self

from fewshot.costs import prices
from fewshot.costs.prices import REMOTE, Rates
from fewshot.llm import Server
from fewshot.llm.server import KEY_VARIABLE, OPENAI_KEY_VARIABLE, key_of

RATES = "FEWSHOT_RATES"
"""Environment variable: a file of prices."""

MODEL, URL, CAP, TIMEOUT = "FEWSHOT_LLM", "FEWSHOT_LLM_URL", "FEWSHOT_LLM_CAP", "FEWSHOT_LLM_TIMEOUT"
"""Environment variables: language model, its URL, most dollars per project, and timeout in seconds."""


@dataclass(frozen=True, slots=True)
class LanguageModelSettings:
    """The language model for suggestions, its cap in dollars per project, and its timeout in seconds."""

    server: Server
    cap: float
    timeout: float

    @classmethod
    def create(cls, model: str, url: str, cap: float, timeout: float) -> Self:
        """Return a model by name and URL; FewshotError if the URL is invalid or a remote model has no price."""
        server = Server(url, model, key_of(url, os.environ))
        if not server.is_here:
            rates().price_answers(model, REMOTE, 0, 0, 0.0)
        return cls(server, cap, timeout)

    def export(self) -> None:
        """Set the environment variables for the jobs of this process and its children."""
        os.environ |= {
            MODEL: self.server.model, URL: self.server.url, CAP: repr(self.cap), TIMEOUT: repr(self.timeout),
        }  # fmt: skip


def language_model() -> LanguageModelSettings | None:
    """Return the configured language model, or None."""
    if not os.environ.get(MODEL):
        return None
    cap, timeout = float(os.environ[CAP]), float(os.environ[TIMEOUT])
    return LanguageModelSettings.create(os.environ[MODEL], os.environ[URL], cap, timeout)


def clear_language_model() -> None:
    """Remove the language model from the environment of this process."""
    for name in (MODEL, URL, CAP, TIMEOUT):
        os.environ.pop(name, None)


def rates() -> Rates:
    """Return the configured prices."""
    file = os.environ.get(RATES)
    return prices.load(Path(file) if file else None)


def host() -> str:
    """Return a name of this machine and its settings; processes of one name run each other's jobs.

    The settings are part of it as a short hash, which reveals no key.
    """
    values = [os.environ.get(name) for name in (RATES, MODEL, URL, CAP, TIMEOUT, KEY_VARIABLE, OPENAI_KEY_VARIABLE)]
    return f"{socket.gethostname()} {hashlib.sha256(repr([version('fewshot'), *values]).encode()).hexdigest()[:8]}"
