import gzip
import hmac
import re
from base64 import urlsafe_b64encode

import pytest

from annotate import accounts, attempts
from annotate.store.backup import backup
from annotate.store.tables import Sessions, metadata
from fewshot.errors import FewshotError


@pytest.fixture
def ana(store):
    return store.add_user("ana maría", accounts.hash_password("long enough"), "curator")


def test_a_hash_matches_its_password_and_no_other_and_does_not_hold_the_password(monkeypatch):
    stored, again = accounts.hash_password("contraseña"), accounts.hash_password("contraseña")
    assert accounts.matches("contraseña", stored) and stored != again
    assert not any(accounts.matches(word, stored) for word in ("contrasena", "contraseña ", "Contraseña", ""))
    assert "contraseña" not in stored and "contraseña".encode().hex() not in stored
    monkeypatch.undo()
    assert 128 * accounts.COST * accounts.BLOCK >= 32 * 2**20  # bytes of memory
    dearer = accounts.hash_password("contraseña")
    assert dearer.split()[1] == str(accounts.COST) != stored.split()[1]
    assert all(accounts.matches("contraseña", one) for one in (stored, dearer))


def test_a_short_password_is_refused():
    assert all(map(accounts.hash_password, ("eight888", "ñ" * 8)))
    for word in ("", "seven77"):
        with pytest.raises(FewshotError, match=f"^the password has {len(word)} characters; use at least 8$"):
            accounts.hash_password(word)
    with pytest.raises(FewshotError, match=r"^the password contains bytes that are not UTF-8; .* in UTF-8$"):
        accounts.hash_password("contrase\udcf1a")  # as a pipe in another encoding is read


def test_name_and_password_make_a_user(store, ana):
    assert accounts.sign_in(store, "ana maría", "long enough") == ana
    assert accounts.sign_in(store, "ana maría", "long enougH") is None
    assert accounts.sign_in(store, "ana", "long enough") is None
    assert accounts.sign_in(store, "", "") is None


def test_a_name_that_is_nobodys_or_shut_out_takes_as_long(store, ana, monkeypatch):
    store.add_user("eva", accounts.hash_password("long enough"))
    store.set_active("eva", False)
    real, tried = accounts._scrypt, []
    monkeypatch.setattr(accounts, "_scrypt", lambda word, salt, *cost: tried.append(cost) or real(word, salt, *cost))
    accounts.sign_in(store, "ana maría", "wrong word")
    accounts.sign_in(store, "nobody", "wrong word")
    assert accounts.sign_in(store, "eva", "long enough") is None
    assert len(tried) == 3 and len(set(tried)) == 1


def test_who_is_shut_out_or_has_a_new_password_is_known_no_more(store, ana):
    kept = accounts.open_session(store, ana.name)
    store.set_active(ana.name, False)
    assert accounts.sign_in(store, ana.name, "long enough") is None
    assert accounts.session_user(store, kept) is None
    store.set_active(ana.name, True)
    assert accounts.session_user(store, kept) is None
    kept = accounts.open_session(store, ana.name)
    assert accounts.session_user(store, kept) == ana
    store.set_role(ana.name, "admin")
    assert accounts.session_user(store, kept).role == "admin"
    store.set_password(ana.name, accounts.hash_password("long enough"))
    assert accounts.session_user(store, kept) is None


def test_a_browser_is_known_for_thirty_days(store, ana, later):
    kept = accounts.open_session(store, ana.name)
    for days, who in ((29.9, ana), (30.1, None)):
        later(days * 86_400)
        assert accounts.session_user(store, kept) == who
    assert store.sessions(ana.name) == []
    accounts.open_session(store, ana.name)
    with store.reading() as db:
        assert len(db.execute(Sessions.select()).all()) == 1  # what has expired is forgotten


def test_what_a_browser_keeps_fits_into_a_cookie_and_signing_out_ends_one_session(store, ana):
    first, second = (accounts.open_session(store, ana.name, name) for name in ("first", "x" * 1000))
    assert first != second
    assert all(re.fullmatch(r"[\w-]{40,}", one) for one in (first, second))
    accounts.close_session(store, first)
    assert accounts.session_user(store, first) is None
    assert accounts.session_user(store, second) == ana
    assert [one.browser for one in store.sessions(ana.name)] == ["x" * accounts.MAX_BROWSER_CHARS]


def test_what_the_database_holds_signs_in_nobody_and_a_backup_holds_no_sessions(store, ana, tmp_path):
    kept = accounts.open_session(store, ana.name, "a browser of hers")
    backup(store, tmp_path / "all.gz")
    assert b"a browser of hers" not in gzip.decompress((tmp_path / "all.gz").read_bytes())
    with store.reading() as db:
        held = [str(value) for table in metadata.sorted_tables for row in db.execute(table.select()) for value in row]
    assert held and kept not in " ".join(held)
    assert not any(accounts.session_user(store, value) for value in held)
    expires = str(int(store.now().timestamp()) + 30 * 86400)
    for value in held:  # as cookies were made before there were sessions
        signature = hmac.new(value.encode(), f"{expires} {ana.name}".encode(), "sha256").hexdigest()
        assert (
            accounts.session_user(store, urlsafe_b64encode(f"{signature} {expires} {ana.name}".encode()).decode())
            is None
        )


def test_what_is_no_session_is_nobodys(store, ana):
    for kept in ("", "a", "ñ", "====", "gIGC", "%00", "\x00", "\ud800", " ", "x" * 100_000):
        assert accounts.session_user(store, kept) is None


@pytest.fixture
def clock():
    return [0.0]


@pytest.fixture
def tries(clock):
    return attempts.Attempts(lambda: clock[0])


def test_guessing_for_one_name_soon_takes_longer_whatever_address_it_comes_from(tries, clock):
    free = attempts.FREE_TRIES["name"]
    assert [tries.wait("ana", f"10.0.0.{n}") for n in range(free)] == [0.0] * free
    assert 0 < tries.wait("ana", "10.0.1.1") <= attempts.FIRST_WAIT
    assert tries.wait("ben", "10.0.0.1") == 0.0
    hour = [0]
    for second in range(3600):
        clock[0] += 1
        hour[0] += tries.wait("ana", f"10.1.{second // 250}.{second % 250}") == 0.0
    assert 0 < hour[0] < 20


def test_whoever_guesses_for_days_waits_as_long_as_before(tries, clock):
    for _ in range(1200):
        clock[0] += attempts.MAX_WAIT
        assert tries.wait("ana", None) == 0.0
    assert tries.wait("ana", None) == attempts.MAX_WAIT


def test_guessing_for_many_names_from_one_address_takes_longer_too(tries):
    free = attempts.FREE_TRIES["address"]
    assert [tries.wait(f"name {n}", "10.0.0.1") for n in range(free)] == [0.0] * free
    assert tries.wait("another", "10.0.0.1") > 0
    assert tries.wait("another", "10.0.0.2") == 0.0
    assert tries.wait("a third", None) == 0.0


def test_the_right_password_clears_a_name_but_not_the_address_that_tries_others(tries):
    for n in range(10 * attempts.FREE_TRIES["address"]):  # right ones are not held against their address
        assert tries.wait(f"right {n}", "10.0.0.1") == 0.0
        tries.succeed(f"right {n}", "10.0.0.1")
    for n in range(attempts.FREE_TRIES["address"]):
        assert tries.wait(f"name {n}", "10.0.0.1") == 0.0
    tries.succeed("name 0", None)
    assert tries.wait("name 0", "10.0.0.1") > 0
    assert [tries.wait("name 0", None) for _ in range(attempts.FREE_TRIES["name"])] == [0.0] * attempts.FREE_TRIES[
        "name"
    ]


def test_nothing_is_held_against_anybody_after_an_hour_and_not_everything_is_kept(tries, clock, monkeypatch):
    for _ in range(attempts.FREE_TRIES["name"]):
        tries.wait("ana", None)
    assert tries.wait("ana", None) > 0
    clock[0] += attempts.RESET_SECONDS + 1
    assert tries.wait("ana", None) == 0.0
    monkeypatch.setattr(attempts, "MAX_KEYS", 10)
    for n in range(100):
        tries.wait(f"name {n}", None)
    assert len(tries._tries) <= 11


def test_what_is_no_hash_is_that_of_no_password():
    for stored in ("", "hash", "scrypt 16 8 1 zz zz", "scrypt 17 8 1 00 00", "scrypt 1 8 1 00 00"):
        assert not accounts.matches("long enough", stored)
