"""``fewshot users``."""

import pytest

from annotate import accounts


def test_people_are_added_and_get_passwords_and_roles(run, store):
    assert run("users", "add", "ana", "--role", "curator", typed="long enough\n").exit_code == 0
    assert accounts.sign_in(store, "ana", "long enough").role == "curator"
    assert run("users", "password", "ana", typed="another one\n").exit_code == 0
    assert accounts.sign_in(store, "ana", "long enough") is None
    assert run("users", "role", "ana", "admin").exit_code == 0
    assert run("users", "shut-out", "ana").exit_code == 0
    assert accounts.sign_in(store, "ana", "another one") is None
    assert run("users", "let-in", "ana").exit_code == 0
    assert accounts.sign_in(store, "ana", "another one").role == "admin"
    assert "ana" in run("users", "list").output


def test_whoever_signs_in_with_their_organisation_needs_no_password(run, store):
    assert run("users", "add", "ana@uni.edu", "--oidc").exit_code == 0
    _, stored = store.credentials("ana@uni.edu")
    assert not accounts.matches("", stored)
    assert accounts.known(store, accounts.open_session(store, "ana@uni.edu")).name == "ana@uni.edu"


@pytest.mark.parametrize(
    ("words", "typed", "reason"),
    [
        (("users", "add", "ben"), "short\n", "the password has 5 characters; take at least 8"),
        (("users", "add", "ben", "--oidc"), "", "ben is no e-mail address"),
        (("users", "add", "ben", "--role", "boss"), "long enough\n", "unknown role 'boss'"),
        (("users", "role", "ben", "admin"), "", "unknown user 'ben'"),
    ],
)
def test_what_cannot_be_done_is_one_line(run, project, words, typed, reason):
    result = run(*words, typed=typed)
    assert result.exit_code == 2
    assert reason in result.output
    assert len(result.output.strip().splitlines()) == 1


def test_sessions_are_listed_and_ended(run, store):
    run("users", "add", "ana", typed="long enough\n")
    assert "no browser is known as ana" in run("users", "sessions", "ana").output
    kept = [accounts.open_session(store, "ana", f"Browser [{n}]") for n in range(2)]
    said = run("users", "sessions", "ana").output
    assert "Browser [0]" in said and "Browser [1]" in said
    assert "ana is signed out of 2 browsers" in run("users", "sign-out", "ana").output
    assert not any(accounts.known(store, one) for one in kept)
    assert run("users", "sign-out", "ben").exit_code == 2
