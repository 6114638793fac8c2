"""What a tokenizer reads: words alike anywhere, NFC as NFD, no invisible signs, and vowel signs only where asked."""

import copy
from unicodedata import normalize

import pytest
import transformers
from encoders.kinds import bpe, unigram, wordpiece
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from torch import nn
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from fewshot.corpora.types import Sentence
from fewshot.encoders.load import Encoder
from fewshot.encoders.normalization import add_normalizers, unify
from fewshot.encoders.pieces import Input, View, encode
from fewshot.encoders.vowel_signs import fit_encoder, strips_signs
from fewshot.errors import UnknownNameError

SPECIALS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def numbered(*pieces):
    return {piece: number for number, piece in enumerate([*SPECIALS, *pieces])}


def metaspace(scheme):
    tokenizer = copy.deepcopy(unigram())  # which other tests share
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    return tokenizer


def characters():
    """A tokenizer for which the space is a piece like others."""
    tokenizer = Tokenizer(models.WordLevel(numbered("a", "b", "c", " "), unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>")


KINDS = {
    "WordPiece": wordpiece,
    "Metaspace, always": unigram,
    "Metaspace, first": lambda: metaspace("first"),
    "Metaspace, never": lambda: metaspace("never"),
    "byte-level BPE, with prefix": bpe,
    "byte-level BPE, without": lambda: transformers.RobertaTokenizer(
        vocab=numbered("k", "a", "Ġ", "ka", "Ġka"), merges=[("k", "a"), ("Ġ", "ka")]
    ),
    "Gemma": lambda: transformers.GemmaTokenizer(
        vocab=numbered("<bos>", "<eos>", "k", "a", "▁", "ka", "▁ka"), merges=[("k", "a"), ("▁", "ka")]
    ),
    "characters": characters,
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_tokenizer_that_gets_further_normalizers_stays_as_it_is(kind):
    tokenizer = KINDS[kind]()
    expected, before = tokenizer("ka")["input_ids"], tokenizer.backend_tokenizer.to_str()
    lower = add_normalizers(tokenizer, normalizers.Replace("K", "k"))
    assert lower("Ka")["input_ids"] == lower("ka")["input_ids"] == expected
    assert tokenizer.backend_tokenizer.to_str() == before


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_is_cut_alike_wherever_it_stands(kind, tmp_path):
    unify(KINDS[kind]()).save_pretrained(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    assert unify(tokenizer) is tokenizer
    window = encode(tokenizer, Input((["ka", "ka"],)), View("words"), 64).windows[0]
    first, second = ([piece for piece, unit in zip(window.ids, window.units, strict=True) if unit == n] for n in (0, 1))
    assert first == second
    assert list(window.ids) == tokenizer("ka ka")["input_ids"]


@pytest.mark.parametrize("kind", KINDS)
def test_letters_and_their_marks_apart_are_read_as_one_letter(kind):
    tokenizer = unify(KINDS[kind]())
    for text in ("é", "각", "Ậ"):
        assert tokenizer(normalize("NFD", text))["input_ids"] == tokenizer(normalize("NFC", text))["input_ids"]


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("می\u200cخواهم", "می خواهم"),
        ("\u200fمی کت\u200b", "می کت"),
        ("می \ufeffکت", "می کت"),
        ("می\u00adکت", "میکت"),
        ("كتـــاب", "كتاب"),
    ],
)
@pytest.mark.parametrize("normalizer", [None, normalizers.NFKC()])
def test_signs_that_nobody_sees_are_read_as_a_space_inside_of_words_and_left_out_at_their_ends(
    text, like, normalizer, tmp_path
):
    known = encoder_of("\u2581می", "\u2581کت", "ا", "ت", "ب", "ك", "ـ", "\u00ad").tokenizer
    known.backend_tokenizer.normalizer = normalizer
    unify(known).save_pretrained(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    assert unify(tokenizer) is tokenizer
    assert tokenizer(text)["input_ids"] == tokenizer(like)["input_ids"] != known(text)["input_ids"]


def test_a_joiner_that_a_tokenizer_knows_is_read():
    tokenizer = unify(encoder_of("می", "خواهم", "\u200c").tokenizer)
    assert tokenizer.tokenize("\u200fمی\u200cخواهم") == ["\u2581", "می", "\u200c", "خواهم"]


def test_a_word_of_one_stroke_keeps_its_piece():
    tokenizer = unify(encoder_of("ـ", "ه").tokenizer)
    pieces = tokenizer.convert_ids_to_tokens(tokenizer(["هـ", "ـ"], is_split_into_words=True)["input_ids"])
    assert "".join(pieces) == "\u2581هـ\u2581ـ"


PLAIN, SIGNED = ("كتب الولد رسالة", "كَتَبَ الوَلَدُ رِسَالَةً")


def sentences(text, count=20):
    return [Sentence("", text, tuple(text.split()))] * count


def encoder_of(*pieces):
    """An encoder whose tokenizer knows some words and all letters and signs."""
    letters = dict.fromkeys(f"\u2581{PLAIN}{SIGNED}".replace(" ", ""))
    scores = [("<unk>", 0.0), *((piece, -1.0) for piece in (*pieces, *letters))]
    tokenizer = Tokenizer(models.Unigram(scores, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>")
    return Encoder("tiny", nn.Identity(), wrapped, "")


WITHOUT, WITH = (encoder_of(*(f"\u2581{word}" for word in text.split())) for text in (PLAIN, SIGNED))
"""Encoders that know words without signs, and with signs."""


@pytest.mark.parametrize(
    ("encoder", "pool", "test", "setting", "strips"),
    [
        (WITHOUT, PLAIN, PLAIN, "auto", False),
        (WITHOUT, SIGNED, PLAIN, "auto", True),
        (WITHOUT, PLAIN, SIGNED, "auto", True),
        (WITHOUT, SIGNED, SIGNED, "auto", True),
        (WITH, SIGNED, SIGNED, "auto", False),
        (WITHOUT, SIGNED, PLAIN, "keep", False),
        (WITHOUT, PLAIN, PLAIN, "strip", True),
        (WITHOUT, "mala knjiga", "мала књига", "auto", False),
    ],
)
def test_optional_vowel_signs_are_stripped_where_pool_test_set_or_encoder_lack_them(
    encoder, pool, test, setting, strips
):
    fitted = fit_encoder(encoder, sentences(pool), sentences(test), setting)
    assert (strips_signs(fitted), fitted is encoder) == (strips, not strips)
    assert fit_encoder(fitted, sentences(pool), sentences(test), setting) is fitted


def test_words_with_signs_are_read_as_those_without(tmp_path):
    fit_encoder(WITHOUT, sentences(SIGNED)).tokenizer.save_pretrained(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    for signed, plain in zip([*SIGNED.split(), normalize("NFD", "أَب")], [*PLAIN.split(), "أب"], strict=True):
        read, expected = (encode(tokenizer, Input(([word, "\u064e"],)), View("words"), 64) for word in (signed, plain))
        assert read == expected
        assert read.units == 2


def test_an_unknown_setting_is_refused():
    with pytest.raises(UnknownNameError, match="unknown setting of vowel signs 'stip': did you mean strip"):
        fit_encoder(WITHOUT, [], setting="stip")
