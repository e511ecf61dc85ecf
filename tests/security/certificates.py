"""Certificates of a test's own: an authority, a server, and clients that it vouches for."""

import ssl
from dataclasses import dataclass
from pathlib import Path

import trustme
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

SERVED = ("127.0.0.1", "127.0.0.2", "127.0.0.3", "localhost")
"""What a server's certificate is for: nodes of a test may have an address each."""


@dataclass(frozen=True, slots=True)
class Certificates:
    """PEM files below ``folder``: ``ca.pem``, ``server.pem``, and one for each client."""

    folder: Path
    authority: trustme.CA

    @classmethod
    def make(cls, folder: Path) -> "Certificates":
        """A new authority, and a server of it on loopback."""
        made = cls(folder, trustme.CA())
        made.authority.cert_pem.write_to_path(str(made.ca))
        made.renew()
        return made

    @property
    def ca(self) -> Path:
        """Whom both sides trust."""
        return self.folder / "ca.pem"

    @property
    def server(self) -> Path:
        """The server's key and certificates."""
        return self.folder / "server.pem"

    def renew(self) -> None:
        """Another certificate for the server, in the same file."""
        made = self.authority.issue_cert(*SERVED)
        new = self.folder / "server.new"
        made.private_key_and_cert_chain_pem.write_to_path(str(new))
        new.rename(self.server)

    def client(self, name: str) -> Path:
        """A client's key and certificates, whose subject has this common name."""
        path = self.folder / f"{name}.pem"
        made = self.authority.issue_cert(
            f"{name}@example.org", common_name=name, organization_unit_name="packers"
        )
        key = load_pem_private_key(made.private_key_pem.bytes(), None)
        java_reads = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        path.write_bytes(java_reads + b"".join(each.bytes() for each in made.cert_chain_pems))
        return path

    def context(self, client: Path | None = None) -> ssl.SSLContext:
        """How a client of Python connects."""
        context = ssl.create_default_context(cafile=str(self.ca))
        if client is not None:
            context.load_cert_chain(client)
        return context
