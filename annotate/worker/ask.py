"""Suggestions of the configured language model for the items of a project that nobody has begun.

Optional args of the job: ``tasks``, default: all of the project; ``device``, for the price of a local server.

The prompt has the project's guidelines, its labels and the newest confirmed shots. Nothing of the test set is sent,
neither its items nor shots that share a text with it. All answers are stored on this machine, see
`fewshot.llm.AnswerCache`, so that an interrupted job continues where it stopped.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from typing import Any

from annotate.editing import content, uploaded
from annotate.quality import gold
from annotate.store import LLM, SHOTS, SUGGESTERS, Job, Project, Store
from annotate.worker import files, settings
from fewshot import tasks
from fewshot.corpora.tokenization.sentences import separated
from fewshot.corpora.ud.treebanks import language_name
from fewshot.costs.prices import REMOTE
from fewshot.curves import journal
from fewshot.errors import FewshotError
from fewshot.experiments.executors.place import Place
from fewshot.experiments.plan import digest
from fewshot.llm import AnswerCache, Client, LlmAnswer, Prompt, annotate_all
from fewshot.llm.cache import ANSWERS, CapReachedError
from fewshot.progress import Progress, Report

MAX_PROMPT_EXAMPLES = 10
"""The newest confirmed examples are used."""

BATCH_ITEMS = 16
"""Items requested before checking again which items somebody has begun."""

MAX_OPEN_REQUESTS = 4
"""Concurrent requests; the cost can exceed the cap by this many answers."""

POLL_SECONDS = 1.0
"""Seconds after which a job that waits for a busy server checks whether it was cancelled."""


def run(store: Store, job: Job, report: Report, place: Place) -> str:
    """Store a suggestion for each item that nobody has begun and that has none for the current prompt.

    Returns:
        The numbers of suggested and refused items, and the cost of all answers in this project.

    Raises:
        FewshotError: when no language model is configured, its server does not answer, or the cap is reached; the
            answers so far are stored.
    """
    model = settings.language_model()
    if model is None:
        raise FewshotError("no language model is configured; start fewshot app or fewshot worker with --llm MODEL")
    project, count, last = store.project(job.project_id), Counter[str](), Progress(0, 1, "asking")
    if not _is_wanted(store, project):
        return "the project no longer shows suggestions of a language model"
    names = job.args.get("tasks", project.tasks)
    with _answers(project, model, lambda: report(last), place) as answers:
        try:
            for number, task in enumerate(names):
                for done, total in _ask(store, project, task, answers, count):
                    doing = f"{task}: {model.server.model}, {done} of {total}"
                    last = Progress(number + done / max(total, 1), len(names), doing)
                    report(last)
        except CapReachedError:
            raise FewshotError(
                f"${answers.spent:.2f} of ${model.cap:g} are spent on {model.server.model} in this project; all "
                "answers are stored: start the job again with a higher --llm-cap to continue "
                f"({count['suggested']} suggested)"
            ) from None
    spent = f"${answers.spent:.4f} of ${model.cap:g} spent on it in this project"
    return f"{model.server.model}: {count['suggested']} suggested, {count['refused']} refused; {spent}"


@contextmanager
def _answers(
    project: Project, model: settings.LanguageModelSettings, repeat: Callable[[], None], place: Place
) -> Iterator[AnswerCache]:
    """Open the stored answers of a model.

    Args:
        repeat: repeats the last report, which raises if the job was cancelled; called while the server is busy.
    """
    device = place.device.type if model.server.is_here else REMOTE
    rates = settings.rates()
    folder = files.answers(project) / digest([model.server.url, model.server.model])

    def price(answer: LlmAnswer) -> float:
        tokens = answer.input_tokens, answer.output_tokens
        return rates.price_answers(model.server.model, device, *tokens, answer.seconds)

    with journal.lock_folder(folder), closing(Client(model.server, model.timeout)) as client:
        wait_or_stop = client.wait

        def wait(seconds: float) -> None:
            for _ in range(math.ceil(seconds / POLL_SECONDS)):
                repeat()
                if wait_or_stop(POLL_SECONDS):
                    return

        client.wait = wait
        yield AnswerCache(folder / ANSWERS, client, price, model.cap)


def _ask(
    store: Store, project: Project, task: str, answers: AnswerCache, count: Counter[str]
) -> Iterator[tuple[int, int]]:
    """Store the missing suggestions of a task as they arrive and yield (items done, all missing items).

    Suggestions for blind items are stored for later comparison, but not shown.
    """
    wanted = _not_begun(store, project, task)  # in the order in which people get them
    prompt = Prompt(
        tasks.get(task, project.labels.get(task)),
        language_name(project.lang),
        project.guidelines,
        _shots(store, project, task, wanted),
    )
    title = f"{task} {answers.client.server.model} {digest([prompt.fingerprint, prompt.before])}"
    stored = {key for key, made in store.suggestions_of(project.id, task, LLM).items() if made.model == title}
    missing = [key for key in wanted if key not in stored]
    yield 0, len(missing)
    for start in range(0, len(missing), BATCH_ITEMS):
        if not _is_wanted(store, project):
            return
        open_now = set(_not_begun(store, project, task))
        keys = [key for key in missing[start : start + BATCH_ITEMS] if key in open_now]
        contents = {row.id: content.from_json(row.content) for row in store.examples(project.id, ids=keys)}
        examples = [uploaded.shown(project, contents[key]) for key in keys]
        coming = annotate_all(prompt, examples, answers.ask, MAX_OPEN_REQUESTS, answers.client.stop)
        with closing(coming):  # before the cache closes
            for done, (key, reply) in enumerate(zip(keys, coming, strict=True), start=start + 1):
                if reply.example is None:
                    count["refused"] += 1
                else:
                    data = {"annotation": content.annotation_of(task, reply.example)}
                    store.add_suggestions([(key, task, title, data)], LLM)
                    count["suggested"] += 1
                yield done, len(missing)


def _is_wanted(store: Store, project: Project) -> bool:
    return LLM in SUGGESTERS[store.project(project.id).suggester]


def _not_begun(store: Store, project: Project, task: str) -> list[int]:
    """Return the example ids of the shots that nobody has begun, in the order of the items."""
    begun = store.newest_revisions(project.id, task)
    items = store.items(project.id, task=task, purpose=SHOTS)
    return list(dict.fromkeys(item.example_id for item in items if item.id not in begun))


def _shots(store: Store, project: Project, task: str, excluded: Collection[int]) -> list[Any]:
    """Return the newest confirmed shots, oldest first, without test texts and without `excluded` examples."""
    annotated = gold.gold(store, project, task)
    drawn = {item.example_id for item in store.items(project.id, task=task, purpose=SHOTS)}
    confirmed = sorted((drawn & annotated.annotations.keys()).difference(excluded), key=annotated.revisions.__getitem__)
    imported = {row.id: content.from_json(row.content) for row in store.examples(project.id, ids=confirmed)}
    test = [content.from_json(row.content) for row in store.examples(project.id, split="test")]
    tested = {part for example in separated(test) for part in example.parts}
    shots = []
    for key in confirmed:
        shot = content.annotated(task, uploaded.shown(project, imported[key]), dict(annotated.annotations[key]))
        sentences = separated([imported[key], shot])
        if tested.isdisjoint(part for example in (imported[key], shot, *sentences) for part in example.parts):
            shots.append(shot)
    return shots[-MAX_PROMPT_EXAMPLES:]
