"""``fewshot projects``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from annotate.cli.base import (
    Database,
    ProjectName,
    SuggestionOptions,
    export_language_model,
    open_project,
    reading,
    warn_of_strangers,
)
from annotate.exchange import defaults
from fewshot.cli.common.base import Clitics, Lang, ModelName, Paragraphs, Segment, app, command, console, drop_unset
from fewshot.errors import FewshotError, counted
from fewshot.options import DATA, DRAWS, MACHINE

SUGGESTIONS, PEOPLE = "Suggestions", "People"
"""Panels of ``--help``."""

projects_app = typer.Typer(help="Projects of the annotation app.", no_args_is_help=True)
app.add_typer(projects_app, name="projects")

Files = Annotated[
    list[str],
    typer.Argument(help="Files; or one folder, sample, ud, or a treebank such as UD_Wolof-WTB.", show_default=False),
]
LeaveOut = Annotated[bool, typer.Option("--leave-out", help="Leave out bad rows and read the others.")]


@command(projects_app, "list", example="fewshot projects list")
def show(
    archived: Annotated[bool, typer.Option("--archived", help="List the archived projects.")] = False,
    db: Database = None,
) -> None:
    """List the projects and their progress."""
    from annotate.store import REVIEW, Store

    store = Store.open(db)
    table = Table("", "project", "language", "tasks", "pool", "done", box=None, header_style="dim")
    for project in store.projects(archived=archived):
        rows = [row for row in store.progress(project.id) if row.purpose != REVIEW]
        done = f"{sum(row.done for row in rows)} of {sum(row.total for row in rows)}"
        pool = f"{project.pool_size:,}"
        table.add_row(str(project.id), project.name, project.lang, ", ".join(project.tasks), pool, done)
    empty = (
        "no project is archived" if archived else "no project yet; create one with fewshot projects new or fewshot app"
    )
    console().print(table if table.row_count else empty)


@command(
    projects_app,
    example="fewshot projects new story.txt --name wolof --lang wo --task pos,dep",
    panels={
        DRAWS: "sampler whole test_size shortest longest seed",
        DATA: "test hide labels nested segment clitics paragraphs leave_out level",
        SUGGESTIONS: "suggest suggester learn blind_share encoder source_model",
        PEOPLE: "people double_share wage currency",
        MACHINE: "worker db",
    },
)
def new(  # noqa: PLR0913
    files: Files,
    name: Annotated[str, typer.Option(help="Name of the project.", show_default=False)],
    lang: Lang,
    task: Annotated[str, typer.Option(help="Tasks, comma-separated: pos,dep.")] = "pos",
    k: Annotated[int, typer.Option(help="Examples per draw.", min=1)] = defaults.K,
    sampler: Annotated[
        str | None, typer.Option(help="random, longest, entropy ...", show_default="random; ner: confused")
    ] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Assign the whole file in its order; its test set has no suggestions.")
    ] = False,
    test: Annotated[
        Path | None, typer.Option(help="File with the test set.", show_default="drawn from the files")
    ] = None,
    test_size: Annotated[
        int, typer.Option(help="Most examples to draw for the test set; at most half of all.", min=0)
    ] = defaults.TEST,
    shortest: Annotated[
        int | None, typer.Option(help="Fewest words of a drawn example, also in the test set.", show_default="3")
    ] = None,
    longest: Annotated[int | None, typer.Option(help="Most words of a drawn example.", show_default="50")] = None,
    hide: Annotated[
        bool | None,
        typer.Option(
            "--hide/--continue",
            help="Hide the labels of the files as gold, or let annotators continue them.",
            show_default="hidden if all have them",
        ),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(help="PER,KIN; with several tasks ner=PER,KIN; repeatable.", show_default="those of the files"),
    ] = None,
    people: Annotated[str, typer.Option(help="Annotators, comma-separated.", show_default="any annotator")] = "",
    nested: Annotated[bool, typer.Option("--nested", help="Allow entities inside other entities.")] = False,
    segment: Segment = "words",
    clitics: Clitics = "",
    paragraphs: Paragraphs = False,
    leave_out: LeaveOut = False,
    suggest: Annotated[bool, typer.Option(help="Let a model suggest labels for the first round.")] = True,
    suggester: Annotated[
        str, typer.Option(help="Source of the suggestions: encoder, llm, or both.")
    ] = defaults.SUGGESTER,
    learn: Annotated[
        bool, typer.Option(help="Let a model learn from each finished item during annotation.")
    ] = defaults.LEARNS,
    worker: Annotated[bool, typer.Option("--worker", help="Run no jobs here; fewshot worker runs them.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of draws and assignments.")] = defaults.SEED,
    blind_share: Annotated[
        float, typer.Option(help="Share of the shots without suggestions.", min=0, max=1)
    ] = defaults.BLIND_SHARE,
    double_share: Annotated[
        float, typer.Option(help="Share of the shots that two people annotate.", min=0, max=1)
    ] = defaults.DOUBLE_SHARE,
    wage: Annotated[float | None, typer.Option(help="Wage per hour.", min=0, show_default="by task")] = None,
    currency: Annotated[str, typer.Option(help="Currency of the wage.")] = defaults.CURRENCIES[0],
    level: Annotated[int, typer.Option(help="Level of UD's validator.", min=2, max=3)] = defaults.LEVEL,
    encoder: ModelName = defaults.ENCODER,
    source_model: Annotated[
        str,
        typer.Option(
            help="Source model to continue: auto (highest-ranked language), or languages: fi or en,fi.",
            show_default="the newest",
        ),
    ] = "",
    db: Database = None,
    *,
    suggesting: SuggestionOptions,
) -> None:
    """Create a project from files and draw its first round, like the form of the app."""
    from annotate.exchange import pool, project_data, projects
    from annotate.store import Store
    from annotate.worker.queue import JOBS_ELSEWHERE
    from fewshot.corpora.segmentation import Segmentation

    names = projects.separated(task)
    made = projects.settings(
        name, lang, names, labels=_labels(labels or [], names), k=k, seed=seed, blind_share=blind_share,
        double_share=double_share, currency=currency, level=level, encoder=encoder, suggester=suggester,
        source_model=source_model, learns=learn, nested=nested, **drop_unset(sampler=sampler, wage=wage),
    )  # fmt: skip
    if suggester != defaults.SUGGESTER and not (suggesting.llm or worker):
        raise FewshotError(f"--suggester {suggester}: choose a language model with --llm, or run jobs with --worker")
    export_language_model(suggesting)
    segmentation = Segmentation(segment, clitics, paragraphs)
    with reading(leave_out) as report:
        data = project_data.find(files, lang, names, segmentation, str(test) if test else None, report)
        data = data.flat(report) if project_data.refuses_nested(names, nested) else data
        taken = project_data.take(data, names, test_size, seed, shortest, longest, whole)
    if worker:
        os.environ[JOBS_ELSEWHERE] = "1"
    store, screen, annotators = Store.open(db), console(), projects.separated(people)
    warn_of_strangers(store, annotators)
    project = projects.make(store, made, data, taken, annotators, suggest, hide)
    sizes = f"pool {counted(project.pool_size, project.kind)}, test set {project.test_size:,}"
    screen.print(f"project {project.id}, {project.name}: {sizes}{pool.left_out(taken.intake)}", soft_wrap=True)
    for fault in project_data.faults(taken):
        screen.print(fault, soft_wrap=True)
    drawn = len(store.drawn_examples(project.id))
    screen.print(f"{drawn} drawn by {project.sampler}" if drawn else f"a model reads the pool and draws {project.k}")


@command(projects_app, example="fewshot projects add wolof more.txt")
def add(
    project: ProjectName,
    files: Files,
    segment: Segment = "words",
    clitics: Clitics = "",
    paragraphs: Paragraphs = False,
    leave_out: LeaveOut = False,
    db: Database = None,
) -> None:
    """Add new examples from files to the pool of a project; the test set is unchanged."""
    from annotate.exchange import pool, project_data, projects
    from fewshot.corpora.segmentation import Segmentation

    store, target = open_project(project, db)
    segmentation = Segmentation(segment, clitics, paragraphs)
    with reading(leave_out) as report:
        data = project_data.find(files, target.lang, target.tasks, segmentation, report=report)
        data = data.flat(report) if project_data.refuses_nested(target.tasks, target.nested) else data
        taken = project_data.more(store, target, data)
    projects.add(store, target, data, taken)
    added = f"{counted(taken.intake.count.kept, target.kind)} added to {target.name}"
    console().print(f"{added}{pool.left_out(taken.intake, added=True)}", soft_wrap=True)


@command(projects_app, example="fewshot projects rename wolof wolof-stories")
def rename(
    project: ProjectName,
    name: Annotated[str, typer.Argument(help="The new name.", show_default=False)],
    db: Database = None,
) -> None:
    """Rename a project."""
    store, before = open_project(project, db)
    store.require_free_name(name, before)
    now = store.update_project(before.id, name=name)
    console().print(f"{before.name} is now named {now.name}", soft_wrap=True)


@command(projects_app, example="fewshot projects archive wolof")
def archive(project: ProjectName, db: Database = None) -> None:
    """Leave a project out of all lists; its data stay."""
    store, target = open_project(project, db)
    store.update_project(target.id, archived=True)
    console().print(
        f"{target.name} is archived; fewshot projects bring-back {target.id} lists it again", soft_wrap=True
    )


@command(projects_app, "bring-back", example="fewshot projects bring-back wolof")
def bring_back(project: ProjectName, db: Database = None) -> None:
    """List an archived project again."""
    store, target = open_project(project, db)
    store.update_project(target.id, archived=False)
    console().print(f"{target.name} is listed again", soft_wrap=True)


@command(projects_app, example="fewshot projects delete wolof --backup wolof.gz")
def delete(
    project: ProjectName,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    backup: Annotated[
        Path | None, typer.Option(help="File for the backup.", show_default="NAME-TIME.gz, in this folder")
    ] = None,
    no_backup: Annotated[bool, typer.Option("--no-backup", help="Write no backup.")] = False,
    db: Database = None,
) -> None:
    """Delete a project with all its annotations, after writing a backup."""
    from annotate.exchange import deletion, projects
    from annotate.store.backup import backup as write_backup

    if backup and no_backup:
        raise FewshotError("--backup and --no-backup contradict each other; use one of them")
    screen = console()
    store, target = open_project(project, db)
    screen.print(f"project {target.id}, {target.name}: {deletion.holdings(store, target)}", soft_wrap=True)
    if not yes and not typer.confirm("Delete all of it?"):
        raise FewshotError("nothing was deleted; to only hide a project, use fewshot projects archive")
    if not no_backup:
        file = backup or Path(f"{projects.file_name(target)}-{datetime.now():%Y%m%d-%H%M%S}.gz")
        if file.exists():
            raise FewshotError(f"{file}: the file exists; nothing was deleted: choose another --backup")
        write_backup(store, file, target.id)
        screen.print(f"the backup is in {file}; fewshot restore loads it into a new database", soft_wrap=True)
    deletion.delete(store, target)
    screen.print(f"{target.name} is deleted", soft_wrap=True)


def _labels(typed: Sequence[str], names: Sequence[str]) -> dict[str, list[str]]:
    """Return the labels given for each task, as ``ner=PER,KIN``; a single task needs no name."""
    from annotate.editing.labels import check
    from annotate.exchange.projects import separated

    labels: dict[str, list[str]] = {}
    for given_ in typed:
        task, equals, rest = given_.partition("=")
        if not (equals and task in names):
            if len(names) > 1:
                raise FewshotError(f"--labels {given_}: name the task, such as {names[0]}={given_}")
            task, rest = names[0], given_
        check(task, separated(rest))
        labels[task] = [*labels.get(task, []), *separated(rest)]
    return labels
