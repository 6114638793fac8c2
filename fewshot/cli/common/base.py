"""What all commands share: the groups, options with one meaning, the console, how bad input ends."""

from __future__ import annotations

import functools
import pkgutil
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points, version
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from fewshot.cli.common.groups import option, spread
from fewshot.cli.common.lines import Lines
from fewshot.cli.common.stopped import end_stopped
from fewshot.errors import FewshotError
from fewshot.options import Request, Where
from samplers import SamplerError

if TYPE_CHECKING:
    from rich.progress import TaskID

    from fewshot.corpora.ud.cache import FileProgress
    from fewshot.progress import Progress, Report

PLUGINS = "fewshot.commands"
"""Entry point group of modules of other packages that register commands too, see ``pyproject.toml``."""


class WithPlugins(TyperGroup):
    """The library's commands, and those of plugins as soon as the user asks for one that is not the library's.

    The annotation app and the studies of papers are built on the library and come with commands (``fewshot app``,
    ``fewshot analyze``). As plugins they are found without being named here: the library neither needs them, nor loads
    the app and its database to train or to predict.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return list(self._with_plugins)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, None where no package has it."""
        return super().get_command(ctx, cmd_name) or self._with_plugins.get(cmd_name)

    @functools.cached_property
    def _with_plugins(self) -> Mapping[str, Any]:
        for plugin in entry_points(group=PLUGINS):
            plugin.load()
        self.commands = typer.main.get_group(app).commands
        return self.commands


app = typer.Typer(
    cls=WithPlugins,
    help="How few sentences of my language must I annotate, which ones, and what will each point cost?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
data_app = typer.Typer(help="Treebanks of Universal Dependencies: list, download, check.", no_args_is_help=True)
app.add_typer(data_app, name="data")

GOES_ON = "what is done is kept, and the same command goes on from here"
FROM_CHECKPOINT = "the same command goes on from the last checkpoint, or begins again where there is none"
BAD_INPUT = 2

LOSS_EVERY = 1.0
"""Seconds between two readings of a loss for a bar: reading makes a GPU wait."""

F = TypeVar("F", bound=Callable[..., None])


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fewshot {version('fewshot')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version, then stop.")
    ] = False,
) -> None:
    """Options of no command."""


def doubted(code: str) -> str:
    """Say that a language code may be a slip; whoever has a code of their own goes on."""
    from fewshot.corpora.language_codes import check_code

    if said := check_code(code):
        console().print(f"warning: {said}", soft_wrap=True)
    return code


Lang = Annotated[str, typer.Option(help="Target language, e.g. ja.", show_default=False, callback=doubted)]
TaskName = option(Request, "task")
ModelName = option(Request, "model")
Rounds = option(Request, "rounds")
Method = option(Request, "method")
Pooling = option(Request, "pooling")
Regime = option(Request, "regime")
Updates = option(Request, "updates")
ModelNames = Annotated[
    list[str] | None, typer.Option(help="mini, a hub id, or a folder; repeatable.", show_default="mini")
]
Data = option(Request, "data")
Device = option(Where, "device")
Jobs = option(Where, "jobs")
Segment = Annotated[str, typer.Option(help="Words of raw text: words, spaces, characters or re:REGEX.")]
Clitics = Annotated[
    str, typer.Option(help="REGEX of what is a word of its own inside of others: \"'r|'n\".", show_default="none")
]
Paragraphs = Annotated[
    bool, typer.Option("--paragraphs", help="Lines of raw text are paragraphs: split them into sentences.")
]
CorpusFolder = Annotated[Path, typer.Option(help="Folder with mono/LANG.txt.xz.")]
DataFolders = Annotated[list[Path], typer.Option(help="Folder of folders such as it_isdt or wikiann_it; repeatable.")]
RatesFile = Annotated[Path | None, typer.Option(help="Your prices: a TOML file like data/rates.toml.")]


def discover(package: str, order: Sequence[str] = ()) -> None:
    """Import the modules of a package and of its sub-packages; each registers its commands.

    Args:
        package: its full name.
        order: modules whose commands are listed before the others', as ``run`` or ``data.get``.
    """
    for name in order:
        import_module(f"{package}.{name}")
    for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
        import_module(module.name)


def typed() -> str:
    """Return the command that the user gave."""
    return shlex.join(["fewshot", *sys.argv[1:]])


def given(**options: Any) -> dict[str, Any]:
    """Return the options that the user gave: those that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def console(stderr: bool = False) -> Console:
    """Return a console that prints what users named as it is, brackets too."""
    return Console(stderr=stderr, markup=False, highlight=False)


def command(group: typer.Typer, name: str | None = None, stopped: str = "nothing was changed") -> Callable[[F], F]:
    """Register a command; bad input ends it with one line and exit code 2.

    Args:
        group: where the command belongs.
        name: by default the function's.
        stopped: what is said of what is done when the user stops it.
    """

    def register(function: F) -> F:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> None:
            try:
                function(*args, **kwargs)
            except (FewshotError, SamplerError) as error:
                line = " ".join(str(error).split())
                console(stderr=True).print(Text.assemble(("error:", "bold red"), f" {line}"), soft_wrap=True)
                raise typer.Exit(BAD_INPUT) from None
            except KeyboardInterrupt:
                end_stopped(stopped)

        group.command(name)(spread(run))
        return function

    return register


@contextmanager
def progress_bar(console: Console, doing: str, clock: Callable[[], float] = monotonic) -> Iterator[Report]:
    """Show how far work is while it is done, and yield what is told of it.

    Args:
        console: where it is a terminal, it shows a bar, of which nothing is left afterwards; else it gets a line now
            and then, see `Lines`.
        doing: said until the work says what it does.
        clock: seconds, of any zero.
    """
    if console.is_interactive:
        with _bar(console, doing, clock) as report:
            yield report
    else:
        yield Lines(doing, functools.partial(console.print, soft_wrap=True), clock)


@contextmanager
def _bar(console: Console, doing: str, clock: Callable[[], float]) -> Iterator[Report]:
    from rich import progress

    times = (progress.TimeElapsedColumn(), progress.TimeRemainingColumn())
    texts = (progress.TextColumn("{task.description}"), progress.TextColumn("{task.fields[loss]}"))
    columns = (texts[0], progress.BarColumn(), progress.MofNCompleteColumn(), texts[1], *times)
    day = 24 * 3600.0  # the time that is left follows from all that was done, be a step longer than rich looks back
    with progress.Progress(*columns, console=console, transient=True, speed_estimate_period=day) as bars:
        row = bars.add_task(doing, total=None, loss="")
        read = -LOSS_EVERY

        def report(now: Progress) -> None:
            nonlocal read
            if now.loss is None:
                bars.update(row, loss="")
            elif clock() - read >= LOSS_EVERY:
                read = clock()
                bars.update(row, loss=f"loss {float(now.loss):.3f}")
            bars.update(row, description=now.doing or doing, completed=now.done, total=now.total or None)

        yield report


@contextmanager
def downloading(console: Console) -> Iterator[FileProgress]:
    """Yield a callback that keeps one bar a file; nothing is shown where nothing is downloaded."""
    from rich import progress

    columns = (progress.DownloadColumn(), progress.TransferSpeedColumn(), progress.TimeRemainingColumn())
    shown = (progress.TextColumn("{task.description}"), progress.BarColumn(), *columns)
    bars = progress.Progress(*shown, console=console, transient=True)
    rows: dict[str, TaskID] = {}

    def move(file: str, done: int, total: int | None) -> None:
        bars.start()
        if file not in rows:
            rows[file] = bars.add_task(file, total=total)
        bars.update(rows[file], completed=done, total=total)

    try:
        yield move
    finally:
        if rows:
            bars.stop()
