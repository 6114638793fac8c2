from datetime import timedelta

import pytest
from storing import on_both

from annotate.store import StoreError


@on_both
def test_people_come_by_name_with_password_role_and_state_which_change(store):
    ben = store.add_user("ben", "hash of ben", "curator")
    ana = store.add_user("ana", "hash of ana")
    assert store.users() == [ana, ben]
    assert (ana.role, ana.active, store.user("ben")) == ("annotator", True, ben)
    with pytest.raises(StoreError, match="user 'ana' exists already"):
        store.add_user("ana", "other")
    assert (store.credentials("ana"), store.credentials("cho"), store.user("cho")) == ((ana, "hash of ana"), None, None)
    store.set_password("ana", "new")
    store.set_role("ana", "admin")
    store.set_active("ana", False)
    assert store.credentials("ana")[1] == "new"
    assert (store.user("ana").role, store.user("ana").active) == ("admin", False)


def test_unknown_roles_and_people_and_what_is_no_name_are_refused(store):
    with pytest.raises(StoreError, match="no role 'boss'; choose from annotator"):
        store.add_user("ana", "hash", "boss")
    with pytest.raises(StoreError, match="no user 'ana'"):
        store.set_active("ana", True)
    for name in ("", " ", " ana", "ana, ben", "a\nb"):
        with pytest.raises(StoreError, match="is not a valid name; leave out commas"):
            store.add_user(name, "hash")


@on_both
def test_sessions_are_known_until_they_are_ended(store):
    ana, ben = (store.add_user(name, "hash") for name in ("ana", "ben"))
    for number, name in enumerate(("ana", "ana", "ana", "ben")):
        store.open_session(name, f"digest {number}", f"browser {number}", timedelta(days=1))
    assert store.session_user("digest 0") == ana
    assert [one.browser for one in store.sessions("ana")] == ["browser 2", "browser 1", "browser 0"]
    store.end_session("digest 0")
    assert store.session_user("digest 0") is None
    newest = store.sessions("ana")[0].id
    assert store.end_sessions("ben", newest) == 0
    assert store.end_sessions("ana", newest) == 1
    assert store.end_sessions("ana") == 1
    assert store.sessions("ana") == []
    assert store.session_user("digest 3") == ben
    with pytest.raises(StoreError, match="no user 'cho'"):
        store.end_sessions("cho")
