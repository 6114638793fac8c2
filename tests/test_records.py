"""Records on disk whose types are not those that were asked for: refused in one line, with the file and what to do."""

import json
import pickle
from typing import NotRequired, TypedDict

import pytest
from making import result

from fewshot import records, tasks
from fewshot.corpora.ud import manifest
from fewshot.costs import prices
from fewshot.curves.results import read_results
from fewshot.encoders import folder
from fewshot.errors import CorpusError, FewshotError, UnknownNameError
from fewshot.experiments import plan_file
from fewshot.experiments.search import _read as read_trials
from fewshot.pretraining.config import PretrainConfig, read_settings
from fewshot.training import sources
from fewshot.training.description import read_description
from fewshot.training.model import load_model

DEEP = "[" * 100_000 + "]" * 100_000
MODEL = {"task": "pos", "labels": ["NOUN"], "encoder": "mini", "encoder_fingerprint": "0"}


class Place(TypedDict):
    name: str
    size: NotRequired[float]
    within: NotRequired["Place | None"]
    parts: NotRequired[list[dict[str, int]]]


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({"name": "a"}, ""),
        ({"name": "a", "size": 1, "within": {"name": "b", "within": None}, "parts": [{}, {"a": 1}], "later": 3}, ""),
        ([], "this is a list, not an object"),
        ({}, "'name' is missing"),
        ({"name": 1}, "'name' is a whole number, not a text"),
        ({"name": None}, "'name' is null, not a text"),
        ({"name": "a", "size": True}, "'size' is true or false, not a number"),
        ({"name": "a", "size": "1"}, "'size' is a text, not a number"),
        ({"name": "a", "within": {"name": 1.5}}, "'within.name' is a number, not a text"),
        ({"name": "a", "within": {}}, "'within.name' is missing"),
        ({"name": "a", "parts": {}}, "'parts' is an object, not a list"),
        ({"name": "a", "parts": [{}, {"a": 1.5}]}, "'parts[1].a' is a number, not a whole number"),
    ],
    ids=str,
)
def test_what_is_wrong_with_a_record_is_named(value, wrong):
    assert records.find_mismatch(value, Place) == wrong


@pytest.mark.parametrize("text", ["", "{", DEEP, "9" * 5000, b"\xff"], ids=["empty", "cut", "deep", "long", "bytes"])
def test_what_is_no_json_is_refused_in_one_line(tmp_path, text):
    path = tmp_path / "place.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FewshotError, match=r"place\.json: not valid JSON: .*; delete it$"):
        records.load(path, Place, "delete it")


def test_no_file_is_no_record(tmp_path):
    assert records.load(tmp_path / "none.json", Place, "delete it") is None


MODEL_ADVICE = "train the model again, or give another folder"
LINE_ADVICE = "delete this line to repeat its run"
MODELS = [
    ({"task": ["pos"]}, "'task' is a list, not a text"),
    ({"labels": [1]}, "'labels[0]' is a whole number, not a text"),
    ({"source": {"source": "x"}}, "'source.source' is a text, not an object"),
]
PLANS = [
    ({"facts": {"Data": "x"}}, "'facts.Data' is a text, not an object"),
    ([], "this is a list, not an object"),
]
RESULTS = [
    ({"k": "3"}, "'k' is a text, not a whole number"),
    ({"score": 101}, "'score' is 101, not 0 to 100"),
    ({"low": float("nan")}, "'low' is not a finite number"),
    ({"metrics": {"f1": float("inf")}}, "'metrics.f1' is not a finite number"),
    ({"k": -1}, "'k' is -1, not 0 to 1e+09"),
    ({"k": -(10**400)}, "'k' is -1e+18, not 0 to 1e+09"),
    ({"tokens": 10**400}, "'tokens' is 1e+18, not 0 to 1e+09"),
    ({"score": float("nan")}, "'score' is not a finite number"),
    ({"units": {"tokens": None}}, "'units.tokens' is null, not a whole number"),
]


@pytest.mark.parametrize(("changes", "wrong"), MODELS, ids=str)
def test_model_of_other_types_is_refused_and_no_source_model(tmp_path, encoder, changes, wrong):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.json").write_text(json.dumps(MODEL | changes))
    with pytest.raises(FewshotError) as refused:
        load_model(folder)
    assert str(refused.value) == f"{folder / 'model.json'}: {wrong}; {MODEL_ADVICE}"
    assert read_description(folder) is None
    with pytest.raises(FewshotError, match="no source model"):
        sources.find(tasks.get("pos"), encoder, [tmp_path])


@pytest.mark.parametrize(("values", "wrong"), PLANS, ids=str)
def test_plan_of_other_types_is_refused(tmp_path, values, wrong):
    (tmp_path / "plan.json").write_text(json.dumps(values))
    with pytest.raises(FewshotError) as refused:
        plan_file.read(tmp_path)
    assert str(refused.value).startswith(f"{tmp_path / 'plan.json'}: {wrong}; delete it")


@pytest.mark.parametrize(("changes", "wrong"), RESULTS, ids=str)
def test_result_of_other_types_is_refused(tmp_path, changes, wrong):
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(result(10, 60).to_json() | changes) + "\n")
    with pytest.raises(FewshotError) as refused:
        read_results(path)
    assert str(refused.value) == f"{path}:1: invalid result: {wrong}; {LINE_ADVICE}"


TRIAL = {"key": "x", "encoder_lr": 1e-4, "batch": 16, "epochs": 3, "score": 50.0, "seconds": 1.0}


@pytest.mark.parametrize("line", [json.dumps({**TRIAL, "score": "high"}), DEEP], ids=["type", "deep"])
def test_line_of_other_types_is_refused(tmp_path, line):
    (tmp_path / "lines.jsonl").write_text(f"{line}\n")
    with pytest.raises(FewshotError, match=r"lines\.jsonl:1: invalid trial of .*; delete this line"):
        read_trials(tmp_path / "lines.jsonl")


@pytest.mark.parametrize("text", ["[]", "3", DEEP, '"result"'], ids=lambda text: text[:9])
def test_record_of_an_encoder_that_is_no_object_is_refused(tmp_path, text):
    (tmp_path / "made.json").write_text(text)
    (tmp_path / "checkpoint.safetensors").touch()
    with pytest.raises(FewshotError, match=r"made\.json: .*; give another folder, or delete this one"):
        folder.EncoderRecord(tmp_path, "made.json", {"seed": 0}).is_finished()


ENTRY = {"split": "dev", "urls": ["x"], "sha256": "0", "bytes": 3, "date": "2026"}


@pytest.mark.parametrize(
    "changes", [{"files": []}, {"files": {"a": ENTRY | {"urls": 3}}}, {"absent": 3}, {"code": {}}], ids=str
)
def test_manifest_of_other_types_is_refused(tmp_path, changes):
    values = {"treebank": "UD_X-Y", "code": "x_y", "release": "r2.16", "files": {"a": ENTRY}, "absent": []}
    (tmp_path / "manifest.json").write_text(json.dumps(values))
    assert manifest.read(tmp_path).files["a"].bytes == 3
    (tmp_path / "manifest.json").write_text(json.dumps(values | changes))
    with pytest.raises(FewshotError, match=r"manifest\.json: '.*' is .*; delete this folder"):
        manifest.read(tmp_path)


@pytest.mark.parametrize("text", ["compute = 3", "pos = 2024-01-01", f"x = {DEEP}", "x = \x00"], ids=lambda t: t[:9])
def test_toml_of_other_types_is_refused(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    for read in (prices.load, lambda path: read_settings(path, PretrainConfig)):
        with pytest.raises(FewshotError, match=r"mine\.toml: ") as refused:
            read(path)
        assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(
    "error",
    [
        FewshotError("no"),
        CorpusError("no tab", "a.tsv", 3),
        CorpusError("no tab"),
        UnknownNameError("task", "poss", ["pos", "dep"], hint="See the list."),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_is_the_same_in_another_process(error):
    there = pickle.loads(pickle.dumps(error))
    assert (type(there), str(there), vars(there)) == (type(error), str(error), vars(error))


def test_where_there_is_nothing_to_choose_from_that_is_said():
    assert str(UnknownNameError("project", "x", [])) == "unknown project 'x': there is no project yet."
