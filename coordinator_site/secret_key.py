"""Django's SECRET_KEY: made at the first start, kept in the data folder, never shown."""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

VARIABLE = "ROLLCALL_SECRET_KEY"
KEY_BYTES = 48
PRIVATE = 0o600
PASSABLE = 0o711
"""The mode that the launcher gives the data folder."""


def read(environ: Mapping[str, str], data_dir: Path) -> str:
    """The key: from the environment (several web hosts must share one), else from its file."""
    named = environ.get(VARIABLE)
    if named:
        return named
    file = data_dir / "secret-key"
    try:
        if not file.exists():
            make(file)
        return file.read_text().strip()
    except OSError as failure:
        raise ImproperlyConfigured(
            f"The secret key cannot be stored in the data directory ({failure}). Set"
            f" ROLLCALL_DATA_DIR to a directory that Rollcall can write, or {VARIABLE} to a long"
            " random text."
        ) from failure


def make(file: Path) -> None:
    """Create the file, completely or not at all; if several processes try, the first one wins."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=PASSABLE)
    part = file.with_name(f"secret-key.{secrets.token_hex(4)}")
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "w") as opened:
        opened.write(secrets.token_urlsafe(KEY_BYTES) + "\n")
    try:
        os.link(part, file)
    except FileExistsError:
        pass
    finally:
        part.unlink()
