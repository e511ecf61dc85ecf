"""SASL's SCRAM-SHA-256 and SCRAM-SHA-512, whose messages scramp reads and writes.

Importing this module registers both in ``sasl``. scramp loads libraries that read certificates.
"""

from scramp import ScramException, ScramMechanism

from groups.clients.scram_credentials import HASHES
from protocol.authentication.sasl import EXCHANGES, Exchange, Rejected, Sasl


class Scram(Exchange):
    """RFC 5802: two messages; neither contains the password."""

    def __init__(self, sasl: Sasl, mechanism: str, address: str) -> None:
        super().__init__(sasl, mechanism, address)
        self._server = ScramMechanism(mechanism).make_server(self._stored)
        self._is_named = False
        self._refused: Rejected | None = None

    def _stored(self, name: str) -> tuple[bytes, bytes, bytes, int]:
        try:
            self.claim(name)
        except Rejected as error:
            self._refused = error
            raise
        credential = self._credential(self.mechanism)
        return credential.salt, credential.stored_key, credential.server_key, credential.iterations

    async def _take(self, message: bytes) -> bytes:
        try:
            text = message.decode()
            if not self._is_named:
                self._server.set_client_first(text)
                self._is_named = True
                return str(self._server.get_server_first()).encode()
            self._server.set_client_final(text)
            self.is_done = True
            return str(self._server.get_server_final()).encode()
        except (ScramException, UnicodeDecodeError) as error:
            raise self._refused or Rejected(f"{self.name!r}: {error}") from None


EXCHANGES.update(dict.fromkeys(HASHES, Scram))
