"""``fewshot worker``: the jobs of a queue, several at once, each in a process of its own with its share of the machine.

Who ends this process, or kills it, ends the others too. Where one of them is killed, by a system that is out of memory
say, another begins in its place. What was under way goes on with the next worker.
"""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from threading import Thread
from types import FrameType
from typing import NoReturn

from annotate.store import Job, Store, StoreError
from annotate.worker.run import claim, run
from fewshot.experiments.interrupts import hold_interrupts

log = logging.getLogger(__name__)

POLL = 2.0
"""Seconds after which a worker without a job looks again."""

JOB_CORES = 2
"""Of a job at least: it trains with two seeds, or more."""

JOB_BYTES = 6e9
"""Of memory for a job: it trains an encoder such as XLM-R base in two processes beside its own."""


LOG_FORMAT = "%(asctime)s %(levelname)s %(message)s"


@dataclass(frozen=True, slots=True)
class Share:
    """What a job has of this machine.

    Args:
        jobs: at once, each of which has as much.
        cores: of each.
    """

    jobs: int
    cores: int

    def __str__(self) -> str:
        each = " each" if self.jobs > 1 else ""
        return f"{self.jobs} at once, {self.cores} core{'' if self.cores == 1 else 's'}{each}"


def share(jobs: int | None = None) -> Share:
    """Return the share of each job.

    Args:
        jobs: at once; None: as many as cores and half of the memory allow, with a GPU one.
    """
    import torch

    from fewshot.experiments.machine import available_memory
    from fewshot.training.adapt import resolve_device

    cores = torch.get_num_threads()
    if jobs is None:
        capacity = min(cores // JOB_CORES, int(available_memory() / 2 / JOB_BYTES))
        jobs = max(1, capacity if resolve_device().type == "cpu" else 1)
    return Share(jobs, max(1, cores // jobs))


def serve(store: Store, of_each: Share) -> None:
    """Carry out jobs, of each project one at a time, until the process is interrupted; they then wait for another."""
    if of_each.jobs == 1:
        do_jobs(store)
    url, processes = store.url.render_as_string(hide_password=False), list[BaseProcess]()
    try:
        while True:
            while len(processes) < of_each.jobs:
                processes.append(_begin(url, of_each))
            wait([process.sentinel for process in processes])
            for process in [one for one in processes if not one.is_alive()]:
                log.warning("a process was killed (%s); another begins, and its job in half a minute", process.exitcode)
                processes.remove(process)
            time.sleep(POLL)
    finally:
        begun = active_children()  # also one that was begun when this process was told to end, and is not in the list
        for process in begun:
            process.terminate()
        for process in begun:
            process.join()


def do_jobs(store: Store, sharing: int = 1, sleep: Callable[[float], None] = time.sleep) -> NoReturn:
    """Carry out the jobs of a queue one by one, oldest first, until the process is interrupted.

    Args:
        sharing: processes that do so here, this one included.
        sleep: waits so many seconds where there is no job.
    """
    while True:
        try:
            job = claim(store)
            if job:
                _run_or_put_back(store, job, sharing)
        except StoreError as error:  # a database that restarts does not end its workers
            log.warning("%s", error)
            job = None
        if job is None:
            sleep(POLL)


def _run_or_put_back(store: Store, job: Job, sharing: int) -> None:
    try:
        run(store, job, sharing)
    except KeyboardInterrupt:
        store.put_back(job)
        raise


def log_to_screen() -> None:
    """Say on the error stream what this process does."""
    logging.basicConfig(format=LOG_FORMAT)
    for package in ("annotate", "fewshot"):
        logging.getLogger(package).setLevel(logging.INFO)


def _begin(url: str, of_each: Share) -> BaseProcess:
    process = get_context("spawn").Process(target=_do_jobs_beside, args=(url, of_each))
    with hold_interrupts():  # a terminal sends Ctrl-C to all of them; it is `serve` that ends the others
        process.start()
    return process


def _do_jobs_beside(url: str, of_each: Share) -> None:
    """Do jobs until this process is told to end, or the one that began it is gone."""
    os.environ["OMP_NUM_THREADS"] = str(of_each.cores)  # read by torch, which is loaded for the first job
    signal.signal(signal.SIGTERM, _end)
    log_to_screen()
    Thread(target=_end_with_parent, name="end with parent", daemon=True).start()
    with suppress(KeyboardInterrupt):
        do_jobs(Store(url), of_each.jobs)


def _end(number: int, frame: FrameType | None) -> None:
    """Interrupt what is done, but not its end: who is told twice puts a job back all the same."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
