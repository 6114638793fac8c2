import json
import sys
from unittest.mock import MagicMock

import numpy as np
import pytest
import torch
from pretraining.making import WORDS, build, small
from scipy import sparse

from fewshot.errors import FewshotError
from fewshot.pretraining import config, factors
from fewshot.pretraining.mlm import MLMStep, tensorboard_log
from fewshot.pretraining.pretrain import pretrain
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


def test_vocabulary_too_small_to_align(folder, tmp_path):
    with pytest.raises(FewshotError, match=r"alignment takes more than hidden = 80 of each"):
        build(folder, tmp_path / "out", hidden=80)


def test_ppmi_is_the_formula():
    counts = np.array([[3.0, 0, 1], [0, 2, 2], [4, 1, 0]], dtype=np.float32)
    columns = counts.sum(0) ** 0.75
    with np.errstate(divide="ignore"):
        expected = np.log((counts / counts.sum(1, keepdims=True)) / (columns / columns.sum()))
    found = factors.ppmi(sparse.csr_matrix(counts)).toarray()
    assert found == pytest.approx(np.maximum(expected, 0), abs=1e-5)


def test_embedding_of_a_piece_that_never_occurs_is_zero():
    counts = sparse.csr_matrix(np.array([[1, 2, 0, 1], [0, 0, 0, 0], [0, 1, 3, 0], [2, 0, 0, 1]], dtype=np.float32))
    vectors = factors.embed(counts, 2, 0.5, seed=0)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1, 1], abs=1e-5)


def test_the_fewest_sentences_train_and_always_to_the_same_encoder(folder, tmp_path):
    one, other = (build(folder, tmp_path / name, updates=2, mlm_sentences=1)[0] for name in "ab")
    assert one.fingerprint == other.fingerprint


def test_figures_are_written_behind_a_checkpoint_and_the_file_is_closed(tmp_path, monkeypatch):
    module = MagicMock()
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    writer = module.SummaryWriter.return_value
    writer.__enter__.return_value = writer
    with tensorboard_log(tmp_path, 11, pytest.fail) as add:
        add(15, {"loss": 1.0})
    module.SummaryWriter.assert_called_once_with(str(tmp_path / "log"), purge_step=11)
    writer.add_scalar.assert_called_once_with("loss", 1.0, 15)
    writer.__exit__.assert_called_once()


def test_without_tensorboard_one_line_says_that_there_is_no_log(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    lines = []
    with tensorboard_log(tmp_path, 1, lines.append) as add:
        add(50, {"loss": 1.0})
    assert lines == ["no TensorBoard log is written; for one: pip install 'fewshot[tensorboard]'"]
    assert list(tmp_path.iterdir()) == []


def test_every_number_has_a_range():
    settings = config.PretrainConfig()
    assert all(
        bool(each.metadata) == (type(getattr(settings, each.name)) in (int, float)) for each in config.fields(settings)
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("layer = 3\n", "unknown setting 'layer'"),
        ("layers = 'two'\n", "must be int"),
        ("layers =\n", "not valid TOML"),
        ("tokenizer = 'bytes'\n", "unknown tokenizer 'bytes'"),
        ("batch = 0\n", r"c\.toml: batch = 0 must be 1 or more"),
        ("updates = -1\n", "updates = -1 must be 0 or more"),
        ("vocabulary = 5\n", "vocabulary = 5 must be 6 or more"),
        ("lr = nan\n", "lr = nan must be between 1e-09 and 1"),
        ("rare_exponent = inf\n", "rare_exponent = inf must be 0 or more"),
        ("pair_share = 1.5\n", "pair_share = 1.5 must be between 0 and 1"),
        ("nsp = 1\n", "nsp = 1 must be bool"),
        ("heads = 3\n", "hidden = 256 must be a multiple of heads = 3"),
        ("length = 600\n", "length = 600 must not be greater than positions = 512"),
        ("transforms = 3\n", "transforms = 3 must be dict"),
        ("transforms.en = 3\n", r"transforms\.en = 3 must be a list of names"),
        ("transforms.en = 'fake'\n", r"transforms\.en = 'fake' must be a list of names"),
        ("[transforms]\nen = ['fakes']\n", "unknown transform 'fakes'"),
    ],
)
def test_bad_config(tmp_path, text, message):
    (tmp_path / "c.toml").write_text(text)
    with pytest.raises(FewshotError, match=message):
        config.read_settings(tmp_path / "c.toml", config.PretrainConfig)
