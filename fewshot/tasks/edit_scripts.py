"""Lemmas as edit scripts: the changes from a form to its lemma, so that many words share a label.

Classifying words by edit scripts is from Chrupała et al. 2008. The scripts are those of UDPipe 2 (Straka 2018) and
UDify (Kondratyuk & Straka 2019): the lemma's casing, and the letters before and after the longest common substring in
lower case, which the form loses or gains.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache

VERBATIM, UPPER, LOWER = "=", "↑", "↓"
"""First characters of scripts: for a whole lemma that shares no letter with the form, and for casing."""


def is_script(label: str) -> bool:
    """Return whether a label is an edit script."""
    return label[:1] in (VERBATIM, UPPER, LOWER)


@lru_cache(maxsize=100_000)
def script_of(form: str, lemma: str) -> str:
    """Return the script that turns a form into its lemma: ``casing;front,back,length;letters``.

    The form loses so many letters at the front and the back; so many of the added letters are at the front.
    ``↓0;0,3,0;`` turns *talossa* or *Talossa* into *talo*, ``↑0|↓1;0,2,0;`` *Turkuun* into *Turku*. If form and lemma
    share no letter, the script is ``=`` and the lemma.
    """
    lower, wanted = form.lower(), lemma.lower()
    common = SequenceMatcher(None, lower, wanted, autojunk=False).find_longest_match()
    if common.size:
        front, back = wanted[: common.b], wanted[common.b + common.size :]
        cut = len(lower) - common.a - common.size
        script = f"{_casing(lemma)};{common.a},{cut},{len(front)};{front}{back}"
        if apply_script(script, form) == lemma:  # fails for letters whose lower case is longer
            return script
    return VERBATIM + lemma


def apply_script(script: str, form: str) -> str:
    """Return the lemma that a script makes of a form; a form that is too short is only put in lower case."""
    if script.startswith(VERBATIM):
        return script[1:]
    casing, numbers, letters = script.split(";", 2)
    lost, cut, length = map(int, numbers.split(","))
    lower = form.lower()
    if lost + cut >= len(lower):
        return lower
    return _cased(letters[:length] + lower[lost : len(lower) - cut] + letters[length:], casing)


def _casing(lemma: str) -> str:
    """Return where upper and lower case begin, from the middle on counted backwards: ``↑0|↓1`` of *Turku*."""
    cases = [UPPER if letter != letter.lower() else LOWER for letter in lemma]
    starts = [place for place, case in enumerate(cases) if place == 0 or case != cases[place - 1]]
    middle = len(lemma) // 2
    return "|".join(f"{cases[place]}{place if place <= middle else place - len(lemma)}" for place in starts)


def _cased(lemma: str, casing: str) -> str:
    """Apply the casing of `_casing` to a lemma in lower case."""
    for run in casing.split("|"):
        start, change = int(run[1:]), str.upper if run[0] == UPPER else str.lower
        start = max(start + len(lemma), 0) if start < 0 else start
        lemma = lemma[:start] + change(lemma[start:])
    return lemma
