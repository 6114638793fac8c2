"""What tests of the editors share."""

import pytest

from annotate.editing import session


@pytest.fixture
def send(store, project):
    """Save an annotation of an item as a window of the app does, and return what is stored of it."""
    numbers = iter(range(1, 100))

    def send(item, annotation, done=True):
        newest = store.latest(item.id)
        event = {"item": item.id, "seq": next(numbers), "annotation": annotation, "done": done, "client": "page"}
        seen = newest.id if newest else 0
        session.receive(store, project, item.annotator, event | {"seen": seen, "seconds": 1.0, "edits": 1, "at": 0})
        return store.latest(item.id).annotation

    return send
