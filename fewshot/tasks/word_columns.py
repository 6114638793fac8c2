"""What may be learned of a word beside its tag: for each column how its values are labels, and how they are scored.

A label is of one column, which its text tells: an edit of the form for LEMMA, ``Case=Nom|Number=Sing`` for FEATS,
``xpos NN`` for XPOS. So a model names the labels of all columns in one list. Scores are those of the CoNLL 2018 shared
task (Zeman et al. 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.tasks import edit_scripts, morphology

XPOS_LABEL = "xpos "
"""What labels of XPOS begin with, which are otherwise like those of other columns; no column has a space in it."""


@dataclass(frozen=True, slots=True)
class WordColumn:
    """A column of words beside the tags.

    Args:
        option: of the task that has it.
        name: of the column of a sentence.
        conllu: what CoNLL-U calls it.
        metric: of its score.
        title: what tables call a task that is scored by it.
        help: what the option does.
        wanted: what people call a value of it.
        owns: whether a label is of this column.
        label: of a form and its value.
        value: that a label means for a form.
        like: which of the labels of the column a new one is most like.
        same: whether a predicted value is right where gold, the first, has one.
        is_open: whether a form and its value are still to be annotated.
        fault: of a form and its value, what is wrong with the way that is written; empty where nothing is.
        blank_is_right: whether any value is right of a word where gold has none.
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
        """Travel to another process by name: what a column does with its values is code."""
        return named, (self.option,)

    def values(self, sentence: Sentence) -> tuple[str, ...]:
        """Return the column of a sentence, blank where it was not read."""
        found: tuple[str, ...] = getattr(sentence, self.name)
        return found or (UNANNOTATED,) * len(sentence.words)

    def labels(self, sentence: Sentence) -> list[str | None]:
        """Return the label of each word, None where nobody has annotated it."""
        rows = zip(sentence.words, self.values(sentence), strict=True)
        return [None if value == UNANNOTATED else self.label(form, value) for form, value in rows]

    def is_right(self, gold: str, predicted: str) -> bool:
        """Return whether a value counts as right."""
        return self.same(gold, predicted) or (self.blank_is_right and gold == UNANNOTATED)


def _badly_written(form: str, feats: str) -> str:
    if morphology.is_written(feats):
        return ""
    return f"features {feats!r} of {form!r} are not written as in Case=Nom|Number=Sing"


def _all(label: str, others: Sequence[str]) -> list[int]:
    return list(range(len(others)))


FEATS = WordColumn(
    option="feats",
    name="feats",
    conllu="FEATS",
    metric="ufeats",
    title="morphological tagging",
    help="morphological features too, whole, as one label a word (Kondratyuk & Straka 2019)",
    wanted="choice of features",
    owns=lambda label: morphology.is_written(label) and not edit_scripts.is_script(label),
    label=lambda form, value: value,
    value=lambda label, form: label,
    like=morphology.nearest,
    same=lambda gold, predicted: morphology.universal(gold) == morphology.universal(predicted),
    fault=_badly_written,
)

LEMMA = WordColumn(
    option="lemma",
    name="lemmas",
    conllu="LEMMA",
    metric="lemmas",
    title="lemmatization",
    help="lemmas too, as edits of the form (Chrupała et al. 2008, Straka 2018)",
    wanted="lemma",
    owns=edit_scripts.is_script,
    label=edit_scripts.script_of,
    value=edit_scripts.applied,
    like=_all,
    is_open=lambda form, lemma: lemma == UNANNOTATED != form,  # the lemma of a low line is one
    blank_is_right=True,
)

XPOS = WordColumn(
    option="xpos",
    name="xpos",
    conllu="XPOS",
    metric="xpos",
    title="XPOS tagging",
    help="language-specific tags (XPOS) too, one label a word",
    wanted="XPOS",
    owns=lambda label: label.startswith(XPOS_LABEL),
    label=lambda form, value: XPOS_LABEL + value,
    value=lambda label, form: label.removeprefix(XPOS_LABEL),
    like=_all,
    fault=lambda form, tag: "" if tag.split() == [tag] else f"XPOS {tag!r} of {form!r} is empty or has a space in it",
)

WORD_COLUMNS = (FEATS, LEMMA, XPOS)
"""All of them, in the order in which they are learned."""


def named(option: str) -> WordColumn:
    """Return the column of an option."""
    return next(column for column in WORD_COLUMNS if column.option == option)
