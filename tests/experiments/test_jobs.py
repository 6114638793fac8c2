"""Jobs without a result are done, in order, and counted; what must come first does."""

import pytest
import torch

from fewshot.experiments.executors.place import this_process
from fewshot.experiments.jobs import Job, run_missing_jobs
from fewshot.progress import Progress

PLACE = this_process(torch.device("cpu"))


def job(made, name, key="", steps=1):
    def do(device, report):
        made.append(name)
        report(Progress(1, 2))
        return name.upper()

    return Job(name, key or name, do, steps)


def test_jobs_that_have_no_result_are_done_after_those_that_come_first():
    made, kept, said, done = [], [], [], {"kb": "stored"}
    jobs = [job(made, "a"), job(made, "b", "kb", steps=4), job(made, "c", steps=2)]
    run_missing_jobs(
        jobs, done, lambda one, result: kept.append((one.key, result)), PLACE, said.append, first=[job(made, "z")]
    )
    assert made == ["z", "a", "c"] and kept == [("a", "A"), ("c", "C")]
    assert done == {"kb": "stored", "a": "A", "c": "C"}
    assert (said[0].done, said[0].kept, said[0].doing) == (4, 4, "b")
    assert (said[-1].done, said[-1].total, said[-1].kept) == (8, 8, 4)
    assert Progress(6 + 1, 8, "c", kept=4) in said  # one of the two steps of c, half-way


def test_a_result_counts_only_once_it_is_kept():
    done, said = {}, []

    def full_disk(one, result):
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        run_missing_jobs([job([], "a")], done, full_disk, PLACE, said.append)
    assert not done and said[-1].done < said[-1].total
