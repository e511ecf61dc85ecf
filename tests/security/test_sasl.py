"""Listeners with SASL: who is admitted, by which mechanism, and the errors of all others."""

import asyncio
from collections.abc import AsyncIterator
from itertools import product
from typing import Any

import pytest
from scramp import ScramClient

from groups.clients import scram_credentials as scram
from groups.core.errors import ErrorCode
from groups.places import Places
from protocol.authentication.lockouts import KNOWN_MAX, Lockouts
from protocol.authentication.sasl import MESSAGE_BYTES_MAX, Rejected, Sasl
from protocol.connection.connection_authentication import BYTES_MAX, REQUESTS_MAX
from protocol.connection.connection_limits import PATIENCE_MAX
from protocol.connection.listeners import Listener, Security
from protocol.handlers.sasl_authenticate import AGAIN_MS
from protocol.handlers.support.wire_codes import WireCode
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from rollcall.wire.messages.sasl_authenticate import SaslAuthenticateRequest
from rollcall.wire.messages.sasl_handshake import SaslHandshakeRequest
from tests.in_process import Other
from tests.server.client import Client, hello
from tests.server.serving import Serving, serving, until

PASSWORD = "pässword"
SHA_256, SHA_512 = scram.HASHES
MECHANISMS = (*scram.HASHES, "PLAIN")
FAILED = WireCode.SASL_AUTHENTICATION_FAILED
LOCKED_OUT_S = 301
"""One second more than somebody is locked out."""


async def make_user(other: Other, name: str, *mechanisms: str, password: str = PASSWORD) -> None:
    """As the command does."""
    for mechanism in mechanisms or scram.HASHES:
        made = scram.of_password(mechanism, password, scram.ITERATIONS_MIN)._asdict()
        await other.execute(scram.PUT.encode(), {"name": name, "mechanism": mechanism, **made})
    await other.execute(scram.RING.encode())


@pytest.fixture
async def served(_prepared: None, settings: Any, other: Other) -> AsyncIterator[Serving]:
    """A server with a SASL listener and a user, Ann."""
    settings.SASL_ENABLED_MECHANISMS = (SHA_256, SHA_512, "PLAIN")
    settings.CONNECTION_FAILED_AUTHENTICATION_DELAY_MS = 10
    settings.SASL_LOCKOUT_FAILURES = 3
    await other.execute("DELETE FROM rollcall_credential")
    await make_user(other, "ann")
    where = (Listener("SASL", "127.0.0.1", 0, Security.SASL_PLAINTEXT),)
    async with serving(where) as started:
        yield started


async def begin(client: Client, mechanism: str) -> None:
    """SaslHandshake."""
    shaken = await client.call(SaslHandshakeRequest(mechanism=mechanism), 1)
    assert shaken.error_code == 0, shaken


async def say(client: Client, message: bytes) -> Any:
    """SaslAuthenticate."""
    return await client.call(SaslAuthenticateRequest(auth_bytes=message), 2)


async def with_scram(
    client: Client, name: str, password: str = PASSWORD, mechanism: str = SHA_256
) -> Any:
    """Both messages; the last answer."""
    speaker = ScramClient([mechanism], name, password)
    await begin(client, mechanism)
    answer = await say(client, speaker.get_client_first().encode())
    if answer.error_code:
        return answer
    speaker.set_server_first(answer.auth_bytes.decode())
    answer = await say(client, speaker.get_client_final().encode())
    if not answer.error_code:
        speaker.set_server_final(answer.auth_bytes.decode())  # the server knows the password too
    return answer


async def with_plain(client: Client, name: str, password: str = PASSWORD) -> Any:
    """The one message."""
    await begin(client, "PLAIN")
    return await say(client, f"\0{name}\0{password}".encode())


async def is_closed(client: Client) -> bool:
    """Whether nothing comes any more."""
    return await client.ended() == b""


def forget_failures(served: Serving) -> None:
    """Nobody is locked out, as before a server of the case's own."""
    served.clock.ahead_s += LOCKED_OUT_S


async def with_either(client: Client, name: str, password: str, mechanism: str) -> Any:
    """The last answer, whichever the mechanism is."""
    if mechanism == "PLAIN":
        return await with_plain(client, name, password)
    return await with_scram(client, name, password, mechanism)


async def test_a_correct_password_is_accepted(served: Serving) -> None:
    for mechanism in MECHANISMS:
        client, connection = await served.connect()
        answer = await with_either(client, "ann", PASSWORD, mechanism)
        assert (answer.error_code, answer.session_lifetime_ms) == (0, 0), mechanism
        assert connection.session.principal == "User:ann"
        beat = await client.settled(f"g-{mechanism}")
        for _ in range(3):
            assert (await client.call(beat, 3)).error_code == 0


async def test_a_wrong_password_gets_one_error_and_a_disconnect(served: Serving) -> None:
    """Whether there is such a user or not."""
    for mechanism, name in product(MECHANISMS, ("ann", "nobody")):
        client, _ = await served.connect()
        answer = await with_either(client, name, "guess", mechanism)
        assert answer.error_code == FAILED, (mechanism, name)
        assert answer.error_message == (
            f"Authentication failed: invalid credentials with SASL mechanism {mechanism}"
        )
        assert answer.auth_bytes == b""
        assert await is_closed(client)
        forget_failures(served)


async def test_an_unknown_user_has_a_stable_salt(served: Serving) -> None:
    errors = []
    for _ in range(2):
        client, _ = await served.connect()
        await begin(client, SHA_256)
        answer = await say(client, b"n,,n=nobody,r=abc")
        errors.append(answer.auth_bytes.split(b",")[1:])
    assert errors[0] == errors[1]
    assert errors[0][1] == b"i=%d" % scram.ITERATIONS_MIN  # as Ann has


@pytest.mark.parametrize("request_", [MetadataRequest(topics=[]), hello()])
async def test_before_authentication_only_api_versions_is_served(
    served: Serving, request_: Any
) -> None:
    client, _ = await served.connect()
    client.send(request_, 3 if request_.api_key == 18 else 12)
    if request_.api_key == 18:
        reply = await client.receive()
        assert {17, 36} <= {api.api_key for api in reply.api_keys}
    else:
        assert await is_closed(client)


async def test_long_frames_require_authentication(served: Serving) -> None:
    client, _ = await served.connect()
    client.writer.write((BYTES_MAX + 1).to_bytes(4, "big"))
    assert await is_closed(client)
    client, _ = await served.connect()
    await with_scram(client, "ann")
    names = [MetadataRequestTopic(name="x" * 200) for _ in range(400)]
    assert len((await client.call(MetadataRequest(topics=names), 12)).topics) == 1


NO_MESSAGES = (
    (SHA_256, b"n,,n=ann,r=" + b"x" * MESSAGE_BYTES_MAX),
    (SHA_256, b"\xff"),
    (SHA_256, b""),
    (SHA_256, b"n,,n=,r=abc"),
    (SHA_256, b"p=tls-unique,,n=ann,r=abc"),
    (SHA_512, b"n,,n=" + b"x" * 1000 + b",r=abc"),
    ("PLAIN", b"ann\0ben\0x"),
    ("PLAIN", b"\0\0"),
    ("PLAIN", b"\0an\nn\0x"),
    ("PLAIN", b"\0ann\0x\0y"),
    ("PLAIN", b"\xff\0\xff\0\xff"),
)


async def test_a_malformed_message_is_refused(served: Serving) -> None:
    for mechanism, message in NO_MESSAGES:
        client, connection = await served.connect()
        await begin(client, mechanism)
        assert (await say(client, message)).error_code == FAILED, (mechanism, message)
        assert await is_closed(client)
        assert not connection.session.has_authenticated
        forget_failures(served)


async def test_a_nonce_of_another_exchange_is_refused(served: Serving) -> None:
    """What was heard on the wire is of no use."""
    heard, _ = await served.connect()
    speaker = ScramClient([SHA_256], "ann", PASSWORD)
    await begin(heard, SHA_256)
    first = speaker.get_client_first().encode()
    speaker.set_server_first((await say(heard, first)).auth_bytes.decode())
    final = speaker.get_client_final().encode()
    assert (await say(heard, final)).error_code == 0
    thief, _ = await served.connect()
    await begin(thief, SHA_256)
    assert (await say(thief, first)).error_code == 0
    assert (await say(thief, final)).error_code == FAILED


async def test_an_unknown_mechanism_gets_the_list_of_mechanisms(served: Serving) -> None:
    client, _ = await served.connect()
    answer = await client.call(SaslHandshakeRequest(mechanism="GSSAPI"), 1)
    assert answer.error_code == WireCode.UNSUPPORTED_SASL_MECHANISM
    assert list(answer.mechanisms) == [SHA_256, SHA_512, "PLAIN"]
    assert await is_closed(client)


async def test_unframed_tokens_are_refused(served: Serving) -> None:
    client, _ = await served.connect()
    answer = await client.call(SaslHandshakeRequest(mechanism=SHA_256), 0)
    assert answer.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert await is_closed(client)


async def test_authentication_begins_with_a_handshake(served: Serving) -> None:
    client, _ = await served.connect()
    assert (await say(client, b"\0ann\0x")).error_code == WireCode.ILLEGAL_SASL_STATE
    assert await is_closed(client)


@pytest.mark.usefixtures("_prepared")
async def test_a_listener_without_sasl_refuses_a_handshake() -> None:
    async with serving() as plain:
        client, _ = await plain.connect()
        answer = await client.call(SaslHandshakeRequest(mechanism=SHA_256), 1)
        assert answer.error_code == WireCode.ILLEGAL_SASL_STATE
        assert (await client.call(hello(), 3)).error_code == 0


async def test_too_many_failures_lock_out_for_a_while(served: Serving) -> None:
    """Also with the right password, at first; others are not."""
    for _ in range(3):
        client, _ = await served.connect()
        assert (await with_scram(client, "ann", "guess")).error_code == FAILED
    client, _ = await served.connect()
    assert (await with_scram(client, "ann")).error_code == FAILED
    served.clock.ahead_s += LOCKED_OUT_S
    client, _ = await served.connect()
    assert (await with_scram(client, "ann")).error_code == 0


@pytest.mark.parametrize("mechanism", MECHANISMS)
async def test_guesses_begun_before_the_lock_out_are_refused_too(
    served: Serving, mechanism: str
) -> None:
    """Three may fail: a fourth that asked at the same time does not get in, though it knows."""
    passwords = ["one", "two", "three", PASSWORD]
    clients = [(await served.connect())[0] for _ in passwords]
    for client in clients:
        await begin(client, mechanism)
    if mechanism == "PLAIN":
        for client, password in zip(clients, passwords, strict=True):
            message = f"\0ann\0{password}".encode()
            client.send(SaslAuthenticateRequest(auth_bytes=message), 2)
        answers = [await client.receive() for client in clients]
    else:
        speakers = [ScramClient([mechanism], "ann", password) for password in passwords]
        for client, speaker in zip(clients, speakers, strict=True):
            first = await say(client, speaker.get_client_first().encode())
            speaker.set_server_first(first.auth_bytes.decode())
        answers = [
            await say(client, speaker.get_client_final().encode())
            for client, speaker in zip(clients, speakers, strict=True)
        ]
    assert [answer.error_code for answer in answers] == [FAILED] * 4


async def half_authenticated(served: Serving) -> tuple[Client, ScramClient]:
    """A client that has yet to prove that it knows the password."""
    client, _ = await served.connect()
    speaker = ScramClient([SHA_256], "ann", PASSWORD)
    await begin(client, SHA_256)
    first = await say(client, speaker.get_client_first().encode())
    speaker.set_server_first(first.auth_bytes.decode())
    return client, speaker


async def test_a_user_deleted_during_authentication_is_refused(
    served: Serving, other: Other
) -> None:
    client, speaker = await half_authenticated(served)
    await other.execute("DELETE FROM rollcall_credential")
    await other.execute(scram.RING.encode())
    await until(lambda: not served.node.credentials.get("ann", SHA_256))
    assert (await say(client, speaker.get_client_final().encode())).error_code == FAILED


async def test_a_password_changed_during_authentication_is_required(
    served: Serving, other: Other
) -> None:
    """Also of a user who was deleted and created again: the old password proves nothing."""
    client, speaker = await half_authenticated(served)
    known = served.node.credentials.get("ann", SHA_256)
    await make_user(other, "ann")
    await until(lambda: served.node.credentials.get("ann", SHA_256) != known)
    assert (await say(client, speaker.get_client_final().encode())).error_code == FAILED


def test_a_lock_out_counts_names_and_addresses_separately() -> None:
    lockouts = Lockouts(2, 1_000)
    for now in (0, 900):
        lockouts.failed(("ann", "a"), now)
    assert lockouts.is_locked(("ann", "a"), 1_899)
    assert not lockouts.is_locked(("ann", "a"), 1_900)
    assert not lockouts.is_locked(("ann", "b"), 900)
    assert not lockouts.is_locked(("ben", "a"), 900)
    lockouts.succeeded(("ann", "a"))
    assert not lockouts.is_locked(("ann", "a"), 900)
    for number in range(KNOWN_MAX + 5):
        lockouts.failed((str(number), "a"), 0)
    assert len(lockouts._failed) == KNOWN_MAX


async def test_a_client_reauthenticates_before_its_session_ends(
    served: Serving, settings: Any
) -> None:
    served.server.sasl.lifetime_ms = 400
    client, connection = await served.connect()
    assert (await with_scram(client, "ann")).session_lifetime_ms == 400
    beat = await client.settled("g")
    served.clock.ahead_s += AGAIN_MS / 1000
    assert (await with_scram(client, "ann")).session_lifetime_ms == 400
    assert (await client.call(beat, 3)).error_code == 0
    await until(lambda: not connection.has_spoken)  # it has to say again who it is
    assert (await with_scram(client, "ann")).error_code == 0
    assert (await client.call(beat, 3)).error_code == 0
    await until(lambda: not connection.has_spoken)
    client.send(beat, 3)
    assert await is_closed(client)


async def test_reauthentication_cannot_change_the_principal(served: Serving, other: Other) -> None:
    await make_user(other, "ben")
    await until(lambda: served.node.credentials.get("ben", SHA_256))
    client, _ = await served.connect()
    assert (await with_scram(client, "ann")).error_code == 0
    served.clock.ahead_s += AGAIN_MS / 1000
    assert (await with_scram(client, "ben")).error_code == FAILED
    assert await is_closed(client)


async def test_users_are_created_and_deleted_while_the_node_runs(
    served: Serving, other: Other
) -> None:
    await make_user(other, "ben", SHA_512)
    await until(lambda: served.node.credentials.get("ben", SHA_512))
    client, _ = await served.connect()
    assert (await with_plain(client, "ben")).error_code == 0
    for mechanism in scram.HASHES:
        await other.execute(scram.DROP.encode(), {"name": "ben", "mechanism": mechanism})
    await other.execute(scram.RING.encode())
    assert await is_closed(client)


async def test_a_user_who_is_deleted_and_created_again_at_once_loses_the_connections(
    served: Serving, other: Other
) -> None:
    """The node hears of the deletion when the new user is there already."""
    client, _ = await served.connect()
    assert (await with_scram(client, "ann")).error_code == 0
    async with other.transaction():
        for mechanism in scram.HASHES:
            await other.execute(scram.DROP.encode(), {"name": "ann", "mechanism": mechanism})
        await make_user(other, "ann")
    assert await is_closed(client)


async def test_a_user_whose_passwords_are_replaced_one_by_one_keeps_the_connections(
    served: Serving, other: Other
) -> None:
    client, _ = await served.connect()
    assert (await with_scram(client, "ann")).error_code == 0
    await make_user(other, "ann", SHA_512)
    await other.execute(scram.DROP.encode(), {"name": "ann", "mechanism": SHA_256})
    await other.execute(scram.RING.encode())
    await until(lambda: not served.node.credentials.get("ann", SHA_256))
    await make_user(other, "ann", SHA_512)
    await make_user(other, "ben")
    await until(lambda: served.node.credentials.get("ben", SHA_256))
    assert (await client.call(hello(), 3)).error_code == 0


async def test_the_number_of_waiting_password_checks_is_limited(served: Serving) -> None:
    """A client above the limit gets no verdict on its password, and has not failed."""
    served.server.sasl.places = Places(0, 0)
    for _ in range(3):
        client, _ = await served.connect()
        await begin(client, "PLAIN")
        client.send(SaslAuthenticateRequest(auth_bytes=f"\0ann\0{PASSWORD}".encode()), 2)
        assert await is_closed(client)
    served.server.sasl.places = Places(1, 0)
    client, _ = await served.connect()
    assert (await with_plain(client, "ann")).error_code == 0


async def test_reauthentication_is_limited_to_once_a_second(served: Serving) -> None:
    """As with Kafka, where one that reauthenticates sooner is refused and continues as it was."""
    client, connection = await served.connect()
    assert (await with_scram(client, "ann")).error_code == 0
    beat = await client.settled("g")
    for _ in range(3):
        answer = await client.call(SaslHandshakeRequest(mechanism=SHA_256), 1)
        assert answer.error_code == WireCode.ILLEGAL_SASL_STATE
    assert (await client.call(beat, 3)).error_code == 0
    served.clock.ahead_s += AGAIN_MS / 1000
    assert (await with_scram(client, "ann")).error_code == 0
    assert connection.session.principal == "User:ann"


@pytest.mark.parametrize("after", [SHA_256, "PLAIN"])
async def test_each_exchange_needs_its_own_handshake(served: Serving, after: str) -> None:
    """A client that restarts each exchange before it ends could continue for ever."""
    client, _ = await served.connect()
    await begin(client, SHA_256)
    assert (await say(client, b"n,,n=ann,r=abc")).error_code == 0
    answer = await client.call(SaslHandshakeRequest(mechanism=after), 1)
    assert answer.error_code == WireCode.ILLEGAL_SASL_STATE
    assert await is_closed(client)


async def test_requests_after_a_failure_are_not_served(served: Serving) -> None:
    """A client that sends many guesses at once is closed after the first."""
    client, _ = await served.connect()
    for password in ("one", PASSWORD):
        client.send(SaslHandshakeRequest(mechanism="PLAIN"), 1)
        client.send(SaslAuthenticateRequest(auth_bytes=f"\0ann\0{password}".encode()), 2)
    assert (await client.receive()).error_code == 0
    assert (await client.receive()).error_code == FAILED
    assert await is_closed(client)


async def test_unauthenticated_requests_are_limited(served: Serving) -> None:
    client, connection = await served.connect()
    for _ in range(REQUESTS_MAX):
        assert (await client.call(hello(), 3)).api_keys
    client.send(hello(), 3)
    assert await is_closed(client)
    client, connection = await served.connect()
    assert (await with_scram(client, "ann")).error_code == 0
    for _ in range(REQUESTS_MAX + 1):
        assert (await client.call(hello(), 3)).api_keys
    assert connection.is_open


async def test_slowly_sent_bytes_do_not_extend_the_login_timeout(served: Serving) -> None:
    """Neither within a message nor between two of them."""
    dripping, _ = await served.connect()
    await begin(dripping, SHA_256)
    dripping.writer.write(b"\0\0\0")
    between, _ = await served.connect()
    await begin(between, SHA_256)
    assert (await say(between, b"n,,n=ann,r=abc")).error_code == 0
    for _ in range(4):
        served.sweep(later_s=served.server.first_s_max * PATIENCE_MAX / 4 + 0.1)
        if not dripping.reader.at_eof():
            dripping.writer.write(b"\0")
    assert await is_closed(dripping)
    assert await is_closed(between)


async def test_an_ipv6_network_is_locked_out_as_one_address(served: Serving) -> None:
    """Whoever has one address of it has 2 to the 64."""

    def exchange(host: int) -> Any:
        return served.server.sasl.begin("PLAIN", f"2001:db8::{host:x}")

    for host in range(3):
        with pytest.raises(Rejected):
            await exchange(host).take(b"\0ann\0guess")
    with pytest.raises(Rejected, match="too often"):
        await exchange(9).take(f"\0ann\0{PASSWORD}".encode())
    other = served.server.sasl.begin("PLAIN", "2001:db8:0:1::1")
    assert await other.take(f"\0ann\0{PASSWORD}".encode()) == b""


@pytest.mark.parametrize("salt", [b"0123456789abcdefghijklmnop", bytes(range(40, 60))])
async def test_an_unknown_user_has_the_same_parameters_as_most_users(
    served: Serving, other: Other, salt: bytes
) -> None:
    """Users that Kafka's own tools have made, with their iterations and salts of letters."""
    for number in range(3):
        hashed = scram.salted(SHA_256, PASSWORD, salt, 4_096)
        made = scram.credential(SHA_256, hashed, salt, 4_096)._asdict()
        named = {"name": f"of-kafka-{number}", "mechanism": SHA_256}
        await other.execute(scram.PUT.encode(), {**named, **made})
    await other.execute(scram.RING.encode())
    theirs = scram.Form(4_096, len(salt), salt.isalnum())
    await until(lambda: served.node.credentials.usual(SHA_256) == theirs)
    stranger = served.server.sasl.credential("nobody", SHA_256)
    assert scram.Form.of(stranger) == theirs
    assert stranger.salt == served.server.sasl.credential("nobody", SHA_256).salt
    assert stranger.salt != served.server.sasl.credential("nobody else", SHA_256).salt


async def test_a_failure_takes_the_same_time_for_every_user(
    served: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The delay counts from the message on: passwords take longer to hash for some users."""
    delay_s = 600.0
    served.server.sasl.delay_ms = int(delay_s * 1000)

    async def salted(*_: Any) -> bytes:
        served.clock.ahead_s += delay_s
        return b""

    monkeypatch.setattr(Sasl, "salted", salted)
    client, _ = await served.connect()
    assert (await with_plain(client, "ann", "guess")).error_code == FAILED


async def test_a_client_that_does_not_authenticate_in_time_is_closed(served: Serving) -> None:
    client, _ = await served.connect()
    assert (await client.call(hello(), 3)).error_code == 0
    served.sweep(later_s=served.server.first_s_max * PATIENCE_MAX + 1)
    assert await is_closed(client)


async def test_plain_passwords_are_refused_without_tls(served: Serving) -> None:
    listener = Listener("OPEN", "192.0.2.1", 0, Security.SASL_PLAINTEXT)
    assert served.server.mechanisms(listener) == (SHA_256, SHA_512)


async def test_concurrent_logins_are_each_answered(served: Serving) -> None:
    clients = [(await served.connect())[0] for _ in range(30)]
    answers = await asyncio.gather(*(with_scram(client, "ann") for client in clients))
    assert {answer.error_code for answer in answers} == {0}


async def test_guesses_from_one_address_do_not_delay_other_logins(served: Serving) -> None:
    """They waited for their turn in the order in which they came, and there was no room behind."""
    places = served.server.sasl.places = Places(0, 3)
    crowd = [asyncio.create_task(places.take("192.0.2.1")) for _ in range(3)]
    client, _ = await served.connect()
    await begin(client, "PLAIN")
    mine = asyncio.create_task(say(client, f"\0ann\0{PASSWORD}".encode()))
    await until(lambda: any(each.done() for each in crowd))  # the last of the others gave way
    for _ in range(2):
        places.give()
    assert (await mine).error_code == 0
    await asyncio.wait(crowd)
