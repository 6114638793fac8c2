"""A worker that is killed while it trains."""

import pytest
from load.kills import killed_again_and_again

pytestmark = pytest.mark.system


def test_a_training_that_is_killed_at_random_moments_finds_what_it_would_have_found(tmp_path, monkeypatch):
    for name in ("XDG_DATA_HOME", "FEWSHOT_DB_URL"):
        monkeypatch.setenv(name, "")  # both are set by what is tested, and put back afterwards
    whole, killed, moments = killed_again_and_again(tmp_path, kills=3, updates=4)
    assert len(moments) == 3
    assert [row["k"] for row in whole] == [0, 0, 5, 5, 10, 10]
    assert killed
    assert all(one == whole for one in killed)
