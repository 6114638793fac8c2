"""Options of the command line out of the groups of `fewshot.options`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from inspect import Parameter
from typing import Annotated, Any, get_type_hints

import typer


def option(group: type, name: str) -> Any:
    """Return the type of one option of a group as typer reads it, for a command that takes it alone."""
    return _annotated(group, next(one for one in fields(group) if one.name == name))


def spread(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function that takes each option of the groups that another takes, and calls it with the groups."""
    signature = inspect.signature(function, eval_str=True)
    taken = {name: one.annotation for name, one in signature.parameters.items() if is_dataclass(one.annotation)}
    groups: dict[str, type] = {name: group for name, group in taken.items() if isinstance(group, type)}

    @wraps(function)
    def called(**given: Any) -> None:
        whole = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        function(**given, **whole)

    parameters: list[Parameter] = []
    for name, one in signature.parameters.items():
        own = [one.replace(kind=Parameter.KEYWORD_ONLY)]
        parameters += [_parameter(groups[name], field) for field in fields(groups[name])] if name in groups else own
    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return called


def _parameter(group: type, field: Field[Any]) -> Parameter:
    default = Parameter.empty if field.default is MISSING else field.default
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=_annotated(group, field))


def _annotated(group: type, field: Field[Any]) -> Any:
    about = field.metadata
    made = typer.Option(
        *([about["flag"]] if about["flag"] else []),
        help=about["says"],
        min=about["least"],
        show_default=about["shown"] or field.default is not MISSING,
        rich_help_panel=about["panel"] or None,
    )
    return Annotated[get_type_hints(group)[field.name], made]
