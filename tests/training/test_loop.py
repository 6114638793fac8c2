import platform
import subprocess
import sys

import pytest
import torch
from torch import nn

from fewshot.checkpoint import Checkpointer
from fewshot.errors import DivergedError
from fewshot.training import loop, schedules
from fewshot.training.loop import Average, Group, Training, clip_gradients


def model(*weights):
    parts = nn.ModuleList(nn.Linear(1, 1, bias=False) for _ in weights)
    for part, weight in zip(parts, weights, strict=True):
        part.weight.data.fill_(weight)
    return parts


def losses(parts):
    """Yield a loss of each part, whose gradient is twice the weight; note which gradients there are meanwhile."""
    for part in parts:
        yield part.weight.square().sum()
        assert part.weight.grad.item() == pytest.approx(2 * part.weight.item())


def test_an_update_takes_the_sum_of_the_losses_and_each_group_has_its_rate():
    parts = model(1.0, 2.0, 3.0)
    parts[2].requires_grad_(False)
    groups = [
        Group(parts[0].parameters(), 0.1, lambda step: 1 / (step + 1)),
        Group(parts[2].parameters(), 1.0, lambda step: 1.0),
        Group(parts[1].parameters(), 0.2, lambda step: step, decay=0.5),
    ]
    training = Training(parts, groups, 2, clip=100.0, doing="counting")
    seen = [(now.done, now.total, now.doing, now.loss.item()) for now in training.run([parts[:2]] * 2, losses)]
    after = 0.9**2 + 2.0**2  # AdamW moves each weight by its rate; the second weight's is 0 at first
    assert seen == [(1, 2, "counting", 5.0), (2, 2, "counting", pytest.approx(after, rel=1e-5))]
    assert [group["lr"] for group in training.optimizer.param_groups] == [0.05, 0.2]
    assert [group["weight_decay"] for group in training.optimizer.param_groups] == [0.0, 0.5]
    assert [part.weight.item() for part in parts] == [
        pytest.approx(0.85, abs=1e-3),
        pytest.approx(2.0 * (1 - 0.2 * 0.5) - 0.2, abs=1e-3),
        3.0,
    ]


@pytest.mark.parametrize("loss", [float("nan"), float("inf")])
def test_a_training_that_diverges_is_an_error_and_leaves_no_checkpoint(loss, tmp_path):
    parts, kept = model(1.0), Checkpointer(tmp_path, "this", updates=1)
    training = Training(parts, [Group(parts.parameters(), 0.1, lambda step: 1.0)], 2, clip=1.0, checkpointer=kept)
    with pytest.raises(DivergedError, match="weights that are not finite numbers; lower the learning rates"):
        list(training.run([parts] * 2, lambda batch: [batch[0].weight.sum() * loss]))
    assert not kept.file.exists()


def test_a_training_goes_on_with_mean_and_notes_of_its_checkpoint(tmp_path):
    def training(parts, checkpointer):
        return Training(
            parts, [Group(parts.parameters(), 0.1, lambda step: 1.0)], 6, average=3, checkpointer=checkpointer
        )

    def run(one, updates):
        for now in one.run([one.model] * updates, losses):
            one.notes["last"] = now.done
        return [part.weight.item() for part in one.model]

    whole = run(training(model(1.0, 2.0), None), 6)
    stopped = training(model(1.0, 2.0), Checkpointer(tmp_path, "this", updates=2))
    iterator = stopped.run([stopped.model] * 6, losses)
    for now in iterator:
        stopped.notes |= {"pieces": 10 * now.done, "last": {"done": now.done}}
        if now.done == 5:
            break
    resumed = training(model(0.0, 0.0), Checkpointer(tmp_path, "this", updates=2))
    assert (resumed.done, resumed.notes) == (4, {"pieces": 30, "last": {"done": 3}})
    assert run(resumed, 2) == whole


def test_states_are_averaged_at_even_distances():
    one = nn.Linear(1, 1, bias=False)
    average = Average(list(one.parameters()), updates=10, states=5)
    for update in range(1, 11):
        one.weight.data.fill_(float(update))
        average.add(update)
    average.store()
    assert one.weight.item() == pytest.approx((2 + 4 + 6 + 8 + 10) / 5)


def test_the_rate_of_a_fine_tuning_rises_and_falls_to_nothing():
    rates = [schedules.fine_tuning(step, 100, warmup=0.1) for step in range(101)]
    assert (rates[:10], rates[10:]) == (sorted(rates[:10]), sorted(rates[10:], reverse=True))
    assert (max(rates), rates[100]) == (1, 0)


@pytest.mark.parametrize(("schedule", "half"), [(schedules.linear, 0.556), (schedules.inverse_sqrt, 0.447)])
def test_the_rate_of_a_pretraining_rises_for_a_tenth_and_falls(schedule, half):
    rates = [schedule(step, 1000) for step in range(1000)]
    assert max(rates) == pytest.approx(rates[99], rel=0.02)
    assert rates[0] == pytest.approx(0.01)
    assert rates[499] == pytest.approx(half, abs=0.002)


def test_the_rate_by_the_share_that_is_done_rises_and_falls():
    rates = [schedules.by_share(number / 100) for number in range(-20, 101)]
    assert max(rates) == schedules.by_share(0.1) == 1
    assert rates[:21] == [0] * 21
    assert rates[-1] == 0


@pytest.mark.parametrize("norm", [0.5, 0.989, 0.9999999, 1.0, 3.0, float("nan")])
def test_gradients_are_clipped_as_torch_clips_them(norm):
    ours, theirs = ([nn.Parameter(torch.zeros(3)), nn.Parameter(torch.zeros(2, 2))] for _ in range(2))
    for pair in zip(ours, theirs, strict=True):
        grad = torch.rand_like(pair[0])
        for one in pair:
            one.grad = grad.clone()
    whole = nn.utils.get_total_norm([one.grad for one in ours])
    for one in (*ours, *theirs):
        one.grad *= norm / whole
    clip_gradients(ours, 1.0)
    nn.utils.clip_grad_norm_(theirs, 1.0)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=0, atol=0, equal_nan=True)


GAPS = """
import torch
from fewshot.training.loop import SLACK_BYTES, MemoryTrimmer, resident_bytes
trimmer = MemoryTrimmer()
kept = [torch.ones(20_000) for _ in range(2 * SLACK_BYTES // 80_000)]  # too small to be mapped one by one
full = resident_bytes()
kept = kept[::100]
gaps = resident_bytes()
trimmer.trim()
print(full, gaps, resident_bytes())
"""


@pytest.mark.app
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives memory back when it is asked to")
def test_what_lies_free_between_what_is_used_is_given_back():
    done = subprocess.run([sys.executable, "-c", GAPS], capture_output=True, text=True, check=True, timeout=120)
    full, gaps, after = map(int, done.stdout.split())
    assert gaps > full - loop.SLACK_BYTES / 2, "the gaps were given back anyway, so that this shows nothing"
    assert after < gaps - loop.SLACK_BYTES


def test_nothing_is_done_where_the_system_says_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(loop, "STATM", tmp_path / "statm")
    assert loop.resident_bytes() == 0
    loop.MemoryTrimmer().trim()
