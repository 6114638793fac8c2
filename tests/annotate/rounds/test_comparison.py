import pytest
import storing
from making import made_up, result
from storing import annotate, made_items, made_project, pool_ids

from annotate.rounds import comparison
from annotate.rounds.effort import EffortSummary, SuggestionEffect
from annotate.rounds.training_data import training_data
from fewshot.corpora.load import fingerprint
from fewshot.costs import prices
from fewshot.costs.speed_up import Estimate, SpeedUp
from fewshot.curves.results import append_result, lock_results
from fewshot.errors import FewshotError


@pytest.fixture
def runs(tmp_path):
    for lang, scores in (("ja", (30, 60)), ("sv", (50, 55))):
        folder = tmp_path / f"{lang}-pos-1"
        with lock_results(folder) as path:
            for k, score in zip((0, 10), scores, strict=True):
                append_result(path, result(k, score, lang=lang))
    return tmp_path


def test_runs_of_a_folder_are_a_row_a_point_and_a_report_with_a_front_of_each_test_set(runs):
    groups = comparison.run_curves(runs, "pos", prices.load())
    assert len(groups) == 2  # two test sets
    (alone,) = comparison.run_curves(runs / "sv-pos-1", "pos", prices.load()).values()
    assert [point.score for point in alone[0].points] == [50, 55]
    rows = comparison.table([one for group in groups.values() for one in group])
    ja, sv = "ja-pos-1 random", "sv-pos-1 random"
    gains = [(row["curve"], row["k"], row["gain"]) for row in rows]
    assert gains == [(ja, 0, 0), (ja, 10, 30), (sv, 0, 0), (sv, 10, 5)]
    lines = comparison.summarize("pos", groups, 80.0)
    page = comparison.html("pos", groups, lines, ["free"])
    assert '<p class="headline">2 learning curves</p>' in page and "<h2>Annotators</h2>" not in page
    assert [line.partition(" score")[0] for line in lines[:2]] == [f"best {name}" for name in groups]
    assert sum("80 " in line for line in lines) == 2
    rows = [{"annotator": "<ana>", "cost": "€1.00"}, {"annotator": "ben", "cost": "–"}]
    page = comparison.html("pos", groups, [], [], {"Japanese pilot": rows})
    assert "<caption>Japanese pilot</caption>" in page and "&lt;ana&gt;</th><td>€1.00</td>" in page


def test_a_report_says_what_suggestions_saved_and_what_the_next_sentences_cost_here(runs):
    groups = comparison.run_curves(runs, "pos", prices.load())
    saved = SpeedUp(Estimate(0.22, 0.1, 0.334), 2.14, 1.63, Estimate(0.04, -0.01, 0.07))
    effects = [SuggestionEffect(("encoder",), saved, {"encoder": saved.anchoring})]
    said = {"ja-pos-1 random": EffortSummary(effects, 2.0), "another": EffortSummary(effects, 9.0)}
    lines = comparison.summarize("pos", groups, None, said)
    (line,) = [one for one in lines if "suggestions" in one]
    assert line == (
        "ja-pos-1 random: suggestions of the encoder save 22% [10, 33] of the time: 2.1 s a token without, 1.6 with; "
        "seeing them moves agreement with them by +4.0 points [-1.0, +7.0]"
    )
    cost = [one.partition(") for ")[2].partition(":")[0] for one in lines if "the next" in one]
    assert cost[0] == "$80.00"
    assert cost[1] != "$80.00"


def test_projects_of_one_file_are_of_one_group_where_their_test_sets_are_equal(store):
    sentences, tests, found = made_up(12, seed=1, shortest=4), dict[str, str](), {}
    for name, test in (("one", sentences[4:]), ("same", sentences[4:]), ("other", sentences[5:])):
        project = made_project(
            store, storing.split_rows(sentences[:4], test), name=name, tasks=("pos",), labels={"pos": []}
        )
        for item in made_items(store, project, [(key, "pos", "ana") for key in pool_ids(store, project)]):
            annotate(store, project, item)
        scored_on = fingerprint(training_data(store, project, "pos").test)
        store.add_results(project.id, "pos", [result(k, 40 + k, scored_on=scored_on) for k in (0, 4)])
        for group, curves in comparison.project_curves(store, project, name, "pos", prices.load(), tests).items():
            found.setdefault(group, []).extend(one.name for one in curves)
    group = f"{project.lang}, {project.source}, test set of {{}}, paid in {project.currency}"
    assert found == {group.format("one"): ["one", "same"], group.format("other"): ["other"]}


def test_what_is_no_curve_of_the_task_is_named_and_languages_of_one_file_stay_apart(runs, tmp_path):
    with pytest.raises(FewshotError, match="no run of ner in this folder; choose a folder written by fewshot run"):
        comparison.run_curves(runs, "ner", prices.load())
    with lock_results(tmp_path / "both" / "run") as path:
        for lang in ("ja", "sv"):
            append_result(path, result(0, 40, lang=lang, run=f"{lang} 0"))
        with pytest.raises(FewshotError, match="no run of pos in this folder"):
            comparison.run_curves(path.parent, "pos", prices.load())
        for lang in ("ja", "sv"):
            append_result(path, result(10, 50, lang=lang, run=f"{lang} 10"))
    assert len(comparison.run_curves(tmp_path / "both", "pos", prices.load())) == 2
    assert comparison.describe_left_out(tmp_path / "both") == []
    for lang in ("ja", "sv"):
        append_result(path, result(0, 40, lang=lang, run=f"{lang} 0", known_only=None))
    found = [one for group in comparison.run_curves(tmp_path / "both", "pos", prices.load()).values() for one in group]
    assert [[point.k for point in one.points] for one in found] == [[10], [10]]
    (said,) = comparison.describe_left_out(tmp_path / "both")
    assert "scored zero-shot on known labels only (40.0 and 40.0)" in said
