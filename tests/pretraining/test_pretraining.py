"""Pretraining: vocabulary, aligned embeddings, masking, and the whole way from a corpus folder to an encoder."""

import lzma
import random

import numpy as np
import pytest
import torch
from scipy import sparse

from fewshot.encoders.load import load
from fewshot.errors import FewshotError
from fewshot.pretraining import alignment, config, corpus, masking, mlm, tokenizer
from fewshot.pretraining.pretrain import pretrain

WORDS = {"house": "talo", "tree": "puu", "water": "vesi", "sings": "laulaa", "sleeps": "nukkuu", "old": "vanha"}


def pairs(n, seed=0):
    """Translations word by word, as short sentences."""
    rng = random.Random(seed)
    for _ in range(n):
        english = rng.sample(list(WORDS), rng.randint(2, 4))
        yield {"en": " ".join(english), "fi": " ".join(WORDS[word] for word in english)}


@pytest.fixture
def folder(tmp_path):
    rows = list(pairs(400))
    (tmp_path / "mono").mkdir()
    (tmp_path / "parallel").mkdir()
    for lang in ("en", "fi"):
        with lzma.open(tmp_path / "mono" / f"{lang}.txt.xz", "wt") as file:
            file.writelines(row[lang] + "\n" for row in rows[:200])
    with lzma.open(tmp_path / "parallel" / "made.tsv.xz", "wt") as file:
        file.write("en\tfi\n")
        file.writelines(f"{row['en']}\t{row['fi']}\n" for row in rows)
    return tmp_path


def small(**changes):
    values = {"vocabulary": 80, "tokenizer_sentences": 400, "hidden": 4, "layers": 1, "heads": 2, "intermediate": 16}
    return config.PretrainConfig(**{**values, "positions": 32, "mlm_sentences": 400, "updates": 0, **changes})


@pytest.fixture
def same_pieces(monkeypatch):
    """One vocabulary for all encoders of a test: the trainer breaks ties by chance."""
    pieces = tokenizer.train([text for row in pairs(400) for text in row.values()], 80)
    monkeypatch.setattr(tokenizer, "train", lambda sentences, size, kind: pieces)


def build(folder, out, **changes):
    seen = []
    pretrain(small(**changes), folder, out, torch.device("cpu"), seen.append, seen.append)
    return load(str(out)), seen


def test_translations_get_the_nearest_vectors(folder, tmp_path):
    encoder, _ = build(folder, tmp_path / "out")
    table = encoder.module.embeddings.word_embeddings.weight.detach()
    table = table / table.norm(dim=1, keepdim=True)
    ids = encoder.tokenizer.convert_tokens_to_ids
    finnish = list(WORDS.values())
    for english, translation in WORDS.items():
        near = table[ids(finnish)] @ table[ids([english])[0]]
        assert finnish[int(near.argmax())] == translation


def test_language_modelling_keeps_aligned_rows_unless_it_may_move_them(folder, tmp_path, same_pieces):
    def rows(name, **changes):
        return build(folder, tmp_path / name, batch=4, length=16, **changes)[0].module.embeddings.word_embeddings.weight

    before = rows("before")
    assert torch.equal(before, rows("frozen", updates=3))
    assert not torch.equal(before, rows("free", updates=3, train_embeddings=True))


def test_language_modelling_lowers_the_loss(folder, tmp_path):
    settings = {
        "updates": 300,
        "hidden": 16,
        "batch": 8,
        "length": 16,
        "lr": 5e-3,
        "aligned": False,
        "train_embeddings": True,
    }
    _, seen = build(folder, tmp_path / "out", **settings)
    losses = [step.loss for step in seen if not isinstance(step, str)]
    assert losses[-1] < 0.8 * losses[0], losses


def test_same_config_and_vocabulary_same_encoder(folder, tmp_path, same_pieces):
    one, other = (build(folder, tmp_path / name, updates=2, batch=4, length=16)[0] for name in "ab")
    assert one.fingerprint == other.fingerprint


def test_killed_pretraining_goes_on_to_the_same_encoder(folder, tmp_path, same_pieces):
    class Killed(Exception):
        pass

    def kill(step):
        if step.update == 150:
            raise Killed

    settings = {"updates": 200, "batch": 4, "length": 16, "checkpoint": 70}
    whole, seen = build(folder, tmp_path / "whole", **settings)
    with pytest.raises(Killed):
        pretrain(small(**settings), folder, tmp_path / "cut", torch.device("cpu"), lambda name: None, kill)
    assert (tmp_path / "cut" / "checkpoint.safetensors").is_file()
    resumed, again = build(folder, tmp_path / "cut", **settings)
    assert resumed.fingerprint == whole.fingerprint
    assert [step for step in again if not isinstance(step, str)][-1].loss == pytest.approx(seen[-1].loss, rel=1e-4)
    assert "learning the vocabulary" not in again
    assert not (tmp_path / "cut" / "checkpoint.safetensors").exists()


def test_stopped_run_of_other_settings_is_not_overwritten(folder, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "checkpoint.safetensors").write_bytes(b"")
    (tmp_path / "out" / "pretrain.json").write_text("{}")
    with pytest.raises(FewshotError, match="holds a stopped run of other settings"):
        build(folder, tmp_path / "out")


def test_ppmi_is_the_formula():
    counts = np.array([[3.0, 0, 1], [0, 2, 2], [4, 1, 0]], dtype=np.float32)
    columns = counts.sum(0) ** 0.75
    with np.errstate(divide="ignore"):
        expected = np.log((counts / counts.sum(1, keepdims=True)) / (columns / columns.sum()))
    found = alignment.ppmi(sparse.csr_matrix(counts), smoothing=0.75).toarray()
    assert found == pytest.approx(np.maximum(expected, 0), abs=1e-5)


def test_embedding_of_a_piece_that_never_occurs_is_zero():
    counts = sparse.csr_matrix(np.array([[1, 2, 0, 1], [0, 0, 0, 0], [0, 1, 3, 0], [2, 0, 0, 1]], dtype=np.float32))
    vectors = alignment.embed(counts, 2, 0.5, seed=0)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1, 1], abs=1e-5)


def test_masking_shares():
    ids = torch.randint(5, 1000, (400, 100), generator=torch.Generator().manual_seed(0))
    maskable = torch.ones_like(ids, dtype=torch.bool)
    maskable[:, 0] = False
    torch.manual_seed(1)
    hidden, chosen = masking.mask(ids, maskable, torch.ones(1000), 4, 5)
    assert not chosen[:, 0].any()
    assert torch.equal(hidden[~chosen], ids[~chosen])
    assert chosen[:, 1:].float().mean() == pytest.approx(0.15, abs=0.01)
    assert (hidden[chosen] == 4).float().mean() == pytest.approx(0.8, abs=0.02)
    assert (hidden[chosen] == ids[chosen]).float().mean() == pytest.approx(0.1, abs=0.02)
    assert hidden.min() >= 4


def test_rare_pieces_are_masked_more_often_and_as_many_in_all():
    ids = torch.tensor([[5] * 90 + [6] * 10] * 300)
    weights = masking.rarity(torch.tensor([0, 0, 0, 0, 0, 900, 100]), 0.5)
    torch.manual_seed(0)
    _, chosen = masking.mask(ids, torch.ones_like(ids, dtype=torch.bool), weights, 4, 5)
    frequent, rare = chosen[ids == 5].float().mean(), chosen[ids == 6].float().mean()
    assert rare / frequent == pytest.approx(3, rel=0.15)
    assert chosen.float().mean() == pytest.approx(0.15, abs=0.01)


@pytest.mark.parametrize("decay", config.DECAYS)
def test_learning_rate_rises_for_a_tenth_and_falls(decay):
    rates = [mlm.rate(step, small(updates=1000, decay=decay)) for step in range(1000)]
    assert max(rates) == pytest.approx(rates[99], rel=0.02)
    assert rates[0] == pytest.approx(0.01)
    assert rates[499] == pytest.approx(0.556 if decay == "linear" else 0.447, abs=0.002)


def test_little_of_a_batch_is_padding(same_pieces):
    rng = random.Random(0)
    texts = [" ".join(rng.choices(list(WORDS), k=min(60, int(rng.expovariate(1 / 12)) + 2))) for _ in range(3000)]
    settings = small(updates=128, batch=16, length=128)
    batches = list(mlm._batches(tokenizer.train([], 0, ""), texts, list(pairs(300)), settings, 0))
    cells = sum(rows.attention.numel() for rows in batches)
    assert len(batches) == 128
    assert sum(int(rows.attention.sum()) for rows in batches) > 0.95 * cells


def test_small_languages_count_for_more_than_their_size():
    sentences = {"en": ["e"] * 900, "yo": ["y"] * 100}
    assert corpus.balanced(sentences, 1000, 1.0, 0).count("y") == 100
    assert corpus.balanced(sentences, 1000, 0.5, 0).count("y") == 250
    assert corpus.balanced(sentences, 1000, 0.0, 0).count("y") == 500


def test_scripts_without_spaces_are_split_into_characters():
    pieces = tokenizer.train(["犬が走る", "the dog runs"] * 20, 60)
    assert pieces.tokenize("犬が走る") == ["犬", "が", "走", "る"]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("wordpiece", ["the", "dogs", "犬"]),
        ("unigram", None),
        ("character", list("thedogs犬")),
        ("word", ["the", "dogs", "犬"]),
    ],
)
def test_kinds_of_vocabularies(kind, expected, tmp_path):
    pieces = tokenizer.train(["the dogs run", "犬が走る"] * 20, 60, kind)
    found = pieces.tokenize("the dogs犬")
    assert "".join(found).replace("##", "") == "thedogs犬"
    assert expected is None or found == expected
    pieces.save_pretrained(tmp_path)
    loaded = tokenizer.PreTrainedTokenizerFast.from_pretrained(tmp_path)
    assert loaded("the zebras")["input_ids"] == pieces("the zebras")["input_ids"]


def test_transforms_reach_vocabulary_and_alignment(folder, tmp_path):
    encoder, _ = build(folder, tmp_path / "out", transforms={"en": ["fake"]})
    letters = {letter for piece in encoder.tokenizer.get_vocab() if piece[0] != "[" for letter in piece.strip("#")}
    assert letters & set("".join(WORDS.values()))
    assert not letters & (set("".join(WORDS)) - set("".join(WORDS.values())))
    assert any(ord(letter) > 0x17000 for letter in letters)


def test_row_with_other_columns_than_the_header(folder):
    with lzma.open(folder / "parallel" / "made.tsv.xz", "at") as file:
        file.write("one cell\n")
    with pytest.raises(FewshotError, match=r"made\.tsv\.xz:402: 1 columns where the header has 2"):
        list(corpus.parallel(folder))


def test_folder_without_texts(tmp_path):
    with pytest.raises(FewshotError, match="give a corpus folder"):
        corpus.languages(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("layer = 3\n", "unknown setting 'layer'"),
        ("layers = 'two'\n", "must be int"),
        ("layers =\n", "not valid TOML"),
        ("tokenizer = 'bytes'\n", "unknown tokenizer 'bytes'"),
        ("[transforms]\nen = ['fakes']\n", "unknown transform 'fakes'"),
    ],
)
def test_bad_config(tmp_path, text, message):
    (tmp_path / "c.toml").write_text(text)
    with pytest.raises(FewshotError, match=message):
        config.read(tmp_path / "c.toml")
