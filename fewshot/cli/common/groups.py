"""Command-line options generated from the groups of `fewshot.options`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from inspect import Parameter
from typing import Annotated, Any, get_args, get_type_hints

import typer


def option(group: type, name: str) -> Any:
    """Return the typer annotation of one option of a group."""
    return _annotated(group, next(field for field in fields(group) if field.name == name))


def expand_groups(function: Callable[..., None], panels: Mapping[str, str]) -> Callable[..., None]:
    """Return a function with the single options of the groups that a given function takes.

    Args:
        panels: for each panel of ``--help`` the names of the options to move to it, separated by spaces.
    """
    signature = inspect.signature(function, eval_str=True)
    annotations = {name: parameter.annotation for name, parameter in signature.parameters.items()}
    groups = {name: kind for name, kind in annotations.items() if is_dataclass(kind) and isinstance(kind, type)}

    @wraps(function)
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
