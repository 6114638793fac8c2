"""Word columns besides the tags: how their values become labels, and how they are scored.

Labels of all columns are listed together, since their text shows the column: an edit script for LEMMA,
``Case=Nom|Number=Sing`` for FEATS, ``xpos NN`` for XPOS. Scores follow the CoNLL 2018 shared task (Zeman et al. 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.tasks import edit_scripts, morphology

XPOS_LABEL = "xpos "
"""Prefix of XPOS labels, which could otherwise look like those of other columns; no other label has a space."""


@dataclass(frozen=True, slots=True)
class WordColumn:
    """A word column besides the tags.

    Args:
        option: of the task.
        name: of the sentence's column.
        title: of a task scored by this column, in tables.
        wanted: name of a value, in messages.
        owns: whether a label belongs to this column.
        label: returns the label of a form and its value.
        value: returns the value that a label means for a form.
        like: returns the places of the labels most similar to a new one.
        same: whether a predicted value matches the gold value (first).
        is_open: whether a form's value is not annotated yet.
        fault: returns what is wrong with the notation of a form's value; empty if nothing.
        blank_is_right: whether any value is right for a word without a gold value.
    """

    option: str
    name: str
    conllu: str
    metric: str
    title: str
    help: str
    wanted: str
    owns: Callable[[str], bool]
    label: Callable[[str, str], str]
    value: Callable[[str, str], str]
    like: Callable[[str, Sequence[str]], list[int]]
    same: Callable[[str, str], bool] = str.__eq__
    is_open: Callable[[str, str], bool] = lambda form, value: value == UNANNOTATED
    fault: Callable[[str, str], str] = lambda form, value: ""
    blank_is_right: bool = False

    def __reduce__(self) -> tuple[Callable[[str], WordColumn], tuple[str]]:
        """Pickle the column by its option, since it contains functions."""
        return named, (self.option,)

    def values(self, sentence: Sentence) -> tuple[str, ...]:
        """Return the column of a sentence, blank if it was not read."""
        values: tuple[str, ...] = getattr(sentence, self.name)
        return values or (UNANNOTATED,) * len(sentence.words)

    def labels(self, sentence: Sentence) -> list[str | None]:
        """Return the label of each word, None where there is no annotation."""
        rows = zip(sentence.words, self.values(sentence), strict=True)
        return [None if value == UNANNOTATED else self.label(form, value) for form, value in rows]

    def is_right(self, gold: str, predicted: str) -> bool:
        """Return whether a value counts as right."""
        return self.same(gold, predicted) or (self.blank_is_right and gold == UNANNOTATED)


def _all(label: str, others: Sequence[str]) -> list[int]:
    return list(range(len(others)))


FEATS = WordColumn(
    option="feats",
    name="feats",
    conllu="FEATS",
    metric="ufeats",
    title="morphological tagging",
    help="also morphological features, one label per word for all of them (Kondratyuk & Straka 2019)",
    wanted="choice of features",
    owns=lambda label: morphology.is_written(label) and not edit_scripts.is_script(label),
    label=lambda form, value: value,
    value=lambda label, form: label,
    like=morphology.most_similar,
    same=lambda gold, predicted: morphology.universal(gold) == morphology.universal(predicted),
    fault=lambda form, feats: (
        ""
        if morphology.is_written(feats)
        else f"features {feats!r} of {form!r} are not in the format Case=Nom|Number=Sing"
    ),
)

LEMMA = WordColumn(
    option="lemma",
    name="lemmas",
    conllu="LEMMA",
    metric="lemmas",
    title="lemmatization",
    help="also lemmas, as edits of the form (Chrupała et al. 2008, Straka 2018)",
    wanted="lemma",
    owns=edit_scripts.is_script,
    label=edit_scripts.script_of,
    value=edit_scripts.apply_script,
    like=_all,
    is_open=lambda form, lemma: lemma == UNANNOTATED != form,  # the lemma of the form "_" is "_"
    blank_is_right=True,
)

XPOS = WordColumn(
    option="xpos",
    name="xpos",
    conllu="XPOS",
    metric="xpos",
    title="XPOS tagging",
    help="also language-specific tags (XPOS), one label per word",
    wanted="XPOS",
    owns=lambda label: label.startswith(XPOS_LABEL),
    label=lambda form, value: XPOS_LABEL + value,
    value=lambda label, form: label.removeprefix(XPOS_LABEL),
    like=_all,
    fault=lambda form, tag: "" if tag.split() == [tag] else f"XPOS {tag!r} of {form!r} is empty or has a space in it",
)

WORD_COLUMNS = (FEATS, LEMMA, XPOS)
"""All columns, in the order of learning."""


def named(option: str) -> WordColumn:
    """Return the column of an option."""
    return next(column for column in WORD_COLUMNS if column.option == option)
