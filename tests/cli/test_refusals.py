import errno
import io
import os
import sys

import pytest
from cli.calls import BAD, call, run

from fewshot.cli import main


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii", "utf-8"])
def test_letters_that_an_encoding_lacks_are_printed_as_escapes(tmp_path, monkeypatch, encoding):
    (tmp_path / "日本語.conllu").write_text(BAD.replace("a", "猫", 1), encoding="utf-8")
    streams = {name: io.TextIOWrapper(io.BytesIO(), encoding=encoding) for name in ("stdout", "stderr")}
    for name, stream in streams.items():
        monkeypatch.setattr(sys, name, stream)
    monkeypatch.setattr(sys, "argv", ["fewshot", "data", "check", str(tmp_path / "日本語.conllu")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    streams["stderr"].flush()
    printed = streams["stderr"].buffer.getvalue().decode(encoding)
    assert ("日本語.conllu" if encoding == "utf-8" else "\\u65e5\\u672c\\u8a9e.conllu") in printed


def test_a_full_disk_behind_the_output_and_a_name_that_is_too_long_are_one_line(tmp_path, monkeypatch):
    (tmp_path / "a.conllu").write_text(BAD.replace("a", "b", 1), encoding="utf-8")
    assert "File name too long; correct the name" in call("data", "check", "a" * 300 + ".conllu", ends=2).output

    def full(*_arguments, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("fewshot.cli.data.check._check_files", full)
    said = call("data", "check", tmp_path / "a.conllu", ends=2).output
    assert "error: the output: No space left on device; correct the name or free some space" in said


@pytest.mark.parametrize("arguments", [["run", "--help"], ["run", "--bogus"], ["data", "check", "nowhere.conllu"]])
def test_terminals_without_a_width_print_all_the_same(monkeypatch, capsys, arguments):
    monkeypatch.setenv("COLUMNS", "0")
    monkeypatch.setattr(sys, "argv", ["fewshot", *arguments])
    with pytest.raises(SystemExit):
        main()
    assert arguments[-1] in "".join(capsys.readouterr())


def test_source_data_that_would_not_be_mixed_in_are_refused(place, tmp_path):
    result = run(place, tmp_path, "--regime", "sequential", "--source-data", place / "english.conllu", ends=2)
    assert "english.conllu: source data is mixed in under --regime joint only" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--task", "pso"], "unknown task 'pso': did you mean pos"),
        (["--lang", "../xx"], "'../xx' is not a language code; write one such as wo"),
        (["--k", "300"], "pool has 30 examples of 3-12 tokens, 300 asked"),
        (["--data", "/no/such"], "/no/such: no such file or folder"),
        (["--data", "sample"], "unknown language of the embedded sample 'xx'"),
        (["--model", "/no/such"], "/no/such: no encoder here"),
        (["--method", "magic"], "unknown method 'magic'"),
        (["--threshold", "nan"], "--threshold nan is not a finite number; give one such as 0.5"),
        (["--llm-cap", "inf"], "--llm-cap inf is not a finite number"),
        (["--device", "tpu9"], "device 'tpu9' cannot be used"),
        (["--rates", "/no/rates.toml"], "/no/rates.toml: no such file"),
        (["--task", "dep", "--swaps", "2", "--method", "lauscher2020"], "lauscher2020 swaps nothing"),
    ],
)
def test_bad_options_get_one_line_and_exit_code_two(place, tmp_path, options, message):
    result = run(place, tmp_path / "out", *options, ends=2)
    assert message in result.output
    assert len([line for line in result.output.splitlines() if line.startswith("error:")]) == 1
    assert not (tmp_path / "out" / "results.jsonl").exists()


@pytest.mark.parametrize("command", ["run", "sources"])
def test_an_empty_language_code_is_refused(command):
    assert "--lang is empty; give a language code" in call(command, "--lang", "", ends=2).output


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (BAD, "test.conllu:1: 9 tab-separated columns"),
        (BAD.replace("\t_\n", "\t_\t_\n").replace("NOUN", "NN"), "UPOS 'NN' of 'a' is none of"),
        (BAD.replace("\t_\n", "\t_\t_\n").replace("NOUN", "_"), "no pos annotation here"),
    ],
)
def test_bad_files_are_named_with_their_line(place, tmp_path, content, message):
    (tmp_path / "pool.conllu").write_bytes((place / "xx" / "pool.conllu").read_bytes())
    (tmp_path / "test.conllu").write_text(content)
    result = run(place, tmp_path / "out", "--data", tmp_path, ends=2)
    assert message in result.output


def test_a_folder_that_lacks_one_of_the_two_files_is_told_what_to_do(place, tmp_path):
    (tmp_path / "test.conllu").write_bytes((place / "xx" / "pool.conllu").read_bytes())
    said = " ".join(run(place, tmp_path / "out", "--data", tmp_path).output.split())
    assert "put it beside test.conllu as pool.conllu, or give --data" in said
    (tmp_path / "test.conllu").rename(tmp_path / "words.conllu")
    assert "put it beside words.conllu as test.conllu" in run(place, tmp_path / "out", "--data", tmp_path).output
    assert run(place, tmp_path / "out", "--data", tmp_path / "words.conllu", "--k", "0").exit_code == 0


def test_raw_text_is_sent_to_the_app(place, tmp_path):
    (tmp_path / "raw.txt").write_text("one two three\nfour five\nseven eight\nten eleven\n", encoding="utf-8")
    result = run(place, tmp_path / "out", "--data", tmp_path / "raw.txt", ends=2)
    assert "no pos annotation here, nor in the other" in result.output
    assert "fewshot app" in result.output


@pytest.mark.parametrize("wrong", ["read-only", "a file"])
def test_output_folders_that_cannot_be_written(place, tmp_path, wrong):
    if wrong == "a file":
        (tmp_path / "out").write_text("x")
    elif os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    else:
        tmp_path.chmod(0o500)
    result = run(place, tmp_path / "out", ends=2)
    assert "cannot be written" in result.output
    assert wrong != "a file" or (tmp_path / "out").read_text() == "x"


def test_damaged_results_are_named_and_kept(place, done, tmp_path):
    _, out = done
    for name in ("results.jsonl", "plan.json"):
        (tmp_path / name).write_bytes((out / name).read_bytes())
    text = "nonsense\n" + (tmp_path / "results.jsonl").read_text()
    (tmp_path / "results.jsonl").write_text(text)
    result = run(place, tmp_path, ends=2)
    assert "results.jsonl:1: invalid result" in result.output
    assert (tmp_path / "results.jsonl").read_text() == text


def test_full_disk_keeps_what_is_there(place, done, tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    _, out = done
    lines = (out / "results.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "results.jsonl").write_bytes(lines[0])
    (tmp_path / "plan.json").write_bytes((out / "plan.json").read_bytes())
    monkeypatch.setattr("fewshot.curves.journal.os.fsync", full)
    monkeypatch.setattr("fewshot.experiments.plan_file.write_text", lambda *_: None)
    result = run(place, tmp_path, ends=2)
    assert "No space left on device" in result.output
    assert (tmp_path / "results.jsonl").read_bytes() == lines[0]
