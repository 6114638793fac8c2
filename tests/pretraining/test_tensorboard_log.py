"""The log for TensorBoard: one curve over all stops, and training without it."""

import sys
from types import ModuleType

import pytest
import torch
from pretraining.making import build, small

from fewshot.pretraining.mlm import Step
from fewshot.pretraining.pretrain import pretrain
from fewshot.pretraining.tensorboard_log import tensorboard_log


class Writer:
    """Stands for the writer of TensorBoard."""

    made = ()

    def __init__(self, folder, purge_step):
        self.folder, self.purge_step, self.scalars, self.closed = folder, purge_step, [], False
        Writer.made = (*Writer.made, self)

    def add_scalar(self, name, value, step):
        self.scalars.append((name, value, step))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.closed = True


def test_what_was_written_after_the_checkpoint_is_purged_and_every_file_is_closed(folder, tmp_path, monkeypatch):
    module = ModuleType("torch.utils.tensorboard")
    module.SummaryWriter = Writer
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    monkeypatch.setattr(Writer, "made", ())
    monkeypatch.setattr("fewshot.pretraining.mlm.EVERY", 5)
    settings = {"updates": 22, "checkpoint": 10}

    def kill(now):
        if isinstance(now, Step) and now.done == 15:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        pretrain(small(**settings), folder, tmp_path / "out", torch.device("cpu"), kill, str)
    build(folder, tmp_path / "out", **settings)
    first, second = Writer.made
    assert first.folder == second.folder == str(tmp_path / "out" / "log")
    assert (first.purge_step, second.purge_step) == (1, 11)
    assert [step for name, _, step in first.scalars if name == "loss"] == [5, 10, 15]
    assert [step for name, _, step in second.scalars if name == "loss"] == [15, 20, 22]
    assert {name for name, *_ in first.scalars} == {"loss", "learning rate", "pieces per second"}
    assert first.closed and second.closed


def test_without_tensorboard_one_line_says_that_there_is_no_log(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    lines = []
    with tensorboard_log(tmp_path, 1, lines.append) as add:
        add(50, {"loss": 1.0})
    assert lines == ["no TensorBoard log is written; for one: pip install 'fewshot[tensorboard]'"]
    assert list(tmp_path.iterdir()) == []
