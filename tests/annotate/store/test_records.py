"""Each record states the types of its columns once more; the two agree."""

from datetime import datetime
from types import NoneType
from typing import get_args, get_origin, get_type_hints

import pytest
from sqlalchemy import JSON

from annotate.store import records, results, tables

TYPES = {JSON: dict, tables.UtcDateTime: datetime, tables.NameTuple: tuple}
PAIRS = [
    (tables.Users, records.User),
    (tables.Sessions, records.Session),
    (tables.Projects, records.Project),
    (tables.Examples, records.Example),
    (tables.Rounds, records.Round),
    (tables.Items, records.Item),
    (tables.Items, records.NewItem),
    (tables.Revisions, records.Revision),
    (tables.Comments, records.Comment),
    (tables.Suggestions, records.Suggestion),
    (tables.Jobs, records.Job),
    (tables.PredictionRows, results.Predictions),
    (tables.LabelledFiles, results.LabelledFile),
]


@pytest.mark.parametrize(("table", "record"), PAIRS)
def test_the_fields_of_a_record_have_the_types_of_its_columns(table, record):
    for name, hint in get_type_hints(record).items():
        optional = NoneType in get_args(hint)
        kind = get_args(hint)[0] if optional else hint
        column = table.c[name]
        assert column.nullable == optional, name
        assert (get_origin(kind) or kind) is (TYPES.get(type(column.type)) or column.type.python_type), name
