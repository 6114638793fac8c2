"""The reference of the command line, made from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tables import table


def reference() -> str:
    """Return each command with its arguments and options, a section each, and all of them in a table before."""
    import typer.main

    from fewshot.cli import app

    found = list(leaves(typer.main.get_command(app)))
    overview = table(
        ["command", "what it does"],
        [[f"[`{name}`](#{_anchor(name)})", c.help.partition("\n\n")[0]] for name, c in found],
    )
    return overview + "".join(f"\n{_section(name, command)}" for name, command in found)


def leaves(group: Any, prefix: str = "fewshot") -> Iterator[tuple[str, Any]]:
    """Yield the name and the command of all that can be run."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "list_commands"):
            yield from leaves(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def _section(name: str, command: Any) -> str:
    arguments = " ".join(_argument(one) for one in command.params if one.param_type_name == "argument")
    usage = " ".join(filter(None, [name, arguments, "[OPTIONS]"]))
    rows = [[_names(one), one.help or "", _default(one)] for one in command.params]
    shown = table(["", "what it is", "unless given"], rows) if rows else ""
    return f"## {name} {{#{_anchor(name)}}}\n\n{command.help}\n\n```text\n{usage}\n\n{command.epilog}\n```\n\n{shown}"


def _argument(parameter: Any) -> str:
    return parameter.name.upper() + ("..." if parameter.nargs < 0 else "")


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{_argument(parameter)}`"
    return " ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))


def _default(parameter: Any) -> str:
    if parameter.required:
        return "*must be given*"
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    usual = parameter.default
    return "" if usual is None or isinstance(usual, bool) or callable(usual) else f"`{usual}`"


def _anchor(name: str) -> str:
    return name.replace(" ", "-")
