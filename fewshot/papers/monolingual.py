"""One language, two or all of them in one encoder (Wu & Dredze 2020, sections 5.2 and 5.3, table 4), at a small scale.

Probes are trained and scored within a language.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fewshot.errors import FewshotError
from fewshot.papers.small_encoders.design import Design, Pretraining, Scale, TableRow

TABLE = 4

NOTES = (
    "One language, two, and all: the same number of updates and pieces, the same amount of text of each language.",
    "The paper's languages are Latvian, Afrikaans, Mongolian and Yoruba, its multilingual encoder is mBERT: a range is "
    "over them, where it has no figure of the row's own language.",
)


def design(scale: Scale, langs: Sequence[str], partner: str, known: Sequence[str], seeds: int) -> Design:
    """Return the rows of every language.

    Args:
        langs: to probe.
        partner: the second language of bilingual encoders.
        known: all languages of the corpus, which the multilingual encoder sees.

    Raises:
        FewshotError: when there is no language, or a language is its own partner.
    """
    if partner in langs or not langs:
        raise FewshotError("--langs takes one or more languages, and none may be its own --partner")
    rows = tuple(
        TableRow(TABLE, name, encoder, lang, (lang,), lang)
        for lang in dict.fromkeys(langs)
        for name, encoder in _encoders(scale, lang, partner, known)
    )
    titles = {TABLE: "One language, two, or all"}
    return Design("monolingual", "Wu & Dredze 2020, sections 5.2 and 5.3", titles, rows, seeds, NOTES)


def _encoders(scale: Scale, lang: str, partner: str, known: Sequence[str]) -> Iterator[tuple[str, Pretraining]]:
    alone = (lang,)
    changes = {
        "monolingual": {},
        "monolingual, small": {"layers": max(1, scale.layers // 2)},
        "monolingual, smaller vocabulary": {"vocabulary": scale.vocabulary // 3},
        "monolingual, smaller length": {"length": scale.length // 2, "batch": scale.batch * 5 // 2},
    }
    for name, values in changes.items():
        yield name, Pretraining(alone, scale.settings(alone, **values))
    yield "bilingual", Pretraining((partner, lang), scale.settings((partner, lang)))
    yield "multilingual", Pretraining(tuple(known), scale.settings(known))
