"""What the benchmarks share: arguments, sides that take turns, and ratios pair by pair.

All need ``pip install -c constraints.txt '.[dev]'``, and what their own first lines name.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from scipy.special import stdtrit

from fewshot.corpora.load import find_split, read

T = TypeVar("T")


def arguments(doc: str, turns: int = 0, **options: Any) -> argparse.ArgumentParser:
    """Return the parser of a script.

    Args:
        doc: of its module; the first line is the help.
        turns: how many turns the sides take unless ``--turns`` is given; 0: there are no sides.
        options: the default of each further option, by name: a type where it must be given, a list of a type where it
            may be repeated.
    """
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    for name, default in options.items():
        flag = f"--{name.replace('_', '-')}"
        if isinstance(default, list):
            parser.add_argument(flag, action="append", type=default[0], required=True)
        elif isinstance(default, type):
            parser.add_argument(flag, type=default, required=True)
        else:
            parser.add_argument(flag, type=type(default), default=default)
    if turns:
        parser.add_argument("--turns", type=int, default=turns)
        parser.add_argument("--vs", help="the side that ratios are to; the first one by default")
    return parser


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def in_turns(
    sides: Mapping[str, Callable[[], T]], turns: int, warm_up: bool = True, show: Callable[[T], str] = "{:.2f} s".format
) -> list[dict[str, T]]:
    """Measure all sides in each turn, so that a machine that slows down slows all of them; every other turn backwards.

    Args:
        sides: what is measured, by name.
        turns: how many.
        warm_up: whether one turn is measured before, which does not count.
        show: makes a figure a text.

    Returns:
        The figure of each side, by name; an item a turn.
    """
    done = []
    for turn in range(0 if warm_up else 1, turns + 1):
        order = list(sides) if turn % 2 else list(reversed(sides))
        found = {name: sides[name]() for name in order}
        figures = ", ".join(f"{name} {show(found[name])}" for name in sides)
        print(f"turn {turn}: {figures}" if turn else f"warm-up: {figures}", flush=True)
        done += [found] if turn else []
    return done


def spread(values: Sequence[float], form: str = ".2f") -> str:
    """Return the median, with the least and the greatest."""
    return f"{statistics.median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def ratios(turns: Sequence[Mapping[str, float]], vs: str | None = None) -> dict[str, str]:
    """Return the ratios of each side to one side, turn by turn, as a text for each of the others."""
    names = list(turns[0])
    vs = vs or names[0]
    if vs not in names:
        raise SystemExit(f"no side {vs!r}; choose from {', '.join(names)}")
    return {name: spread([turn[name] / turn[vs] for turn in turns]) for name in names if name != vs}


def print_ratios(turns: Sequence[Mapping[str, float]], vs: str | None = None) -> None:
    for name, ratio in ratios(turns, vs).items():
        print(f"{name} takes {ratio} times as long as {vs or next(iter(turns[0]))}")


def cell(scores: Sequence[float]) -> str:
    """Return the mean and, where there are several, half of its 95% interval (Student's t)."""
    mean, n = statistics.mean(scores), len(scores)
    if n == 1:
        return f"{mean:.1f}"
    return f"{mean:.1f} ± {stdtrit(n - 1, 0.975) * statistics.stdev(scores) / n**0.5:.1f}"


def print_row(*cells: object) -> None:
    print("|", " | ".join(map(str, cells)), "|", flush=True)


def print_head(*titles: str, texts: int = 1) -> None:
    """Print the head of a Markdown table; the first columns hold texts, the others numbers."""
    print_row(*titles)
    print("|---" * texts + "|---:" * (len(titles) - texts) + "|")


def examples_of(folder: Path, split: str, task: Any) -> Sequence[Any]:
    """Return the examples of a split, and no other: a test set must not be chosen by."""
    kind = task.example.kind
    found = find_split(folder, split, kind)
    if not found:
        raise SystemExit(f"{folder}: no {split} file of {kind} here")
    return read(found, kind=kind, task=task)
