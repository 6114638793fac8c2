from math import inf

import pytest
import torch
from making import small_recipe
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from fewshot import checkpoint, tasks
from fewshot.checkpoint import Checkpointer
from fewshot.errors import FewshotError
from fewshot.training.adapt import train_source

CPU = torch.device("cpu")
UPDATES = 6
DAMAGED = r"checkpoint\.safetensors: damaged or of another version .* delete it"


class Stopped(Exception):
    pass


def keep_often(monkeypatch):
    monkeypatch.setattr(checkpoint, "MIN_INTERVAL", 0)
    monkeypatch.setattr(checkpoint, "MAX_TIME_SHARE", inf)


@pytest.fixture
def often(monkeypatch):
    keep_often(monkeypatch)


@pytest.fixture(scope="module")
def checkpointed(encoder, sentences, tmp_path_factory):
    """The checkpoint file after the last update of a whole training."""
    folder = tmp_path_factory.mktemp("checkpoint")
    with pytest.MonkeyPatch.context() as patch:
        keep_often(patch)
        trained(encoder, sentences, recipe(), Checkpointer(folder, "this"))
    return folder / checkpoint.FILE


def recipe(**changes):
    return small_recipe(**{"regime": "sequential", "updates": UPDATES, "batch": 4, "average": 3, **changes})


def trained(encoder, sentences, settings, checkpointer=None, stop=None, clock=None, seen=None):
    def tell(now):
        if seen is not None:
            seen.append(now)
        if clock:
            clock[0] += 100
        if now.done == stop:
            raise Stopped

    return train_source(tasks.get("pos"), encoder, sentences[:30], settings, 3, CPU, tell, checkpointer)


@pytest.mark.parametrize(
    ("stop", "changes"),
    [
        (2, {"method": "freeze-none"}),
        (UPDATES, {"method": "freeze-1"}),
        (3, {"method": "lora", "average": 1}),
        (2, {"method": "feature-based"}),
    ],
    ids=str,
)
def test_a_stopped_training_ends_as_if_it_had_not_been_and_keeps_what_is_trained(
    encoder, sentences, tmp_path, often, changes, stop
):
    settings, seen = recipe(**changes), []
    whole = trained(encoder, sentences, settings).state_dict()
    with pytest.raises(Stopped):
        trained(encoder, sentences, settings, Checkpointer(tmp_path, "this"), stop)
    if settings.method == "freeze-1":
        with safe_open(tmp_path / checkpoint.FILE, "pt") as file:
            kept = [name for name in file.keys() if name.startswith("model.module.")]  # noqa: SIM118
        assert kept and all(name.startswith("model.module.encoder.layer.1.") for name in kept)
    torch.rand(5)
    resumed = trained(encoder, sentences, settings, Checkpointer(tmp_path, "this"), seen=seen).state_dict()
    assert [(now.done, now.kept) for now in seen] == [(n, stop) for n in range(stop + 1, UPDATES + 1)]
    assert whole.keys() == resumed.keys()
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)


def test_checkpoints_are_seldom_and_cost_little(encoder, sentences, tmp_path, monkeypatch):
    clock, written, save = [0.0], [], Checkpointer.save

    def slow(checkpointer, tensors, facts):
        written.append(int(facts["update"]))
        clock[0] += 30  # which may be a twentieth of the time: the next one is due after 600
        save(checkpointer, tensors, facts)

    def seconds():
        checkpointer = Checkpointer(tmp_path, "", lambda: clock[0])
        trained(encoder, sentences, recipe(updates=16), checkpointer, clock=clock)
        return checkpointer.seconds

    monkeypatch.setattr(Checkpointer, "save", slow)
    assert (seconds(), written) == (16 * 100 + 3 * 30, [3, 9, 15])
    assert seconds() == 14 * 100 + 2 * 30 + 100  # up to the last checkpoint, and since


@pytest.mark.parametrize("facts", [None, {"update": "inf"}, {"update": "-1"}, {"update": "3", "seconds": "nan"}, {}])
def test_a_checkpoint_with_wrong_numbers_is_named(encoder, sentences, checkpointed, tmp_path, facts):
    save_file(load_file(checkpointed), tmp_path / checkpoint.FILE, metadata=facts)
    with pytest.raises(FewshotError, match=DAMAGED):
        trained(encoder, sentences, recipe(), Checkpointer(tmp_path, ""))


def test_a_checkpoint_that_is_cut_or_of_another_training_is_refused(encoder, sentences, checkpointed, tmp_path):
    file, data = tmp_path / checkpoint.FILE, checkpointed.read_bytes()
    for size, key, changes, message in (
        *((size, "this", {}, DAMAGED) for size in (0, 100, 10_000)),
        (None, "that", {}, r"checkpoint\.safetensors: belongs to a stopped training with other data"),
        (None, "this", {"method": "lora"}, "damaged or of another version"),
    ):
        file.write_bytes(data[:size])
        with pytest.raises(FewshotError, match=message):
            trained(encoder, sentences, recipe(**changes), Checkpointer(tmp_path, key))


def test_full_disk_leaves_the_last_checkpoint(encoder, sentences, tmp_path, monkeypatch, often):
    with pytest.raises(Stopped):
        trained(encoder, sentences, recipe(), Checkpointer(tmp_path, ""), 4)
    before = (tmp_path / checkpoint.FILE).read_bytes()

    def full(tensors, path, metadata):
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint, "save_file", full)
    with pytest.raises(FewshotError, match="no checkpoint can be written: No space left on device"):
        trained(encoder, sentences, recipe(), Checkpointer(tmp_path, ""))
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [(checkpoint.FILE, before)]
