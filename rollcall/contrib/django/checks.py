"""The setting ``ROLLCALL``: options of every worker of the project, and what is wrong with them."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

from rollcall.client import MemberError, from_config
from rollcall.client.cluster import addresses
from rollcall.client.options import Settings, identity_of
from rollcall.client.protocols import listed, of
from rollcall.client.security import of as security_of
from rollcall.client.security import taken

OPTIONS = ("assignor", "bootstrap", "client_id", "config", "group", "protocol", "rack")
"""Beside times and security; topics, names of static members and callbacks are of one worker."""


def options() -> dict[str, Any]:
    """The project's options, for ``Member``. ``config`` is one of another client (``from_config``),
    for instance that of its producers; the others take precedence."""
    given = getattr(settings, "ROLLCALL", {})
    if not isinstance(given, Mapping):
        raise ValueError("ROLLCALL is not a dict")
    known = {*OPTIONS, *Settings.__annotations__, *_inherited()}
    odd = given.keys() - known
    if odd:
        wrong, right = (", ".join(sorted(map(str, names))) for names in (odd, known))
        raise ValueError(f"ROLLCALL has no options {wrong}; it has {right}")
    own = {name: value for name, value in given.items() if name != "config"}
    return {**from_config(given.get("config") or {}), **own} if "config" in given else own


def _inherited() -> set[str]:
    bases = getattr(Settings, "__orig_bases__", ())
    return {name for base in bases for name in getattr(base, "__annotations__", {})}


def problem() -> str | None:
    """What is wrong with the setting; None: nothing. Connects to nothing."""
    try:
        chosen = options()
        if "bootstrap" in chosen:
            addresses(chosen["bootstrap"])
        named = (*OPTIONS, "instance_id")
        secrets, times = taken({n: v for n, v in chosen.items() if n not in named})
        security_of(secrets)
        spoken = of(chosen.get("protocol", "consumer"))
        identity_of(spoken, listed(chosen.get("assignor")), "group", None, None, times)
    except (MemberError, TypeError, ValueError) as error:
        return str(error)
    return None


def check_setting(app_configs: object, **_: object) -> list[CheckMessage]:
    """Django's system check: ``manage.py check`` and every command report it."""
    found = problem()
    return [] if found is None else [Error(f"ROLLCALL: {found}", id="rollcall.E001")]
