"""The passwords of the database's logins."""

import hmac


def password(secret: str, role: str) -> str:
    """The password of a role's login. It is derived from the installation's password, and reveals
    nothing about that or about another role's."""
    return hmac.digest(secret.encode(), role.encode(), "sha256").hex()
