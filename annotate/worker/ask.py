"""Suggestions of the language model that the operator has named, for the items of a project that nobody has begun.

Args of the job, not needed: ``tasks``, by default all of the project; ``device``, by which computing here is priced.

The model is told the project's guidelines, its labels and the newest confirmed shots. Of the test set nothing is sent:
neither its items nor shots that share a text with it. Every answer is kept on this machine, see
`fewshot.llm.AnswerCache`, so that a job that was stopped, or whose server died, goes on where it was.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from annotate.editing import content, uploaded
from annotate.quality import gold
from annotate.store import LLM, SHOTS, SUGGESTERS, Job, Project, Store
from annotate.worker import files, settings
from fewshot import tasks
from fewshot.corpora.tokenization.repair import separated
from fewshot.costs.prices import REMOTE
from fewshot.curves import journal
from fewshot.errors import FewshotError
from fewshot.experiments.executors.place import Place
from fewshot.experiments.plan import digest
from fewshot.experiments.plan_file import language_name
from fewshot.llm import Answer, AnswerCache, Client, Prompt, annotate_all
from fewshot.llm.cache import ANSWERS, CapReachedError
from fewshot.progress import Progress, Report

SHOWN = 10
"""Most confirmed examples in a prompt: the newest ones."""

CHUNK = 16
"""Items that are asked about in one go: then it is looked again which of them somebody has begun meanwhile."""

AT_ONCE = 4
"""Questions under way; as many answers may go beyond the cap."""

EVERY = 1.0
"""Seconds after which a job that waits for a busy server looks whether it is still wanted."""


@dataclass(slots=True)
class Count:
    """Items that got a suggestion so far, and those of which no answer could be used."""

    suggested: int = 0
    refused: int = 0


class Teller:
    """Tells how far a job is, and can say so again, which raises where nobody waits for it any more."""

    def __init__(self, report: Report) -> None:
        self.report, self.last = report, Progress(0, 1, "asking")

    def tell(self, now: Progress) -> None:
        """Say how far it is."""
        self.last = now
        self.report(now)

    def again(self) -> None:
        """Say once more how far it is."""
        self.report(self.last)


def run(store: Store, job: Job, report: Report, place: Place) -> str:
    """Store a suggestion for each item that nobody has begun and that has none to the prompt as it is now.

    Returns:
        What came of it, and what the answers in this project have cost.

    Raises:
        FewshotError: when no language model is named here, its server does not answer, or as much is spent as may be;
            what was answered by then is stored.
    """
    model = settings.language_model()
    if model is None:
        raise FewshotError("no language model is named here; start fewshot app, or fewshot worker, with --llm MODEL")
    project, teller, count = store.project(job.project_id), Teller(report), Count()
    if not _is_wanted(store, project):
        return "the project shows no suggestions of a language model any more"
    names = job.args.get("tasks", project.tasks)
    with _answers(project, model, teller.again, place) as answers:
        try:
            for number, task in enumerate(names):
                for done, total in _ask(store, project, task, answers, count):
                    doing = f"{task}: {model.server.model}, {done} of {total}"
                    teller.tell(Progress(number + done / max(total, 1), len(names), doing))
        except CapReachedError:
            raise FewshotError(
                f"${answers.spent:.2f} of ${model.cap:g} are spent on {model.server.model} in this project; what was "
                "answered is kept: with a higher --llm-cap, start it again, and it goes on "
                f"({count.suggested} suggested)"
            ) from None
    spent = f"${answers.spent:.4f} of ${model.cap:g} spent on it in this project"
    return f"{model.server.model}: {count.suggested} suggested, {count.refused} refused; {spent}"


@contextmanager
def _answers(
    project: Project, model: settings.LanguageModel, again: Callable[[], None], place: Place
) -> Iterator[AnswerCache]:
    """Hold the answers of a model in a project, and yield whoever gives those that are missing.

    Args:
        again: called while a busy server is waited for, see `Teller.again`.
    """
    device = place.device.type if model.server.is_here else REMOTE
    rates = settings.rates()
    folder = files.answers(project) / digest([model.server.url, model.server.model])

    def price(answer: Answer) -> float:
        tokens = answer.input_tokens, answer.output_tokens
        return rates.price_answers(model.server.model, device, *tokens, answer.seconds)

    with journal.lock_folder(folder), closing(Client(model.server, model.timeout)) as client:
        stopped_within = client.wait

        def wait(seconds: float) -> None:
            for _ in range(math.ceil(seconds / EVERY)):
                again()
                if stopped_within(EVERY):
                    return

        client.wait = wait
        yield AnswerCache(folder / ANSWERS, client, price, model.cap)


def _ask(store: Store, project: Project, task: str, answers: AnswerCache, count: Count) -> Iterator[tuple[int, int]]:
    """Ask for what is missing in a task, store it as it comes, and yield how many items of how many are done.

    Of blind items a suggestion is not shown, but stands for what the model would have proposed.
    """
    wanted = _not_begun(store, project, task)  # in the order in which people get them
    prompt = Prompt(
        tasks.get(task, project.labels.get(task)),
        language_name(project.lang),
        project.guidelines,
        _shots(store, project, task, wanted),
    )
    title = f"{task} {answers.client.server.model} {digest([prompt.fingerprint, prompt.before])}"
    stored = {key for key, one in store.suggestions_of(project.id, task, LLM).items() if one.model == title}
    missing = [key for key in wanted if key not in stored]
    yield 0, len(missing)
    for start in range(0, len(missing), CHUNK):
        if not _is_wanted(store, project):
            return
        now = set(_not_begun(store, project, task))
        keys = [key for key in missing[start : start + CHUNK] if key in now]
        contents = {row.id: content.from_json(row.content) for row in store.examples(project.id, ids=keys)}
        examples = [uploaded.shown(project, contents[key]) for key in keys]
        coming = annotate_all(prompt, examples, answers.ask, AT_ONCE, answers.client.stop)
        with closing(coming):  # before the answers are let go of
            for done, (key, reply) in enumerate(zip(keys, coming, strict=True), start=start + 1):
                if reply.example is None:
                    count.refused += 1
                else:
                    data = {"annotation": content.annotation_of(task, reply.example)}
                    store.add_suggestions([(key, task, title, data)], LLM)
                    count.suggested += 1
                yield done, len(missing)


def _is_wanted(store: Store, project: Project) -> bool:
    """Return whether the project shows suggestions of a language model: it may have changed since the job began."""
    return LLM in SUGGESTERS[store.project(project.id).suggester]


def _not_begun(store: Store, project: Project, task: str) -> list[int]:
    """Return the ids of the examples of shots that somebody has not begun, in the order of the items."""
    begun = store.newest_revisions(project.id, task)
    items = store.items(project.id, task=task, purpose=SHOTS)
    return list(dict.fromkeys(item.example_id for item in items if item.id not in begun))


def _shots(store: Store, project: Project, task: str, wanted: Collection[int]) -> list[Any]:
    """Return the newest confirmed shots, oldest first: but for what somebody is still to annotate by themselves."""
    found = gold.gold(store, project, task)
    drawn = {item.example_id for item in store.items(project.id, task=task, purpose=SHOTS)}
    confirmed = sorted((drawn & found.annotations.keys()).difference(wanted), key=found.revisions.__getitem__)
    came = {row.id: content.from_json(row.content) for row in store.examples(project.id, ids=confirmed)}
    test = [content.from_json(row.content) for row in store.examples(project.id, split="test")]
    tested = {part for example in separated(test) for part in example.parts}
    shots = []
    for key in confirmed:
        made = content.annotated(task, uploaded.shown(project, came[key]), dict(found.annotations[key]))
        sentences = separated([came[key], made])
        if tested.isdisjoint(part for example in (came[key], made, *sentences) for part in example.parts):
            shots.append(made)
    return shots[-SHOWN:]
