"""``python slow_worker.py URL JOBS``: a worker whose jobs never end; the processes that it begins know them, too."""

import signal
import sys
from types import SimpleNamespace

from annotate.store import Store
from annotate.worker import run, serve
from fewshot.progress import Progress


def work(store, job, report, place):
    report(Progress(0, 1, "at it"))
    while True:
        signal.pause()


run.KINDS["slow"] = "slow"
sys.modules["slow"] = SimpleNamespace(run=work)
sys.modules["fewshot.experiments.executors.place"] = SimpleNamespace(this_machine=lambda *_, **__: None)  # loads torch
serve.POLL_SECONDS = 0.1

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    serve.serve(Store.open(sys.argv[1]), serve.Share(int(sys.argv[2]), cores=1))
