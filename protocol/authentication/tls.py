"""TLS of listeners: certificates from PEM files, read again when they change."""

import logging
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groups.core.authors import ANONYMOUS
from protocol.authentication.principals import Rule, principal

logger = logging.getLogger(__name__)

LOOK_AGAIN_S = 1.0
"""Interval in which changed files are looked for, by the next connection."""

SHUTDOWN_S = 5.0
"""Time for a client to answer the end of the encryption."""

CLIENT_AUTH = {
    "none": ssl.CERT_NONE,
    "requested": ssl.CERT_OPTIONAL,
    "required": ssl.CERT_REQUIRED,
}


class TlsError(Exception):
    """The certificates cannot be used; the text names the file and the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsSettings:
    """``keystore``: a private key and its certificates, in one PEM file; ``truststore``: the
    authorities for client certificates; "": none. ``client_auth``: Kafka's ``ssl.client.auth``."""

    keystore: str
    truststore: str = ""
    client_auth: str = "none"
    rules: tuple[Rule, ...] = ()
    handshake_s: float = 10.0


class Tls:
    """The context for new connections. Raises ``TlsError`` if it cannot be created."""

    def __init__(self, settings: TlsSettings) -> None:
        self.settings = settings
        self._looked_at = 0.0
        self._seen = self._files()
        self._context = self._load()

    def context(self, now: float) -> ssl.SSLContext:
        """The context of the current files; if these are invalid, of the previous ones."""
        if now - self._looked_at >= LOOK_AGAIN_S:
            self._looked_at = now
            self._look()
        return self._context

    def principal(self, certificate: dict[str, Any] | None) -> str | None:
        """The principal of this certificate, as ``ssl`` returns it; None if no rule matches it."""
        if not certificate:
            return ANONYMOUS
        return principal(certificate["subject"], self.settings.rules)

    def _look(self) -> None:
        files = self._files()
        if files == self._seen:
            return
        self._seen = files
        try:
            self._context = self._load()
        except TlsError as error:
            logger.error("%s; new connections use the previous certificates", error)
        else:
            logger.info("certificates were read again")

    def _files(self) -> list[tuple[int, int, int] | None]:
        return [_state(p) for p in (self.settings.keystore, self.settings.truststore) if p]

    def _load(self) -> ssl.SSLContext:
        settings = self.settings
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.options |= ssl.OP_NO_RENEGOTIATION
        context.verify_mode = CLIENT_AUTH[settings.client_auth]
        try:
            context.load_cert_chain(settings.keystore, password=_no_password)
        except (OSError, ValueError) as error:
            raise TlsError(f"ssl.keystore.location {settings.keystore}: {error}") from None
        if context.verify_mode is ssl.CERT_NONE:
            return context
        try:
            context.load_verify_locations(settings.truststore)
        except (OSError, ValueError) as error:
            raise TlsError(f"ssl.truststore.location {settings.truststore}: {error}") from None
        return context


def _no_password() -> str:
    raise ValueError("the private key has a password")


def _state(path: str) -> tuple[int, int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
