"""People who sign in with their organisation: a provider of OpenID Connect that asks for no password."""

import warnings

import pytest
from browser.conftest import running

from annotate.store import Store

pytestmark = pytest.mark.app

with warnings.catch_warnings():  # of what it imports
    warnings.simplefilter("ignore")
    provider = pytest.importorskip("oidc_provider_mock")

PEOPLE = {
    "ana": {"email": "Ana@uni.edu", "email_verified": True},
    "ben": {"email": "ben@uni.edu", "email_verified": False},
    "eve": {"email": "eve@uni.edu", "email_verified": True},
    "ida": {},
}
"""What the provider says of everybody."""

SECRETS = """
[auth]
redirect_uri = "{app}/oauth2callback"
cookie_secret = "correct horse battery staple"
client_id = "fewshot"
client_secret = "secret"
server_metadata_url = "http://localhost:{port}/.well-known/openid-configuration"
"""


@pytest.fixture(scope="module")
def lab(chromium, tmp_path_factory):
    """An app with a provider, where ana@uni.edu and ben@uni.edu are annotators."""
    folder = tmp_path_factory.mktemp("lab")
    people = [provider.User(sub=name, claims=claims) for name, claims in PEOPLE.items()]
    with provider.run_server_in_thread(user_claims=people) as server:

        def know(app):
            (folder / ".streamlit").mkdir()
            secrets = SECRETS.format(app=app.address, port=server.server_port)
            (folder / ".streamlit" / "secrets.toml").write_text(secrets)

        with running(folder, "--users", before=know) as served:
            store = Store.open(served.url)
            for name in ("ana@uni.edu", "ben@uni.edu"):
                store.add_user(name, "", "annotator")
            store.close()
            yield served


def sign_in(page, lab, name):
    """Go to the provider and say there who one is."""
    page.goto(lab.address)
    page.get_by_role("button", name="Sign in with your organisation").click()
    page.locator("input[name=sub]").fill(name)
    page.get_by_role("button", name="Authorize").click()


def test_whom_the_lab_knows_signs_in_and_is_known_until_they_sign_out(lab, page):
    sign_in(page, lab, "ana")
    page.get_by_text("Signed in as ana@uni.edu").wait_for()
    page.reload()
    page.get_by_text("Signed in as ana@uni.edu").wait_for()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="End session").click()  # of the provider
    page.get_by_role("button", name="Sign in with your organisation").wait_for()
    page.goto(lab.address)
    page.get_by_role("button", name="Sign in with your organisation").wait_for()
    assert page.get_by_text("Signed in as").count() == 0


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("ben", "Your organisation has not verified that ben@uni.edu is yours"),
        ("eve", "eve@uni.edu may not sign in here"),
        ("ida", "Your organisation does not say your e-mail address"),
    ],
)
def test_who_is_refused_reads_why_and_may_sign_in_as_somebody_else(lab, page, name, why):
    sign_in(page, lab, name)
    page.get_by_text(why).wait_for()
    assert page.get_by_text("Signed in as").count() == 0
    sign_in(page, lab, "ana")
    page.get_by_text("Signed in as ana@uni.edu").wait_for()


def test_who_refuses_at_the_provider_is_not_signed_in(lab, page):
    page.goto(lab.address)
    page.get_by_role("button", name="Sign in with your organisation").click()
    page.get_by_role("button", name="Deny").click()
    page.get_by_role("button", name="Sign in with your organisation").wait_for()
    assert page.get_by_text("Signed in as").count() == 0
