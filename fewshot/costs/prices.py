"""Prices of annotation, from the tasks, and of computing and tokens, from a rates file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from fewshot import records
from fewshot.corpora.embedded import data_dir
from fewshot.errors import FewshotError
from fewshot.tasks import Price, base_name, registry

T = TypeVar("T")

MAX_RATE = 1e9
"""Limit of a rate: dollars a unit, an hour or a million tokens, or watts; above it sums lose their cents."""

PUE = 1.58
"""Power usage effectiveness of data centres (Strubell et al. 2019, section 2)."""


@dataclass(frozen=True, slots=True)
class ComputeRate:
    """Price of computing on one kind of device.

    Args:
        dollars_per_hour: rent, or wear and energy.
    """

    dollars_per_hour: float
    watts: float
    source: str

    def dollars(self, seconds: float) -> float:
        """Return the price of some seconds."""
        return self.dollars_per_hour * seconds / 3600

    def kwh(self, seconds: float) -> float:
        """Return the energy used in some seconds, cooling included, in kWh."""
        return PUE * seconds / 3600 * self.watts / 1000


REMOTE = "remote"
"""Device name for computing on another machine, which has no price per hour."""

LANGUAGE_MODELS = "llm"
"""Name of the table of language models in a rates file."""


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """Price of the tokens of a language model.

    Args:
        input: dollars for a million input tokens.
        output: dollars for a million output tokens.
        date: date of the price, such as ``2026-06``.
    """

    input: float
    output: float
    date: str
    source: str

    def dollars(self, tokens_in: int, tokens_out: int) -> float:
        """Return the price of some tokens."""
        return (self.input * tokens_in + self.output * tokens_out) / 1e6


@dataclass(frozen=True, slots=True)
class Rates:
    """All prices."""

    annotation: dict[str, Price]
    compute: dict[str, ComputeRate]
    language_models: dict[str, TokenPrice] = field(default_factory=dict)

    def label_price(self, task: str) -> Price:
        """Return the price of a task's labels; options of the task do not change the price.

        Raises:
            FewshotError: when the task has no price.
        """
        base = base_name(task)
        if base not in self.annotation:
            raise FewshotError(f"no price of {base} labels; add a [{base}] table to the file given with --rates")
        return self.annotation[base]

    def price_annotation(self, task: str, units: Mapping[str, float]) -> tuple[float, float]:
        """Return minutes and dollars of an annotation; the minutes follow from price and wage.

        Args:
            units: amount by unit, such as tokens and sentences.

        Raises:
            FewshotError: when the task has no price, or a price for another unit.
        """
        rate = self.label_price(task)
        if rate.unit not in units:
            known = " or ".join(repr(unit) for unit in units)
            raise FewshotError(f"the price of {task} labels is for a unit {rate.unit!r}; give one for {known}")
        dollars = rate.dollars * units[rate.unit]
        return 60 * dollars / rate.wage, dollars

    def price_answers(self, model: str, device: str, tokens_in: int, tokens_out: int, seconds: float) -> float:
        """Return the cost of a language model's answers in dollars, by tokens or else by computing time.

        Args:
            device: device of this machine that computed the answers; `REMOTE` for another machine.

        Raises:
            FewshotError: when a remote language model has no token price.
        """
        if model in self.language_models:
            return self.language_models[model].dollars(tokens_in, tokens_out)
        if device == REMOTE:
            raise FewshotError(
                f'no price of {model}; add a table [{LANGUAGE_MODELS}."{model}"] with input and output (dollars for a '
                "million tokens), date and source to the file given with --rates"
            )
        return self.compute[device].dollars(seconds)

    def describe_tokens(self, model: str) -> list[str]:
        """Return a line about the token price of a language model; no line without a price."""
        price = self.language_models.get(model)
        if price is None:
            return []
        paid = f"${price.input:g} for a million tokens read, ${price.output:g} written"
        return [f"{model}: {paid} ({price.date}). {price.source}"]

    def describe_computing(self, devices: Iterable[str] | None = None) -> list[str]:
        """Return a line for each price of computing, of some devices or of all."""
        return [
            f"computing on {device}: ${rate.dollars_per_hour:.2f} an hour. {rate.source}"
            for device in (self.compute if devices is None else devices)
            if device != REMOTE
            for rate in [self.compute[device]]
        ]


def load(path: Path | None = None) -> Rates:
    """Return all prices, with those of the user's file replacing the default ones.

    Args:
        path: a TOML file in the format of ``data/rates.toml``, of which any part may be missing.

    Raises:
        FewshotError: when the file cannot be read, or has invalid names or values.
    """
    default = data_dir() / "rates.toml"
    tables = _read(default) | {name: asdict(task.price) for name, task in registry().items()}
    if path is not None:
        tables = _merge(tables, _read(path), path)
    file = path or default
    compute = {
        name: _rate(ComputeRate, values, f"compute.{name}", file) for name, values in tables.pop("compute").items()
    }
    models = {
        name: _rate(TokenPrice, values, f'{LANGUAGE_MODELS}."{name}"', file)
        for name, values in tables.pop(LANGUAGE_MODELS).items()
    }
    return Rates({name: _rate(Price, values, name, file) for name, values in tables.items()}, compute, models)


def _read(path: Path) -> dict[str, Any]:
    tables: dict[str, Any] | None = records.load(path, dict, "correct the file, or leave --rates out", toml=True)
    if tables is None:
        raise FewshotError(f"{path}: no such file; correct the name, or leave --rates out")
    return tables


def _merge(base: dict[str, Any], new: dict[str, Any], path: Path) -> dict[str, Any]:
    merged = dict(base)
    for key, value in new.items():
        if isinstance(base.get(key), dict) != isinstance(value, dict) and key in base:
            raise FewshotError(f"{path}: {key!r} must be a {'table' if isinstance(base[key], dict) else 'value'}")
        merged[key] = _merge(base.get(key, {}), value, path) if isinstance(value, dict) else value
    return merged


def _rate(kind: type[T], values: Any, name: str, path: Path) -> T:
    wanted = {field.name: field.type for field in fields(kind)}  # type: ignore[arg-type]
    if not isinstance(values, dict) or set(values) != set(wanted):
        raise FewshotError(f"{path}: [{name}] must hold exactly {', '.join(wanted)}")
    for key, value in values.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < MAX_RATE
        if wanted[key] == "float" and not (is_number and (value > 0 or key != "wage")):
            shown = f"[{name}] {key} = {value!r:.30}"
            raise FewshotError(f"{path}: {shown} must be a number of dollars or watts below {MAX_RATE:,.0f}")
        if wanted[key] == "str" and not isinstance(value, str):
            raise FewshotError(f"{path}: [{name}] {key} = {value!r} must be a text; write it in quotes")
    return kind(**values)
