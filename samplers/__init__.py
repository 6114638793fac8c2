"""Samplers choose sentences to annotate; one file each, found by name. Imports nothing of `fewshot`."""

from samplers.base import Sampler, check, get, needs, passive, pick, registry
from samplers.pool import SIGNALS, Pool, SamplerError

__all__ = ["SIGNALS", "Pool", "Sampler", "SamplerError", "check", "get", "needs", "passive", "pick", "registry"]
