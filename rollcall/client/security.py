"""A member's TLS and SASL, with the option names of aiokafka and kafka-python.

Invalid options raise ``ValueError`` when the member is created, so that no connection is wrongly
believed to be secure.
"""

import inspect
import logging
import secrets
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypedDict, cast

from rollcall.client import checks
from rollcall.client.core import sasl
from rollcall.client.core.sasl import EXTENSION, HASHES, MECHANISMS, OAUTHBEARER, PLAIN, Exchange
from rollcall.client.threads import in_thread

PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
"""Kafka's ``security.protocol``."""

NONCE_BYTES: Final = 24
"""192 random bits: SCRAM requires nonces that cannot be guessed."""

log = logging.getLogger("rollcall.client")


class NoToken(Exception):
    """The application's token provider returned no token; its own error is the cause."""


@dataclass(frozen=True, slots=True)
class Sasl:
    """``begin`` creates the exchange of one connection; ``NoToken`` if that fails."""

    mechanism: str
    begin: Callable[[], Awaitable[Exchange]]


@dataclass(frozen=True, slots=True)
class Security:
    """``context``: None: no TLS. ``sasl``: None: no authentication."""

    context: ssl.SSLContext | None = None
    sasl: Sasl | None = None


class Options(TypedDict, total=False):
    """An application's security options; None or missing: unsecured."""

    security_protocol: str | None
    ssl_context: ssl.SSLContext | None
    ssl_cafile: str | None
    ssl_certfile: str | None
    ssl_keyfile: str | None
    ssl_password: str | None
    ssl_check_hostname: bool
    sasl_mechanism: str | None
    sasl_plain_username: str | None
    sasl_plain_password: str | None
    sasl_oauth_token_provider: Any


def taken(settings: Mapping[str, Any]) -> tuple[Options, dict[str, Any]]:
    """The security options among a member's settings, and the others."""
    ours = {name: value for name, value in settings.items() if name in Options.__annotations__}
    others = {name: value for name, value in settings.items() if name not in ours}
    return cast(Options, {name: value for name, value in ours.items() if value is not None}), others


def of(wanted: Options) -> Security:
    """What to do for each connection; raises ``ValueError`` for contradictory options."""
    protocol = _protocol(wanted)
    for prefix, meant in (("ssl_", "SSL"), ("sasl_", "SASL_")):
        given = [name for name in wanted if name.startswith(prefix)]
        if given and meant not in protocol:
            raise ValueError(f"{given[0]} means nothing with security_protocol {protocol}")
    context = _context(wanted) if "SSL" in protocol else None
    if "SASL_" not in protocol:
        return Security(context)
    secured = Security(context, _sasl(wanted))
    mechanism = wanted.get("sasl_mechanism")
    if mechanism in (PLAIN, OAUTHBEARER) and context is None:
        log.warning("%s sends its secret in the clear: SASL_PLAINTEXT", mechanism)
    return secured


def _protocol(wanted: Options) -> str:
    """The given protocol, or the one that an ``ssl_context`` alone implies."""
    usual = "SSL" if "ssl_context" in wanted else "PLAINTEXT"
    protocol = wanted.get("security_protocol") or usual
    if protocol not in PROTOCOLS:
        raise ValueError(f"security_protocol {protocol!r}: there are {', '.join(PROTOCOLS)}")
    return protocol


def _context(wanted: Options) -> ssl.SSLContext:
    """The application's own, or one that trusts ``ssl_cafile``, or the system's authorities."""
    given = {name: value for name, value in wanted.items() if name.startswith("ssl_")}
    own = wanted.get("ssl_context")
    if own is not None:
        if len(given) > 1:
            raise ValueError("either ssl_context, or the ssl_ options that make one")
        return own
    certificate = wanted.get("ssl_certfile")
    if certificate is None and not given.keys().isdisjoint(("ssl_keyfile", "ssl_password")):
        raise ValueError("ssl_keyfile and ssl_password need ssl_certfile")
    try:
        context = ssl.create_default_context(cafile=wanted.get("ssl_cafile"))
        context.check_hostname = wanted.get("ssl_check_hostname", True)
        if certificate is not None:
            # Without a password OpenSSL would prompt on the terminal.
            password = wanted.get("ssl_password") or ""
            context.load_cert_chain(certificate, wanted.get("ssl_keyfile"), lambda: password)
    except OSError as error:  # includes ssl.SSLError
        given.pop("ssl_password", None)
        raise ValueError(f"the files of {given} cannot be used: {error}") from error
    return context


def _sasl(wanted: Options) -> Sasl:
    mechanism = wanted.get("sasl_mechanism")
    if mechanism not in MECHANISMS:
        raise ValueError(f"sasl_mechanism {mechanism!r}: there are {', '.join(MECHANISMS)}")
    if mechanism == OAUTHBEARER:
        return Sasl(mechanism, _bearer(wanted.get("sasl_oauth_token_provider")))
    name, password = wanted.get("sasl_plain_username"), wanted.get("sasl_plain_password")
    for what, value in (("sasl_plain_username", name), ("sasl_plain_password", password)):
        if not isinstance(value, str) or not value or "\0" in value:
            raise ValueError(f"{mechanism} needs {what}: a text without U+0000")
    assert name is not None and password is not None
    checks.name("sasl_plain_username", name)
    _encodable(password)

    async def begin() -> Exchange:
        if mechanism in HASHES:
            nonce = secrets.token_urlsafe(NONCE_BYTES)
            return sasl.scram(mechanism, name, password, nonce)
        return sasl.plain(name, password)

    return Sasl(mechanism, begin)


def _encodable(password: str) -> None:
    """Without the codec's error, which would contain the secret."""
    try:
        password.encode()
    except UnicodeEncodeError:
        raise ValueError("sasl_plain_password cannot be encoded as UTF-8") from None


def _bearer(provider: Any) -> Callable[[], Awaitable[Exchange]]:
    """The provider is called at each connection and each renewal of a session: a function, or an
    object with ``token()`` (aiokafka, kafka-python), plain or a coroutine. It runs in a thread: a
    plain one asks another server, and heartbeats go on meanwhile."""
    provide = provider if callable(provider) else getattr(provider, "token", None)
    if not callable(provide):
        raise ValueError(
            f"{OAUTHBEARER} needs sasl_oauth_token_provider: a function that returns a token,"
            " or an object with a method token()"
        )
    extensions = getattr(provider, "extensions", dict)

    async def begin() -> Exchange:
        try:
            token = await in_thread(provide, "token")
            if inspect.isawaitable(token):
                token = await token
            return sasl.oauthbearer(_token(token), _extensions(extensions()))
        except Exception as error:
            raise NoToken(f"the token provider failed: {error!r}") from error

    return begin


def _token(value: Any) -> str:
    """Raises ``ValueError``, without the value, if it is no token."""
    is_token = isinstance(value, str) and value.isascii() and value.isprintable() and value
    if not is_token or " " in value:
        raise ValueError("a token is printable ASCII without spaces")
    return str(value)


def _extensions(extensions: Mapping[str, str]) -> Mapping[str, str]:
    for key, value in extensions.items():
        if not EXTENSION.fullmatch(key) or key == "auth" or not value.isprintable():
            raise ValueError(f"an extension {key!r} cannot be said")
    return extensions
