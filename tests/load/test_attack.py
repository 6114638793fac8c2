"""Whoever has no account cannot wear the app out: guesses stay slow, and nothing that windows open stays open."""

from contextlib import closing
from math import log2

import pytest
from load import attacker
from load.page import drawn
from serving import App

from annotate import accounts
from annotate.attempts import FIRST_WAIT, FREE_TRIES
from annotate.store import Store

SESSIONS = 160
"""Windows after which the app holds no more: Streamlit keeps the 128 that were closed last, for who comes back."""


@pytest.mark.system
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_client_without_an_account_neither_guesses_nor_wears_the_app_out(tmp_path, new_url, kind):
    app = App(tmp_path, "--users", url=new_url(kind))
    with closing(Store.open(app.url)) as store:
        store.add_user("ada", accounts.hash_password("correct horse"), "admin")
        kept = accounts.open_session(store, "ada")
    app.start()
    try:
        attacker.attack(app, "ada", rounds=SESSIONS // attacker.AT_ONCE)
        report = attacker.attack(app, "ada", rounds=20)
        texts = drawn(app, kept).texts
        assert app.is_healthy()
    finally:
        app.kill()
    assert not app.has_failed(), app.log()
    assert any("Signed in as **ada**" in text for text in texts)
    assert report.tried <= FREE_TRIES["name"] + log2(report.seconds / FIRST_WAIT + 1) + 1
    assert all(error.startswith((attacker.REFUSED, attacker.THROTTLED)) for error in report.guesses)
    files, connections = zip(*report.held, strict=True)
    assert files[-1] <= files[0] + 60, files
    assert connections[-1] <= connections[0] + 5, connections
