"""Shared parts of several commands; each other file of `fewshot.cli` is a command."""
