"""``fewshot worker``: run the jobs of a queue, several at once, each in its own process.

Ending or killing this process ends the others. A process that is killed, for example for lack of memory, is replaced;
unfinished jobs are continued by the next worker.
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
from fewshot.experiments.executors.starting import hold_interrupts

log = logging.getLogger(__name__)

POLL_SECONDS = 2.0
"""Seconds between two looks at the queue."""

MIN_JOB_CORES = 2
"""A job trains with at least two seeds."""

JOB_MEMORY_BYTES = 6e9
"""A job trains an encoder such as XLM-R base in two processes besides its own."""


LOG_FORMAT = "%(asctime)s %(levelname)s %(message)s"


@dataclass(frozen=True, slots=True)
class Share:
    """The number of concurrent jobs, and the cores of each."""

    jobs: int
    cores: int

    def __str__(self) -> str:
        each = " each" if self.jobs > 1 else ""
        return f"{self.jobs} at once, {self.cores} core{'' if self.cores == 1 else 's'}{each}"


def share(jobs: int | None = None) -> Share:
    """Return the shares of jobs; by default as many as cores and half of the memory allow, 1 with a GPU."""
    import torch

    from fewshot.experiments.executors.place import available_memory
    from fewshot.training.adapt import resolve_device

    cores = torch.get_num_threads()
    if jobs is None:
        fitting = min(cores // MIN_JOB_CORES, int(available_memory() / 2 / JOB_MEMORY_BYTES))
        jobs = max(1, fitting if resolve_device().type == "cpu" else 1)
    return Share(jobs, max(1, cores // jobs))


def serve(store: Store, job_share: Share) -> None:
    """Run jobs until the process is interrupted; unfinished jobs are put back into the queue."""
    if job_share.jobs == 1:
        do_jobs(store)
    url, processes = store.url.render_as_string(hide_password=False), list[BaseProcess]()
    try:
        while True:
            while len(processes) < job_share.jobs:
                processes.append(_start_child(url, job_share))
            wait([process.sentinel for process in processes])
            for process in [process for process in processes if not process.is_alive()]:
                log.warning(
                    "a process was killed (%s); a new one starts, and continues its job in half a minute",
                    process.exitcode,
                )
                processes.remove(process)
            time.sleep(POLL_SECONDS)
    finally:
        children = active_children()  # includes a process that was started during the interrupt
        for process in children:
            process.terminate()
        for process in children:
            process.join()


def do_jobs(store: Store, sharing: int = 1, sleep: Callable[[float], None] = time.sleep) -> NoReturn:
    """Run the jobs of a queue until interrupted, `sharing` the machine with so many processes."""
    while True:
        try:
            job = claim(store)
            if job:
                _run_or_put_back(store, job, sharing)
        except StoreError as error:  # the database may be restarting
            log.warning("%s", error)
            job = None
        if job is None:
            sleep(POLL_SECONDS)


def _run_or_put_back(store: Store, job: Job, sharing: int) -> None:
    try:
        run(store, job, sharing)
    except KeyboardInterrupt:
        store.put_back(job)
        raise


def log_to_screen() -> None:
    """Write the log of this process to standard error."""
    logging.basicConfig(format=LOG_FORMAT)
    for package in ("annotate", "fewshot"):
        logging.getLogger(package).setLevel(logging.INFO)


def _start_child(url: str, job_share: Share) -> BaseProcess:
    process = get_context("spawn").Process(target=_run_child, args=(url, job_share))
    with hold_interrupts():  # a terminal sends Ctrl-C to all processes, but `serve` ends the others
        process.start()
    return process


def _run_child(url: str, job_share: Share) -> None:
    """Run jobs until this process or its parent ends."""
    os.environ["OMP_NUM_THREADS"] = str(job_share.cores)  # read by torch, which the first job loads
    signal.signal(signal.SIGTERM, _interrupt_once)
    log_to_screen()
    Thread(target=_end_with_parent, name="end with parent", daemon=True).start()
    with suppress(KeyboardInterrupt):
        do_jobs(Store(url), job_share.jobs)


def _interrupt_once(number: int, frame: FrameType | None) -> None:
    """Interrupt the work, and ignore further signals, so that the job is put back in any case."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
