"""Options of a member for TLS and SASL: contradictions are refused when it is constructed."""

import asyncio
import logging
import ssl
import threading
from pathlib import Path
from typing import Any

import pytest

from rollcall.client import Member
from rollcall.client.security import NoToken, of, taken
from tests.security.certificates import Certificates

PLAIN = {
    "security_protocol": "SASL_SSL",
    "sasl_mechanism": "PLAIN",
    "sasl_plain_username": "ann",
    "sasl_plain_password": "hush-hush",
}
TOKEN = {"security_protocol": "SASL_SSL", "sasl_mechanism": "OAUTHBEARER"}


def made(**settings: Any) -> Any:
    """How a member with these gets in."""
    ours, others = taken(settings)
    assert not others
    return of(ours)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"security_protocol": "TLS"}, "PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL"),
        ({**PLAIN, "security_protocol": None}, "means nothing with security_protocol PLAINTEXT"),
        ({**PLAIN, "security_protocol": "SSL"}, "sasl_mechanism means nothing"),
        ({"ssl_cafile": "ca.pem"}, "ssl_cafile means nothing"),
        ({"security_protocol": "SASL_SSL"}, "sasl_mechanism None: there are PLAIN"),
        ({**PLAIN, "sasl_mechanism": "GSSAPI"}, "OAUTHBEARER"),
        ({**PLAIN, "sasl_plain_username": None}, "PLAIN needs sasl_plain_username"),
        ({**PLAIN, "sasl_plain_username": ""}, "PLAIN needs sasl_plain_username"),
        ({**PLAIN, "sasl_plain_password": None}, "PLAIN needs sasl_plain_password"),
        ({**PLAIN, "sasl_plain_password": "hush-hush\0"}, "without U"),
        ({**PLAIN, "sasl_plain_password": "hush-hush\ud800"}, "cannot be encoded"),
        ({**PLAIN, "ssl_cafile": "/nowhere/ca.pem"}, "/nowhere/ca.pem.* cannot be used"),
        ({**PLAIN, "ssl_keyfile": "key.pem"}, "need ssl_certfile"),
        ({**PLAIN, "ssl_context": ssl.create_default_context(), "ssl_cafile": "a"}, "either"),
        (TOKEN, "needs sasl_oauth_token_provider"),
        ({**TOKEN, "sasl_oauth_token_provider": "a token"}, "needs sasl_oauth_token_provider"),
        ({**PLAIN, "protocol": "draft"}, "the draft knows no SASL"),
    ],
)
def test_invalid_options_are_refused_without_showing_the_password(
    settings: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why) as refused:
        Member("127.0.0.1:1", "g", ["t"], **settings)
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize("bootstrap", ["PLAINTEXT://h:9092", ["h:1,i:2"], "h:9092/"])
def test_an_address_that_is_none_is_refused(bootstrap: Any) -> None:
    """It would be looked up for ever."""
    with pytest.raises(ValueError, match="is not HOST:PORT"):
        Member(bootstrap, "g", ["t"])


def test_an_unknown_setting_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="sasl_password"):
        Member("127.0.0.1:1", "g", ["t"], sasl_password="x")  # type: ignore[call-arg]


def test_a_context_alone_enables_tls_as_before() -> None:
    context = ssl.create_default_context()
    assert made(ssl_context=context).context is context
    assert made().context is None


def test_files_make_a_context(tmp_path: Path) -> None:
    certificates = Certificates.make(tmp_path)
    own = str(certificates.client("ann"))
    context = made(
        security_protocol="SSL",
        ssl_cafile=str(certificates.ca),
        ssl_certfile=own,
        ssl_check_hostname=False,
    ).context
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, False)
    assert context.cert_store_stats()["x509_ca"] == 1


def test_a_password_without_tls_causes_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "rollcall.client"):
        secured = made(**{**PLAIN, "security_protocol": "SASL_PLAINTEXT"})
    assert "in the clear" in caplog.text
    assert "hush" not in caplog.text + repr(secured)


class Provider:
    """As aiokafka's."""

    async def token(self) -> str:
        return "abc"

    def extensions(self) -> dict[str, str]:
        return {"tenant": "a"}


@pytest.mark.parametrize(
    ("provider", "said"),
    [
        (Provider(), b"n,,\x01auth=Bearer abc\x01tenant=a\x01\x01"),
        (lambda: "abc", b"n,,\x01auth=Bearer abc\x01\x01"),
    ],
)
async def test_tokens_come_from_a_function_or_an_object(provider: Any, said: bytes) -> None:
    sasl = made(**TOKEN, sasl_oauth_token_provider=provider).sasl
    assert next(await sasl.begin()) == said


async def test_a_plain_provider_that_waits_holds_up_no_heartbeat() -> None:
    """It asks another server, and the member's event loop goes on."""
    asked, answered = threading.Event(), threading.Event()

    def provide() -> str:
        asked.set()
        assert answered.wait(60), "the event loop stood still"
        return "abc"

    beginning = asyncio.ensure_future(made(**TOKEN, sasl_oauth_token_provider=provide).sasl.begin())
    while not asked.is_set():
        await asyncio.sleep(0)
    answered.set()
    assert b"Bearer abc" in next(await beginning)


@pytest.mark.parametrize("said", [None, "", "a b", "a\x01auth=b", "tökèn"])
async def test_an_invalid_token_is_reported_but_not_shown(said: Any) -> None:
    sasl = made(**TOKEN, sasl_oauth_token_provider=lambda: said).sasl
    with pytest.raises(NoToken) as refused:
        await sasl.begin()
    assert not said or said not in str(refused.value)
