from dataclasses import replace

from fewshot.experiments import trainer as trainings
from fewshot.training.adapt import adapt


def test_self_training_learns_the_adapted_models_labels_of_other_examples_of_the_pool(setup, monkeypatch):
    trainer, pool = setup.trainer, setup.corpus.pool
    trainer = replace(trainer, recipe=replace(trainer.recipe, self_training=4))
    made, learned, heard = [], [], []

    def noted(start, shots, recipe, seed, device, mixed, report, silver, kept):
        learned.append(silver)
        made.append(adapt(start, shots, recipe, seed, device, mixed, report, silver, kept))
        return made[-1]

    monkeypatch.setattr(trainings, "adapt", noted)
    model = trainer.train(pool[:3], 1, heard.append, pool=pool)
    (none, labelled) = learned
    assert (list(none), len(labelled), model) == ([], 4, made[1])
    assert {shot.id for shot in pool[:3]}.isdisjoint(example.id for example in labelled)
    assert labelled == trainings.predict(made[0], [example.unannotated() for example in labelled])
    updates = trainer.settings(pool[:3]).updates
    assert [now.share for now in heard] == [(number + 1) / (2 * updates) for number in range(2 * updates)]
    trainer.train([], 1, pool=pool)
    trainer.train(pool, 1, pool=pool)  # nothing is left to label
    assert list(map(list, learned[2:])) == [[], []]
    assert trainer.recipe.described()["self_training"] == 4
    assert "self_training" not in setup.trainer.recipe.described()
