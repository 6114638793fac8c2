"""Shared parts of all commands: command groups, options, console and errors.

Groups of options (`fewshot.options`) become single options of the command line.
"""

from __future__ import annotations

import errno
import functools
import inspect
import pkgutil
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import MISSING, Field, fields, is_dataclass
from importlib import import_module
from importlib.metadata import entry_points, version
from inspect import Parameter
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from fewshot.cli import end_stopped
from fewshot.errors import FewshotError
from fewshot.options import MachineOptions, Request
from samplers import SamplerError

PLUGINS = "fewshot.commands"
"""Entry point group of modules in other packages that register commands, see ``pyproject.toml``."""


class PluginGroup(TyperGroup):
    """The library's commands, and those of plugins, which are loaded only when needed.

    The annotation app and the studies of papers build on the library and add commands (``fewshot app``, ``fewshot
    analyze``). As plugins they need no mention here, and training or prediction does not load the app and its database.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return list(self._with_plugins)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, or None if no package has it."""
        return super().get_command(ctx, cmd_name) or self._with_plugins.get(cmd_name)

    @functools.cached_property
    def _with_plugins(self) -> Mapping[str, Any]:
        for plugin in entry_points(group=PLUGINS):
            plugin.load()
        self.commands = typer.main.get_group(app).commands
        return self.commands


app = typer.Typer(
    cls=PluginGroup,
    help="How few sentences of my language must I annotate, which ones, and what will each point cost?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
data_app = typer.Typer(help="Treebanks of Universal Dependencies: list, download, check.", no_args_is_help=True)
app.add_typer(data_app, name="data")

RESUME_HINT = "finished work is kept; repeat the command to resume"
CHECKPOINT_HINT = "repeat the command to resume from the last checkpoint, or to start again if there is none"
BAD_INPUT_EXIT_CODE = 2

FILE_ERRORS = (errno.ENAMETOOLONG, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
"""Errors that no place reports itself: of names that no file system takes, and of a disk behind standard output."""

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
    """Define the options without a command."""


def warn_of_lang(code: str) -> str:
    """Print a warning if a language code may be a mistake, and return the code; refuse an empty one."""
    from fewshot.corpora.language_codes import check_code

    if not code.strip():
        raise typer.BadParameter("--lang is empty; give a language code, such as wo for Wolof")
    if said := check_code(code):
        console().print(f"warning: {said}", soft_wrap=True)
    return code


def option(group: type, name: str) -> Any:
    """Return the typer annotation of one option of a group."""
    return _annotated(group, next(field for field in fields(group) if field.name == name))


def _annotated(group: type, field: Field[Any]) -> Any:
    metadata = field.metadata
    option = typer.Option(
        *([metadata["flag"]] if metadata["flag"] else []),
        help=metadata["help"],
        min=metadata["minimum"],
        show_default=metadata["default_text"] or field.default is not MISSING,
        rich_help_panel=metadata["panel"] or None,
    )
    return Annotated[get_type_hints(group)[field.name], option]


Lang = Annotated[str, typer.Option(help="Target language, e.g. ja.", show_default=False, callback=warn_of_lang)]
TaskName = option(Request, "task")
ModelName = option(Request, "model")
Rounds = option(Request, "rounds")
Method = option(Request, "method")
Pooling = option(Request, "pooling")
Regime = option(Request, "regime")
Updates = option(Request, "updates")
ModelNames = Annotated[
    list[str] | None, typer.Option(help="Encoder: mini, a hub id, or a folder; repeatable.", show_default="mini")
]
Data = option(Request, "data")
Device = option(MachineOptions, "device")
Jobs = option(MachineOptions, "jobs")
Segment = Annotated[str, typer.Option(help="Segmentation of raw text: words, letters, spaces, characters or re:REGEX.")]
Clitics = Annotated[
    str, typer.Option(help="REGEX of clitics, which become separate words: \"'r|'n\".", show_default="none")
]
Paragraphs = Annotated[bool, typer.Option("--paragraphs", help="Split the lines of raw text into sentences.")]
CorpusFolder = Annotated[Path, typer.Option(help="Folder with mono/LANG.txt.xz.")]
FolderList = Annotated[list[Path], typer.Option(help="Folder of folders such as it_isdt or wikiann_it; repeatable.")]
RatesFile = Annotated[Path | None, typer.Option(help="TOML file of your prices, like data/rates.toml.")]
BillTest = Annotated[bool, typer.Option("--bill-test", help="Count the test set's labels in the bill.")]


def discover(package: str, order: Sequence[str] = ()) -> None:
    """Import the modules of a package and its subpackages, which register their commands.

    Args:
        order: modules to import first, such as ``run`` or ``data.get``.
    """
    for name in order:
        import_module(f"{package}.{name}")
    for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
        import_module(module.name)


def command_line() -> str:
    """Return the command that the user typed."""
    return shlex.join(["fewshot", *sys.argv[1:]])


def drop_unset(**options: Any) -> dict[str, Any]:
    """Return the options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def console(stderr: bool = False) -> Console:
    """Return a console that prints text unchanged, with its brackets and colons."""
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def command(
    group: typer.Typer,
    name: str | None = None,
    *,
    example: str,
    panels: Mapping[str, str] = MappingProxyType({}),
    stopped: str = "nothing was changed",
) -> Callable[[F], F]:
    """Register a command; an error ends it with one line and exit code 2.

    Args:
        name: name of the command; by default that of the function.
        example: commands to type, one a line, at the end of ``--help``.
        panels: for each panel of ``--help`` the names of options to move to it, separated by spaces; the options that
            a beginner needs stay at the top.
        stopped: message when the user stops the command.
    """

    def register(function: F) -> F:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> None:
            try:
                _check_numbers(kwargs)
                function(*args, **kwargs)
            except (FewshotError, SamplerError) as error:
                raise _end_with(str(error)) from None
            except OSError as error:
                if error.errno not in FILE_ERRORS:
                    raise
                place = str(error.filename or "the output")[:100]
                raise _end_with(f"{place}: {error.strerror}; correct the name or free some space") from None
            except KeyboardInterrupt:
                end_stopped(stopped)

        group.command(name, epilog=f"Example:\n{example}")(expand_groups(run, panels))
        return function

    return register


def _end_with(message: str) -> typer.Exit:
    """Print an error as one line; return the exception that ends the command."""
    line = " ".join(message.split())
    console(stderr=True).print(Text.assemble(("error:", "bold red"), f" {line}"), soft_wrap=True)
    return typer.Exit(BAD_INPUT_EXIT_CODE)


def expand_groups(function: Callable[..., None], panels: Mapping[str, str]) -> Callable[..., None]:
    """Return a function with the single options of the groups that a given function takes.

    Args:
        panels: for each panel of ``--help`` the names of the options to move to it, separated by spaces.
    """
    signature = inspect.signature(function, eval_str=True)
    annotations = {name: parameter.annotation for name, parameter in signature.parameters.items()}
    groups = {name: kind for name, kind in annotations.items() if is_dataclass(kind) and isinstance(kind, type)}

    @functools.wraps(function)
    def expanded(**options: Any) -> None:
        arguments = {
            name: group(**{field.name: options.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        function(**options, **arguments)

    parameters: dict[str, Parameter] = {}
    for name, parameter in signature.parameters.items():
        if name in groups:
            parameters |= {field.name: _parameter(groups[name], field) for field in fields(groups[name])}
        else:
            parameters[name] = parameter.replace(kind=Parameter.KEYWORD_ONLY)
    for panel, names in panels.items():
        parameters |= {name: _in_panel(parameters[name], panel) for name in names.split()}
    expanded.__signature__ = signature.replace(parameters=list(parameters.values()))  # type: ignore[attr-defined]
    return expanded


def _parameter(group: type, field: Field[Any]) -> Parameter:
    default = Parameter.empty if field.default is MISSING else field.default
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=_annotated(group, field))


def _in_panel(parameter: Parameter, panel: str) -> Parameter:
    kind, option = get_args(parameter.annotation)
    option = copy(option)  # commands share it
    option.rich_help_panel = panel
    return parameter.replace(annotation=Annotated[kind, option])


def _check_numbers(options: Mapping[str, Any]) -> None:
    """Refuse what no range excludes: not a number, infinite numbers, and whole ones that no seed can be."""
    for name, value in options.items():
        if is_dataclass(value):
            _check_numbers({field.name: getattr(value, field.name) for field in fields(value)})
        elif isinstance(value, float) and not isfinite(value):
            raise FewshotError(f"--{name.replace('_', '-')} {value} is not a finite number; give one such as 0.5")
        elif isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
            raise FewshotError(f"--{name.replace('_', '-')} {str(value)[:30]} is too large a number")
