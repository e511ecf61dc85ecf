"""OAUTHBEARER (RFC 7628, KIP-255, KIP-768): a client shows a token that an issuer has signed.

Importing this module registers the mechanism in ``sasl`` and loads the libraries that verify
signatures.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Self

from groups.core.group import Millis
from groups.places import Crowded
from protocol.authentication.sasl import EXCHANGES, OAUTHBEARER, Acknowledged, Exchange, Rejected
from protocol.authentication.tokens import sources
from protocol.authentication.tokens.keyring import NoKeys, Pace
from protocol.authentication.tokens.sources import SourceError
from protocol.authentication.tokens.tokens import Tokens
from protocol.authentication.tokens.verification import TokenError, Verification

TOKEN_BYTES_MAX: Final = 16_384
"""The maximum length of a message with a token; tokens that contain all groups of a user have 8,000
bytes."""

INVALID_TOKEN: Final = b'{"status":"invalid_token"}'
"""The error that a client receives for every failure (RFC 7628, 3.2.2)."""

_REQUIRED: Final = {
    "sasl.oauthbearer.jwks.endpoint.url": "url",
    "sasl.oauthbearer.expected.issuer": "issuer",
    "sasl.oauthbearer.expected.audience": "audiences",
}
"""Required settings: without them, tokens for other services or of other issuers would be
accepted."""


class TokenSettingsError(ValueError):
    """Tokens cannot be verified with these settings; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSettings:
    """The settings for tokens."""

    url: str
    ca_file: str
    issuer: str
    audiences: tuple[str, ...]
    name_claim: str
    scope_claim: str
    algorithms: tuple[str, ...]
    skew_s: int
    pace: Pace

    @classmethod
    def from_django(cls, setting: Callable[[str], Any]) -> Self:
        """Read the current settings."""

        def value_of(name: str) -> Any:
            return setting(f"SASL_OAUTHBEARER_{name}")

        audiences = tuple(
            a for each in value_of("EXPECTED_AUDIENCE").split(",") if (a := each.strip())
        )
        refresh, backoff = value_of("JWKS_ENDPOINT_REFRESH_MS"), "JWKS_ENDPOINT_RETRY_BACKOFF"
        return cls(
            url=value_of("JWKS_ENDPOINT_URL"),
            ca_file=setting("HTTPS_CA_LOCATION"),
            issuer=value_of("EXPECTED_ISSUER"),
            audiences=audiences,
            name_claim=value_of("SUB_CLAIM_NAME"),
            scope_claim=value_of("SCOPE_CLAIM_NAME"),
            algorithms=value_of("ALGORITHMS"),
            skew_s=value_of("CLOCK_SKEW_SECONDS"),
            pace=Pace(
                refresh / 1000,
                value_of(f"{backoff}_MS") / 1000,
                value_of(f"{backoff}_MAX_MS") / 1000,
            ),
        )

    def tokens(self) -> Tokens:
        """Create the verifier of tokens; raises ``TokenSettingsError``."""
        for name, attribute in _REQUIRED.items():
            if not getattr(self, attribute):
                raise TokenSettingsError(f"{OAUTHBEARER} needs {name}")
        try:
            source = sources.of(self.url, self.ca_file)
        except SourceError as error:
            raise TokenSettingsError(f"sasl.oauthbearer.jwks.endpoint.url: {error}") from None
        judging = Verification(
            self.algorithms,
            self.issuer,
            self.audiences,
            self.name_claim,
            self.scope_claim,
            self.skew_s,
        )
        return Tokens(judging, source, self.pace)


class Bearer(Exchange):
    """One message with the token. A failure is sent as JSON, which the client acknowledges."""

    message_bytes_max = TOKEN_BYTES_MAX
    _rest_s = 0.0

    async def _take(self, message: bytes) -> bytes:
        if self.was_refused:
            raise Acknowledged
        try:
            await self._judge(message)
        except Rejected as error:
            self.was_refused = True
            raise Rejected(str(error), counts=error.counts, challenge=INVALID_TOKEN) from None
        self.is_done = True
        return b""

    async def _judge(self, message: bytes) -> None:
        tokens = self.sasl.tokens
        assert tokens is not None, "the mechanism is enabled"
        authorized, token = read(message)
        try:
            claimed = await tokens.claimed(token, self.address)
            self.claim(claimed.name)
            if authorized not in ("", self.name):
                raise Rejected("one user wants to be another")
            judged = await tokens.judged(token, claimed, self.address)
        except TokenError as error:
            raise Rejected(f"{self.name!r}: {error}", counts=error.is_forged) from None
        except NoKeys as error:
            raise Crowded(str(error)) from None
        assert judged.name == self.name, "what was verified is what was claimed"
        self._rest_s = judged.rest_s

    def lifetime_ms(self) -> Millis:
        """The session ends when its token expires, or earlier."""
        rest_ms = max(1, int(self._rest_s * 1000))
        return min(rest_ms, self.sasl.lifetime_ms or rest_ms)

    def _stands(self) -> bool:
        """Users are the issuer's; they have no row here."""
        return True


def read(message: bytes) -> tuple[str, str]:
    """The user that the client names ("": the one in its token), and the token; raises
    ``Rejected``. Other fields (extensions, KIP-342) are not read."""
    try:
        header, *pairs, last, end = message.decode().split("\x01")
    except ValueError:  # a UnicodeDecodeError is one; so are too few parts
        raise Rejected("no message of OAUTHBEARER") from None
    credentials = [pair.removeprefix("auth=") for pair in pairs if pair.startswith("auth=")]
    flag, _, authorized = header.removesuffix(",").partition(",")
    is_whole = header.endswith(",") and not (last or end) and len(credentials) == 1
    if not is_whole or flag != "n" or (authorized and not authorized.startswith("a=")):
        raise Rejected("no message of OAUTHBEARER")
    scheme, _, token = credentials[0].partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Rejected("no token of a bearer")
    name = authorized.removeprefix("a=").replace("=2C", ",").replace("=3D", "=")
    return name, token


EXCHANGES[OAUTHBEARER] = Bearer
