"""``fewshot projects``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from annotate.cli.base import Database, ProjectName, Suggesting, find_project, reading, tell_language_model
from annotate.exchange import defaults
from fewshot.cli.common.base import Clitics, Lang, ModelName, Paragraphs, Segment, app, command, console, drop_unset
from fewshot.errors import FewshotError

projects_app = typer.Typer(help="Projects of the annotation app.", no_args_is_help=True)
app.add_typer(projects_app, name="projects")

Files = Annotated[
    list[str],
    typer.Argument(help="Files; or one folder, sample, ud, or a treebank such as UD_Wolof-WTB.", show_default=False),
]
LeaveOut = Annotated[bool, typer.Option("--leave-out", help="Leave bad rows out, and go on with the others.")]


@command(projects_app, "list")
def show(
    archived: Annotated[bool, typer.Option("--archived", help="Those that are archived.")] = False,
    db: Database = None,
) -> None:
    """List the projects, and how far they are."""
    from annotate.store import REVIEW, Store

    store = Store.open(db)
    table = Table("", "project", "language", "tasks", "pool", "done", box=None, header_style="dim")
    for project in store.projects(archived=archived):
        rows = [row for row in store.progress(project.id) if row.purpose != REVIEW]
        done = f"{sum(row.done for row in rows)} of {sum(row.total for row in rows)}"
        pool = f"{project.pool_size:,}"
        table.add_row(str(project.id), project.name, project.lang, ", ".join(project.tasks), pool, done)
    none = "no project is archived" if archived else "no project yet: fewshot projects new, or fewshot app, makes one"
    console().print(table if table.row_count else none)


@command(projects_app)
def new(  # noqa: PLR0913
    files: Files,
    name: Annotated[str, typer.Option(help="Name of the project.", show_default=False)],
    lang: Lang,
    task: Annotated[str, typer.Option(help="Tasks, with commas: pos,dep.")] = "pos",
    k: Annotated[int, typer.Option(help="Examples that are drawn at once.", min=1)] = defaults.K,
    sampler: Annotated[
        str | None, typer.Option(help="random, longest, entropy ...", show_default="random; ner: confused")
    ] = None,
    test: Annotated[
        Path | None, typer.Option(help="File with the test set.", show_default="drawn from the files")
    ] = None,
    test_size: Annotated[
        int, typer.Option(help="Most examples that are drawn for the test set; at most half.", min=0)
    ] = defaults.TEST,
    shortest: Annotated[
        int | None, typer.Option(help="Fewest words of what is drawn, also for the test set.", show_default="3")
    ] = None,
    longest: Annotated[int | None, typer.Option(help="Most words, likewise.", show_default="50")] = None,
    hide: Annotated[
        bool | None,
        typer.Option(
            "--hide/--continue",
            help="Labels of the files are gold to be hidden, or are continued.",
            show_default="hidden if all have them",
        ),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(help="PER,KIN; of several tasks ner=PER,KIN; repeatable.", show_default="those of the files"),
    ] = None,
    people: Annotated[str, typer.Option(help="Annotators, with commas.", show_default="whoever comes first")] = "",
    segment: Segment = "words",
    clitics: Clitics = "",
    paragraphs: Paragraphs = False,
    leave_out: LeaveOut = False,
    suggest: Annotated[bool, typer.Option(help="Let a model suggest labels for the first round.")] = True,
    suggester: Annotated[
        str, typer.Option(help="Whose suggestions are shown: encoder, llm, or both.")
    ] = defaults.SUGGESTER,
    learn: Annotated[
        bool, typer.Option(help="Let the encoder's model learn from each finished item while people annotate.")
    ] = defaults.LEARNS,
    worker: Annotated[bool, typer.Option("--worker", help="Leave computing to fewshot worker.")] = False,
    seed: Annotated[int, typer.Option(help="Of draws and assignments.")] = defaults.SEED,
    blind_share: Annotated[
        float, typer.Option(help="Share of the shots that shows no suggestions.", min=0, max=1)
    ] = defaults.BLIND_SHARE,
    double_share: Annotated[
        float, typer.Option(help="Share that two people annotate.", min=0, max=1)
    ] = defaults.DOUBLE_SHARE,
    wage: Annotated[float | None, typer.Option(help="An hour.", min=0, show_default="by task")] = None,
    currency: Annotated[str, typer.Option(help="Of the wage.")] = defaults.CURRENCIES[0],
    level: Annotated[int, typer.Option(help="Level of UD's validator.", min=2, max=3)] = defaults.LEVEL,
    encoder: ModelName = defaults.ENCODER,
    source_model: Annotated[
        str,
        typer.Option(
            help="The source model that is continued: auto (of the language ranked first), or languages: fi or en,fi.",
            show_default="the newest",
        ),
    ] = "",
    db: Database = None,
    *,
    suggesting: Suggesting,
) -> None:
    """Make a project of files and draw its first round, as the form of the app does."""
    from annotate.exchange import projects
    from annotate.store import Store
    from annotate.worker.queue import ELSEWHERE
    from fewshot.corpora.segmentation import Segmentation

    names = projects.separated(task)
    made = projects.settings(
        name, lang, names, labels=_labels(labels or [], names), k=k, seed=seed, blind_share=blind_share,
        double_share=double_share, currency=currency, level=level, encoder=encoder, suggester=suggester,
        source_model=source_model, learns=learn, **drop_unset(sampler=sampler, wage=wage),
    )  # fmt: skip
    if suggester != defaults.SUGGESTER and not (suggesting.llm or worker):
        raise FewshotError(f"--suggester {suggester}: name the language model with --llm, or leave it to a --worker")
    tell_language_model(suggesting)
    how = Segmentation(segment, clitics, paragraphs)
    with reading(leave_out) as report:
        data = projects.find(files, lang, names, how, str(test) if test else None, report)
        taken = projects.take(data, names, test_size, seed, shortest, longest)
    if worker:
        os.environ[ELSEWHERE] = "1"
    store, screen = Store.open(db), console()
    project = projects.make(store, made, data, taken, projects.separated(people), suggest, hide)
    sizes = f"pool {project.pool_size:,} {project.kind}, test set {project.test_size:,}"
    screen.print(
        f"project {project.id}, {project.name}: {sizes}{projects.left_out(taken.intake.count)}", soft_wrap=True
    )
    for fault in projects.faults(taken):
        screen.print(fault, soft_wrap=True)
    drawn = len(store.drawn_examples(project.id))
    screen.print(f"{drawn} drawn by {project.sampler}" if drawn else f"a model reads the pool and draws {project.k}")


@command(projects_app)
def add(
    project: ProjectName,
    files: Files,
    segment: Segment = "words",
    clitics: Clitics = "",
    paragraphs: Paragraphs = False,
    leave_out: LeaveOut = False,
    db: Database = None,
) -> None:
    """Add files to the pool of a project: what it does not have yet. Its test set stays as it is."""
    from annotate.exchange import projects
    from annotate.store import Store
    from fewshot.corpora.segmentation import Segmentation

    store = Store.open(db)
    target = find_project(store, project)
    how = Segmentation(segment, clitics, paragraphs)
    with reading(leave_out) as report:
        data = projects.find(files, target.lang, target.tasks, how, report=report)
        taken = projects.more(store, target, data)
    projects.add(store, target, data, taken)
    added = f"{taken.intake.count.kept:,} {target.kind} added to {target.name}"
    console().print(f"{added}{projects.left_out(taken.intake.count)}", soft_wrap=True)


@command(projects_app)
def recordings(
    project: ProjectName,
    files: Annotated[
        list[Path] | None, typer.Argument(help="Sounds: wav, mp3, ogg, m4a, flac.", show_default=False)
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option(help="Name of one that is removed; repeatable.", show_default=False)
    ] = None,
    db: Database = None,
) -> None:
    """Keep the recordings in which the sentences of a project are heard, and say which are missing.

    To be run on the machine of the app, by its user: they are kept beside the database, or, of PostgreSQL, in the
    folder of that user.
    """
    from annotate.exchange import recordings
    from annotate.store import Store
    from fewshot.corpora.files import readable

    store, screen = Store.open(db), console()
    target = find_project(store, project)
    for name in remove or ():
        recordings.remove(store, target, name)
    for file in files or ():
        with readable(file), file.open("rb") as sound:
            recordings.add(store, target, file.name, sound)
    kept = recordings.kept(store, target)
    found = recordings.coverage(store.count_recordings(target.id), kept)
    screen.print(f"{len(kept):,} recordings in {recordings.folder(store, target)}", soft_wrap=True)
    screen.print(f"{found.heard:,} of {found.named:,} sentences that name a recording can be heard")
    for name, count in found.missing.items():
        screen.print(f"  missing: {name} ({count:,} sentence{'' if count == 1 else 's'})", soft_wrap=True)


@command(projects_app)
def rename(
    project: ProjectName,
    name: Annotated[str, typer.Argument(help="What it is called from now on.", show_default=False)],
    db: Database = None,
) -> None:
    """Give a project another name."""
    from annotate.store import Store

    store = Store.open(db)
    before = find_project(store, project)
    now = store.update_project(before.id, name=name)
    console().print(f"{before.name} is called {now.name} now", soft_wrap=True)


@command(projects_app)
def archive(project: ProjectName, db: Database = None) -> None:
    """Leave a project out of all lists; its data stay, and it can be brought back."""
    from annotate.store import Store

    store = Store.open(db)
    target = find_project(store, project)
    store.update_project(target.id, archived=True)
    console().print(
        f"{target.name} is archived; fewshot projects bring-back {target.id} lists it again", soft_wrap=True
    )


@command(projects_app, "bring-back")
def bring_back(project: ProjectName, db: Database = None) -> None:
    """List a project again that was archived."""
    from annotate.store import Store

    store = Store.open(db)
    target = find_project(store, project)
    store.update_project(target.id, archived=False)
    console().print(f"{target.name} is listed again", soft_wrap=True)


@command(projects_app)
def delete(
    project: ProjectName,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    backup: Annotated[
        Path | None, typer.Option(help="File for what is deleted.", show_default="NAME-TIME.gz, in this folder")
    ] = None,
    no_backup: Annotated[bool, typer.Option("--no-backup", help="Write no backup.")] = False,
    db: Database = None,
) -> None:
    """Delete a project with all its annotations, for good; a backup of it is written before."""
    from annotate.exchange import deletion, projects
    from annotate.store import Store
    from annotate.store.backup import backup as write_backup

    if backup and no_backup:
        raise FewshotError("--backup and --no-backup contradict each other; give one of them")
    store, screen = Store.open(db), console()
    target = find_project(store, project)
    screen.print(f"project {target.id}, {target.name}: {deletion.holdings(store, target)}", soft_wrap=True)
    if not yes and not typer.confirm("Delete all of it?"):
        raise FewshotError("nothing was deleted; fewshot projects archive only leaves it out of lists")
    if not no_backup:
        file = backup or Path(f"{projects.file_name(target)}-{datetime.now():%Y%m%d-%H%M%S}.gz")
        if file.exists():
            raise FewshotError(f"{file}: there is such a file; nothing was deleted: give another --backup")
        write_backup(store, file, target.id)
        screen.print(f"a backup is in {file}; fewshot restore puts it into a new database", soft_wrap=True)
    deletion.delete(store, target)
    screen.print(f"{target.name} is deleted", soft_wrap=True)


def _labels(typed: Sequence[str], names: Sequence[str]) -> dict[str, list[str]]:
    """Return the labels of each task that were typed, as ``ner=PER,KIN``; a single task need not be named."""
    from annotate.editing.labels import check
    from annotate.exchange.projects import separated

    found: dict[str, list[str]] = {}
    for given_ in typed:
        task, equals, rest = given_.partition("=")
        if not (equals and task in names):
            if len(names) > 1:
                raise FewshotError(f"--labels {given_}: say of which task, such as {names[0]}={given_}")
            task, rest = names[0], given_
        check(task, separated(rest))
        found[task] = [*found.get(task, []), *separated(rest)]
    return found
