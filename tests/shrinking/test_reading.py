import pytest
import torch
from encoders.kinds import bpe, corpus, startless, unigram, wordpiece
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from fewshot.encoders.pieces import NO_UNIT
from fewshot.encoders.vectors import pool_pieces
from fewshot.pretraining.batches import BUCKET
from fewshot.shrinking.distill import Distillation
from fewshot.shrinking.reading import shared_batch, shared_batches

TRANSLATIONS = [(f"me {word}", f"ka la {word}") for word in ("ti", "so", "nu")]


def words(names):
    """A tokenizer of these pieces, longest first; marks tell what goes on inside of a word."""
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *names]
    tokenizer = Tokenizer(models.WordPiece({piece: n for n, piece in enumerate(names)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    specials = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **specials)


def units(batch, row=0):
    """Return the unit of each piece of a sentence."""
    examples, most = batch.counts.shape
    slots = batch.slots.view(batch.ids.shape)[row].tolist()
    return [NO_UNIT if slot == examples * most else slot - row * most for slot in slots]


@pytest.mark.parametrize(
    ("text", "limit", "teacher", "student", "taught", "learned"),
    [
        ("unlocked door", 16, ["un", "##lock", "##ed", "door"], ["unlock", "##ed", "do", "##or"],
         [0, 1, 1, 2, 3, NO_UNIT], [0, 1, 2, 3, 3, NO_UNIT]),
        ("東京都の大学", 16, ["東京", "##都", "##の", "##大学"], ["東", "##京都", "##の大", "##学"],
         [0, 1, 1, 2, 2, NO_UNIT], [0, 1, 1, 2, 2, NO_UNIT]),
        ("ab cd ef", 5, ["ab", "cd", "ef"], ["a", "##b", "c", "##d", "e", "##f"],  # the student is cut within cd
         [0, 1, NO_UNIT, NO_UNIT, NO_UNIT], [0, 1, 1, NO_UNIT, NO_UNIT]),
    ],
)  # fmt: skip
def test_spans_end_where_both_end_a_piece(text, limit, teacher, student, taught, learned):
    one = shared_batch((words(teacher), words(student)), [text], limit)
    assert (units(one.teacher), units(one.student)) == (taught, learned)
    assert one.student.mask.tolist() == one.teacher.mask.tolist() == [[True] * (max(taught) + 1)]


@pytest.mark.parametrize(("first", "second"), [(wordpiece, unigram), (unigram, bpe), (bpe, startless), (bpe, bpe)])
def test_every_span_has_pieces_of_both(first, second):
    texts = [*corpus(20, seed=4), "東京都の大学生 ka-la", "ko?", ""]
    one = shared_batch((first(), second()), texts, 20)
    there = [(side.counts > 0)[:, 1:] for side in (one.teacher, one.student)]
    assert torch.equal(*there)
    assert there[0].any()


def test_a_span_is_the_mean_of_its_pieces():
    one = shared_batch((words(["ab", "##cd"]), words(["abcd"])), ["abcd"], 8)
    hidden = torch.tensor([[[9.0], [1.0], [3.0], [9.0]]])
    assert pool_pieces(hidden, one.teacher).flatten().tolist() == [9.0, 2.0]


def all_of(done=0, updates=150, **changes):
    given = {"batch": 4, "length": 24, "seed": 0, "pair_share": 0.25, **changes}
    how = Distillation(updates=updates, **given)
    return list(shared_batches((wordpiece(), unigram()), corpus(50), TRANSLATIONS, how, done))


def same(one, other):
    return torch.equal(one.teacher.ids, other.teacher.ids) and torch.equal(one.student.slots, other.student.slots)


def test_readings_go_on_where_they_stopped():
    whole = all_of()
    assert len(whole) == 150
    for done in (1, 64, 100):
        rest = all_of(done)
        assert len(rest) == 150 - done
        assert all(same(one, other) for one, other in zip(whole[done:], rest, strict=True))
    assert not all(same(one, other) for one, other in zip(whole, all_of(seed=1), strict=True))


@pytest.mark.parametrize("batch", [2, 5])
def test_a_quarter_of_the_batches_are_translations(batch):
    found = all_of(updates=BUCKET, batch=batch)
    assert len(found) == BUCKET
    paired = [one for one in found if one.pairs]
    assert len(paired) == BUCKET / 4
    assert all(one.pairs == tuple((row, row + 1) for row in range(0, batch - 1, 2)) for one in paired)
    assert all(len(one.teacher.ids) == batch for one in found if not one.pairs)
