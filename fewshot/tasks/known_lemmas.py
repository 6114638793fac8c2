"""Lemmas that no model has to predict: those of the annotated sentences, then those of a dictionary.

The dictionary is simplemma (Barbaresi, doi 10.5281/zenodo.4673264), if it is installed and has the language.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any

from fewshot.corpora.language_codes import language
from fewshot.corpora.types import UNANNOTATED
from fewshot.errors import FewshotError
from fewshot.tasks.word_columns import LEMMA

DICTIONARY_CODES = {"bs": "hbs", "hr": "hbs", "sh": "hbs", "sr": "hbs", "no": "nb"}
"""Codes of simplemma that differ from ours."""

WITHOUT_DICTIONARY = ("PUNCT", "SYM", "NUM")
"""Tags of words that are not looked up."""


@dataclass(frozen=True, slots=True)
class KnownLemmas:
    """The lemma of a form and a tag, where it is known.

    Args:
        dictionary: code of a language of simplemma; empty: no dictionary.
        annotated: the most frequent lemma by tag and form in lower case, as in ``{"NOUN talossa": "talo"}``.

    Raises:
        FewshotError: when there is a dictionary and simplemma is not installed.
    """

    dictionary: str = ""
    annotated: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.dictionary and not find_spec("simplemma"):
            raise FewshotError("this model looks lemmas up in a dictionary; pip install 'fewshot[lemmas]'")

    def __bool__(self) -> bool:
        return bool(self.dictionary or self.annotated)

    def lemma(self, form: str, tag: str) -> str | None:
        """Return the lemma of a form, or None where neither sentences nor a dictionary say anything.

        A form that the dictionary lacks is its own lemma, unless the dictionary has a rule for its ending.
        """
        lemma = self.annotated.get(_key(form, tag))
        if lemma is None and self.dictionary and tag not in WITHOUT_DICTIONARY:
            return _looked_up(self.dictionary, form)
        return lemma

    def learned_from(self, sentences: Iterable[Any]) -> KnownLemmas:
        """Return these lemmas with those of annotated sentences, which win."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            lemmas = LEMMA.values(sentence)
            for form, tag, lemma in zip(sentence.words, sentence.upos, lemmas, strict=True):
                if lemma != UNANNOTATED != tag:
                    counts[_key(form, tag)][lemma] += 1
        learned = {key: lemmas.most_common(1)[0][0] for key, lemmas in counts.items()}
        return KnownLemmas(self.dictionary, {**self.annotated, **learned})

    def fill(self, sentence: Any) -> Any:
        """Return a predicted sentence with the known lemmas in place of the predicted ones."""
        rows = zip(sentence.words, sentence.upos, sentence.lemmas, strict=True)
        return sentence.annotated(lemmas=tuple(self.lemma(form, tag) or lemma for form, tag, lemma in rows))

    def fill_suggestion(self, sentence: Any, suggestion: dict[str, Any]) -> None:
        """Put known lemmas into a suggestion for a sentence, see `Task.suggestion`.

        A known lemma replaces the most likely one in the ranking, and gets its share.
        """
        lemmas, tags = suggestion["annotation"]["lemmas"], suggestion["annotation"]["upos"]
        for place, (form, tag, ranked) in enumerate(
            zip(sentence.words, tags, suggestion["lemmas_ranked"], strict=True)
        ):
            if lemma := self.lemma(form, tag):
                lemmas[place] = lemma
                own = sum(share for other, share in ranked[1:] if other == lemma)
                rest = [[other, share] for other, share in ranked[1:] if other != lemma]
                ranked[:] = [[lemma, round(share + own, 4)] for _, share in ranked[:1]] + rest


def dictionary_of(lang: str) -> str:
    """Return the code of a language's dictionary; empty if simplemma lacks it or is not installed."""
    if not find_spec("simplemma"):
        return ""
    known = import_module("simplemma.strategies.dictionaries.dictionary_factory").SUPPORTED_LANGUAGES
    code = language(lang)
    code = DICTIONARY_CODES.get(code, code)
    return code if code in known else ""


def describe_dictionary(code: str) -> str:
    """Return the name, version and language of a dictionary."""
    return f"simplemma {metadata.version('simplemma')} ({code})"


@lru_cache(maxsize=100_000)
def _looked_up(dictionary: str, form: str) -> str:
    lemma: str = import_module("simplemma").lemmatize(form, lang=dictionary)
    return lemma


def _key(form: str, tag: str) -> str:
    return f"{tag} {form.lower()}"
