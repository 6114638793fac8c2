"""Answers that came at once are paid for by the time that passed, not each by all of it."""

import pytest

from fewshot.llm.shared_time import SharedTime


def test_shares_of_what_is_under_way_at_once_add_up_to_the_time_that_passed():
    moments = iter([0.0, 10.0, 14.0, 20.0, 20.0, 29.0, 29.0])
    shared = SharedTime(lambda: next(moments))
    with shared.measured() as first:  # from 10
        with shared.measured() as second:  # from 14 to 20
            inside = second()
        whole = first()
    assert (inside, whole) == pytest.approx((3.0, 16.0))
    assert inside + whole == pytest.approx(29 - 10)
