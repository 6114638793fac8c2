import json

import numpy as np
import pytest
import torch
from pretraining.making import WORDS, build, small
from scipy import sparse

from fewshot.errors import FewshotError
from fewshot.pretraining import factors
from fewshot.pretraining.mlm import MLMStep
from fewshot.pretraining.pretrain import PretrainResult, pretrain
from fewshot.progress import Progress


def steps(seen):
    return [step for step in seen if isinstance(step, MLMStep)]


def doing(seen):
    return [now.doing for now in seen if isinstance(now, Progress)]


@pytest.mark.parametrize("alignment", ["lexicon", "sentences"])
def test_translations_get_the_nearest_vectors(folder, tmp_path, alignment):
    encoder, _ = build(folder, tmp_path / "out", alignment=alignment)
    table = encoder.module.embeddings.word_embeddings.weight.detach()
    table = table / table.norm(dim=1, keepdim=True)
    ids = encoder.tokenizer.convert_tokens_to_ids
    finnish = list(WORDS.values())
    for english, translation in WORDS.items():
        near = table[ids(finnish)] @ table[ids([english])[0]]
        assert finnish[int(near.argmax())] == translation


def test_language_modelling_keeps_aligned_rows_unless_it_may_move_them(folder, tmp_path):
    def rows(name, **changes):
        return build(folder, tmp_path / name, held_out=0, **changes)[0].module.embeddings.word_embeddings.weight

    before = rows("before")
    assert torch.equal(before, rows("frozen", updates=3))
    assert not torch.equal(before, rows("free", updates=3, train_embeddings=True))


def test_language_modelling_lowers_the_loss(folder, tmp_path):
    settings = {"hidden": 16, "batch": 8, "lr": 1e-2, "alignment": "none", "train_embeddings": True}
    _, seen = build(folder, tmp_path / "out", updates=100, **settings)
    losses = [float(step.loss) for step in steps(seen)]
    assert losses[-1] < 0.8 * losses[0], losses


class Killed(Exception):
    pass


def kill(step):
    if step.done == 6:
        raise Killed


def test_killed_pretraining_goes_on_to_the_same_encoder_and_overwrites_no_other(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.pretraining.mlm.REPORT_UPDATES", 2)
    settings, cut = {"updates": 8, "checkpoint": 3, "nsp": True, "mlm_sentences": 200}, tmp_path / "cut"
    whole, seen = build(folder, tmp_path / "whole", **settings)
    with pytest.raises(Killed):
        pretrain(small(**settings), folder, cut, torch.device("cpu"), kill, str)
    assert (cut / "checkpoint.safetensors").is_file()
    with pytest.raises(FewshotError, match="holds another encoder"):
        build(folder, cut, **settings | {"checkpoint": 4})
    resumed, again = build(folder, cut, **settings)
    assert resumed.fingerprint == whole.fingerprint
    assert float(steps(again)[-1].loss) == pytest.approx(float(steps(seen)[-1].loss), rel=1e-4)
    assert again[-1] == seen[-1]
    assert "learning the vocabulary" not in doing(again) and "learning the vocabulary" in doing(seen)
    assert not (cut / "checkpoint.safetensors").exists()


def test_finished_encoder_is_left_alone(folder, tmp_path):
    _, seen = build(folder, tmp_path / "out", updates=2)
    record = json.loads((tmp_path / "out" / "pretrain.json").read_text())
    assert record["result"]["pieces"] == seen[-1].pieces > 0
    assert record["result"]["held_out"].keys() == {"en", "fi", "mean"}
    before = (tmp_path / "out" / "model.safetensors").stat().st_mtime_ns
    assert build(folder, tmp_path / "out", updates=2)[1] == [None]
    (folder / "mono" / "fi.txt.xz").unlink()
    with pytest.raises(FewshotError, match="holds another encoder"):
        build(folder, tmp_path / "out", updates=2)
    assert (tmp_path / "out" / "model.safetensors").stat().st_mtime_ns == before


def test_encoder_of_unknown_settings_is_not_overwritten(folder, tmp_path):
    assert build(folder, tmp_path / "out")[1][-1] == PretrainResult()  # nothing is scored without language modelling
    assert not (tmp_path / "out" / "log").exists()
    (tmp_path / "out" / "pretrain.json").write_text("not JSON")
    with pytest.raises(FewshotError, match=r"pretrain.json: not valid JSON.*; give another folder"):
        build(folder, tmp_path / "out")


def test_vocabulary_too_small_to_align(folder, tmp_path):
    with pytest.raises(FewshotError, match=r"alignment takes more than hidden = 80 of each"):
        build(folder, tmp_path / "out", hidden=80)


def test_ppmi_is_the_formula():
    counts = np.array([[3.0, 0, 1], [0, 2, 2], [4, 1, 0]], dtype=np.float32)
    columns = counts.sum(0) ** 0.75
    with np.errstate(divide="ignore"):
        expected = np.log((counts / counts.sum(1, keepdims=True)) / (columns / columns.sum()))
    found = factors.ppmi(sparse.csr_matrix(counts), smoothing=0.75).toarray()
    assert found == pytest.approx(np.maximum(expected, 0), abs=1e-5)


def test_embedding_of_a_piece_that_never_occurs_is_zero():
    counts = sparse.csr_matrix(np.array([[1, 2, 0, 1], [0, 0, 0, 0], [0, 1, 3, 0], [2, 0, 0, 1]], dtype=np.float32))
    vectors = factors.embed(counts, 2, 0.5, seed=0)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1, 1], abs=1e-5)


def test_transforms_reach_vocabulary_and_alignment(folder, tmp_path):
    encoder, _ = build(folder, tmp_path / "out", transforms={"en": ["fake"]})
    letters = {letter for piece in encoder.tokenizer.get_vocab() if piece[0] != "[" for letter in piece.strip("#")}
    assert letters & set("".join(WORDS.values()))
    assert not letters & (set("".join(WORDS)) - set("".join(WORDS.values())))
    assert any(ord(letter) > 0x17000 for letter in letters)


def test_nothing_to_align_is_refused(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.pretraining.pretrain.aligned", lambda config, pieces, _: np.zeros((len(pieces), 4)))
    with pytest.raises(FewshotError, match="the translations align no piece"):
        build(folder, tmp_path / "out")


def test_the_fewest_sentences_train_and_always_to_the_same_encoder(folder, tmp_path):
    one, other = (build(folder, tmp_path / name, updates=2, mlm_sentences=1)[0] for name in "ab")
    assert one.fingerprint == other.fingerprint
