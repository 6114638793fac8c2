"""Codes of languages that may be slips."""

import pytest

from fewshot.corpora.language_codes import doubt


@pytest.mark.parametrize("code", ["ja", "wo", "yue", "zh-Hans", "sr-Latn", "qaa", "x-mine", "en_US"])
def test_a_code_of_the_standard_or_of_ones_own_is_not_doubted(code):
    assert doubt(code) == ""


@pytest.mark.parametrize(("code", "remedy"), [("kazakh", "Kazakh is kk"), ("Wolof", "Wolof is wo"), ("zzz", "ISO 639")])
def test_another_one_is_doubted_and_the_one_that_is_meant_is_named(code, remedy):
    assert doubt(code).startswith(f"{code} is no language code that is known")
    assert remedy in doubt(code)
