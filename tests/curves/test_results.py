from dataclasses import replace

import pytest
from making import result

from fewshot.curves import journal
from fewshot.curves.results import append_result, describe_part_scores, lock_results, read_results
from fewshot.errors import FewshotError


def test_a_zero_shot_score_on_known_labels_only_is_left_out_and_named_until_it_is_scored_again(tmp_path):
    path = tmp_path / "results.jsonl"
    part, shots, asked = result(0, 95, known_only=None), result(10, 40), result(0, 50, run="asked", known_only=None)
    asked = replace(asked, asked={"answers": 3})
    for one in (part, shots, asked):
        append_result(path, one)
    assert read_results(path) == [shots, asked]
    assert "may have scored zero-shot on known labels only (95.0)" in describe_part_scores(path)
    append_result(path, result(0, 20))
    assert {one.score for one in read_results(path)} == {20, 40, 50}
    assert describe_part_scores(path) == ""


def test_what_is_appended_is_read_back_and_of_several_results_of_one_run_the_last_counts(tmp_path):
    made = [result(0, 30.25), result(10, 61.5, "longest", shots=("a", "日本"))]
    made.append(result(3, 62, "entropy", shots=("a", "b", "c"), rounds=(2, 1), chosen=("d", "e")))
    made.append(result(10, 60, scored_on="a", learned_from="b"))
    path = tmp_path / "results.jsonl"
    assert read_results(path) == []
    for one in made:
        append_result(path, one)
    assert read_results(path) == made
    assert [line.count("scored_on") for line in path.read_text().splitlines()] == [0, 0, 0, 1]
    append_result(path, result(0, 20, known_only=0.0))
    assert read_results(path) == [result(0, 20, known_only=0.0), *made[1:]]


def test_a_line_cut_by_a_crash_is_left_out_and_trimmed_before_the_next(tmp_path):
    with lock_results(tmp_path) as path:
        append_result(path, result(0, 30))
        append_result(path, result(10, 60))
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert [one.k for one in read_results(path)] == [0]
    with lock_results(tmp_path) as path:
        append_result(path, result(10, 60))
    assert path.read_bytes() == whole


def test_a_field_of_a_later_version_is_passed_over_and_a_damaged_line_named(tmp_path):
    path = tmp_path / "results.jsonl"
    append_result(path, result(0, 30))
    path.write_text(path.read_text().replace('{"run"', '{"colour": "blue", "run"'))
    assert read_results(path) == [result(0, 30)]
    path.write_bytes(path.read_bytes() + b"[" * 100_000)
    assert read_results(path) == [result(0, 30)]  # the last line may be cut off, however deep it is
    path.write_bytes(path.read_bytes().rstrip(b"[") + b"{]\n")
    with pytest.raises(FewshotError, match=r"results\.jsonl:2: invalid result"):
        read_results(path)


def test_two_processes_do_not_share_a_folder(tmp_path):
    other = lock_results(tmp_path)
    with lock_results(tmp_path), pytest.raises(FewshotError, match="another fewshot process uses this folder"), other:
        pass


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "results.jsonl"
    append_result(path, result(0, 30))
    before = path.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal.os, "fsync", full)
    with pytest.raises(FewshotError, match="No space left on device; free some space"):
        append_result(path, result(10, 60))
    assert path.read_bytes() == before


def test_a_whole_last_line_without_its_end_counts_and_is_ended(tmp_path):
    with lock_results(tmp_path) as path:
        append_result(path, result(0, 30))
        append_result(path, result(10, 60))
    whole = path.read_bytes()
    path.write_bytes(whole.rstrip())  # as an editor saves the file
    assert [one.k for one in read_results(path)] == [0, 10]
    with lock_results(tmp_path) as path:
        append_result(path, result(20, 70))
    assert path.read_bytes().startswith(whole)
    assert [one.k for one in read_results(path)] == [0, 10, 20]


def test_a_results_file_that_cannot_be_read_is_named(tmp_path):
    path = tmp_path / "results.jsonl"
    path.mkdir()
    with pytest.raises(FewshotError, match=r"results\.jsonl: cannot be read: Is a directory; correct the permissions"):
        read_results(path)
    with pytest.raises(FewshotError, match=r"results\.jsonl: cannot be read"), lock_results(tmp_path):
        pass


def test_a_results_file_that_may_only_be_read_is_named_when_a_result_comes(tmp_path, monkeypatch):
    path = tmp_path / "results.jsonl"
    append_result(path, result(0, 30))

    def refused(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(journal.Path, "open", refused)
    monkeypatch.setattr(journal.os, "truncate", refused)
    with pytest.raises(FewshotError, match="cannot be written: Permission denied; free some space or correct"):
        append_result(path, result(10, 60))
