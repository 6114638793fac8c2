"""Annotate an example with a language model; only valid annotations are accepted."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from fewshot.corpora.types import Example
from fewshot.llm.client import FILTERED, Messages
from fewshot.llm.prompt import Prompt
from fewshot.llm.reading import AnswerError, read
from fewshot.llm.response import LlmAnswer
from fewshot.tasks import Task

Ask: TypeAlias = Callable[[Messages, Mapping[str, Any]], LlmAnswer]
"""Takes the turns of a dialogue and the JSON schema of the answer; returns the answer."""

MAX_ATTEMPTS = 2
"""Number of times that a model is asked; the second question explains what was wrong with the first answer."""

MAX_NAMED_ERRORS = 5
"""Number of errors that the model is told at once."""

CUT_OFF = "length"


@dataclass(frozen=True, slots=True)
class Reply:
    """The annotation of an example by a language model.

    Args:
        example: with a valid annotation that is marked as a model's; None without a valid answer.
        refusal: the error of the last answer; empty for a valid annotation.
        answers: in the order in which they came.
    """

    example: Any
    refusal: str
    answers: tuple[LlmAnswer, ...]


def annotate(prompt: Prompt, example: Example, ask: Ask) -> Reply:
    """Annotate an example with a language model.

    Args:
        example: its own annotation is ignored, except for tags that the parser reads.
        ask: see `fewshot.llm.AnswerCache.ask`, which asks no question twice.

    Raises:
        FewshotError: raised by ``ask``; invalid answers become refusals.
    """
    messages, schema = list(prompt.messages(example)), prompt.form.schema(example)
    answers: list[LlmAnswer] = []
    refusal = ""
    for _ in range(MAX_ATTEMPTS):
        answer = ask(messages, schema)
        answers.append(answer)
        try:
            return Reply(_checked(prompt, example, answer), "", tuple(answers))
        except AnswerError as error:
            refusal = str(error)
        messages += [
            {"role": "assistant", "content": answer.text},
            {"role": "user", "content": f"This cannot be used: {refusal}. Answer again, whole, in the same form."},
        ]
    return Reply(None, refusal, tuple(answers))


def annotate_all(
    prompt: Prompt, examples: Sequence[Example], ask: Ask, at_once: int = 1, stop: Callable[[], None] | None = None
) -> Generator[Reply, None, None]:
    """Annotate examples, several at once; yield the replies in order.

    Args:
        ask: must be safe to call from several threads.
        at_once: maximum number of simultaneous questions.
        stop: called when no further reply is wanted, see `fewshot.llm.Client.stop`.

    Raises:
        FewshotError: the first error of ``ask``; no further question is asked, and open questions are awaited.
    """
    threads = ThreadPoolExecutor(at_once)
    try:
        yield from threads.map(lambda example: annotate(prompt, example, ask), examples)
    except BaseException:  # Ctrl-C, or the consumer closed the generator
        if stop:
            stop()
        raise
    finally:
        threads.shutdown(cancel_futures=True)


def _checked(prompt: Prompt, example: Example, answer: LlmAnswer) -> Any:
    if answer.finish == FILTERED or not answer.text.strip():
        raise AnswerError("there is no answer")
    if answer.finish == CUT_OFF:
        raise AnswerError("it is too long and was cut off")
    value = read(answer.text, prompt.form.schema(example))
    annotated = prompt.form.read(example, value)
    if faults := faults_of(prompt.task, annotated):
        raise AnswerError("; ".join(faults[:MAX_NAMED_ERRORS]))
    return replace(annotated, predicted=tuple(dict.fromkeys((*example.predicted, *prompt.task.columns))))


def faults_of(task: Task[Any], example: Example) -> list[str]:
    """Return the messages of the errors in an annotation, as a person would read them."""
    return [problem.message for problem in task.errors(example) if problem.level == "error"]
