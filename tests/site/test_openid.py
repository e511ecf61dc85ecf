"""People log in by an OpenID provider: who they are and which roles they have is its word, and a
word that is not its own, not for us, or expired admits no user."""

import hmac
import json
import unicodedata
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from django.contrib.auth.models import User
from django.db import DatabaseError
from django.test import Client
from joserfc.util import urlsafe_b64encode

from console.people import audit, openid, openid_client
from console.people.shares import Shares
from coordinator_site import login_settings
from coordinator_site.setting_kinds import SettingError
from groups.models import AuditEntry, OpenIdUser
from tests.admin.visitors import person, text
from tests.keys import KEY, OTHER
from tests.site import provider as providers
from tests.site.provider import CLIENT, SECRET, Provider, signed

pytestmark = pytest.mark.django_db

ANN = {"sub": "42", "preferred_username": "ann", "groups": ["staff", "ops"]}
CALLBACK = "http://testserver/oidc/callback"


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    with providers.serving(CALLBACK) as found:
        yield found


@pytest.fixture
def provider(running: Provider, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Provider:
    """One that the web knows; Ann logs in there. Nothing here is about how quick a machine is."""
    monkeypatch.setattr(openid_client, "TIMEOUT_S", 60.0)
    monkeypatch.setattr(openid_client, "_attempts", Shares(1_000, 1_001))
    monkeypatch.setattr(audit, "_refusals", Shares(1_000, 1_001))  # other tests had theirs
    running.says, running.forges, running.described = dict(ANN), signed, {}
    running.asked.clear()
    settings.WEB_OIDC_ISSUER = running.issuer
    settings.WEB_OIDC_CLIENT_ID = CLIENT
    settings.WEB_OIDC_ROLES = "ops=Operator; cn=adm,ou=x=Administrator"
    settings.OIDC_CLIENT_SECRET = SECRET
    openid_client.PROVIDER.forget()
    return running


def at_the_provider(browser: Client, path: str = "/oidc/login") -> str:
    """Go there, log in, and be sent back: to this address."""
    there = browser.get(path).headers["Location"]
    back = requests.get(there, allow_redirects=False, timeout=10).headers["Location"]
    assert back.startswith(CALLBACK)
    return back.removeprefix("http://testserver")


def logged_in(browser: Client, path: str = "/oidc/login") -> str:
    """The page to which a whole login leads."""
    return str(browser.get(at_the_provider(browser, path)).headers["Location"])


def is_in(browser: Client) -> bool:
    return browser.get("/admin/").status_code == 200


def refusals() -> list[Any]:
    """What the audit has of logins that failed: who, and why."""
    found = AuditEntry.objects.filter(kind="login", outcome="failed").order_by("id")
    return [(entry.who, entry.details.get("reason")) for entry in found]


def test_a_user_of_the_provider_gets_the_roles_of_its_claim(provider: Provider) -> None:
    browser = Client()
    assert logged_in(browser, "/oidc/login?next=/admin/groups/topic/") == "/admin/groups/topic/"

    assert is_in(browser)
    ann = User.objects.get(username="ann")
    assert [role.name for role in ann.groups.all()] == ["Operator"]
    assert (ann.is_staff, ann.is_superuser, ann.has_usable_password()) == (True, False, False)
    entry = AuditEntry.objects.filter(kind="login").get()
    assert (entry.who, entry.outcome, entry.details) == ("ann", "done", {"with": "openid"})
    made = AuditEntry.objects.filter(kind="role-of-user-made").get()
    assert (made.who, made.target) == ("ann", "ann")


def test_pkce_state_and_nonce_are_sent_and_the_token_is_shown_once(
    provider: Provider,
) -> None:
    browser = Client()
    asked = parse_qs(urlsplit(browser.get("/oidc/login").headers["Location"]).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert len(asked["code_challenge"][0]) == 43 and asked["state"] and asked["nonce"]

    back = at_the_provider(browser)
    assert browser.get(back).headers["Location"] == "/admin/"
    assert Client().get(back).headers["Location"] == "/admin/login/"  # without the cookie
    assert browser.cookies[openid.COOKIE].value == ""


def test_roles_are_removed_with_the_claim(provider: Provider) -> None:
    assert logged_in(Client()) == "/admin/"
    ann = User.objects.get(username="ann")
    first = Client()
    logged_in(first)

    provider.says["groups"] = ["cn=adm,ou=x"]
    assert logged_in(Client()) == "/admin/"
    assert [role.name for role in ann.groups.all()] == ["Administrator"]

    provider.says["groups"] = ["staff"]
    assert logged_in(Client()) == "/admin/login/"
    ann.refresh_from_db()
    assert (list(ann.groups.all()), ann.is_staff) == ([], False)
    assert not is_in(first)  # a session of before

    del provider.says["groups"]
    assert logged_in(Client()) == "/admin/login/"


def test_locally_granted_rights_end_with_the_next_login(provider: Provider) -> None:
    logged_in(Client())
    User.objects.filter(username="ann").update(is_superuser=True)
    logged_in(Client())
    assert not User.objects.get(username="ann").is_superuser


def test_a_new_user_without_a_role_is_not_created(provider: Provider) -> None:
    provider.says["groups"] = "strangers"
    assert logged_in(Client()) == "/admin/login/"
    assert not User.objects.filter(username="ann").exists()
    assert refusals() == [("ann", "None of your groups has a role here.")]


def test_a_local_user_cannot_be_impersonated(provider: Provider) -> None:
    person("Ann", "Administrator")
    browser = Client()
    assert logged_in(browser) == "/admin/login/"
    assert not is_in(browser)
    assert not OpenIdUser.objects.exists()


@pytest.mark.parametrize("name", ["\uff21nn", "\uff21NN", "a\uff2en"])  # wide letters
def test_a_similar_name_cannot_impersonate_a_local_user(provider: Provider, name: str) -> None:
    person("Ann", "Administrator")
    provider.says |= {"preferred_username": name}
    assert logged_in(Client()) == "/admin/login/"
    assert list(User.objects.values_list("username", flat=True)) == ["Ann"]
    assert refusals()[-1][1] == f"{unicodedata.normalize('NFKC', name)!r} is another user"


def test_another_name_at_the_provider_is_not_recorded_in_the_audit_log(
    provider: Provider,
) -> None:
    person("chief", "Administrator")
    logged_in(Client())
    provider.says |= {"preferred_username": "chief", "groups": ["cn=adm,ou=x"]}
    assert logged_in(Client()) == "/admin/"
    provider.says |= {"groups": []}
    assert logged_in(Client()) == "/admin/login/"
    entries = AuditEntry.objects.filter(target="ann").values_list("who", flat=True)
    assert set(entries) == {"ann"}
    assert refusals() == [("ann", "None of your groups has a role here.")]
    assert not AuditEntry.objects.filter(who="chief").exists()


def test_a_user_is_identified_by_subject_and_not_by_name(provider: Provider) -> None:
    logged_in(Client())
    provider.says |= {"preferred_username": "ann-marie"}
    logged_in(Client())
    provider.says |= {"sub": "43", "preferred_username": "ann"}
    assert logged_in(Client()) == "/admin/login/"
    assert [user.user.username for user in OpenIdUser.objects.all()] == ["ann"]


def test_an_inactive_user_is_refused(provider: Provider) -> None:
    logged_in(Client())
    User.objects.filter(username="ann").update(is_active=False)
    assert logged_in(Client()) == "/admin/login/"


STRANGER = OTHER


def unsigned(claims: dict[str, Any]) -> str:
    parts = [json.dumps(part).encode() for part in ({"alg": "none"}, claims)]
    return b".".join([*map(urlsafe_b64encode, parts), b""]).decode()


def with_mac(claims: dict[str, Any], key: bytes) -> str:
    """Signed by a secret that both know, or by the public key, which a library believes that goes
    by the token's own ``alg``."""
    parts = [json.dumps(part).encode() for part in ({"alg": "HS256", "kid": "one"}, claims)]
    said = b".".join(map(urlsafe_b64encode, parts))
    return b".".join([said, urlsafe_b64encode(hmac.digest(key, said, "sha256"))]).decode()


FORGED: Mapping[str, providers.Forge] = {
    "another issuer": lambda claims: signed({**claims, "iss": "https://elsewhere.example"}),
    "another audience": lambda claims: signed({**claims, "aud": "another"}),
    "an audience too many": lambda claims: signed({**claims, "aud": [CLIENT, "another"]}),
    "no audience": lambda claims: signed({k: v for k, v in claims.items() if k != "aud"}),
    "another nonce": lambda claims: signed({**claims, "nonce": "another"}),
    "no nonce": lambda claims: signed({k: v for k, v in claims.items() if k != "nonce"}),
    "expired": lambda claims: signed({**claims, "exp": claims["iat"] - 60}),
    "no expiry": lambda claims: signed({k: v for k, v in claims.items() if k != "exp"}),
    "no subject": lambda claims: signed({k: v for k, v in claims.items() if k != "sub"}),
    "a subject of bytes": lambda claims: signed({**claims, "sub": "\0"}),
    "made in the future": lambda claims: signed({**claims, "iat": claims["iat"] + 3_600}),
    "alg none": unsigned,
    "alg HS256": lambda claims: with_mac(claims, KEY.as_pem(private=False)),
    "alg HS256, the client's secret": lambda claims: with_mac(claims, SECRET.encode()),
    "a stranger's key": lambda claims: signed(claims, STRANGER),
    "no token": lambda claims: "",
    "no text": lambda claims: "a.b.c",
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_an_invalid_token_is_refused(provider: Provider, forge: Any) -> None:
    provider.forges = forge
    browser = Client()
    assert logged_in(browser) == "/admin/login/"
    assert not is_in(browser)
    assert not User.objects.filter(username="ann").exists()
    [(_, why)] = refusals()
    assert why
    assert "refused" in text(browser.get("/admin/login/"))


def test_a_foreign_or_forged_state_is_refused(provider: Provider) -> None:
    victim, attacker = Client(), Client()
    victim.get("/oidc/login")
    back = at_the_provider(attacker)
    for browser in (victim, Client()):
        assert browser.get(back).headers["Location"] == "/admin/login/"
        assert not is_in(browser)
    forger = Client()
    forger.cookies[openid.COOKIE] = attacker.cookies[openid.COOKIE].value[:-3] + "abc"
    assert forger.get(back).headers["Location"] == "/admin/login/"
    assert not provider.asked.count("/token")  # nothing was shown to the provider
    assert attacker.get(back).headers["Location"] == "/admin/"


def test_a_login_that_took_too_long_is_refused(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Client()
    back = at_the_provider(browser)
    monkeypatch.setattr(openid_client, "FLOW_S", -1)
    assert browser.get(back).headers["Location"] == "/admin/login/"


def test_redirects_stay_on_the_site(provider: Provider) -> None:
    for then in ("https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)"):
        assert logged_in(Client(), f"/oidc/login?next={then}") == "/admin/"


DESCRIBED: Mapping[str, Mapping[str, Any]] = {
    "another issuer": {"issuer": "https://elsewhere.example"},
    "no keys": {"jwks_uri": None},
    "only unsigned tokens": {"id_token_signing_alg_values_supported": ["none"]},
}


@pytest.mark.parametrize("said", DESCRIBED.values(), ids=DESCRIBED)
def test_an_invalid_provider_description_is_refused(
    provider: Provider, said: dict[str, Any]
) -> None:
    provider.described = said
    browser = Client()
    there = browser.get("/oidc/login").headers["Location"]
    if there != "/admin/login/":
        back = requests.get(there, allow_redirects=False, timeout=10).headers["Location"]
        there = browser.get(back.removeprefix("http://testserver")).headers["Location"]
    assert there == "/admin/login/"
    assert not is_in(browser)


def test_an_unavailable_provider_is_not_queried_for_each_login(
    provider: Provider, settings: Any
) -> None:
    settings.WEB_OIDC_ISSUER = "http://127.0.0.1:9"  # discard: no listener
    openid_client.PROVIDER.forget()
    browser = Client()
    assert browser.get("/oidc/login").headers["Location"] == "/admin/login/"
    settings.WEB_OIDC_ISSUER = provider.issuer
    assert browser.get("/oidc/login").headers["Location"] == "/admin/login/"
    assert not provider.asked
    openid_client.PROVIDER.forget()
    assert logged_in(browser) == "/admin/"


def test_without_a_provider_the_pages_do_not_exist(client: Client) -> None:
    for path in ("/oidc/login", "/oidc/callback"):
        assert client.get(path).status_code == 404
    assert "oidc" not in text(client.get("/admin/login/"))


def test_the_login_page_links_to_the_provider(provider: Provider, client: Client) -> None:
    page = text(client.get("/admin/login/?next=/admin/groups/topic/"))
    assert 'href="/oidc/login?next=/admin/groups/topic/"' in page


def test_locked_out_names_of_the_password_form_do_not_matter_here(
    provider: Provider, settings: Any
) -> None:
    settings.AXES_ENABLED = True
    assert logged_in(Client()) == "/admin/"


def test_a_login_that_cannot_be_recorded_is_refused(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise DatabaseError("no audit")

    browser = Client(raise_request_exception=False)
    back = at_the_provider(browser)
    monkeypatch.setattr(audit, "append", fails)
    assert browser.get(back).status_code >= 500
    assert not is_in(browser)


def test_an_anonymous_user_cannot_use_up_the_logins_of_others(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a cookie of their own and invented codes; the time does not move."""
    shares = Shares(openid_client.ATTEMPTS_OF_ONE_PER_S, openid_client.ATTEMPTS_PER_S)
    monkeypatch.setattr(openid_client, "_attempts", shares)
    monkeypatch.setattr(openid_client, "time", SimpleNamespace(monotonic=lambda: 100.0))
    browser, stranger = Client(REMOTE_ADDR="192.0.2.1"), Client(REMOTE_ADDR="203.0.113.9")
    back = at_the_provider(browser)
    kept = stranger.get("/oidc/login").cookies[openid.COOKIE].value

    for _ in range(openid_client.ATTEMPTS_PER_S + 1):
        stranger.cookies[openid.COOKIE] = kept
        stranger.get("/oidc/callback?code=invented&state=invented")

    assert "Too many logins at once" in text(stranger.get("/admin/login/"))
    assert browser.get(back).headers["Location"] == "/admin/"
    assert is_in(browser)


GOOD = {
    "WEB_OIDC_ISSUER": "https://a.example",
    "WEB_OIDC_CLIENT_ID": "rollcall",
    "WEB_OIDC_ROLES": "ops=Operator",
    "WEB_OIDC_SCOPES": "openid profile",
}


def test_consistent_settings_are_accepted() -> None:
    for said in ({}, {"WEB_OIDC_ISSUER": ""}, {"WEB_OIDC_ISSUER": "http://localhost:8080/a"}):
        login_settings.check({**GOOD, **said})


@pytest.mark.parametrize(
    "said",
    [
        {"WEB_OIDC_ISSUER": "http://a.example"},
        {"WEB_OIDC_ISSUER": "a.example"},
        {"WEB_OIDC_CLIENT_ID": ""},
        {"WEB_OIDC_ROLES": ""},
        {"WEB_OIDC_SCOPES": "profile"},
    ],
)
def test_inconsistent_settings_are_refused(said: dict[str, str]) -> None:
    with pytest.raises(SettingError):
        login_settings.check({**GOOD, **said})
