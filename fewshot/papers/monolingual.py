"""Small encoders of one language, two or all (Wu & Dredze 2020, sections 5.2 and 5.3, table 4).

Probes are trained and scored in the same language.
"""

from __future__ import annotations

from collections.abc import Sequence

from fewshot.errors import FewshotError
from fewshot.papers.small_encoders.design import Design, Pretraining, Scale, TableRow

TABLE = 4

NOTES = (
    "One language, two, and all: the same number of updates and pieces, the same amount of text of each language.",
    "The paper's languages are Latvian, Afrikaans, Mongolian and Yoruba, its multilingual encoder is mBERT: a range is "
    "over them, where it has no figure of the row's own language.",
)


def design(scale: Scale, langs: Sequence[str], partner: str, known: Sequence[str], seeds: int) -> Design:
    """Return the rows of the languages to probe.

    Args:
        partner: second language of the bilingual encoders.
        known: languages of the multilingual encoder.

    Raises:
        FewshotError: when there is no language, or a language is its own partner.
    """
    if partner in langs or not langs:
        raise FewshotError("--langs takes one or more languages, and none may be its own --partner")
    rows = [
        TableRow(TABLE, name, Pretraining(tuple(seen), scale.settings(seen, **changes)), lang, (lang,), lang)
        for lang in dict.fromkeys(langs)
        for name, seen, changes in (
            ("monolingual", [lang], {}),
            ("monolingual, small", [lang], {"layers": max(1, scale.layers // 2)}),
            ("monolingual, smaller vocabulary", [lang], {"vocabulary": scale.vocabulary // 3}),
            ("monolingual, smaller length", [lang], {"length": scale.length // 2, "batch": scale.batch * 5 // 2}),
            ("bilingual", [partner, lang], {}),
            ("multilingual", known, {}),
        )
    ]
    titles = {TABLE: "One language, two, or all"}
    return Design("monolingual", "Wu & Dredze 2020, sections 5.2 and 5.3", titles, tuple(rows), seeds, NOTES)
