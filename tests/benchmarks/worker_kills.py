"""A worker that is killed at random moments, again and again: what its training finds in the end is what it would have.

    python tests/benchmarks/worker_kills.py --kills 20 [--updates 12]

Trains *mini* on two rounds of five sentences of the Japanese sample, once in one go, then killed (SIGKILL) at a moment
drawn from the length of that run, started again, and killed again until it ends first; then anew, until there were
so many kills. Prints when they were, and the scores.
"""

import os
import random
import signal
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.side_by_side import arguments
from desk import new_project
from storing import annotate, made_items

from annotate.store import Store
from annotate.worker import queue
from fewshot.corpora.load import load

OVER = ("done", "failed", "cancelled")
WHAT_COUNTS = ("k", "shot_set", "seed", "score", "low", "high", "metrics", "tokens", "shots")


def prepare(url, rounds=2, size=5):
    """Make a project of the sample whose first rounds are annotated; return it."""
    corpus = load("ja", "sample", "sentences")
    with closing(Store.open(url)) as store:
        made = new_project(store, corpus.pool, "pos", test=corpus.test, k=size, hides_gold=True)
        rows = list(store.examples(made.id, split="pool"))
        for number in range(rounds):
            for item in made_items(store, made, [(row.id, "pos", "ana") for row in rows[number * size :][:size]]):
                annotate(store, made, item, seconds=30.0)
        return made


def train(store, project, args, killed_after=None):
    """Start a training; kill its worker after some seconds if it is not over by then; return the job."""
    begun, job = time.monotonic(), queue.start(store, project.id, "train", args)
    while (job := store.job(job.id)).state not in OVER:
        if killed_after is not None and time.monotonic() - begun > killed_after and job.pid:
            os.kill(job.pid, signal.SIGKILL)
            killed_after = None
        time.sleep(0.05)
    return job


def results(store, project):
    """Return what was measured, without its times."""
    rows = store.results(project.id, "pos")
    return sorted(
        ({name: getattr(row, name) for name in WHAT_COUNTS} for row in rows), key=lambda row: (row["k"], row["seed"])
    )


def killed_again_and_again(folder, kills, updates, seed=0):
    """Return what a training finds in one go, what each finds that was killed, and when they were."""
    rng, whole, killed, moments, seconds, number = random.Random(seed), None, [], [], 0.0, 0
    args = {"updates": updates, "device": "cpu"}
    while whole is None or len(moments) < kills:
        place, number, before = f"{folder}/{number}", number + 1, len(moments)
        url = f"sqlite:///{place}.db"
        os.environ |= {"XDG_DATA_HOME": place, "FEWSHOT_DB_URL": url}
        project = prepare(url)
        with closing(Store.open(url)) as store:
            begun, ended = time.monotonic(), None
            while ended is None or ended.state != "done":
                after = rng.uniform(0, seconds) if seconds and len(moments) < kills else None
                ended = train(store, project, args, after)
                if after is not None and ended.error == queue.KILLED:
                    moments.append((after, ended.message))
                elif ended.error:
                    raise SystemExit(ended.error)
            seconds = seconds or time.monotonic() - begun
            if whole is None:
                whole = results(store, project)
            elif len(moments) > before:
                killed.append(results(store, project))
    return whole, killed, moments


def main():
    given = arguments(__doc__, kills=20, updates=12).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        whole, killed, moments = killed_again_and_again(folder, given.kills, given.updates)
    for number, (after, message) in enumerate(moments, start=1):
        print(f"kill {number} after {after:.1f} s: {message or 'before it said anything'}")
    print(*(f"k = {row['k']}, seed {row['seed']}: {row['score']:.2f}" for row in whole), sep="\n")
    unequal = [one for one in killed if one != whole]
    print(f"NOT EQUAL: {unequal}" if unequal else f"{len(killed)} trainings, equal to the one that was not killed")
    sys.exit(bool(unequal))


if __name__ == "__main__":
    main()
