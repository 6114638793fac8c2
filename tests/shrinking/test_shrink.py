import json
import shutil
from dataclasses import replace

import pytest
import torch
from encoders.kinds import KINDS, SYLLABLES, TOKENIZERS, corpus, save, startless, unigram
from pretraining.making import write_lines
from safetensors import safe_open

from fewshot.encoders import folder, freezing, packed
from fewshot.encoders.load import fingerprint, load_encoder
from fewshot.encoders.pieces import Input, View, encode
from fewshot.encoders.vectors import all_layers, collate
from fewshot.encoders.vocabulary import PackedEmbedding, copy_encoder, table, unpack
from fewshot.errors import FewshotError
from fewshot.shrinking.distill import Distillation, Lesson, taught
from fewshot.shrinking.shrink import Shape, average, cut, shrink

CPU = torch.device("cpu")
WHOLE = {"bits": 16, "embedding_bits": 16}
SHAPE = Shape(layers=2, pieces=120, **WHOLE)
HOW = Distillation(updates=12, batch=4, length=24, checkpoint=5, lr=2e-3)


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    return load_encoder(str(save(tmp_path_factory.mktemp("teacher"), "XLMRoberta", unigram, initializer_range=0.3)))


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """A corpus folder of two languages, one the other's translation, word by word."""
    folder = tmp_path_factory.mktemp("corpus")
    english = [line for line in corpus(1500, seed=2) if " " in line]
    other = [" ".join(reversed(line.split())) for line in english]
    write_lines(folder / "mono" / "en.txt.xz", english)
    write_lines(folder / "mono" / "xx.txt.xz", other)
    rows = [f"{one}\t{two}" for one, two in zip(english, other, strict=True)]
    write_lines(folder / "parallel" / "made.tsv.xz", ["en\txx", *rows[:100]])
    return folder


def made(teacher, out, text=None, shape=SHAPE, how=HOW, report=lambda now: None):
    return shrink(teacher, shape, how, text, out, CPU, report, str)


def hidden(encoder, text="ka la meti so"):
    pieces = encode(encoder.tokenizer, Input((text.split(),)), View("words"), encoder.limit)
    with torch.no_grad():
        return all_layers(encoder.module, collate([pieces], int(encoder.tokenizer.pad_token_id)))


@pytest.mark.parametrize("kind", ["Bert", "DistilBert"])
def test_the_cut_alone_computes_the_layer_of_the_teacher(tmp_path, kind):
    teacher = load_encoder(str(save(tmp_path / "teacher", kind)))
    made(teacher, tmp_path / "out", shape=Shape(layers=2, **WHOLE))
    small = load_encoder(str(tmp_path / "out"))
    assert freezing.depth(small.module) == len(freezing.layers(small.module)) == 2
    torch.testing.assert_close(hidden(small)[-1], hidden(teacher)[2], atol=5e-3, rtol=5e-3)
    exact = cut(teacher, Shape(layers=2))
    assert torch.equal(hidden(exact)[-1], hidden(teacher)[2])


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_kept_pieces_keep_their_embeddings(tmp_path, tokenizer):
    teacher = load_encoder(str(save(tmp_path, "XLMRoberta", TOKENIZERS[tokenizer])))
    small = cut(teacher, Shape(pieces=len(teacher.tokenizer) - 30))
    old, new = (each.module.get_input_embeddings().weight for each in (teacher, small))
    names = small.tokenizer.convert_ids_to_tokens(range(len(small.tokenizer)))
    assert torch.equal(new, old[teacher.tokenizer.convert_tokens_to_ids(names)])
    assert small.module.config.vocab_size == len(new) == len(old) - 30
    assert small.module.config.pad_token_id == small.tokenizer.pad_token_id
    torch.testing.assert_close(hidden(small, "ka la")[-1], hidden(teacher, "ka la")[-1])


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_encoder_is_saved_small_and_loaded(tmp_path, kind):
    tokenizer = startless if "T5" in kind else unigram
    teacher = load_encoder(str(save(tmp_path / "teacher", kind, tokenizer)))
    made(teacher, tmp_path / "out", shape=Shape(layers=0 if kind == "Albert" else 2, pieces=120))
    small = load_encoder(str(tmp_path / "out"))
    assert len(small.tokenizer) == 120
    assert type(small.module.get_input_embeddings()) is PackedEmbedding
    embeddings = small.module.get_input_embeddings().weight
    assert embeddings.shape == (120, 32)
    with safe_open(tmp_path / "out" / packed.FILE, "pt") as file:
        tables = [name for name in file.keys() if file.get_slice(name).get_shape() == [120, 16]]  # noqa: SIM118
    assert len(tables) == 1, "the table is there once, in 4 bits"
    exact = cut(teacher, Shape(layers=0 if kind == "Albert" else 2, pieces=120))
    off = (embeddings - exact.module.get_input_embeddings().weight).abs().amax()
    assert 0 < off < exact.module.get_input_embeddings().weight.abs().amax() / 7
    states = hidden(small)[-1]
    assert states.isfinite().all()
    again = cut(small, Shape())
    unpack(small.module)
    assert torch.equal(table(again.module), table(small.module))
    assert torch.equal(hidden(small)[-1], states)
    assert fingerprint(small.module) == small.fingerprint


@pytest.mark.parametrize("in_bf16", [False, True])
def test_a_teacher_with_a_packed_table_teaches_as_one_with_a_plain_table(teacher, tmp_path, monkeypatch, in_bf16):
    monkeypatch.setattr("fewshot.shrinking.distill.has_bf16", lambda device: in_bf16)
    folder.save(replace(teacher, module=copy_encoder(teacher.module)), tmp_path / "packed", embedding_bits=4)
    packed, plain = (load_encoder(str(tmp_path / "packed")) for _ in range(2))
    unpack(plain.module)
    lines = [line for line in corpus(100, seed=3) if " " in line]
    student = cut(plain, Shape(layers=1))
    lessons = [Lesson(each, student, HOW, lines, CPU) for each in (packed, plain)]
    read = [lesson.teacher[0].state_dict() for lesson in lessons]
    assert all(torch.equal(read[0][name], read[1][name]) for name in read[1])
    assert table(lessons[0].teacher[0]).dtype == (torch.bfloat16 if in_bf16 else torch.float32)
    assert type(packed.module.get_input_embeddings()) is PackedEmbedding, "it stays as it is"


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (Shape(layers=4), "the encoder has 3 layers, of which 4 cannot be kept"),
        (Shape(layers=-1), "the encoder has 3 layers, of which -1 cannot be kept"),
        (Shape(pieces=10_000), "has 250 pieces, of which 10000 cannot be kept"),
        (Shape(pieces=9), "9 pieces are too few"),
        (Shape(pieces=100, by_corpus=True), "give --corpus"),
    ],
)
def test_what_cannot_be_kept_is_refused(teacher, text, tmp_path, shape, message):
    with pytest.raises(FewshotError, match=message):
        made(teacher, tmp_path / "out", shape=shape)
    for how in (Distillation(updates=0), Distillation(batch=1)):
        with pytest.raises(FewshotError, match="are too few"):
            made(teacher, tmp_path, tmp_path, how=how)
    for frozen in (-1, 2):
        with pytest.raises(FewshotError, match=f"{frozen} of the small encoder's layers cannot be frozen"):
            made(teacher, tmp_path / str(frozen), text, how=replace(HOW, frozen=frozen))
    with pytest.raises(FewshotError, match="needs a corpus; give --corpus"):
        made(teacher, tmp_path / "alone", how=replace(HOW, frozen=1))


def test_teaching_helps_on_sentences_that_were_held_out(teacher, text, tmp_path):
    how = Distillation(updates=60, batch=8, length=24, lr=2e-3, pair_share=0, checkpoint=1000)
    result = made(teacher, tmp_path, text, how=how)
    assert result.before.keys() == result.after.keys() == {"en", "xx"}
    assert all(result.after[lang] < 0.95 * result.before[lang] for lang in result.after), result
    assert result.pieces > 60 * 8
    assert result.weights == sum(p.numel() for p in load_encoder(str(tmp_path)).module.parameters())


def test_the_small_encoder_begins_with_the_mean_of_two(teacher, tmp_path):
    other = cut(load_encoder(str(save(tmp_path / "other", "XLMRoberta", unigram, initializer_range=0.3))), SHAPE)
    small, alone = cut(teacher, Shape(layers=2)), cut(teacher, Shape(layers=2))
    average(small, other)
    for ours, one, two in zip(
        *(freezing.layers(each.module)[1].parameters() for each in (small, alone, other)), strict=True
    ):
        torch.testing.assert_close(ours, (one + two) / 2)
    assert torch.equal(*(each.module.get_input_embeddings().weight for each in (small, alone)))
    for shape in (Shape(layers=1), Shape(layers=3)):
        with pytest.raises(FewshotError, match=r"cut differs from the cut in more than its pieces"):
            average(small, cut(teacher, shape))


def test_frozen_layers_stay_as_they_are(teacher, text, tmp_path):
    made(teacher, tmp_path, text, how=replace(HOW, frozen=1))
    before, after = (freezing.layers(each.module) for each in (cut(teacher, SHAPE), load_encoder(str(tmp_path))))
    moved = [
        max(float((a - b).detach().abs().max()) for a, b in zip(one.parameters(), two.parameters(), strict=True))
        for one, two in zip(before, after, strict=True)
    ]
    assert moved[0] < 1e-3 < moved[1]  # they are saved in 16 bits


@pytest.mark.parametrize(("stop", "kept"), [(4, 0), (7, 5), (12, 10)])
def test_stopped_teaching_goes_on_to_the_same_encoder(teacher, text, tmp_path, stop, kept):
    def tell(now):
        if now.done == stop and now.total:  # as if it had been killed here, and as if not
            shutil.copytree(tmp_path / "whole", tmp_path / "cut")

    file, seen = tmp_path / "cut" / "checkpoint.safetensors", []
    whole = made(teacher, tmp_path / "whole", text, report=tell)
    assert file.exists() == (kept > 0)
    if kept:
        with safe_open(file, "pt") as tensors:
            assert not any("word_embeddings" in name for name in tensors.keys())  # noqa: SIM118
    resumed = made(teacher, tmp_path / "cut", text, report=seen.append)
    assert [(now.done, now.kept) for now in seen if now.total] == [(done, kept) for done in range(kept + 1, 13)]
    assert not file.exists()
    if kept:  # the first weights, by least squares, are not rounded alike in each training
        one, same = (packed.load(tmp_path / name / packed.FILE) for name in ("whole", "cut"))
        assert all(torch.equal(one[name], same[name]) for name in one)
        assert (resumed.after, resumed.pieces) == (whole.after, whole.pieces)
    small, exact = load_encoder(str(tmp_path / "cut")), cut(teacher, SHAPE)
    tables = [each.module.get_input_embeddings().weight for each in (small, exact)]
    assert torch.equal(tables[0], tables[1].half().float())  # the teacher's


def test_finished_encoder_is_left_alone_and_another_refused(teacher, text, tmp_path):
    assert made(teacher, tmp_path / "out") is not None
    record = (tmp_path / "out" / "shrink.json").read_text()
    assert json.loads(record)["result"]["weights"] > 0
    assert made(teacher, tmp_path / "out") is None
    other = load_encoder(str(save(tmp_path / "other", "Bert")))
    for given in ({"teacher": other}, {"shape": Shape(layers=1, pieces=120, **WHOLE)}, {"text": text}):
        with pytest.raises(FewshotError, match="holds another encoder; give another folder, or delete it"):
            made(**{"teacher": teacher, "out": tmp_path / "out", **given})
    assert (tmp_path / "out" / "shrink.json").read_text() == record


def test_pieces_by_corpus_are_those_of_the_corpus(teacher, text, tmp_path):
    made(teacher, tmp_path, text, shape=Shape(layers=1, pieces=90, by_corpus=True, **WHOLE))
    chosen, ranked = load_encoder(str(tmp_path)), cut(teacher, Shape(pieces=90))
    vocabularies = [each.tokenizer.get_vocab() for each in (chosen, ranked)]
    ours, others = (sum(len(piece) > 1 and piece[-1] in SYLLABLES["kanji"] for piece in one) for one in vocabularies)
    assert ours < others


def test_layers_that_are_taught():
    assert [taught(*of) for of in ((12, 6), (12, 12), (3, 2), (24, 6))] == [[9, 12], [12], [2, 3], [15, 24]]
