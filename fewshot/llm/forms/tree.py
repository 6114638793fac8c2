"""The form of trees: a row for each word, with tag, head and relation.

Models that name the tag before the head attach words better (arXiv 2506.09983).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fewshot.corpora.types import Sentence
from fewshot.corpora.upos import UPOS
from fewshot.llm.forms.base import Form, check_rows, numbered, one_of, plain, word_rows
from fewshot.tasks import legal

NO_HEAD = -1
"""A head that is not annotated; negative heads of an answer become this value."""

GOLD_TAGS = "upos"
"""The option of a parser that receives the tags."""


class TreeForm(Form[Sentence]):
    """``{"words": [{"n": 1, "word": "Nga", "upos": "PRON", "head": 2, "deprel": "nsubj"}, ...]}``.

    The tags are dropped.
    """

    def instructions(self) -> str:
        """Return the tags, the relations, the rules of a tree and the format of the answer."""
        return "\n".join(
            [
                f"upos: the part of speech of the word, one of {', '.join(UPOS)}.",
                "head: the number of the word that it depends on, 0 for the root of the sentence.",
                f"deprel: its relation to that word, one of {', '.join(self.task.choices)}.",
                "Each sentence is one tree of Universal Dependencies: exactly one word has head 0 and the relation "
                "root, no word is its own head, and following the heads one comes from every word to the root.",
                "Answer with one row for each numbered word, in order, as in",
                '{"words": [{"n": 1, "word": ..., "upos": ..., "head": ..., "deprel": ...}, ...]}',
            ]
        )

    def schema(self, example: Sentence) -> dict[str, Any]:
        """Return the schema of a row of number, word, tag, head and relation for each word."""
        columns = {"upos": one_of(UPOS), "head": "integer", "deprel": one_of(self.task.choices)}
        return word_rows(example, **columns)

    def question(self, example: Sentence) -> str:
        """Return the numbered words, and their tags for a parser that receives them."""
        words = numbered(example)
        return f"{words}\nupos: {' '.join(example.upos)}" if GOLD_TAGS in self.task.chosen else words

    def answer(self, example: Sentence) -> dict[str, Any]:
        """Return a row for each word with a head and a relation; a missing tag is ``_``."""
        return {
            "words": [
                {
                    "n": number,
                    "word": example.words[number - 1],
                    "upos": example.upos[number - 1],
                    "head": head,
                    "deprel": relation,
                }
                for number, head, relation in legal.arcs(example)
            ]
        }

    def read(self, example: Sentence, answer: Mapping[str, Any]) -> Sentence:
        """Return the sentence with heads and relations."""
        table = answer["words"]
        check_rows(example, table)
        relations = tuple(plain(row["deprel"], "deprel") for row in table)
        heads = tuple(row["head"] if row["head"] >= 0 else NO_HEAD for row in table)
        return example.annotated(heads=heads, deprels=relations)
