"""The library's side of SASL beside other people's servers, and before servers that cheat."""

import base64
from collections.abc import Callable

import pytest
from scramp import ScramMechanism

from rollcall.client.core import sasl
from rollcall.client.core.sasl import HASHES, ITERATIONS_MAX, ITERATIONS_MIN, Distrusted

NAME, PASSWORD, NONCE = "an=n,a", "pencil", "fyko+d2lbbFgONRv9qkxdawL"


def ended(exchange: sasl.Exchange, challenge: bytes) -> bool:
    """Whether the client is content with the server's last message."""
    try:
        exchange.send(challenge)
    except StopIteration:
        return True
    return False


@pytest.mark.parametrize("mechanism", HASHES)
def test_scram_interoperates_with_another_implementation(mechanism: str) -> None:
    made = ScramMechanism(mechanism)
    salt, stored, server, count = made.make_auth_info(PASSWORD, iteration_count=4_096)
    known: list[str] = []

    def look(name: str) -> tuple[bytes, bytes, bytes, int]:
        known.append(name)
        return salt, stored, server, count

    asked = made.make_server(look)
    exchange = sasl.scram(mechanism, NAME, PASSWORD, NONCE)
    asked.set_client_first(next(exchange).decode())
    asked.set_client_final(exchange.send(asked.get_server_first().encode()).decode())
    assert ended(exchange, asked.get_server_final().encode())
    assert known == [NAME]


def test_scram_matches_the_example_of_the_rfc() -> None:
    """RFC 7677, 3, with its nonces; the password is in no message."""
    exchange = sasl.scram("SCRAM-SHA-256", "user", "pencil", "rOprNGfwEbeRWgbNEkqO")
    assert next(exchange) == b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO"
    final = exchange.send(
        b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
    )
    assert final == (
        b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
        b"p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    )
    assert ended(exchange, b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")


SALT = base64.b64encode(b"salt" * 8).decode()


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (f"r={NONCE}x,s={SALT},i={ITERATIONS_MIN - 1}", "iterations"),
        (f"r={NONCE}x,s={SALT},i={ITERATIONS_MAX + 1}", "iterations"),
        (f"r={NONCE}x,s={SALT},i=-1", "iterations"),
        (f"r={NONCE}x,s={SALT},i=many", "cannot be read"),
        (f"r={NONCE}x,s=***,i=4096", "cannot be read"),
        (f"r={NONCE},s={SALT},i=4096", "another client"),
        (f"r=another,s={SALT},i=4096", "another client"),
        (f"m=ext,r={NONCE}x,s={SALT},i=4096", "none of SCRAM"),
        ("", "none of SCRAM"),
        ("\udcff", "no text"),
    ],
)
def test_a_server_with_unacceptable_parameters_is_rejected(first: str, why: str) -> None:
    exchange = sasl.scram("SCRAM-SHA-256", NAME, PASSWORD, NONCE)
    next(exchange)
    with pytest.raises(Distrusted, match=why):
        exchange.send(first.encode(errors="surrogateescape"))


@pytest.mark.parametrize(
    ("final", "why"),
    [
        ("v=" + base64.b64encode(bytes(32)).decode(), "does not prove"),
        ("v=", "does not prove"),
        ("v=***", "does not prove"),
        ("", "does not prove"),
        ("e=other-error", "other-error"),
    ],
)
def test_a_server_that_does_not_know_the_password_is_rejected(final: str, why: str) -> None:
    """It would have taken any proof."""
    exchange = sasl.scram("SCRAM-SHA-256", NAME, PASSWORD, NONCE)
    next(exchange)
    exchange.send(f"r={NONCE}x,s={SALT},i=4096".encode())
    with pytest.raises(Distrusted, match=why):
        exchange.send(final.encode())


def test_plain_and_a_token_are_one_message() -> None:
    plain = sasl.plain("ann", "pässword")
    assert next(plain) == "\0ann\0pässword".encode() and ended(plain, b"")
    bearer = sasl.oauthbearer("abc.def", {"tenant": "a"})
    assert next(bearer) == b"n,,\x01auth=Bearer abc.def\x01tenant=a\x01\x01" and ended(bearer, b"")


def test_the_reasons_of_a_refused_token_are_acknowledged() -> None:
    """RFC 7628, 3.2.3: only then does the server say that it failed."""
    bearer = sasl.oauthbearer("abc")
    assert next(bearer) == b"n,,\x01auth=Bearer abc\x01\x01"
    assert bearer.send(b'{"status":"invalid_token"}') == b"\x01"
    assert ended(bearer, b"")


FORMS: tuple[Callable[[], sasl.Exchange], ...] = (
    lambda: sasl.plain("ann", "secret"),
    lambda: sasl.oauthbearer("secret"),
    lambda: sasl.scram("SCRAM-SHA-512", "ann", "secret", NONCE),
)


@pytest.mark.parametrize("form", FORMS)
def test_the_repr_of_an_exchange_hides_its_secret(
    form: Callable[[], sasl.Exchange],
) -> None:
    assert "secret" not in repr(form())
