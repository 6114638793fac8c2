from annotate import accounts


def test_people_are_added_and_get_passwords_and_roles(ok, store):
    ok("users", "add", "ana", "--role", "curator", typed="long enough\n")
    assert accounts.sign_in(store, "ana", "long enough").role == "curator"
    ok("users", "password", "ana", typed="another one\r\n")
    assert accounts.sign_in(store, "ana", "long enough") is None
    ok("users", "role", "ana", "admin")
    ok("users", "shut-out", "ana")
    assert accounts.sign_in(store, "ana", "another one") is None
    ok("users", "let-in", "ana")
    assert accounts.sign_in(store, "ana", "another one").role == "admin"
    assert "ana" in ok("users", "list")


def test_whoever_signs_in_with_their_organisation_needs_no_password(ok, store):
    ok("users", "add", "ana@uni.edu", "--oidc")
    _, stored = store.credentials("ana@uni.edu")
    assert not accounts.matches("", stored)
    assert store.link_identity("ana@uni.edu", "issuer", "1")
    kept = accounts.open_session(store, "ana@uni.edu")
    ok("users", "oidc", "ana@uni.edu")
    assert accounts.session_user(store, kept) is None and store.link_identity("ana@uni.edu", "issuer", "2")


def test_what_cannot_be_done_is_one_line(refused, store):
    for words, typed, reason in (
        ("add ben", "short\n", "the password has 5 characters; use at least 8"),
        ("add ben --oidc", "", "ben is not an e-mail address"),
        ("oidc ben", "", "unknown user 'ben'"),
        ("add ben --role boss", "long enough\n", "unknown role 'boss'"),
        ("sign-out ben", "", "unknown user 'ben'"),
    ):
        assert reason in refused("users", *words.split(), typed=typed)


def test_sessions_are_listed_and_ended(ok, store):
    ok("users", "add", "ana", typed="long enough\n")
    assert "ana is not signed in" in ok("users", "sessions", "ana")
    kept = [accounts.open_session(store, "ana", f"Browser [{n}]") for n in range(2)]
    said = ok("users", "sessions", "ana")
    assert "Browser [0]" in said and "Browser [1]" in said
    assert "ana is signed out of 2 browsers" in ok("users", "sign-out", "ana")
    assert not any(accounts.session_user(store, one) for one in kept)
