"""People who sign in with their organisation: a provider of OpenID Connect that asks for no password."""

import pytest

pytestmark = pytest.mark.app

pytest.importorskip("oidc_provider_mock")


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
