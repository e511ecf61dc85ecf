"""OAUTHBEARER on a listener: who gets in, for how long, and what the issuer may do to a node."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from groups.places import Places
from protocol.authentication.bearer import (
    INVALID_TOKEN,
    TOKEN_BYTES_MAX,
    TokenSettings,
    TokenSettingsError,
)
from protocol.authentication.tokens import keyring, sources
from protocol.authentication.tokens.jwks import JWKS_BYTES_MAX
from protocol.authentication.tokens.keyring import Pace
from protocol.authentication.tokens.sources import SourceError
from protocol.connection.listeners import Listener, Security
from protocol.handlers.sasl_authenticate import AGAIN_MS
from protocol.handlers.support.wire_codes import WireCode
from rollcall.client import Member
from rollcall.client.errors import AuthenticationFailed
from rollcall.wire.messages.sasl_authenticate import SaslAuthenticateRequest
from rollcall.wire.messages.sasl_handshake import SaslHandshakeRequest
from tests.in_process import Other
from tests.keys import OTHER
from tests.security import issuer
from tests.security.certificates import Certificates
from tests.security.issuer import AUDIENCE, KEYS, NAME, Endpoint, token, with_length
from tests.server.client import Client
from tests.server.serving import Serving, serving, until

FAILED = WireCode.SASL_AUTHENTICATION_FAILED
SECOND = OTHER
LOCKED_OUT_S = 301
"""One second more than somebody is locked out."""


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Of the issuer's endpoint."""
    return Certificates.make(tmp_path_factory.mktemp("issuer"))


def settings_of(url: str, ca: Path | str = "", **other: Any) -> TokenSettings:
    """Those of a node, with quick retries."""
    values: dict[str, Any] = {
        "url": url,
        "ca_file": str(ca),
        "issuer": NAME,
        "audiences": (AUDIENCE,),
        "name_claim": "sub",
        "scope_claim": "scope",
        "algorithms": ("RS256", "ES256"),
        "skew_s": 30,
        "pace": Pace(3600, 0.01, 0.02),
    }
    return TokenSettings(**{**values, **other})


@asynccontextmanager
async def served_with(wanted: TokenSettings) -> AsyncIterator[Serving]:
    where = (Listener("SASL", "127.0.0.1", 0, Security.SASL_PLAINTEXT),)
    async with serving(where, tokens=wanted.tokens()) as started:
        yield started


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An unknown key is requested each time."""
    monkeypatch.setattr(keyring, "UNKNOWN_EVERY_S", 0.0)
    return iter(())


@pytest.fixture
def _settings(settings: Any) -> None:
    settings.SASL_ENABLED_MECHANISMS = ("SCRAM-SHA-256", "OAUTHBEARER")
    settings.CONNECTION_FAILED_AUTHENTICATION_DELAY_MS = 10
    settings.SASL_LOCKOUT_FAILURES = 3


@pytest.fixture
async def served(_prepared: None, _settings: None, tmp_path: Path) -> AsyncIterator[Serving]:
    """A node whose issuer's keys are in a file."""
    path = tmp_path / "keys.json"
    path.write_bytes(KEYS)
    async with served_with(settings_of(path.as_uri())) as started:
        yield started


async def show(client: Client, shown: str | bytes) -> Any:
    """Handshake and the one message."""
    shaken = await client.call(SaslHandshakeRequest(mechanism="OAUTHBEARER"), 1)
    assert shaken.error_code == 0, shaken
    said = shown if isinstance(shown, bytes) else f"n,,\x01auth=Bearer {shown}\x01\x01".encode()
    return await client.call(SaslAuthenticateRequest(auth_bytes=said), 2)


async def acknowledge(client: Client) -> Any:
    """What a client answers to the error."""
    return await client.call(SaslAuthenticateRequest(auth_bytes=b"\x01"), 2)


async def is_refused(client: Client, shown: str | bytes) -> bool:
    """In RFC 7628's two steps, after which the connection ends."""
    answer = await show(client, shown)
    assert (answer.error_code, answer.auth_bytes) == (0, INVALID_TOKEN)
    reply = await acknowledge(client)
    assert reply.error_code == FAILED
    assert "OAUTHBEARER" in reply.error_message
    return await client.ended() == b""


async def test_a_token_admits_its_user_until_it_expires(served: Serving) -> None:
    client, connection = await served.connect()
    answer = await show(client, token())
    assert answer.error_code == 0
    assert answer.auth_bytes == b""
    assert 290_000 < answer.session_lifetime_ms <= 300_000
    assert connection.session.principal == "User:ann"
    beat = await client.settled("g")
    assert (await client.call(beat, 3)).error_code == 0


ALSO_SAID = (
    "n,,\x01auth=bearer {}\x01\x01",
    "n,a=ann,\x01auth=Bearer {}\x01\x01",
    "n,,\x01traceId=7 äöü\x01auth=Bearer {}\x01cluster=x\x01\x01",
)


async def test_sasl_extensions_are_accepted(served: Serving) -> None:
    for said in ALSO_SAID:
        client, _ = await served.connect()
        answer = await show(client, said.format(token()).encode())
        assert answer.session_lifetime_ms > 0, said


async def test_sessions_end_earlier_by_a_setting_of_the_node(served: Serving) -> None:
    served.server.sasl.lifetime_ms = 1_000
    client, _ = await served.connect()
    assert (await show(client, token())).session_lifetime_ms == 1_000


async def test_a_session_ends_with_its_token_unless_a_new_one_is_shown(served: Serving) -> None:
    client, connection = await served.connect()
    short = token(exp=time.time() + 0.4)
    lifetime_ms = (await show(client, short)).session_lifetime_ms
    assert 0 < lifetime_ms <= 400
    beat = await client.settled("g")
    await until(lambda: not connection.has_spoken)
    assert (await show(client, token())).error_code == 0
    assert (await client.call(beat, 3)).error_code == 0
    served.clock.ahead_s += AGAIN_MS / 1000
    assert (await show(client, token(exp=time.time() + 0.2))).error_code == 0
    await until(lambda: not connection.has_spoken)
    client.send(beat, 3)
    assert await client.ended() == b""


NO_TOKENS = (
    token(exp=int(time.time()) - 100),
    token(SECOND),
    token(sub="an\nn"),
    token(sub="an\0n"),
    token(sub="x" * 257),
    token(sub=""),
    token(sub="\ud800"),
    b"",
    b"\x01",
    b"n,,\x01auth=Bearer \x01\x01",
    b"n,,\x01auth=Basic x\x01\x01",
    b"y,,\x01auth=Bearer x.y.z\x01\x01",
    b"n,x,\x01auth=Bearer x.y.z\x01\x01",
    b"n,,\x01auth=Bearer x.y.z\x01auth=Bearer x.y.z\x01\x01",
    b"n,,\x01auth=Bearer x.y.z\x01",
    b"n,,\x01auth=Bearer x.y.z\x01\x01more",
    b"\xff" * 20,
    b"\x01" * TOKEN_BYTES_MAX,
    b"n,a=ben,\x01auth=Bearer " + token().encode() + b"\x01\x01",
)


async def test_an_invalid_token_is_refused_in_two_steps(served: Serving) -> None:
    for shown in NO_TOKENS:
        client, connection = await served.connect()
        assert await is_refused(client, shown), shown
        assert not connection.session.has_authenticated
        served.clock.ahead_s += LOCKED_OUT_S  # the lock-out of the one before is over


async def test_an_oversized_token_is_not_parsed(served: Serving) -> None:
    client, _ = await served.connect()
    assert (await show(client, token(groups="x" * TOKEN_BYTES_MAX))).error_code == FAILED
    assert await client.ended() == b""
    client, _ = await served.connect()
    assert (await show(client, token(groups="x" * 8_000))).error_code == 0


async def test_a_refused_client_cannot_retry_on_its_connection(served: Serving) -> None:
    """It would save itself the delay."""
    client, _ = await served.connect()
    assert (await show(client, token(SECOND))).auth_bytes == INVALID_TOKEN
    answer = await client.call(SaslHandshakeRequest(mechanism="OAUTHBEARER"), 1)
    assert answer.error_code == WireCode.ILLEGAL_SASL_STATE
    assert await client.ended() == b""


async def test_forged_tokens_lock_out_and_expired_ones_do_not(served: Serving) -> None:
    for _ in range(4):
        client, _ = await served.connect()
        assert await is_refused(client, token(exp=1))
    client, _ = await served.connect()
    assert (await show(client, token())).error_code == 0
    for _ in range(3):  # counted though the error is never acknowledged
        client, _ = await served.connect()
        assert (await show(client, token(SECOND))).auth_bytes == INVALID_TOKEN
    client, _ = await served.connect()
    assert await is_refused(client, token())
    client, _ = await served.connect()
    assert (await show(client, token(sub="ben"))).session_lifetime_ms > 0


async def test_logins_are_in_the_audit_log_without_their_tokens(
    served: Serving, other: Other
) -> None:
    found = await other.execute("SELECT coalesce(max(id), 0) FROM rollcall_audit")
    last = (await found.fetchall())[0][0]
    client, _ = await served.connect()
    await show(client, token())
    client, _ = await served.connect()
    await show(client, token(exp=1))  # and goes away without a word
    rows: list[Any] = []
    while len(rows) < 2:
        await asyncio.sleep(0.005)
        found = await other.execute(
            "SELECT who, target, outcome, details::text FROM rollcall_audit"
            " WHERE kind = 'wire-login' AND id > %(last)s ORDER BY id",
            {"last": last},
        )
        rows = await found.fetchall()
    assert [row[:3] for row in rows] == [
        ("User:ann", "OAUTHBEARER", "done"),
        ("User:ann", "OAUTHBEARER", "failed"),
    ]
    assert "expired" in rows[1][3]
    assert "eyJ" not in str(rows)


async def test_tokens_are_refused_without_tls(served: Serving) -> None:
    listener = Listener("OPEN", "192.0.2.1", 0, Security.SASL_PLAINTEXT)
    assert served.server.mechanisms(listener) == ("SCRAM-SHA-256",)


async def test_a_library_member_logs_in_and_reports_a_refusal(served: Serving) -> None:
    options: Any = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "OAUTHBEARER"}
    good = Member(served.address, "g", ["t"], sasl_oauth_token_provider=token, **options)
    async with good:
        pass
    old: Any = {"sasl_oauth_token_provider": lambda: token(exp=1)}
    with pytest.raises(AuthenticationFailed):
        async with Member(served.address, "g", ["t"], **old, **options) as member:
            await anext(aiter(member))


# -- the issuer


@pytest.fixture
async def published(certificates: Certificates) -> AsyncIterator[Endpoint]:
    """An endpoint that publishes keys."""
    async with issuer.endpoint(certificates) as found:
        yield found


@pytest.fixture
async def asking(
    _prepared: None, _settings: None, certificates: Certificates, published: Endpoint
) -> AsyncIterator[Serving]:
    """A node that has asked it."""
    async with served_with(settings_of(published.url, certificates.ca)) as started:
        assert started.server.tokens is not None
        ring = started.server.tokens.keyring
        await until(lambda: ring.keys)
        yield started


async def test_keys_are_fetched_over_https(asking: Serving) -> None:
    client, _ = await asking.connect()
    assert (await show(client, token())).session_lifetime_ms > 0


@pytest.mark.usefixtures("eager")
async def test_a_new_key_is_fetched_once_for_concurrent_logins(
    asking: Serving, published: Endpoint
) -> None:
    published.answer = with_length(issuer.published(one=issuer.RSA, new=SECOND))
    asked = published.asked
    clients = [(await asking.connect())[0] for _ in range(10)]
    shown = token(SECOND, header={"kid": "new"})
    answers = await asyncio.gather(*(show(client, shown) for client in clients))
    assert all(answer.session_lifetime_ms > 0 for answer in answers)
    assert published.asked - asked < len(clients)


async def test_tokens_with_unknown_keys_do_not_flood_the_issuer(
    asking: Serving, published: Endpoint
) -> None:
    asked = published.asked
    for number in range(20):
        client, _ = await asking.connect()
        assert await is_refused(client, token(header={"kid": f"made up {number}"}))
    assert published.asked - asked == 1
    client, _ = await asking.connect()
    assert (await show(client, token())).session_lifetime_ms > 0, "nor is anybody locked out"


BAD = {
    "an error": with_length(KEYS, "500 Internal Server Error"),
    "another place": with_length(b"", "302 Found", "Location: http://127.0.0.1/\r\n"),
    "no keys": with_length(b'{"keys": []}'),
    "no JSON": with_length(b"<html>"),
    "too much": with_length(KEYS + b" " * JWKS_BYTES_MAX),
    "without end": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\nxxxx",
    "no HTTP": b"SSH-2.0-x\r\n",
    "nothing": b"",
    "too many headers": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n",
    "a long header": b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000 + b"\r\n\r\n",
}


@pytest.mark.usefixtures("eager")
async def test_while_the_issuer_is_down_the_last_keys_stay_valid(
    asking: Serving, published: Endpoint
) -> None:
    """And a token is not called bad while it cannot be verified."""
    for what, answer in BAD.items():
        published.answer = answer
        client, _ = await asking.connect()
        with pytest.raises(asyncio.IncompleteReadError):
            await show(client, token(header={"kid": what}))
        client, _ = await asking.connect()
        assert (await show(client, token())).session_lifetime_ms > 0, what
        published.answer = with_length(issuer.published(one=issuer.RSA, **{what: SECOND}))
        client, _ = await asking.connect()
        shown = await show(client, token(SECOND, header={"kid": what}))
        assert shown.session_lifetime_ms > 0, what


@pytest.mark.usefixtures("eager")
async def test_a_hung_issuer_delays_nobody_else(
    asking: Serving, published: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "ANSWER_S", 0.2)
    published.answer = None
    waiting, _ = await asking.connect()
    late = asyncio.create_task(show(waiting, token(header={"kid": "new"})))
    await until(lambda: published.asked > 1)
    client, _ = await asking.connect()
    assert (await show(client, token())).session_lifetime_ms > 0
    with pytest.raises(asyncio.IncompleteReadError):
        await late


@pytest.mark.usefixtures("_prepared", "_settings")
async def test_a_node_starts_without_its_issuer_and_fetches_keys_later(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    async with served_with(settings_of(path.as_uri())) as started:
        client, _ = await started.connect()
        with pytest.raises(asyncio.IncompleteReadError):
            await show(client, token())
        path.write_bytes(KEYS)
        tokens = started.server.tokens
        assert tokens is not None
        await until(lambda: tokens.keyring.keys)
        client, _ = await started.connect()
        assert (await show(client, token())).session_lifetime_ms > 0


async def test_concurrent_token_logins_are_bounded(served: Serving) -> None:
    assert served.server.tokens is not None
    served.server.tokens.places = Places(0, 0)
    client, _ = await served.connect()
    with pytest.raises(asyncio.IncompleteReadError):
        await show(client, token())
    served.server.tokens.places = Places(1, 0)
    client, _ = await served.connect()
    assert (await show(client, token())).session_lifetime_ms > 0


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"url": ""}, "needs sasl.oauthbearer.jwks.endpoint.url"),
        ({"issuer": ""}, "needs sasl.oauthbearer.expected.issuer"),
        ({"audiences": ()}, "needs sasl.oauthbearer.expected.audience"),
        ({"url": "http://127.0.0.1/keys"}, "neither https"),
        ({"url": "https://ann:secret@127.0.0.1/keys"}, "neither https"),
        ({"url": "https:///keys"}, "neither https"),
        ({"url": "https://127.0.0.1:99999/keys"}, "cannot be asked"),
        ({"url": "ftp://127.0.0.1/keys"}, "neither https"),
        ({"url": "keys.json"}, "neither https"),
        ({"url": "https://127.0.0.1/keys", "ca_file": "/nowhere"}, "cannot be asked"),
    ],
)
def test_a_node_that_cannot_verify_tokens_does_not_start(
    wanted: dict[str, Any], sentence: str
) -> None:
    values = {"url": "file:///keys.json", **wanted}
    with pytest.raises(TokenSettingsError, match=sentence):
        settings_of(values.pop("url"), values.pop("ca_file", ""), **values).tokens()


async def test_a_fifo_is_refused_as_a_key_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(SourceError):
            await sources.of(path.as_uri()).read()


async def test_an_untrusted_endpoint_is_not_queried(published: Endpoint, tmp_path: Path) -> None:
    stranger = Certificates.make(tmp_path)
    with pytest.raises(SourceError, match="certificate"):
        await sources.of(published.url, str(stranger.ca)).read()
    assert not published.asked
