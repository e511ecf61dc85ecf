"""Certificates of a test's own, beside the server of this process."""

from pathlib import Path

import pytest

from tests.in_process import other
from tests.security.certificates import Certificates
from tests.server.conftest import _prepared

__all__ = ["_prepared", "other"]


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    """An authority, and a server's certificate of it."""
    return Certificates.make(tmp_path)
