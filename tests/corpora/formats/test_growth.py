"""Twice the data, twice the work: lines that are executed are counted at three sizes; nothing is timed.

`benchmarks/doubling.py` measures the same of all formats and pages by the clock.
"""

import json
import sys
from functools import partial

import pytest
from corpora.formats.elan import tier, transcript

from fewshot import tasks
from fewshot.corpora.formats import check, eaf, flextext, jsonl, label_studio, sfm, squad, webanno
from fewshot.corpora.types import Sentence

SIZE = 40


def sentence(size):
    """A sentence of words of four characters and five units of UTF-16, each of them an entity."""
    words = tuple(f"𐌰{n:03}" for n in range(size))
    return Sentence("s", " ".join(words), words, entities=("B-PER",) * size)


def write_webanno(folder, size):
    return lambda: webanno.write([sentence(size)], folder / "x.tsv")


def studio(folder, size):
    """A file of Label Studio with a region on each word, counted in UTF-16."""
    made = sentence(size)
    result = [
        {"id": word, "from_name": "ner", "type": "labels",
         "value": {"start": 6 * n, "end": 6 * n + 5, "text": word, "labels": ["PER"]}}
        for n, word in enumerate(made.words)
    ]  # fmt: skip
    path = folder / f"{size}.json"
    path.write_text(json.dumps([{"data": {"text": made.text}, "annotations": [{"result": result}]}]))
    return path


def read_studio(folder, size):
    path = studio(folder, size)
    return lambda: label_studio.read(path, "sentences", ["entities"])


def write_studio(folder, size):
    (found,) = label_studio.read(studio(folder, size), "sentences", ["entities"])
    changed = found.annotated(entities=("B-LOC",) * size)
    return lambda: label_studio.write([changed], folder / "x.json", ["entities"])


def read_squad(folder, size):
    made = sentence(size)
    answers = [[{"text": word, "answer_start": 5 * n}] for n, word in enumerate(made.words)]
    asked = [{"id": f"q{n}", "question": "?", "answers": each} for n, each in enumerate(answers)]
    data = [{"title": "t", "paragraphs": [{"context": made.text, "qas": asked}]}]
    path = folder / f"{size}-squad.json"
    path.write_text(json.dumps({"data": data}))
    return lambda: squad.read(path)


def write_jsonl(folder, size):
    made, path = sentence(size), folder / f"{size}.jsonl"
    spans = [{"start": 5 * n, "end": 5 * n + 4, "label": "PER"} for n in range(size)]
    path.write_text(json.dumps({"text": made.text, "entities": spans}))
    (found,) = jsonl.read(path)
    return lambda: jsonl.write([found.annotated(entities=("B-LOC",) * size)], path, ["entities"])


def read_tsv(folder, size):
    """Read as many rows of one cell as the header has names."""
    path = folder / f"{size}.tsv"
    path.write_text("text\tlabel\t" + "\t".join(f"c{n}" for n in range(size)) + "\n" + "a\n" * size)
    return lambda: check(path, "tsv", "", tasks.get("topic"))


def read_recorded(folder, size):
    """Read as many phrases of a FLEx text as it has recordings."""
    path = folder / f"{size}.flextext"
    flextext.write([Sentence("s", "Ana", ("Ana",))] * size, path)
    media = "".join(f'<media guid="{n}" location="x"/>' for n in range(size))
    timed = path.read_text().replace("<phrase>", '<phrase begin-time-offset="0" end-time-offset="9">')
    path.write_text(timed.replace("</paragraphs>", f"</paragraphs><media-files>{media}</media-files>"))
    return lambda: flextext.read(path)


def read_elan(folder, size):
    texts = (tier(f"s@{n}", f"a{n} ts1-ts2 Ana") for n in range(size))
    words = (tier(f"words@{n}", f"w{n} a{n} Ana", of=f"s@{n}", type="part") for n in range(size))
    path = transcript(folder, "ts1=0 ts2=9", *texts, *words)
    return lambda: eaf.read(path)


def write_elan(folder, size):
    found = [one.annotated(upos=("X",)) for one in read_elan(folder, size)()]
    return lambda: eaf.write(found, folder / "out.eaf")


def tag(module, folder, size):
    """Read sentences that the format has written, and write them with tags."""
    path = folder / f"{size}-interlinear"
    module.write([Sentence("s", "Ana", ("Ana",))] * size, path)
    return lambda: module.write([one.annotated(upos=("X",)) for one in module.read(path)], path)


def lines_run(work):
    """Return how many lines of Python, also those of comprehensions, a call of a function runs."""
    count = 0

    def trace(frame, event, _argument):
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


WORK = {one.__name__: one for one in (write_webanno, read_studio, write_studio, read_squad, read_elan, write_elan)}
WORK |= {one.__name__: one for one in (write_jsonl, read_tsv, read_recorded)}
WORK |= {"flextext": partial(tag, flextext), "sfm": partial(tag, sfm)}


@pytest.mark.parametrize("prepare", WORK.values(), ids=WORK)
def test_the_work_grows_as_the_data_do(tmp_path, prepare):
    prepare(tmp_path, SIZE)()  # what is read once in a process
    small, middle, large = (lines_run(prepare(tmp_path, SIZE * times)) for times in (1, 2, 4))
    assert large - middle < 2.3 * (middle - small)
