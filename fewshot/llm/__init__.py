"""A language model as an annotator: it returns a valid annotation of an example, or a refusal.

`annotate` and `annotate_all` take a `Prompt` and a function that answers it, such as `AnswerCache.ask` with a `Client`.
This package does not load torch, and sends nothing until a server is named.
"""

from fewshot.llm.annotate import Reply, annotate, annotate_all
from fewshot.llm.cache import AnswerCache
from fewshot.llm.client import Client
from fewshot.llm.prompt import Prompt
from fewshot.llm.response import LlmAnswer
from fewshot.llm.server import Server

__all__ = ["AnswerCache", "Client", "LlmAnswer", "Prompt", "Reply", "Server", "annotate", "annotate_all"]
