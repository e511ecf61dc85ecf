"""The numbers of error codes, compared with the coordinator's, which has most of them."""

from typing import Final

import pytest

from groups.core.errors import ErrorCode
from rollcall.client.core.codes import Code

NOT_OF_GROUPS: Final = {
    "REQUEST_TIMED_OUT": 7,
    "UNSUPPORTED_SASL_MECHANISM": 33,
    "ILLEGAL_SASL_STATE": 34,
    "SASL_AUTHENTICATION_FAILED": 58,
}
"""Kafka's numbers for these."""


@pytest.mark.parametrize("name", Code.__members__)
def test_a_code_has_the_number_of_its_name(name: str) -> None:
    numbers = {each.name: each.value for each in ErrorCode} | NOT_OF_GROUPS
    assert Code[name].value == numbers[name]
