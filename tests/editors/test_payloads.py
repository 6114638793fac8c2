import json

from editors.payloads import PATH, collect


def test_the_payloads_are_up_to_date(tmp_path):
    kept, now = json.loads(PATH.read_text(encoding="utf-8")), collect(tmp_path)
    assert json.loads(json.dumps(now)) == kept, "run `python tests/editors/payloads.py`"
