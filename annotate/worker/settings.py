"""What whoever starts the app or a worker has said that jobs must know: they inherit it in the environment.

The key of a language model's server is there already, see `fewshot.llm.server.KEY`, and is kept nowhere else.
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
from fewshot.llm.server import KEY, OPENAI_KEY, key_of

RATES = "FEWSHOT_RATES"
"""Environment variable: a file of prices."""

MODEL, URL, CAP, TIMEOUT = "FEWSHOT_LLM", "FEWSHOT_LLM_URL", "FEWSHOT_LLM_CAP", "FEWSHOT_LLM_TIMEOUT"
"""Environment variables: the language model that may be asked, its server, most dollars for it in each project, and
seconds that an answer may take."""


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """The language model that may be asked for suggestions.

    Args:
        server: that answers.
        cap: most dollars that its answers may cost in each project.
        timeout: seconds that an answer may take.
    """

    server: Server
    cap: float
    timeout: float

    @classmethod
    def of(cls, model: str, url: str, cap: float, timeout: float) -> Self:
        """Return the language model of a name at an address.

        Raises:
            FewshotError: when the address is none, and for tokens that another machine would be paid for and that have
                no price.
        """
        server = Server(url, model, key_of(url, os.environ))
        if not server.is_here:
            rates().price_answers(model, REMOTE, 0, 0, 0.0)
        return cls(server, cap, timeout)

    def tell(self) -> None:
        """Let the jobs of this process know it."""
        os.environ |= {
            MODEL: self.server.model, URL: self.server.url, CAP: repr(self.cap), TIMEOUT: repr(self.timeout),
        }  # fmt: skip


def language_model() -> LanguageModel | None:
    """Return the language model that was named, None where none was."""
    if not os.environ.get(MODEL):
        return None
    cap, timeout = float(os.environ[CAP]), float(os.environ[TIMEOUT])
    return LanguageModel.of(os.environ[MODEL], os.environ[URL], cap, timeout)


def no_language_model() -> None:
    """Let jobs ask none, whatever the environment of this process says."""
    for name in (MODEL, URL, CAP, TIMEOUT):
        os.environ.pop(name, None)


def rates() -> Rates:
    """Return the prices that hold."""
    file = os.environ.get(RATES)
    return prices.load(Path(file) if file else None)


def host() -> str:
    """Return the name of this machine under these settings: jobs are queued for, and done by, processes of one name.

    The settings are in a short hash, of which no key can be found.
    """
    told = [os.environ.get(name) for name in (RATES, MODEL, URL, CAP, TIMEOUT, KEY, OPENAI_KEY)]
    return f"{socket.gethostname()} {hashlib.sha256(repr([version('fewshot'), *told]).encode()).hexdigest()[:8]}"
