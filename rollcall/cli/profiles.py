"""The selected installation and its token: from a file of profiles, the environment, options.

``$XDG_CONFIG_HOME/rollcall/config.toml`` has a table for each profile:

    default = "production"

    [profiles.production]
    url = "https://rollcall.example"
    token_file = "/run/secrets/rollcall-token"

Options take precedence over the environment, and the environment over the file.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rollcall.cli.failures import Code, Failure

URL: Final = "http://127.0.0.1:8000"
"""The web's default address under ``make run``."""

SCHEMES: Final = ("http://", "https://")

KEYS: Final = ("url", "token", "token_file", "ca_file")


@dataclass(frozen=True, slots=True)
class Profile:
    """An installation. ``ca_file`` "": the system's trusted certificates."""

    name: str
    url: str
    token: str
    ca_file: str = ""


def place(environ: Mapping[str, str]) -> Path:
    """The path of the file, whether it exists or not (the XDG Base Directory Specification)."""
    base = environ.get("XDG_CONFIG_HOME") or ""
    home = Path(base) if Path(base).is_absolute() else Path.home() / ".config"
    return home / "rollcall" / "config.toml"


def read(path: Path) -> Mapping[str, Any]:
    """The content of the file; {} if it does not exist. Raises ``Failure`` if it is invalid."""
    try:
        with path.open("rb") as file:
            content = tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Failure(Code.USAGE, f"{path} cannot be read: {error}") from None
    profiles = content.get("profiles", {})
    if not isinstance(profiles, dict) or not all(isinstance(p, dict) for p in profiles.values()):
        raise Failure(Code.USAGE, f"{path}: profiles are tables, [profiles.NAME].")
    for name, profile in profiles.items():
        for key, value in profile.items():
            if key not in KEYS or not isinstance(value, str):
                keys = ", ".join(KEYS)
                raise Failure(
                    Code.USAGE,
                    f"{path}: {name}.{key} is not a string with one of the names {keys}.",
                )
    return content


def chosen(name: str | None, url: str | None, environ: Mapping[str, str]) -> Profile:
    """The selected profile. Raises ``Failure`` if it does not exist."""
    path = place(environ)
    content = read(path)
    profiles = content.get("profiles", {})
    selected = name or environ.get("ROLLCALL_PROFILE") or content.get("default") or ""
    if selected and selected not in profiles:
        names = ", ".join(sorted(profiles)) or "none"
        raise Failure(Code.USAGE, f"{path} has no profile {selected!r}; it has: {names}.")
    profile = profiles.get(selected, {})
    # A token in the environment must not be sent to another installation that was selected.
    around = {} if name else environ
    where = (url or around.get("ROLLCALL_URL") or profile.get("url") or URL).rstrip("/")
    if not where.lower().startswith(SCHEMES):
        raise Failure(Code.USAGE, f"The URL begins with http:// or https://, not {where!r}.")
    return Profile(
        name=selected,
        url=where,
        token=around.get("ROLLCALL_TOKEN") or _token(profile, path),
        ca_file=profile.get("ca_file", ""),
    )


def _token(profile: Mapping[str, str], path: Path) -> str:
    named = profile.get("token_file")
    if not named:
        return profile.get("token", "")
    try:
        return (path.parent / Path(named).expanduser()).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(Code.USAGE, f"The token's file cannot be read: {error}") from None


def environment() -> Mapping[str, str]:
    """The process's environment."""
    return os.environ
