import pytest
from storing import Clock, on_both

from annotate import accounts, oidc
from annotate.store import Store
from fewshot.errors import FewshotError

ISSUER = "https://sso.uni.edu"
ADDRESS = "strasse@uni.edu"


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(url, clock):
    store = Store(url, clock=clock)
    store.add_user(ADDRESS, accounts.random_hash(), "curator", oidc=True)
    store.add_user("boss", accounts.hash_password("long enough"), "admin")
    store.add_user("boss@uni.edu", accounts.hash_password("long enough"), "admin")
    yield store
    store.close()


def login(store, subject="1", address=ADDRESS, **claims):
    issued = store.now().timestamp()
    known = {"iss": ISSUER, "sub": subject, "iat": issued, "email": address, "email_verified": True}
    return oidc.read_login({name: value for name, value in (known | claims).items() if value is not None})


@on_both
def test_a_sign_in_is_used_once_and_only_while_it_is_fresh(store, clock):
    first, late = login(store), login(store, nonce="late")
    assert [oidc.accept(store, first) for _ in range(2)] == [True, False]
    clock.passes(0.9 * oidc.MAX_AGE)
    assert not oidc.accept(store, first)
    assert oidc.accept(store, login(store))
    clock.passes(0.2 * oidc.MAX_AGE)
    assert not oidc.accept(store, late) and not oidc.is_fresh(store, late)
    clock.passes(3 * oidc.MAX_AGE)
    assert not oidc.accept(store, first)  # which is forgotten
    assert not oidc.accept(store, login(store, iat=1e300))


@on_both
def test_issuer_and_subject_name_a_person_from_their_first_sign_in_on(store):
    ada = oidc.find_person(store, login(store), False)
    assert ada.name == ADDRESS
    assert oidc.find_person(store, login(store, address="new@uni.edu", email_verified=False), False) == ada
    for other in ({"subject": "2"}, {"iss": "https://evil.example"}):  # the address of somebody who has left
        with pytest.raises(FewshotError, match="may not sign in here"):
            oidc.find_person(store, login(store, **other), False)
    store.allow_oidc(ADDRESS)
    assert oidc.find_person(store, login(store, "2"), False) == ada
    store.set_active(ADDRESS, False)
    with pytest.raises(FewshotError, match="may not sign in here"):
        oidc.find_person(store, login(store, "2"), False)


@pytest.mark.parametrize(
    ("claims", "trusted"), [({}, False), ({"email_verified": "true"}, False), ({"email_verified": None}, True)]
)
def test_a_first_sign_in_with_a_verified_address_names_who_was_added_for_it(store, claims, trusted):
    assert oidc.find_person(store, login(store, **claims), trusted).name == ADDRESS


def test_a_first_sign_in_without_the_verified_address_of_somebody_who_was_added_for_it_is_refused(store):
    for claims, trusted, reason in (
        ({"email_verified": None}, False, "does not confirm that strasse@uni.edu is verified"),
        ({"email_verified": "false"}, True, "has not verified that strasse@uni.edu is yours"),
        ({"address": None}, True, "contains no e-mail address"),
        ({"address": "boss"}, False, "boss may not sign in here"),
        ({"address": "boss@uni.edu"}, False, "boss@uni.edu may not sign in here"),
        ({"address": "straße@uni.edu"}, False, "straße@uni.edu may not sign in here"),
        ({"address": "Strasse@uni.edu"}, False, "Strasse@uni.edu may not sign in here"),
        ({"address": f"{ADDRESS} "}, False, "may not sign in here"),
        ({"iss": None}, True, "does not identify you"),
        ({"subject": None}, True, "does not identify you"),
        ({"iat": "now"}, True, "does not identify you"),
    ):
        with pytest.raises(FewshotError, match=reason):
            oidc.find_person(store, login(store, **claims), trusted)
    assert store.link_identity(ADDRESS, ISSUER, "1").name == ADDRESS  # nothing was stored


@on_both
def test_an_address_in_other_letters_is_named_by_whoever_runs_the_server(store):
    other = "Strasse@uni.edu"
    with pytest.raises(FewshotError, match=f"fewshot users oidc {ADDRESS} --address {other}"):
        store.add_user(other, accounts.random_hash(), oidc=True)
    for address in ("boss@uni.edu", "ada@uni.edu"):
        with pytest.raises(FewshotError, match=r"differs from strasse@uni\.edu by more than letter case"):
            store.allow_oidc(ADDRESS, address)
    store.allow_oidc(ADDRESS, other)
    with pytest.raises(FewshotError, match="may not sign in here"):
        oidc.find_person(store, login(store), False)
    known = oidc.find_person(store, login(store, address=other), False)
    assert known.name == ADDRESS == oidc.find_person(store, login(store), False).name
    store.allow_oidc("boss@uni.edu")
    assert oidc.find_person(store, login(store, "2", "boss@uni.edu"), False).role == "admin"
    assert accounts.sign_in(store, "boss@uni.edu", "long enough").name == "boss@uni.edu", "the password stays"
