"""Samplers choose which sentences to annotate; one file each, found by name. Imports nothing else of ours."""

from samplers.base import Sampler, SamplerError, get, pick, registry

__all__ = ["Sampler", "SamplerError", "get", "pick", "registry"]
