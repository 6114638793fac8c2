"""One example, annotated by a language model: legally, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from fewshot.corpora.types import Example
from fewshot.llm.client import FILTERED, Messages
from fewshot.llm.prompt import Prompt
from fewshot.llm.reading import AnswerError, read
from fewshot.llm.response import Answer
from fewshot.tasks import Task

Ask: TypeAlias = Callable[[Messages, Mapping[str, Any]], Answer]
"""From the turns of a dialogue and the JSON schema of its answer to the answer."""

CHANCES = 2
"""How often a model is asked, the second time with what was wrong with its first answer."""

SHOWN = 5
"""Most problems that it is told at once."""

CUT_OFF = "length"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a language model made of an example.

    Args:
        example: with its annotation, in which the task finds no error, and which is marked as a model's; None where
            it gave none that can be used.
        refusal: what was wrong with its last answer; empty where nothing is.
        answers: in the order in which they came.
    """

    example: Any
    refusal: str
    answers: tuple[Answer, ...]


def annotate(prompt: Prompt, example: Example, ask: Ask) -> Reply:
    """Have an example annotated by a language model.

    Args:
        prompt: what it is told.
        example: what it is asked about; the annotation that it has is not looked at, but for tags that a parser reads.
        ask: see `fewshot.llm.AnswerCache.ask`, which asks nothing twice.

    Raises:
        FewshotError: whatever ``ask`` raises; answers that are wrong are none of it.
    """
    messages, schema = list(prompt.messages(example)), prompt.form.schema(prompt.task, example)
    answers: list[Answer] = []
    refusal = ""
    for _ in range(CHANCES):
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
    """Have examples annotated, several at once; yield the replies in their order.

    Args:
        prompt: what the model is told.
        examples: see `annotate`.
        ask: can be called by several threads.
        at_once: questions under way.
        stop: called when no further reply is wanted, see `fewshot.llm.Client.stop`.

    Raises:
        FewshotError: whatever ``ask`` raises first; no further question is asked then, those under way are waited for.
    """
    threads = ThreadPoolExecutor(at_once)
    try:
        yield from threads.map(lambda example: annotate(prompt, example, ask), examples)
    except BaseException:  # Ctrl-C, or whoever takes the replies has enough of them
        if stop:
            stop()
        raise
    finally:
        threads.shutdown(cancel_futures=True)


def _checked(prompt: Prompt, example: Example, answer: Answer) -> Any:
    if answer.finish == FILTERED or not answer.text.strip():
        raise AnswerError("there is no answer")
    if answer.finish == CUT_OFF:
        raise AnswerError("it is too long and was cut off")
    value = read(answer.text, prompt.form.schema(prompt.task, example))
    found = prompt.form.read(prompt.task, example, value)
    if faults := faults_of(prompt.task, found):
        raise AnswerError("; ".join(faults[:SHOWN]))
    return replace(found, predicted=tuple(dict.fromkeys((*example.predicted, *prompt.task.columns))))


def faults_of(task: Task[Any], example: Example) -> list[str]:
    """Return what keeps an annotation from being done, as it would be said to a person."""
    return [problem.message for problem in task.errors(example) if problem.level == "error"]
