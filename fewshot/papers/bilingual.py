"""What makes small bilingual encoders cross-lingual (Karthikeyan et al. 2020, tables 1 to 10).

Encoders are pretrained on English or Fake-English (English in characters of its own) and another language, without
parallel text; probes are trained on the English side and scored on the other side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from fewshot.errors import FewshotError
from fewshot.papers.small_encoders.design import FAKE, Design, Pretraining, Scale, TableRow, shown, weights, width

EN, ENFAKE = "en", f"en{FAKE}"

DEPTHS = (1, 2, 4, 6, 12, 18, 24)
HEADS = (1, 2, 3, 6, 12, 16, 24)
SHARES = (0.03, 0.09, 0.22, 1.0, 2.13)
"""Layers (table 4), attention heads (5), and weights relative to the base encoder (6), as in the paper."""

FOUR_LANGUAGES = (
    ("depth 1, 100% of the weights", 1.0, None, 1.0),
    ("depth 4/3, heads 1, 15% of the weights", 4 / 3, 1, 0.151),
    ("depth 4/3, heads 3, 15% of the weights", 4 / 3, 3, 0.151),
    ("depth 2, heads 1, 18% of the weights", 2.0, 1, 0.1823),
    ("depth 2, heads 3, 18% of the weights", 2.0, 3, 0.1823),
    ("depth 3, heads 1, 23% of the weights", 3.0, 1, 0.2292),
    ("depth 3, heads 3, 23% of the weights", 3.0, 3, 0.2292),
)
"""Encoders of four languages (table 7): name, layers relative to the base, heads, weights relative to the base."""

NOTES = (
    "Pretraining text is monolingual, nothing in it is aligned; where English and Fake-English meet in one corpus, "
    "their sentences are different ones.",
    "Controls are no part of the paper: an untrained encoder is one before its first update, and what its probe scores "
    "is what transfers without any pretraining.",
    "Unlike in the paper, encoders are pretrained without next-sentence prediction except in table 8, with WordPiece "
    "vocabularies, and probed on the tasks that there is data for, fine-tuning all but the embeddings.",
    "The paper's figures are of encoders of 12 layers x 768 and 1 GB of text a language: compare directions. A range "
    "is over the languages of the paper, where it has no figure of the row's own.",
)


def design(scale: Scale, langs: Sequence[str], tables: Sequence[int], seeds: int) -> Design:
    """Return the rows of some tables of the paper.

    Args:
        langs: target languages; tables 4 to 6 take Russian if it is among them, else the first language.
        tables: numbers of the paper; empty for all tables.

    Raises:
        FewshotError: when there is no such table, or English is a target.
    """
    for table in tables:
        if table not in TABLES:
            raise FewshotError(f"no table {table} here; choose from {', '.join(map(str, TABLES))}")
    if EN in langs or not langs:
        raise FewshotError("--langs takes one or more target languages, and English is the source")
    langs = list(dict.fromkeys(langs))
    chosen = [table for table in TABLES if table in tables or not tables]
    rows = tuple(TableRow(table, *rest) for table in chosen for rest in TABLES[table][1](scale, langs))
    titles = {table: TABLES[table][0] for table in chosen}
    return Design("bilingual", "Karthikeyan et al. 2020", titles, rows, seeds, NOTES)


RowFields = tuple[str, Pretraining, str, tuple[str, ...], str]
"""The fields of a `TableRow` after the number of the table."""


def _encoder(scale: Scale, langs: tuple[str, ...], *transforms: tuple[str, str], **changes: Any) -> Pretraining:
    """Return an encoder; ``transforms`` are pairs of a language and a transform of its text."""
    names: dict[str, list[str]] = {lang: ["fake"] for lang in langs if lang.endswith(FAKE)}
    for lang, name in transforms:
        names[lang] = [*names.get(lang, []), name]
    return Pretraining(langs, scale.settings(langs, transforms=names, **changes))


def _overlap(scale: Scale, langs: Sequence[str]) -> Iterator[RowFields]:
    pairs = [
        (f"{shown(source)}-X", (source, lang), source, (lang,), lang) for lang, source in product(langs, (EN, ENFAKE))
    ]
    for name, seen, source, tests, target in [*pairs, ("en-enfake", (EN, ENFAKE), ENFAKE, (ENFAKE, EN), "")]:
        yield name, _encoder(scale, seen), source, tests, target
        yield f"{name}, untrained (control)", _encoder(scale, seen, updates=0), source, tests, target


def _order(scale: Scale, langs: Sequence[str]) -> Iterator[RowFields]:
    for lang, share in product(langs, (0, 0.25, 0.5, 1)):
        permuted = [(side, f"permute-{share}") for side in (ENFAKE, lang) if share]
        yield f"{share:.0%} permuted", _encoder(scale, (ENFAKE, lang), *permuted), ENFAKE, (lang,), lang


def _frequency(scale: Scale, langs: Sequence[str]) -> Iterator[RowFields]:
    for lang in langs:
        pair = (ENFAKE, lang)
        yield "sentences", _encoder(scale, pair), ENFAKE, (lang,), lang
        yield "unigrams", _encoder(scale, pair, (lang, "unigram")), ENFAKE, (lang,), lang
        yield "untrained (control)", _encoder(scale, pair, updates=0), ENFAKE, (lang,), lang


def _both_sides(scale: Scale, name: str, lang: str, *transforms: tuple[str, str], **changes: Any) -> RowFields:
    return name, _encoder(scale, (ENFAKE, lang), *transforms, **changes), ENFAKE, (ENFAKE, lang), lang


def _shape_lang(langs: Sequence[str]) -> str:
    return "ru" if "ru" in langs else langs[0]


def _sized(scale: Scale, share: float, layers: int, heads: int) -> dict[str, int]:
    """Return the shape of an encoder with a share of the weights of the base encoder."""
    total = share * weights(scale.settings((EN,)))
    return {"layers": layers, "heads": heads, "hidden": width(scale, total, layers, heads)}


def _depth(scale: Scale, langs: Sequence[str]) -> Iterator[RowFields]:
    for layers in DEPTHS:
        yield _both_sides(scale, f"depth {layers}", _shape_lang(langs), **_sized(scale, 1, layers, scale.heads))


def _heads(scale: Scale, langs: Sequence[str]) -> Iterator[RowFields]:
    for heads in HEADS:
        if scale.hidden % heads == 0:
            yield _both_sides(scale, f"heads {heads}", _shape_lang(langs), heads=heads)


def _weights(scale: Scale, langs: Sequence[str]) -> Iterator[RowFields]:
    for share in SHARES:
        shape = _sized(scale, share, scale.layers, scale.heads)
        yield _both_sides(scale, f"{share:.0%} of the weights", _shape_lang(langs), **shape)


def _four(scale: Scale, langs: Sequence[str]) -> Iterator[RowFields]:
    for name, depth, heads, share in FOUR_LANGUAGES:
        shape = _sized(scale, share, round(depth * scale.layers), heads or scale.heads)
        encoder = _encoder(scale, (EN, *langs), **shape)
        yield name, encoder, EN, (EN,), ""
        for lang in langs:
            yield name, encoder, EN, (lang,), lang


def _objective(scale: Scale, langs: Sequence[str]) -> Iterator[RowFields]:
    for lang, nsp in product(langs, (True, False)):
        yield _both_sides(scale, "NSP" if nsp else "no NSP", lang, nsp=nsp)


def _mark(scale: Scale, langs: Sequence[str]) -> Iterator[RowFields]:
    for lang in langs:
        yield _both_sides(scale, "no language mark", lang)
        yield _both_sides(scale, "language mark", lang, *((side, f"mark-{side}") for side in (ENFAKE, lang)))


def _pieces(scale: Scale, langs: Sequence[str]) -> Iterator[RowFields]:
    for lang, kind in product(langs, ("character", "wordpiece", "word")):
        yield _both_sides(scale, kind, lang, tokenizer=kind)


TABLES: dict[int, tuple[str, Callable[[Scale, Sequence[str]], Iterator[RowFields]]]] = {
    1: ("Word-piece overlap", _overlap),
    2: ("Word order", _order),
    3: ("Word frequency alone", _frequency),
    4: ("Depth", _depth),
    5: ("Attention heads", _heads),
    6: ("Number of weights", _weights),
    7: ("Several languages", _four),
    8: ("Next-sentence prediction", _objective),
    9: ("Language mark", _mark),
    10: ("Tokenization", _pieces),
}
"""Title and rows by the number of the table."""
