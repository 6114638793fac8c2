"""Addresses that somebody types, at the running app: no traceback, and what there is opens."""

import pytest
from load import annotators
from load.page import drawn

pytestmark = pytest.mark.app


def test_an_address_that_names_no_id_opens_what_there_is(served):
    project, (token,) = annotators.prepare(served.url, ["mia"], 4)
    for given in ("x", "-1", "1.5", "٣٣٣٣٣٣٣٣٣٣٣", "9" * 5000, str(2**63), "999999999"):
        for query in (f"project={given}&item=", f"project={project.id}&item={given}"):
            page = drawn(served, token, name="annotate", query=query)
            assert (given, page.errors) == (given, [])
            assert page.data or query.endswith("item="), given
