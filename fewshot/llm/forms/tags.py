"""The form of tags: a row for each word, with its UPOS and the other columns of the task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.llm.forms.base import Form, check_rows, numbered, one_of, plain, word_rows

NAMES = {"lemmas": "lemma"}
"""Names of columns in a row, where they differ from those of a sentence."""

COLUMN_INSTRUCTIONS = {
    "feats": "feats: morphological features in alphabetical order as in Case=Nom|Number=Sing, an empty text for none.",
    "lemmas": "lemma: the dictionary form of the word.",
    "xpos": "xpos: the tag of the word in the language's own tag set.",
}

NO_FEATS = "Abbr=NotAnswered"
"""Features that no word has; empty features would be right for a word without features."""


class TagsForm(Form[Sentence]):
    """``{"words": [{"n": 1, "word": "Nga", "upos": "PRON"}, ...]}``."""

    def instructions(self) -> str:
        """Return the tags, the other columns and the form."""
        columns = ", ".join(f'"{_name(column)}": ...' for column in self.task.columns)
        return "\n".join(
            [
                f"upos: the part of speech of the word, one of {', '.join(self.task.choices)}.",
                *(COLUMN_INSTRUCTIONS[column] for column in self.task.columns if column in COLUMN_INSTRUCTIONS),
                "Answer with one row for each numbered word, in order, as in",
                f'{{"words": [{{"n": 1, "word": ..., {columns}}}, ...]}}',
            ]
        )

    def schema(self, example: Sentence) -> dict[str, Any]:
        """Return the schema of a row of number, word and columns for each word."""
        columns: dict[str, Any] = {_name(column): "string" for column in self.task.columns}
        columns |= {"upos": one_of(self.task.choices)}
        return word_rows(example, **columns)

    def question(self, example: Sentence) -> str:
        """Return the numbered words."""
        return numbered(example)

    def answer(self, example: Sentence) -> dict[str, Any]:
        """Return a row for each word that has a tag."""
        columns = {_name(column): getattr(example, column) or example.words for column in self.task.columns}
        return {
            "words": [
                {"n": place + 1, "word": word, **{name: values[place] for name, values in columns.items()}}
                for place, word in enumerate(example.words)
                if example.upos[place] != UNANNOTATED
            ]
        }

    def read(self, example: Sentence, answer: Mapping[str, Any]) -> Sentence:
        """Return the sentence with the columns of the rows."""
        check_rows(example, answer["words"])
        names = {column: _name(column) for column in self.task.columns}
        return example.annotated(
            **{column: tuple(plain(row[name], name) for row in answer["words"]) for column, name in names.items()}
        )

    def unanswered(self, example: Sentence) -> Sentence:
        """Return the sentence without tags and with wrong features."""
        return example.unannotated().annotated(feats=(NO_FEATS,) * len(example.feats))


def _name(column: str) -> str:
    return NAMES.get(column, column)
