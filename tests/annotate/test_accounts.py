from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest

from annotate import accounts
from fewshot.errors import FewshotError

DAY = 86400


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    monkeypatch.setattr(accounts, "COST", 2**4)


@pytest.fixture
def ana(store):
    return store.add_user("ana maría", accounts.hashed("long enough"), "curator")


def at(day):
    return lambda: 1_000_000 + day * DAY


def changed(token, edit):
    return urlsafe_b64encode(edit(urlsafe_b64decode(token).decode()).encode()).decode()


def test_a_hash_matches_its_password_and_no_other():
    stored = accounts.hashed("contraseña")
    assert accounts.matches("contraseña", stored)
    assert not any(accounts.matches(word, stored) for word in ("contrasena", "contraseña ", "Contraseña", ""))


def test_a_hash_has_its_own_salt_and_does_not_hold_the_password():
    first, second = accounts.hashed("long enough"), accounts.hashed("long enough")
    assert first != second
    assert "long enough" not in first and b"long enough".hex() not in first


def test_a_hash_says_what_it_cost_so_that_dearer_ones_can_follow(monkeypatch):
    stored = accounts.hashed("long enough")
    monkeypatch.setattr(accounts, "COST", 2**5)
    assert accounts.matches("long enough", stored)
    assert accounts.hashed("long enough").split()[1] == "32"


def test_a_hash_is_scrypt_of_at_least_32_mebibytes(monkeypatch):
    monkeypatch.undo()
    assert 128 * accounts.COST * accounts.BLOCK >= 32 * 2**20
    assert accounts.matches("long enough", accounts.hashed("long enough"))


@pytest.mark.parametrize(("word", "fine"), [("", False), ("seven77", False), ("eight888", True), ("ñ" * 8, True)])
def test_a_short_password_is_refused(word, fine):
    if fine:
        assert accounts.hashed(word)
    else:
        with pytest.raises(FewshotError, match=f"^the password has {len(word)} characters; take at least 8$"):
            accounts.hashed(word)


def test_name_and_password_make_a_user(store, ana):
    assert accounts.sign_in(store, "ana maría", "long enough") == ana
    assert accounts.sign_in(store, "ana maría", "long enougH") is None
    assert accounts.sign_in(store, "ana", "long enough") is None
    assert accounts.sign_in(store, "", "") is None


def test_a_name_that_is_nobodys_takes_as_long(store, ana, monkeypatch):
    real, tried = accounts._scrypt, []
    monkeypatch.setattr(accounts, "_scrypt", lambda word, salt, *cost: tried.append(cost) or real(word, salt, *cost))
    accounts.sign_in(store, "ana maría", "wrong word")
    accounts.sign_in(store, "nobody", "wrong word")
    assert len(tried) == 2 and tried[0] == tried[1]


def test_who_is_shut_out_neither_signs_in_nor_is_known(store, ana):
    token = accounts.token(store, ana.name)
    store.set_active(ana.name, False)
    assert accounts.sign_in(store, ana.name, "long enough") is None
    assert accounts.known(store, token) is None
    store.set_active(ana.name, True)
    assert accounts.known(store, token) == ana


def test_a_token_is_its_users_for_thirty_days(store, ana):
    token = accounts.token(store, ana.name, at(0))
    assert accounts.known(store, token, at(29.9)) == ana
    assert accounts.known(store, token, at(30.1)) is None


def test_a_token_fits_into_a_cookie(store, ana):
    assert accounts.token(store, ana.name).replace("=", "").replace("-", "").replace("_", "").isalnum()


def test_a_new_password_ends_every_token(store, ana):
    token = accounts.token(store, ana.name)
    store.set_password(ana.name, accounts.hashed("long enough"))
    assert accounts.known(store, token) is None
    assert accounts.known(store, accounts.token(store, ana.name)) == ana


def test_a_token_follows_the_role_of_its_user(store, ana):
    token = accounts.token(store, ana.name)
    store.set_role(ana.name, "admin")
    assert accounts.known(store, token).role == "admin"


def test_a_token_of_another_time_or_user_is_forged(store, ana):
    store.add_user("ben", accounts.hashed("long enough"), "admin")
    token = accounts.token(store, ana.name, at(0))
    expires = str(1_000_000 + 30 * DAY)
    later = changed(token, lambda text: text.replace(expires, str(1_000_000 + 300 * DAY)))
    bens = changed(token, lambda text: text.replace(ana.name, "ben"))
    assert later != token != bens
    assert [accounts.known(store, one, at(1)) for one in (token, later, bens)] == [ana, None, None]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "a b",
        "a b c",
        "a 99999999999 ana maría",
        f"a {'9' * 5000} ana maría",
        "a -1 ana maría",
        "ñ ٣ ana maría",
    ],
    ids=lambda text: text[:20],
)
def test_what_is_no_token_is_nobodys(store, ana, text):
    assert accounts.known(store, urlsafe_b64encode(text.encode()).decode()) is None


@pytest.mark.parametrize("kept", ["", "a", "ñ", "====", "gIGC", "%00", "\ud800", " "])
def test_what_is_not_even_base64_is_nobodys(store, kept):
    assert accounts.known(store, kept) is None
