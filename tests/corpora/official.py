"""The official validator of Universal Dependencies, whose data is loaded once."""

from functools import cache

import udtools

validator = cache(lambda level: udtools.Validator(lang="ud", level=level, output=None))


def faults(path, level=2):
    state = validator(level).validate_files([str(path)])
    return [] if state.passed() else [str(incident) for incident in state.error_tracker]
