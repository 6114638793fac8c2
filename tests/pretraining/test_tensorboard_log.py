import sys
from unittest.mock import MagicMock, call

import pytest
import torch
from pretraining.making import build, small

from fewshot.pretraining.mlm import MLMStep
from fewshot.pretraining.pretrain import pretrain
from fewshot.pretraining.tensorboard_log import tensorboard_log


def test_what_was_written_after_the_checkpoint_is_purged_and_every_file_is_closed(folder, tmp_path, monkeypatch):
    module, writers = MagicMock(), [MagicMock(), MagicMock()]
    for writer in writers:
        writer.__enter__.return_value = writer
    module.SummaryWriter.side_effect = writers
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    monkeypatch.setattr("fewshot.pretraining.mlm.REPORT_UPDATES", 5)
    settings = {"updates": 22, "checkpoint": 10}

    def kill(now):
        if isinstance(now, MLMStep) and now.done == 15:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        pretrain(small(**settings), folder, tmp_path / "out", torch.device("cpu"), kill, str)
    build(folder, tmp_path / "out", **settings)
    log = str(tmp_path / "out" / "log")
    assert module.SummaryWriter.call_args_list == [call(log, purge_step=1), call(log, purge_step=11)]
    for writer, updates in zip(writers, ([5, 10, 15], [15, 20, 22]), strict=True):
        names, _, written = zip(*(one.args for one in writer.add_scalar.call_args_list), strict=True)
        assert set(names) == {"loss", "learning rate", "pieces per second"}
        assert list(dict.fromkeys(written)) == updates
        writer.__exit__.assert_called_once()


def test_without_tensorboard_one_line_says_that_there_is_no_log(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    lines = []
    with tensorboard_log(tmp_path, 1, lines.append) as add:
        add(50, {"loss": 1.0})
    assert lines == ["no TensorBoard log is written; for one: pip install 'fewshot[tensorboard]'"]
    assert list(tmp_path.iterdir()) == []
