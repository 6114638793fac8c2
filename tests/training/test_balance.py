import pytest

from fewshot.heads.classifier import IGNORE
from fewshot.training.balance import label_weights


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ([[0, 0, 0, 1], [0, 0, 0, 2]], [2 / 3, 2, 2]),  # two inside, six outside: a third for each, mean one half
        ([[0] * 97 + [1] * 2 + [2]], [100 / 6 * 3 / 97, 100 / 6, 100 / 6]),
        ([[0, 1, IGNORE], [2]], [1, 1, 1]),  # fewer outside than inside: as they are
        ([[0, 0], [0, IGNORE]], [0, 1, 1]),  # no name: nothing to learn
        ([], [0, 1, 1]),
    ],
)
def test_one_label_weighs_at_most_what_the_others_do(targets, expected):
    assert label_weights(targets, 3, 0).tolist() == pytest.approx(expected)
