"""Errors reach the process that asked as they were raised."""

import pickle

import pytest

from fewshot.errors import CorpusError, FewshotError, UnknownNameError


@pytest.mark.parametrize(
    "error",
    [
        FewshotError("no"),
        CorpusError("no tab", "a.tsv", 3),
        CorpusError("no tab"),
        UnknownNameError("task", "poss", ["pos", "dep"], hint="See the list."),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_is_the_same_in_another_process(error):
    there = pickle.loads(pickle.dumps(error))
    assert (type(there), str(there), vars(there)) == (type(error), str(error), vars(error))


def test_where_there_is_nothing_to_choose_from_that_is_said():
    assert str(UnknownNameError("project", "x", [])) == "unknown project 'x': there is no project yet."
