"""How finely a tokenizer cuts texts: pieces per word, and characters that it does not know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fewshot.corpora.words import words
from fewshot.encoders.load import Encoder
from fewshot.encoders.pieces import WORD_STARTS


@dataclass(frozen=True, slots=True)
class PieceCount:
    """The numbers of words, pieces and characters of some texts.

    Args:
        unknown: characters in pieces that the tokenizer does not know.
    """

    words: int
    pieces: int
    characters: int
    unknown: int

    @property
    def per_word(self) -> float:
        """Pieces per word, called fertility (Rust et al. 2021)."""
        return self.pieces / max(1, self.words)

    @property
    def unknown_share(self) -> float:
        """Share of unknown characters."""
        return self.unknown / max(1, self.characters)

    @property
    def cost(self) -> float:
        """Pieces and unknown characters per word, since a word that is unknown as a whole is a single piece."""
        return (self.pieces + self.unknown) / max(1, self.words)


def count_pieces(encoder: Encoder, texts: Iterable[str]) -> PieceCount:
    """Return the counts of some texts, whose words are those of `fewshot.corpora.words`."""
    tokenizer = encoder.tokenizer
    split = list(map(words, texts))
    bare = {*tokenizer.convert_tokens_to_ids(list(WORD_STARTS))}  # type: ignore[attr-defined]
    unknown = tokenizer.unk_token_id  # type: ignore[attr-defined]
    backend = tokenizer.backend_tokenizer  # type: ignore[attr-defined]
    pieces = lost = 0
    for text in backend.encode_batch(split, is_pretokenized=True, add_special_tokens=False):
        for piece, (start, end) in zip(text.ids, text.offsets, strict=True):
            lost += end - start if piece == unknown else 0
            pieces += piece not in bare or piece == unknown
    characters = sum(len(word) for text in split for word in text)
    return PieceCount(sum(map(len, split)), pieces, characters, lost)
