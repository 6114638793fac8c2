from dataclasses import replace

import pytest
import torch
from experiments.planned import PLAN, of

from fewshot.encoders import folder, vocabulary
from fewshot.encoders.load import load_encoder
from fewshot.experiments.executors import place
from fewshot.experiments.executors.place import available_memory  # as it is; tests are held to one process by another
from fewshot.experiments.experiment import STARTUP_UPDATES


def test_as_many_processes_as_cores_memory_and_trainings_allow(setup, monkeypatch):
    monkeypatch.setattr(torch, "get_num_threads", lambda: 64)
    monkeypatch.setattr(place, "available_memory", lambda: 1e12)
    many = replace(PLAN, changes=PLAN.changes | {"updates": STARTUP_UPDATES})
    assert place.count_processes(of(setup, many)) == 8
    assert place.count_processes(of(setup, replace(many, ks=(3,), samplers=("random",), shot_sets=1))) is None
    short = [replace(PLAN, changes=PLAN.changes | {"updates": updates}) for updates in (10, 40)]
    assert [place.count_processes(of(setup, plan)) for plan in short] == [None, 8 * 40 // STARTUP_UPDATES]
    monkeypatch.setattr(place, "available_memory", lambda: 2.5 * 2 * place.PROCESS_BYTES)
    assert place.count_processes(of(setup, many)) == 2
    monkeypatch.setattr(place, "available_memory", lambda: 6.5 * 2 * place.PROCESS_BYTES)
    assert [place.count_processes(of(setup, many), sharing) for sharing in (1, 2, 3, 4)] == [6, 3, 2, None]
    on_gpu = replace(setup.trainer, device=torch.device("cuda"))
    assert place.count_processes(replace(of(setup, many), trainer=on_gpu)) is None


def test_a_table_counts_with_the_bytes_that_it_has_in_memory(encoder, tmp_path):
    folder.save(load_encoder(encoder.name), tmp_path / "packed", embedding_bits=4)
    packed = load_encoder(str(tmp_path / "packed"))
    before, pieces = place.training_bytes(packed), packed.module.config.vocab_size
    vocabulary.unpack(packed.module)
    assert place.training_bytes(packed) - before == pieces * (32 * 4 - 16 - 2)


V2, V1 = "memory.max", "memory.limit_in_bytes"
LIMITS = {
    "a container": ("0::/", {V2: "2000000000"}, 2e9),
    "a container that knows its path on the host": ("0::/docker/ab", {V2: "2000000000"}, 2e9),
    "a job of a cluster": (
        "0::/slurm/job_1/step",
        {f"slurm/job_1/{V2}": "3000000000", f"slurm/job_1/step/{V2}": "max"},
        3e9,
    ),
    "a job of another": ("0::/slurm/job_1", {f"slurm/job_2/{V2}": "3000000000"}, 8e9),
    "no limit": ("0::/", {V2: "max"}, 8e9),
    "a limit above the machine": ("0::/", {V2: "90000000000"}, 8e9),
    "version 1": ("4:memory:/", {f"memory/{V1}": "2000000000"}, 2e9),
    "version 1, a job": ("4:cpu,memory:/slurm/job_1\n0::/", {f"memory/slurm/job_1/{V1}": "3000000000"}, 3e9),
    "version 1, no limit": ("4:memory:/", {f"memory/{V1}": "9223372036854771712"}, 8e9),
    "groups of another controller": ("3:cpu:/jobs", {f"memory/jobs/{V1}": "1000000000"}, 8e9),
    "another system": (None, {}, 8e9),
}


@pytest.mark.parametrize("case", LIMITS)
def test_memory_is_that_of_the_control_groups_where_it_is_less(tmp_path, monkeypatch, case):
    groups, files, wanted = LIMITS[case]
    for name, text in files.items():
        path = tmp_path / "cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    if groups:
        (tmp_path / "own").write_text(f"{groups}\n")
    monkeypatch.setattr(place, "CONTROL_GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(place, "OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr(place, "_machine_memory", lambda: 8e9)
    assert available_memory() == wanted
