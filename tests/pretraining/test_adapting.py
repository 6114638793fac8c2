import copy
import json
import shutil
from dataclasses import replace
from functools import partial
from itertools import count

import pytest
import torch
from encoders.kinds import corpus, save, startless, unigram, wordpiece
from pretraining.test_new_pieces import text as new_words

from fewshot.checkpoint import Checkpointer
from fewshot.encoders import folder, vocabulary
from fewshot.encoders.load import load_encoder
from fewshot.errors import FewshotError
from fewshot.pretraining.adapting import RawText, adapt
from fewshot.pretraining.continuing import Continuation

CPU = torch.device("cpu")


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return load_encoder(str(save(tmp_path_factory.mktemp("encoder"), "XLMRoberta", unigram)))


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Sentences that say everything twice."""
    folder = tmp_path_factory.mktemp("text")
    return RawText(write(folder / "text.txt", [f"{line} {line}" for line in corpus(600, seed=2)]), "xx")


def how(**changes):
    return Continuation(**{"minutes": 0, "updates": 6, "batch": 4, "length": 40, "lr": 3e-3, **changes})


def made(encoder, source, out, pieces=0, settings=None, report=lambda now: None, warn=str, romanize=False):
    return adapt(encoder, source, pieces, romanize, settings or how(), out, CPU, report, warn)


def weights(encoder):
    return dict(encoder.module.named_parameters())


def tables(*encoders):
    """Return the embeddings in the precision of the disk."""
    return [one.module.get_input_embeddings().weight.half() for one in encoders]


@pytest.mark.parametrize(
    ("train", "moving"),
    [
        ("adapters", {"attention", "dense"}),
        ("embeddings", {"word_embeddings"}),
        ("all", {"attention", "dense", "word_embeddings", "LayerNorm"}),
    ],
)
def test_each_part_of_an_encoder_is_trained_alone_and_saved(encoder, source, tmp_path, train, moving):
    made(encoder, source, tmp_path, settings=how(train=train))
    old, new = weights(encoder), weights(load_encoder(str(tmp_path)))
    moved = {name for name in old if not torch.equal(old[name].half(), new[name].half())}
    parts = ("attention", "dense", "word_embeddings", "LayerNorm")
    assert {part for part in parts if any(part in name for name in moved)} == moving


@pytest.mark.parametrize(("train", "pieces"), [("adapters", 0), ("adapters", 5), ("all", 0)])
def test_an_encoder_with_a_packed_table_is_trained_as_one_with_a_plain_table(encoder, source, tmp_path, train, pieces):
    folder.save(replace(encoder, module=copy.deepcopy(encoder.module)), tmp_path / "packed", embedding_bits=4)
    packed, plain = (load_encoder(str(tmp_path / "packed")) for _ in range(2))
    vocabulary.unpack(plain.module)
    assert type(packed.module.get_input_embeddings()) is vocabulary.PackedEmbedding
    results = [
        made(each, source, tmp_path / name, pieces, how(train=train, updates=2))
        for each, name in ((packed, "one"), (plain, "same"))
    ]
    one, same = (load_encoder(str(tmp_path / name)) for name in ("one", "same"))
    assert results[0] == results[1] and one.fingerprint == same.fingerprint
    assert type(packed.module.get_input_embeddings()) is vocabulary.PackedEmbedding, "it stays as it is"


def test_text_that_was_held_out_is_predicted_better(encoder, source, tmp_path):
    result = made(encoder, source, tmp_path, settings=how(train="all", updates=60, batch=16))
    assert result.before.keys() == result.after.keys() == {"xx"}
    assert result.before["xx"].sentences > 20
    assert result.after["xx"].perplexity < 0.98 * result.before["xx"].perplexity, result


def test_pieces_that_the_text_has_not_keep_their_vectors(encoder, tmp_path):
    latin = [line for line in corpus(300, seed=2) if line.isascii()]
    made(encoder, RawText(write(tmp_path / "text.txt", latin), "xx"), tmp_path / "out", settings=how(train="all"))
    before, after = tables(encoder, load_encoder(str(tmp_path / "out")))
    kept = [n for piece, n in encoder.tokenizer.get_vocab().items() if any("а" <= letter <= "я" for letter in piece)]
    seen = encoder.tokenizer(latin[0], add_special_tokens=False)["input_ids"]
    assert len(kept) > 20
    assert torch.equal(before[kept], after[kept])
    assert not torch.equal(before[seen], after[seen])


@pytest.mark.parametrize("kind", ["DistilBert", "Albert"])
def test_other_kinds_of_encoders_are_trained_and_loaded(tmp_path, source, kind):
    encoder = load_encoder(str(save(tmp_path / "encoder", kind, wordpiece)))
    before = {name: weight.clone() for name, weight in weights(encoder).items()}
    result = made(encoder, source, tmp_path / "out", pieces=5, settings=how(updates=2))
    after = load_encoder(str(tmp_path / "out"))
    assert len(after.tokenizer) == len(encoder.tokenizer) + result.new_pieces
    assert after.module.config.vocab_size == len(after.module.get_input_embeddings().weight) == len(after.tokenizer)
    assert weights(after).keys() == weights(encoder).keys()
    assert all(torch.equal(before[name], weight) for name, weight in weights(encoder).items()), "it stays as it is"


def test_adapters_leave_the_embeddings_but_for_new_pieces_also_of_an_encoder_that_was_adapted(encoder, tmp_path):
    source, old = RawText(write(tmp_path / "text.txt", dict.fromkeys(new_words(400))), "xx"), len(encoder.tokenizer)
    result = made(encoder, source, tmp_path / "out", pieces=20)
    after = load_encoder(str(tmp_path / "out"))
    before, now = tables(encoder, after)
    assert result.new_pieces == len(after.tokenizer) - old == 20
    assert torch.equal(before, now[:old])
    assert after.tokenizer.unk_token_id not in after.tokenizer("ሰላም ልጅ")["input_ids"]
    assert json.loads((tmp_path / "out" / "adapt.json").read_text())["result"]["new_pieces"] == 20
    again = made(after, source, tmp_path / "two", pieces=5, settings=how(updates=1))
    assert len(load_encoder(str(tmp_path / "two")).tokenizer) == old + 20 + again.new_pieces


@pytest.mark.parametrize(("stop", "pieces"), [(2, 10), (5, 0)])
def test_stopped_training_goes_on_to_the_same_encoder(encoder, source, tmp_path, monkeypatch, stop, pieces):
    monkeypatch.setattr("fewshot.checkpoint.MIN_INTERVAL", 0.0)
    monkeypatch.setattr("fewshot.checkpoint.MAX_TIME_SHARE", float("inf"))

    def tell(now):
        if now.done == stop and now.total:  # as if it had been killed here
            shutil.copytree(tmp_path / "whole", tmp_path / "cut")

    whole, seen = made(encoder, source, tmp_path / "whole", pieces, report=tell), []
    resumed = made(encoder, source, tmp_path / "cut", pieces, report=seen.append)
    assert [(now.done, now.kept) for now in seen if now.total] == [(done, stop) for done in range(stop + 1, 7)]
    one, same = (load_encoder(str(tmp_path / name)) for name in ("whole", "cut"))
    assert one.fingerprint == same.fingerprint
    assert resumed == whole
    assert not (tmp_path / "cut" / "checkpoint.safetensors").exists()


def test_minutes_end_a_training_whatever_the_updates(encoder, source, tmp_path, monkeypatch):
    seen, ticks = [], count()
    monkeypatch.setattr("fewshot.checkpoint.Checkpointer", partial(Checkpointer, clock=lambda: next(ticks) / 10))
    result = made(encoder, source, tmp_path, settings=how(minutes=0.03, updates=0), report=seen.append)
    steps = [now for now in seen if now.total]
    assert len(steps) == result.updates > 1
    assert steps[0].done < steps[-1].done <= steps[-1].total == 0.03


def test_finished_encoder_is_left_alone_and_another_refused(encoder, source, tmp_path):
    also = RawText(source.text, "xx", write(tmp_path / "also.txt", new_words(200)))
    result = made(encoder, also, tmp_path / "out")
    assert result.after.keys() == {"xx", "also"}
    record = json.loads((tmp_path / "out" / "adapt.json").read_text())
    assert record["encoder_fingerprint"] == encoder.fingerprint
    assert record["result"]["after"]["xx"]["cross_entropy"] > 0
    assert made(encoder, also, tmp_path / "out") is None
    for given, settings in ((source, how()), (also, how(seed=1))):
        with pytest.raises(FewshotError, match="holds another encoder; give another folder, or delete it"):
            made(encoder, given, tmp_path / "out", settings=settings)


def test_a_script_is_read_in_latin_letters_also_where_pieces_are_learned(encoder, tmp_path):
    to_vai = str.maketrans("abdefghiklmnoprstu", "".join(map(chr, range(0xA500, 0xA500 + 18))))
    text = write(tmp_path / "text.txt", [line.lower().translate(to_vai) for line in corpus(400, seed=2)])
    made(encoder, RawText(text, "vai"), tmp_path / "out", pieces=20, settings=how(updates=1), romanize=True)
    adapted = load_encoder(str(tmp_path / "out"))
    assert len(encoder.tokenizer) < len(adapted.tokenizer) <= len(encoder.tokenizer) + 20
    read = [piece for line in text.read_text().splitlines()[:20] for piece in adapted.tokenizer.tokenize(line)]
    assert read and all(piece.removeprefix("▁").isascii() for piece in read)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["", " "], "text.txt: the file is empty"),
        (["ka la"] * 500, "1 different sentences are too few; give 100 or more"),
        (["ka la", "\x07"] * 100, "100 of 200 lines cannot be read, the first: .*text.txt:2: control character"),
        (["Ka la. Mo ni. Ta ko. Ra se."] * 10 + ["\x07"] * 4, "4 of 14 lines cannot be read"),
    ],
)
def test_text_that_teaches_nothing_is_refused(encoder, tmp_path, lines, message):
    with pytest.raises(FewshotError, match=message):
        made(encoder, RawText(write(tmp_path / "text.txt", lines), "xx"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_few_bad_lines_are_left_out(encoder, tmp_path):
    warnings = []
    path = write(tmp_path / "text.txt", [*corpus(400), "\x07"])
    made(encoder, RawText(path, "xx"), tmp_path / "out", settings=how(updates=1), warn=warnings.append)
    assert warnings == [f"1 of 401 lines are left out, the first: {path}:401: control character U+0007; remove it"]


def test_annotated_files_are_no_raw_text(encoder, tmp_path):
    path = write(tmp_path / "train.conllu", ["1\tka\t_\tNOUN\t_\t_\t0\troot\t_\t_", ""])
    with pytest.raises(FewshotError, match="give raw text with a sentence or a paragraph in each line"):
        made(encoder, RawText(path, "xx"), tmp_path / "out")


def test_an_encoder_without_a_mask_is_refused(source, tmp_path):
    def maskless():
        pieces = startless()
        pieces = type(pieces)(tokenizer_object=pieces.backend_tokenizer, pad_token="<pad>", unk_token="<unk>")
        return pieces

    encoder = load_encoder(str(save(tmp_path / "encoder", "T5", maskless)))
    with pytest.raises(FewshotError, match="has no mask piece"):
        made(encoder, source, tmp_path / "out")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"train": "adapter"}, "unknown part of an encoder to train 'adapter': did you mean adapters"),
        ({"minutes": 1, "updates": 1}, "set one above 0, and the other to 0"),
        ({"updates": 0}, "set one above 0, and the other to 0"),
        ({"lr": 2.0}, "invalid learning rate 2.0"),
        ({"lr": 0.0}, "invalid learning rate 0.0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(FewshotError, match=message):
        how(**settings)
