"""Break files at random and ask of each: is it refused in one line, or can all that is read be annotated and written?

    python tests/corpora/formats/fuzz.py FOLDER... [--seconds 600] [--seed 0]

Prints each kind of failure once, with the file that shows it, which stays. Exit status 1 where there was one.
"""

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

LARGEST = 30_000
"""Bytes of a file that is broken; larger ones take long and show no more."""


def tried(path, folder):
    """Yield the outcome of a file for each task: unread, refused, sound, or the error."""
    from corpora.formats.annotating import TASKS, come_back

    from fewshot import tasks
    from fewshot.corpora import formats
    from fewshot.errors import FewshotError

    for task in TASKS:
        good = []
        try:
            good, bad = formats.check(path, None, "und", tasks.get(task))
            come_back(good, task, folder, bad.total)
        except FewshotError as error:
            found = "failed" if "\n" in str(error) or good else "refused"
            yield task, found, error
        except Exception as error:
            yield task, "failed", error
        else:
            yield task, "read with bad rows" if good and bad else "sound" if good else "nothing read", None


def kind(error):
    """Return where an error came from and what it says without its values."""
    ours = ("/fewshot/", "/annotate/", "annotating")
    frames = [one for one in traceback.extract_tb(error.__traceback__) if any(map(one.filename.__contains__, ours))]
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    words = str(error).splitlines()[0][:90] if isinstance(error, AssertionError) else ""
    return f"{type(error).__name__} at {place} {words}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    from corpora.formats.breaking import broken

    from fewshot.corpora import formats

    known = {suffix for one in formats.FORMATS.values() for suffix in one.suffixes}
    found = (path for folder in arguments.folders for path in folder.rglob("*") if path.suffix in known)
    files = sorted(path for path in found if path.stat().st_size < LARGEST)
    rng, counts, failures = random.Random(arguments.seed), Counter(), Counter()
    end, kept = time.monotonic() + arguments.seconds, Path(tempfile.mkdtemp())
    while time.monotonic() < end:
        source = rng.choice(files)
        path, data = kept / source.name, source.read_bytes()
        for _ in range(rng.choice([0, 1, 1, 2, 4])):
            data = broken(data, rng.choice)
        path.write_bytes(data)
        for task, outcome, error in tried(path, kept):
            counts[outcome] += 1
            if outcome == "failed":
                failures[found := kind(error)] += 1
                if failures[found] == 1:
                    copy = path.rename(kept / f"{len(failures)}-{task}-{source.name}")
                    path.write_bytes(data)
                    print(f"{copy}: {found}\n  {str(error)[:300]}", flush=True)
    print("readings: " + ", ".join(f"{n:,} {what}" for what, n in counts.most_common()))
    for found, n in failures.most_common():
        print(f"{n:,} x {found}")
    return int(bool(failures))


if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[n]) for n in (2, 3)]
    sys.exit(main())
