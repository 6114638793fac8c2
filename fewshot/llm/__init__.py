"""A language model as one more annotator: examples in, a legal annotation or a refusal out.

`annotate` and `annotate_all` are the way in: a `Prompt` says what is asked, and something that answers it, such as
`AnswerCache` of a `Client`. Nothing here loads torch, or is sent anywhere before somebody has named a server.
"""

from fewshot.llm.annotate import Reply, annotate, annotate_all
from fewshot.llm.cache import AnswerCache
from fewshot.llm.client import Client
from fewshot.llm.prompt import Prompt
from fewshot.llm.response import Answer
from fewshot.llm.server import Server

__all__ = ["Answer", "AnswerCache", "Client", "Prompt", "Reply", "Server", "annotate", "annotate_all"]
