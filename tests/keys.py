"""Keys of RSA that tests share: one takes a twentieth of a second of a processor to make, in each
worker of a run."""

from joserfc.jwk import RSAKey

KEY = RSAKey.generate_key(2048, {"kid": "one"})
"""The issuer's and the provider's own."""

OTHER = RSAKey.generate_key(2048, {"kid": "one"})
"""Somebody else's, or the next one."""
