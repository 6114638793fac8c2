"""Lemmas as edit scripts: what is to be done to a form to get its lemma, so that many words share a label.

Classifying words by such scripts is Chrupała et al. 2008 (Learning Morphology with Morfette). They are made as in
UDPipe 2 (Straka 2018) and UDify (Kondratyuk & Straka 2019): one part is the casing of the lemma, the other one what
stands in front of and behind the longest common substring of both in lower case, lost by the form, got by the lemma.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache

VERBATIM, UPPER, LOWER = "=", "↑", "↓"
"""What a script begins with: the whole lemma as it is, where the form shares no letter with it; or its casing."""


def is_script(label: str) -> bool:
    """Tell a script from labels of other kinds."""
    return label[:1] in (VERBATIM, UPPER, LOWER)


@lru_cache(maxsize=100_000)
def script_of(form: str, lemma: str) -> str:
    """Return the script that makes a lemma of a form.

    Args:
        form: as it stands in the text.
        lemma: its dictionary form.

    Returns:
        ``casing;front,back,length;letters``: how many letters the form loses in front and behind, how many of the
        letters that it gets come in front, and these. ``↓0;0,3,0;`` makes *talo* of *talossa*, or of *Talossa*,
        ``↑0|↓1;0,2,0;`` *Turku* of *Turkuun*. Where they share no letter, ``=`` and the lemma.
    """
    lower, wanted = form.lower(), lemma.lower()
    common = SequenceMatcher(None, lower, wanted, autojunk=False).find_longest_match()
    if common.size:
        front, back = wanted[: common.b], wanted[common.b + common.size :]
        cut = len(lower) - common.a - common.size
        script = f"{_casing(lemma)};{common.a},{cut},{len(front)};{front}{back}"
        if applied(script, form) == lemma:  # not so for letters whose lower case is longer
            return script
    return VERBATIM + lemma


def applied(script: str, form: str) -> str:
    """Return the lemma that a script makes of a form.

    Of a form that is too short for what it loses, it is the form in lower case.
    """
    if script.startswith(VERBATIM):
        return script[1:]
    casing, numbers, letters = script.split(";", 2)
    lost, cut, length = map(int, numbers.split(","))
    lower = form.lower()
    if lost + cut >= len(lower):
        return lower
    return _cased(letters[:length] + lower[lost : len(lower) - cut] + letters[length:], casing)


def _casing(lemma: str) -> str:
    """Return where upper and lower case begin, behind the middle counted from the end: ``↑0|↓1`` of *Turku*."""
    cases = [UPPER if letter != letter.lower() else LOWER for letter in lemma]
    starts = [place for place, case in enumerate(cases) if place == 0 or case != cases[place - 1]]
    return "|".join(f"{cases[at]}{at if at <= len(lemma) // 2 else at - len(lemma)}" for at in starts)


def _cased(lemma: str, casing: str) -> str:
    """Return a lemma in lower case with the casing that `_casing` returns."""
    for run in casing.split("|"):
        at, change = int(run[1:]), str.upper if run[0] == UPPER else str.lower
        at = max(at + len(lemma), 0) if at < 0 else at
        lemma = lemma[:at] + change(lemma[at:])
    return lemma
