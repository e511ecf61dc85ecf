"""The server of ``tests/server``."""

from tests.server.conftest import _prepared, served

__all__ = ["_prepared", "served"]
