"""``python slow_worker.py URL JOBS``: a worker that knows a job that takes a minute, as do the processes it begins."""

import signal
import sys
import time
from types import SimpleNamespace

from annotate.store import Store
from annotate.worker import run, serve
from fewshot.progress import Progress


def take_a_minute(store, job, report, place):
    for second in range(600):
        report(Progress(second, 600, "at it"))
        time.sleep(0.1)


run.KINDS["slow"] = "slow"
sys.modules["slow"] = SimpleNamespace(run=take_a_minute)

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    serve.serve(Store.open(sys.argv[1]), serve.Share(int(sys.argv[2]), cores=1))
