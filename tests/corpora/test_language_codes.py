"""Codes of languages that may be slips."""

from fewshot.corpora.language_codes import check_code


def test_a_code_of_the_standard_or_of_ones_own_is_not_doubted_and_the_one_that_is_meant_is_named():
    for code in ("ja", "wo", "yue", "zh-Hans", "sr-Latn", "qaa", "x-mine", "en_US"):
        assert check_code(code) == ""
    for code, remedy in {"kazakh": "Kazakh is kk", "Wolof": "Wolof is wo", "zzz": "ISO 639"}.items():
        assert check_code(code).startswith(f"{code} is not a known language code")
        assert remedy in check_code(code)
