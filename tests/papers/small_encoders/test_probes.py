import re

import pytest
from making import write_treebanks
from papers.making import SETTINGS, analyze, write_corpus

from fewshot.curves.points import estimate
from fewshot.curves.results import read_results
from fewshot.experiments.executors import place
from fewshot.papers.small_encoders import probes


@pytest.fixture
def call(tmp_path):
    corpus, data = write_corpus(tmp_path / "corpus"), write_treebanks(tmp_path / "data")
    scale = tmp_path / "scale.toml"
    scale.write_text("\n".join(f"{name} = {value}" for name, value in SETTINGS.items()))
    values = {"corpus": corpus, "data": data, "langs": "fi", "scale": scale, "seeds": 2, "device": "cpu"}
    return lambda name, **options: analyze(name, **values | {"out": tmp_path / "out", **options})


def test_a_stopped_analysis_goes_on_and_repeats_nothing(call, tmp_path, monkeypatch):
    begun, train = [], probes.train_source

    def stopping(task, encoder, examples, recipe, seed, on, **more):
        begun.append((encoder.fingerprint, seed))
        if len(begun) == 4:
            raise KeyboardInterrupt
        return train(task, encoder, examples, recipe, seed, on, **more)

    monkeypatch.setattr(probes, "train_source", stopping)
    monkeypatch.setattr(place, "count_processes", lambda work, sharing: None)  # in this process
    assert call("bilingual", table="3").exit_code == 130
    kept = (tmp_path / "out" / "results.jsonl").read_bytes()
    assert kept.count(b"\n") == 3
    result = call("bilingual", table="1,3", ends=0)  # of table 1 enfake-fi is in table 3 too, and its control
    assert (tmp_path / "out" / "results.jsonl").read_bytes().startswith(kept)
    assert len(begun) == 1 + 6 + 2 * 4 and begun[3] in begun[4:]  # only the one that was stopped is begun again

    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    results = read_results(tmp_path / "out" / "results.jsonl")
    results = [r for r in results if (r.model, r.lang) == ("enfake-fi", "enfake-fi")]
    by_score = [estimate(results[first::2]) for first in (0, 1)]  # trained and untrained
    for score, low, high in by_score:
        for text in (page, result.output):
            assert f"{score:.1f} [{low:.1f}, {high:.1f}]" in text
    for text in (page, result.output):
        assert "59.6–70.9" in text and "77.5" in text  # enfake-X and en-enfake, NLI
        assert "enfake-fi, untrained (control)" in text
    assert not any(word in page for word in ("http://", "https://", "src="))


def test_monolingual_analysis(call, tmp_path):
    result = call("monolingual", seeds=1, ends=0)
    assert "fi: monolingual, small" in result.output and "en-fi: bilingual" in result.output
    assert "95.7–98.0" not in result.output and "95.8–97.8" in result.output  # POS of the base encoder
    assert {r.lang for r in read_results(tmp_path / "out" / "results.jsonl")} == {"fi"}


def test_bad_input_ends_with_one_line(call):
    wrong = []
    for option, value, message in (
        ("table", "x", "is not a number"),
        ("langs", "xx", "unknown language of the corpus 'xx'"),
        ("corpus", "nowhere", "give a corpus folder"),
        ("seeds", 0, "must be at least 1"),
    ):
        done = call("bilingual", **{option: value})
        if done.exit_code != 2 or not re.fullmatch(f"error: .*{message}.*\n", done.output):
            wrong.append((option, value, done.output))
    assert not wrong


def test_languages_without_data_are_said(call, tmp_path):
    (tmp_path / "data" / "fi_made" / "test.conllu").unlink()
    result = call("bilingual", table="3")
    assert result.exit_code == 2 and "no annotated data for en to fi" in result.output
    result = call("bilingual", table="1", seeds=1, ends=0)
    assert "warning: no task has data for en to fi; these rows are left out" in result.output
    assert "en-fi" not in result.output.replace("en to fi", "")
