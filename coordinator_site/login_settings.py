"""Whether the settings of the OpenID provider make sense together (docs/security.md)."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from coordinator_site.setting_kinds import SettingError

ISSUER: Final = "ROLLCALL_WEB_OIDC_ISSUER (web.oidc.issuer)"
NEEDED: Final = ("WEB_OIDC_CLIENT_ID", "WEB_OIDC_ROLES")


def check(settings: Mapping[str, Any]) -> None:
    """Raises ``SettingError``. Without an issuer the other settings are not checked."""
    issuer = settings["WEB_OIDC_ISSUER"]
    if not issuer:
        return
    parts = urlsplit(issuer)
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_loopback(parts.hostname)):
        raise SettingError(f"{ISSUER} must be a URL of https, or of http on loopback.")
    for name in NEEDED:
        if not settings[name]:
            raise SettingError(f"{ISSUER} needs ROLLCALL_{name} as well.")
    if "openid" not in settings["WEB_OIDC_SCOPES"].split():
        raise SettingError("ROLLCALL_WEB_OIDC_SCOPES (web.oidc.scopes) must have openid.")


def _is_loopback(host: str | None) -> bool:
    try:
        return ip_address(host or "").is_loopback
    except ValueError:
        return host == "localhost"
