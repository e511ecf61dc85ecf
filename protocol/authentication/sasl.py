"""SASL authentication, with the mechanism PLAIN (SCRAM is in ``scram``, OAUTHBEARER in ``bearer``).

An exchange is a few messages of one mechanism, passed to it in order. This module knows neither
frames nor connections.
"""

import asyncio
import hmac
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from groups.clients import scram_credentials
from groups.clients.scram_credentials import NAME_CHARS_MAX, Credential, Credentials
from groups.core.group import Millis
from groups.core.networks import network_of
from groups.places import Places
from protocol.authentication.lockouts import Lockouts

if TYPE_CHECKING:
    from protocol.authentication.tokens.tokens import Tokens

MESSAGE_BYTES_MAX = 4096
"""Maximum length of a client's message; messages with passwords are much shorter."""

HASHING_MAX = 64
"""Passwords that wait to be hashed (PLAIN): half a second's worth. One more ends its connection, or
another one of the address that has most of them."""

HASHED_AT_ONCE = 2
"""One by the thread, and one that it finds when it is done."""

PLAIN, OAUTHBEARER = "PLAIN", "OAUTHBEARER"

SHOWN_SECRETS = frozenset({PLAIN, OAUTHBEARER})
"""Mechanisms that send a secret in plain text: only over TLS or on loopback."""


class Rejected(Exception):
    """Authentication failed, or its message is malformed. The text is for the log: the client does
    not receive the reason. ``counts``: towards a lock-out. ``challenge``: sent to the client, which
    must acknowledge it before it receives the failure; b"": it receives that at once."""

    def __init__(self, why: str, *, counts: bool = True, challenge: bytes = b"") -> None:
        super().__init__(why)
        self.counts = counts
        self.challenge = challenge


class Acknowledged(Exception):
    """A client that was rejected with a challenge has answered it: now the failure is sent."""


@dataclass(slots=True, kw_only=True)
class Sasl:
    """The state that all listeners with SASL of a node share.

    ``secret`` generates salts for unknown users; ``delay_ms``: how long the response to a failure
    is delayed; ``lifetime_ms``: after this time a client must authenticate again; 0: never.
    """

    credentials: Credentials
    secret: bytes
    mechanisms: tuple[str, ...]
    lockouts: Lockouts
    now: Callable[[], Millis]
    delay_ms: Millis = 250
    lifetime_ms: Millis = 0
    tokens: "Tokens | None" = None
    hashing: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "passwords"))
    places: Places = field(default_factory=lambda: Places(HASHED_AT_ONCE, HASHING_MAX))

    def begin(self, mechanism: str, address: str) -> "Exchange":
        """Begin an exchange of one of ``mechanisms``."""
        return EXCHANGES[mechanism](self, mechanism, address)

    def credential(self, name: str, mechanism: str) -> Credential:
        """A user's credential; for an unknown user, a plausible one."""
        found = self.credentials.get(name, mechanism)
        if found is not None:
            return found
        usual = self.credentials.usual(mechanism)
        return scram_credentials.plausible(self.secret, mechanism, name, usual)

    async def salted(
        self, mechanism: str, password: str, stored: Credential, address: str
    ) -> bytes:
        """Beside the loop, one after another, of each address in turn; ``Crowded``."""
        await self.places.take(address)
        try:
            work = partial(
                scram_credentials.salted, mechanism, password, stored.salt, stored.iterations
            )
            return await asyncio.get_running_loop().run_in_executor(self.hashing, work)
        finally:
            self.places.give()


class Exchange(ABC):
    """One client's authentication. ``name`` is the user's once ``is_done``."""

    message_bytes_max = MESSAGE_BYTES_MAX
    was_refused = False
    """After a challenge: the client's acknowledgement is the only message that may follow."""

    def __init__(self, sasl: Sasl, mechanism: str, address: str) -> None:
        self.sasl = sasl
        self.mechanism = mechanism
        self.address = address
        self._network = network_of(address)  # lock-outs count it: whoever has one address has all
        self.name = ""
        self.is_done = False
        self._compared: tuple[str, Credential] | None = None
        """The mechanism and the credential with which the password is compared."""

    async def take(self, message: bytes) -> bytes:
        """The response to a client's next message; raises ``Rejected``, ``Acknowledged``,
        ``Crowded``."""
        if len(message) > self.message_bytes_max:
            raise Rejected(f"a message of {len(message)} bytes")
        try:
            answer = await self._take(message)
        except Rejected as error:
            if self.name and error.counts:
                self.sasl.lockouts.failed((self.name, self._network), self.sasl.now())
            raise
        if self.is_done:
            self._let_in()
        return answer

    def claim(self, name: str) -> None:
        """The client claims a name; raises ``Rejected`` if it has failed too often."""
        if not name or len(name) > NAME_CHARS_MAX or not name.isprintable():
            raise Rejected("an unknown user name")
        self._refuse_locked(name)
        self.name = name

    def _let_in(self) -> None:
        """Check again, since locks and users may have changed since the claim: many exchanges may
        begin before the first one fails."""
        self._refuse_locked(self.name)
        if not self._stands():
            raise Rejected(f"{self.name!r} has been deleted, or has another password now")
        self.sasl.lockouts.succeeded((self.name, self._network))

    def lifetime_ms(self) -> Millis:
        """How long the session that begins now lasts; 0: as long as the connection."""
        return self.sasl.lifetime_ms

    def _credential(self, mechanism: str) -> Credential:
        stored = self.sasl.credential(self.name, mechanism)
        self._compared = mechanism, stored
        return stored

    def _stands(self) -> bool:
        """Whether the credential that was compared is still the user's."""
        if self._compared is None:
            return False
        mechanism, stored = self._compared
        return self.sasl.credentials.get(self.name, mechanism) == stored

    def _refuse_locked(self, name: str) -> None:
        if self.sasl.lockouts.is_locked((name, self._network), self.sasl.now()):
            raise Rejected(f"{name!r} failed too often")

    @abstractmethod
    async def _take(self, message: bytes) -> bytes: ...


class Plain(Exchange):
    """RFC 4616: one message with name and password; the password is hashed and compared."""

    async def _take(self, message: bytes) -> bytes:
        try:
            authorized, name, password = message.decode().split("\0")
        except ValueError:  # a UnicodeDecodeError is one
            raise Rejected("no message of PLAIN") from None
        if authorized not in ("", name):
            raise Rejected("one user wants to be another")
        self.claim(name)
        mechanism = next(
            (m for m in scram_credentials.HASHES if self.sasl.credentials.get(name, m)),
            "SCRAM-SHA-256",
        )
        stored = self._credential(mechanism)
        salted = await self.sasl.salted(mechanism, password, stored, self.address)
        computed = scram_credentials.credential(mechanism, salted, stored.salt, stored.iterations)
        if not hmac.compare_digest(computed.stored_key, stored.stored_key):
            raise Rejected(f"{name!r} has another password")
        self.is_done = True
        return b""


EXCHANGES: dict[str, type[Exchange]] = {PLAIN: Plain}
"""``scram`` and ``bearer`` register theirs: nodes without authentication do not load their
libraries."""
