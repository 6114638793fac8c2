import json

import pytest
from encoders.kinds import TOKENIZERS, corpus
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from fewshot.errors import FewshotError
from fewshot.shrinking.vocabulary import kept_pieces, trimmed

TEXTS = [
    *corpus(60, seed=9),
    "東京都の大学生です。",
    "Привет, мир!",
    "ka\u0301la ΕΛΛΗΝΙΚΑ नमस्ते שלום",
    "👩‍🚀🚀 e = mc² \u200b\ufeff",
    "",
    "  two  spaces\tand a tab\n",
    "[MASK] <mask> <s>",
]


@pytest.fixture(scope="module", params=TOKENIZERS)
def whole(request):
    return TOKENIZERS[request.param]()


def least(tokenizer):
    with pytest.raises(FewshotError, match=r"1 pieces are too few: [0-9]+ are single") as refused:
        kept_pieces(tokenizer, 1)
    return int(str(refused.value).split()[5])


def small(tokenizer, more=25, texts=None):
    count = least(tokenizer) + more
    kept = kept_pieces(tokenizer, count, texts)
    assert len(kept) == count < len(tokenizer)
    return kept, trimmed(tokenizer, kept)


@pytest.mark.parametrize("more", [0, 25])
def test_any_text_is_read_without_new_unknowns(whole, more):
    _, cut = small(whole, more)
    assert len(cut) < len(whole)
    for text in TEXTS:
        before, after = (tokenizer(text)["input_ids"] for tokenizer in (whole, cut))
        assert after.count(cut.unk_token_id) == before.count(whole.unk_token_id)
        if whole.unk_token_id not in before:
            assert cut.decode(after) == whole.decode(before)


def test_pieces_keep_their_names_in_order_and_text_of_kept_pieces_is_read_as_before(whole):
    kept, cut = small(whole, 60)
    assert kept == sorted(set(kept))
    assert cut.convert_ids_to_tokens(range(len(cut))) == whole.convert_ids_to_tokens(kept)
    known, alike = set(kept), 0
    for text in TEXTS:
        before = whole(text)["input_ids"]
        if set(before) <= known:
            alike += 1
            assert [kept[piece] for piece in cut(text)["input_ids"]] == before
    assert alike > 3
    assert kept_pieces(whole, len(whole)) == list(range(len(whole)))


@pytest.mark.parametrize("given", [("ka la",), ("ka la", "me ti")])
def test_special_tokens_are_the_same_ones(whole, given):
    _, cut = small(whole)
    for name in ("pad", "unk", "cls", "sep", "mask"):
        assert getattr(cut, f"{name}_token") == getattr(whole, f"{name}_token")
        assert cut.convert_ids_to_tokens(getattr(cut, f"{name}_token_id")) == getattr(whole, f"{name}_token")
    before, after = (tokenizer(*given, return_special_tokens_mask=True) for tokenizer in (whole, cut))
    specials = [
        [token for token, special in zip(each.tokens(), each["special_tokens_mask"], strict=True) if special]
        for each in (before, after)
    ]
    assert specials[0] == specials[1]
    assert specials[0][0] == whole.cls_token
    assert specials[0].count(whole.sep_token) >= len(given)


def test_a_trimmed_tokenizer_is_the_same_after_it_was_saved(whole, tmp_path):
    _, cut = small(whole)
    cut.save_pretrained(tmp_path)
    loaded = PreTrainedTokenizerFast.from_pretrained(tmp_path)
    assert [loaded(text)["input_ids"] for text in TEXTS] == [cut(text)["input_ids"] for text in TEXTS]
    assert loaded.model_max_length == whole.model_max_length
    assert trimmed(cut, range(len(cut))).get_vocab() == cut.get_vocab()


def test_a_corpus_chooses_its_own_pieces(whole):
    kanji = [text for text in corpus() if " " not in text]
    _, ours = small(whole, texts=kanji)
    _, ranked = small(whole)
    lengths = [sum(len(tokenizer(text)["input_ids"]) for text in kanji) for tokenizer in (whole, ours, ranked)]
    assert lengths[0] <= lengths[1] < lengths[2]


def wrapped(model):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token=model.unk_token)


@pytest.mark.parametrize(
    ("names", "model", "count", "text", "pieces"),
    [
        (  # words that cannot be spelled
            ["[UNK]", "a", "b", "##a", "ab", "##ab", "aa", "##aa", "ba"],
            lambda pieces: models.WordPiece(pieces, unk_token="[UNK]"),
            7,
            "ab aa ba baab",
            ["ab", "aa", "b", "##a", "b", "##a", "##ab"],
        ),
        (  # letters at the end of a word
            ["<unk>", "a", "b", "a</w>", "b</w>", "ab</w>", "ba</w>"],
            lambda pieces: models.BPE(
                pieces, [("a", "b</w>"), ("b", "a</w>")], unk_token="<unk>", end_of_word_suffix="</w>"
            ),
            6,
            "ab ba",
            ["ab</w>", "b", "a</w>"],
        ),
    ],
    ids=["words", "ends"],
)
def test_what_cannot_be_spelled_is_kept(names, model, count, text, pieces):
    whole = wrapped(model({piece: number for number, piece in enumerate(names)}))
    kept = kept_pieces(whole, count)
    assert [names[number] for number in kept] == names[:count]
    assert trimmed(whole, kept).tokenize(text) == pieces


def test_other_tokenizers_are_refused():
    with pytest.raises(FewshotError, match="a WordLevel tokenizer cannot be trimmed, only Unigram, WordPiece, BPE"):
        kept_pieces(wrapped(models.WordLevel({"[UNK]": 0, "a": 1}, unk_token="[UNK]")), 1)


def test_padding_of_a_call_is_not_kept(whole):
    whole(["ka la", "ka"], padding="max_length", truncation=True, max_length=9)
    _, cut = small(whole)
    settings = json.loads(cut.backend_tokenizer.to_str())
    assert settings["padding"] is settings["truncation"] is None
