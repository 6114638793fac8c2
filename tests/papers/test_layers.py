import pandas as pd
import pytest

from fewshot import tasks
from fewshot.papers.fine_tuning import mean
from fewshot.papers.layers import scale_frozen, variants
from fewshot.training import presets


@pytest.mark.parametrize(
    ("depth", "bottoms"),
    [(12, [0, 3, 6, 9]), (6, [0, 1, 3, 4]), (3, [0, 1, 2]), (1, [0])],
)
def test_the_papers_bottoms_are_scaled_and_never_freeze_all(depth, bottoms):
    assert scale_frozen(depth) == bottoms
    recipes = [presets.source(tasks.get("pos"), "new", variant.method) for variant in variants(depth, [])]
    frozen = [recipe.resolve(1000, 1000, depth).frozen for recipe in recipes]
    assert frozen == [*bottoms, depth]  # the feature-based encoder stays


def test_the_report_shows_differences_to_training_everything(fine_tune, tmp_path):
    result = fine_tune("layers", frozen="0,2", ends=0)
    table = pd.read_csv(tmp_path / "out" / "table.csv")
    assert list(dict.fromkeys(table.variant)) == ["all trained", "n = 0", "n = 2", "feature-based"]
    scores = table[table.lang == "fi"].pivot(index="seed", columns="variant", values="score")
    gain = mean(scores["n = 2"] - scores["all trained"])
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for text in (page, result.output):
        assert f"{gain:+}" in text and "n = 3 of 12" in text and "mean of 1 other languages" in text


def test_the_embedded_sample_serves_sentence_level_tasks(fine_tune):
    result = fine_tune("layers", data=None, task="nli", langs="ja,sw", seeds=1, updates=1, frozen="1", ends=0)
    assert "mean of 2 other languages" in result.output and "n = 6 of 12" in result.output
