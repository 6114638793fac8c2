"""What pages show of the code itself: commands, keys of labels, formats, prices.

``python docs/build.py`` writes it to ``generated/``, which git does not keep, so that no page is behind the code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

GENERATED = Path(__file__).resolve().parent / "generated"


def write() -> None:
    """Write every file of ``generated/``."""
    GENERATED.mkdir(exist_ok=True)
    for name, make in MADE.items():
        (GENERATED / f"{name}.md").write_text(make(), encoding="utf-8")


def commands() -> str:
    """Return each command with its arguments and options, a section each."""
    import typer.main

    from fewshot.cli import app

    found = typer.main.get_command(app)
    names = [name for name, _ in leaves(found)]
    overview = table(
        ("command", "what it does"), ((f"[`{name}`](#{_anchor(name)})", c.help) for name, c in leaves(found))
    )
    assert len(names) == len(set(names))
    return overview + "".join(f"\n{_command(name, command)}" for name, command in leaves(found))


def leaves(group: Any, prefix: str = "fewshot") -> Iterator[tuple[str, Any]]:
    """Yield the name and the command of all that can be run."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "list_commands"):
            yield from leaves(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def _command(name: str, command: Any) -> str:
    parameters = [one for one in command.params if not getattr(one, "hidden", False)]
    arguments = " ".join(
        f"{one.name.upper()}{'...' if one.nargs < 0 else ''}" for one in parameters if _is_argument(one)
    )
    usage = f"{name} {arguments}".strip() + (" [OPTIONS]" if any(not _is_argument(one) for one in parameters) else "")
    rows = ((_called(one), one.help or "", _default(one)) for one in parameters)
    shown = table(("", "what it is", "unless given"), rows) if parameters else ""
    return f"## {name} {{#{_anchor(name)}}}\n\n{command.help}\n\n```text\n{usage}\n```\n\n{shown}"


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _called(parameter: Any) -> str:
    names = [parameter.name.upper()] if _is_argument(parameter) else [*parameter.opts, *parameter.secondary_opts]
    return " ".join(f"`{name}`" for name in names)


def _default(parameter: Any) -> str:
    shown = parameter.show_default
    if parameter.required:
        return "*must be given*"
    if isinstance(shown, str):
        return shown
    usual = parameter.default
    if usual is None or callable(usual) or usual is False or shown is False:
        return ""
    return "yes" if usual is True else f"`{usual}`"


def labels(task: str) -> str:
    """Return the labels of a task with keys, definitions and examples."""
    from annotate.editing.guidelines import label_info
    from fewshot import tasks

    kind = tasks.get(task)
    rows = ((f"`{one.key}`" if one.key else "", one.name, one.definition, one.example) for one in label_info(kind))
    return table(("key", "label", "means", "example"), rows)


def formats() -> str:
    """Return every file format and what it holds."""
    from fewshot.corpora.formats.registry import FORMATS

    def holds(columns: Mapping[str, Iterable[str]]) -> str:
        return "; ".join(f"{kind}: {', '.join(sorted(held))}" for kind, held in columns.items())

    rows = (
        (
            one.title,
            f"`{one.name}`",
            " ".join(f"`{end}`" for end in one.suffixes),
            holds(one.holds) if one.write else "nothing: it is read",
        )
        for one in FORMATS.values()
    )
    return table(("format", "`--to`", "files", "annotation that it holds"), rows)


def prices() -> str:
    """Return what a unit of each task costs, and where that figure is from."""
    from fewshot import tasks

    rows = (
        (name, kind.price.unit, f"${kind.price.dollars:g}", f"${kind.price.wage:g}", kind.price.source)
        for name in tasks.registry()
        for kind in [tasks.get(name)]
    )
    return table(("task", "unit", "price", "wage an hour", "source"), rows)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(
        "| "
        + " | ".join(cell.replace("|", "\\|").replace("*", "\\*") if n else cell for n, cell in enumerate(line))
        + " |\n"
        for line in lines
    )


def _anchor(name: str) -> str:
    return name.replace(" ", "-")


MADE: Mapping[str, Callable[[], str]] = {
    "commands": commands,
    "formats": formats,
    "prices": prices,
    **{task: partial(labels, task) for task in ("pos", "dep", "ner", "nli", "topic")},
}
"""Each file of ``generated/`` and what makes it."""
