import shutil

import pytest

from fewshot import tasks
from fewshot.errors import DivergedError, FewshotError
from fewshot.experiments.search import SCORES_FILE, best_trial, make_candidates, search, small_data_warning
from fewshot.training import presets
from fewshot.training.description import read_description

RECIPES = make_candidates(presets.source(tasks.get("pos"), "base"), "base")[:5]
SCORED = dict(zip(RECIPES, [70.0, 90.0, 80.0, 90.0, 60.0], strict=True))


class Trainer:
    """Gives each recipe its score, and stops at the n-th training."""

    def __init__(self, model, stop=None):
        self.model, self.stop, self.trained = model, stop, []

    def __call__(self, recipe):
        if len(self.trained) == self.stop:
            raise KeyboardInterrupt
        self.trained.append(recipe)
        if SCORED[recipe] is None:
            raise DivergedError("weights that are not finite numbers")
        model = self.model.copy()
        model.provenance = {"batch": recipe.batch, "epochs": recipe.epochs, "lr": recipe.encoder_lr}
        return model, SCORED[recipe], 1.0


def is_of(folder, recipe):
    card = read_description(folder)
    return (card["lr"], card["batch"], card["epochs"]) == (recipe.encoder_lr, recipe.batch, recipe.epochs)


def test_grid_is_that_of_the_paper_and_higher_for_small_encoders():
    base = {
        (r.encoder_lr, r.batch, r.epochs) for r in make_candidates(presets.source(tasks.get("pos"), "base"), "base")
    }
    assert base == {(lr, batch, epochs) for lr in (2e-5, 3e-5, 5e-5) for batch in (16, 32) for epochs in (3, 4)}
    small = [r.encoder_lr for r in make_candidates(presets.source(tasks.get("pos"), "new", "freeze-2"), "new")]
    assert (set(small), len(small)) == ({2e-4, 3e-4, 5e-4}, 12)


def test_every_candidate_is_trained_once_and_the_first_of_the_best_is_kept(source_model, tmp_path):
    train = Trainer(source_model)
    trials = search(RECIPES, train, {}, tmp_path)
    assert train.trained == RECIPES
    assert [trial.score for trial in trials] == list(SCORED.values())
    assert best_trial(trials) == trials[1]
    assert is_of(tmp_path, RECIPES[1])
    assert {path.name for path in tmp_path.iterdir()} == {SCORES_FILE, ".lock", "model.json", "model.safetensors"}


def test_a_candidate_that_diverges_loses_and_the_first_one_says_so(source_model, tmp_path, monkeypatch):
    monkeypatch.setitem(SCORED, RECIPES[2], None)
    assert [trial.score for trial in search(RECIPES, Trainer(source_model), {}, tmp_path)] == [70, 90, 0, 90, 60]
    monkeypatch.setitem(SCORED, RECIPES[0], None)
    with pytest.raises(DivergedError):
        search(RECIPES, Trainer(source_model), {}, tmp_path / "new")


@pytest.mark.parametrize("stop", [0, 2, 4])
def test_stopped_search_goes_on(source_model, tmp_path, stop):
    first, second = Trainer(source_model, stop), Trainer(source_model)
    with pytest.raises(KeyboardInterrupt):
        search(RECIPES, first, {}, tmp_path)
    assert read_description(tmp_path) is None
    trials = search(RECIPES, second, {}, tmp_path)
    assert first.trained + second.trained == RECIPES
    assert is_of(tmp_path, RECIPES[1])
    assert search(RECIPES, Trainer(source_model, stop=0), {}, tmp_path) == trials


def test_a_model_that_was_removed_is_trained_again_and_one_of_other_data_is_not_replaced(source_model, tmp_path):
    trials = search(RECIPES, Trainer(source_model), {}, tmp_path)
    (tmp_path / "model.json").unlink()
    train = Trainer(source_model)
    assert search(RECIPES, train, {}, tmp_path) == trials
    assert train.trained == [RECIPES[1]]
    assert is_of(tmp_path, RECIPES[1])
    with pytest.raises(FewshotError, match="holds another search; give another --out, or delete the folder"):
        search(RECIPES, Trainer(source_model, stop=0), {"data": "other"}, tmp_path)
    assert is_of(tmp_path, RECIPES[1])


def test_a_search_with_fewer_candidates_keeps_the_best_of_these_and_trains_none_again(source_model, tmp_path):
    trials = search(RECIPES, Trainer(source_model), {}, tmp_path)
    assert search(RECIPES[:2], Trainer(source_model, stop=0), {}, tmp_path) == trials[:2]
    assert is_of(tmp_path, RECIPES[1])
    assert search(RECIPES, Trainer(source_model, stop=0), {}, tmp_path) == trials


def test_full_disk_is_said(source_model, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(FewshotError, match="the model cannot be written: No space left"):
        search(RECIPES, Trainer(source_model), {}, tmp_path)
    assert read_description(tmp_path) is None


def test_small_data_is_said():
    assert small_data_warning(100, 100, "pairs") is None
    for train, dev in ((99, 100), (100, 99)):
        assert small_data_warning(train, dev, "pairs").startswith(
            f"--search has {train} pairs to train on and {dev} to choose by"
        )
