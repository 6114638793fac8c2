import pickle

import pytest
import typer.main

from fewshot.papers import measurements
from fewshot.papers.commands import encoders, transfer  # noqa: F401  # they register the analyses
from fewshot.papers.commands.options import analyze

ANALYSES = ("alignment", "language-id", "overlap", "layers", "random-init", "resources", "sources")
READ_ONLY = ("alignment", "language-id", "overlap")
"""Analyses of the encoder as it is: what they measure depends on its tokenizer too."""

REFUSED = {
    "corpus": ("nowhere", "give a corpus folder"),
    "data": ("nowhere", "no such folder"),
    "device": ("abacus", "cannot be used"),
    "model": ("./nowhere", "no encoder here"),
    "seeds": (0, "at least 1"),
    "task": ("tagging", "unknown task 'tagging'"),
    "updates": (0, "updates is 0; it must be at least 1"),
}
"""Wrong values of options that several analyses have; each is given to the first two of these."""

OWN_REFUSALS = {
    "alignment": [
        ({"task": "ner"}, "no source model for task ner"),
        ({"parallel": "tatoeba"}, "unknown task 'tatoeba'"),
        ({"langs": "tr"}, "no folder of --data holds translations of en sentences in tr"),
        ({"sentences": 1}, "--sentences must be at least 10"),
    ],
    "language-id": [
        ({"langs": "en,xx"}, "unknown language of the corpus 'xx'"),
        ({"langs": "en"}, "at least two languages"),
        ({"sentences": 900}, "1800 are needed; ask for at most"),
        ({"sentences": 1}, "--sentences must be at least 2"),
    ],
    "overlap": [
        ({"task": "nli"}, "no test set of nli in fi, ja"),
        ({"langs": "xx"}, "no test set of pos in xx"),
    ],
    "layers": [
        ({"langs": "xx"}, "nothing to score: pos"),
        ({"source": ","}, "--source takes one or more languages"),
        ({"frozen": "3"}, "the encoder has 2 layers; give numbers from 0 to 2"),
        ({"frozen": "x"}, "is not a number of layers"),
        ({"test_sentences": 0}, "--test-sentences is 0; it must be at least 1"),
    ],
    "random-init": [({"layers": text}, "the encoder has layers 1 to 2") for text in ("3", "0", "2-1", "x", "")],
    "resources": [
        ({"k": "many"}, "'many' is not a number of sentences"),
        ({"k": ""}, "k is 0; it must be at least 1"),
        ({"test": 0}, "test sentences is 0"),
        ({"task": "dep"}, "dep has no label a word; choose pos or ner"),
        ({"langs": "am"}, "no WikiSize of am"),
        ({"langs": "af"}, "no pos data to train and test on in af"),
    ],
    "sources": [
        ({"source": "de,en"}, "each target needs 3 sources beside itself"),
        ({"langs": "xx"}, "pos has sources en, de, ja and targets none here"),
    ],
}


@pytest.mark.parametrize("name", ANALYSES)
def test_a_stopped_analysis_goes_on_and_repeats_nothing(measured, name, tmp_path, monkeypatch, request):
    begun, measure = [], measurements._measured

    def stopping(*arguments):
        begun.append(arguments)
        if len(begun) == 2:
            raise KeyboardInterrupt
        what, *rest = arguments
        if name != "overlap":  # has no work for other processes
            what = pickle.loads(pickle.dumps(what))
        return measure(what, *rest)

    monkeypatch.setattr(measurements, "_measured", stopping)
    cells = tmp_path / "out" / "cells.jsonl"
    assert measured(name).exit_code == 130
    kept = cells.read_bytes()
    assert kept.count(b"\n") == 1
    measured(name, ends=0)
    lines = cells.read_bytes().count(b"\n")
    assert cells.read_bytes().startswith(kept) and len(begun) == lines + 1
    if name in READ_ONLY:
        assert measured(name, model=request.getfixturevalue("recut")).exit_code == 0
        assert len(begun) == 2 * lines + 1


def takers(option):
    """Return the first two analyses that have an option."""
    commands = typer.main.get_command(analyze).commands
    return [name for name in ANALYSES if option in {one.name for one in commands[name].params}][:2]


@pytest.mark.parametrize("name", ANALYSES)
def test_bad_input_ends_with_one_line(measured, name):
    shared = [({option: value}, message) for option, (value, message) in REFUSED.items() if name in takers(option)]
    wrong = []
    for changes, message in (*shared, *OWN_REFUSALS[name]):
        done = measured(name, **changes)
        *warnings, error = done.output.splitlines() or [""]
        others = [line for line in warnings if not line.startswith("warning: ")]
        if done.exit_code != 2 or others or not error.startswith("error: ") or message not in error:
            wrong.append((changes, done.output))
    assert not wrong
