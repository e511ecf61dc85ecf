"""What tests of the whole site share with those of REST."""

from tests.api.conftest import broker

__all__ = ["broker"]
