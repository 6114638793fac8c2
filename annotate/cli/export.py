"""``fewshot export``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotate.cli.base import Database, ProjectName, check_task, open_project
from fewshot.cli.common.base import app, command, console
from fewshot.errors import FewshotError, UnknownNameError, counted

if TYPE_CHECKING:
    from fewshot.corpora.formats import Format


@command(app, example="fewshot export wolof --to conllu --out wolof.conllu")
def export(
    project: ProjectName,
    to: Annotated[
        str,
        typer.Option(help="Format: conllu, bio, jsonl, squad ...; or remarks (comments).", show_default=False),
    ],
    out: Annotated[Path, typer.Option(help="The file to write.", show_default=False)],
    task: Annotated[
        str | None, typer.Option(help="Tasks, comma-separated: pos,dep.", show_default="those of the project")
    ] = None,
    annotator: Annotated[str | None, typer.Option(help="Only this person's annotations.", show_default="gold")] = None,
    part: Annotated[str, typer.Option(help="annotated, all (everything imported), shots, or test.")] = "annotated",
    as_it_is: Annotated[
        bool, typer.Option("--as-it-is", help="Export begun annotation too, marked as begun, not finished only.")
    ] = False,
    db: Database = None,
) -> None:
    """Write the annotations of a project in a standard format."""
    from annotate.exchange import remarks
    from annotate.exchange.exporting import PARTS, annotators, export_annotations
    from annotate.exchange.projects import separated
    from fewshot import tasks
    from fewshot.corpora import formats, nested
    from fewshot.corpora.files import write_text

    store, origin = open_project(project, db)
    screen = console()
    if to == remarks.FORMAT:
        text, count = remarks.table(store, origin)
        write_text(out, text)
        screen.print(f"{count} flags and comments are in {out}", soft_wrap=True)
        return
    names = separated(task) if task else list(origin.tasks)
    for name in names:
        check_task(origin, name)
    if part not in PARTS:
        raise UnknownNameError("part", part, PARTS)
    people = annotators(store, origin, as_it_is)
    if annotator is not None and annotator not in people:
        raise UnknownNameError("annotator with such work", annotator, people)
    gold = export_annotations(store, origin, names, annotator, part, as_it_is)
    if not gold.examples:
        wanted = "begun or finished" if as_it_is else "finished"
        raise FewshotError(f"{origin.name} has no {wanted} annotations of {', '.join(names)} yet")
    examples = gold.held_by(to)
    formats.export(examples, [tasks.get(name) for name in names], to, out)
    screen.print(f"wrote {counted(len(examples), origin.kind)} to {out}", soft_wrap=True)
    if inner := gold.inner(to):
        screen.print(nested.left_out(formats.FORMATS[to], inner), soft_wrap=True)
    if gold.disputed:
        left = "open" if part == "all" else "out"
        screen.print(f"{gold.disputed} in dispute are left {left}; decide them on the Review page of the app")
    if gold.begun:
        screen.print(f"{gold.begun} are {_begun(formats.FORMATS[to], as_it_is)}", soft_wrap=True)


def _begun(format_: Format, as_it_is: bool) -> str:
    if not as_it_is:
        return "begun and not in the file; export them too with --as-it-is"
    place = f"begun; {format_.title} has no place for the mark, so they look finished"
    return "marked as begun" if format_.marks_begun else place
