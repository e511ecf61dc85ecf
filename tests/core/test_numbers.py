"""Numbers that clients know: codes and types are Kafka's, by another's table or by Kafka's own
documentation, and the draft's are those of 2015."""

from kio.schema.errors import ErrorCode as KafkasCode

from groups.core.configs.entries import ConfigOperation, ConfigType, Source
from groups.core.configs.topic import LONG_MAX
from groups.core.errors import ErrorCode
from protocol.requests.draft_errors import ERRORS, UNKNOWN, number_of
from rollcall.client.core.codes import DRAFT_NAMES, Code
from rollcall.client.core.heartbeat_delta import LEAVE_EPOCH, LEAVE_FOR_NOW_EPOCH

OURS = {
    ErrorCode.UNKNOWN_PARTITION_ASSIGNMENT_STRATEGY,
    ErrorCode.COMMITTING_PARTITIONS_NOT_ASSIGNED,
}
"""The draft's, which have no number of Kafka's."""


def test_codes_have_kafkas_numbers() -> None:
    theirs = {int(code): code.name.lower() for code in KafkasCode}
    ours = {name.lower(): int(c) for name, c in ErrorCode.__members__.items() if c not in OURS}
    assert {name: number for name, number in ours.items() if theirs.get(number) != name} == {}
    assert all(code not in theirs for code in OURS)


def test_the_library_has_the_same_error_codes() -> None:
    known = {code.name: int(code) for code in ErrorCode}
    shared = {code.name: int(code) for code in Code if code.name in known}
    assert len(shared) > 15
    assert shared == {name: known[name] for name in shared}


def test_the_draft_has_the_numbers_of_2015() -> None:
    assert {told.number: told.name for told in ERRORS} == DRAFT_NAMES
    assert [number_of(told.code) for told in ERRORS] == [14, 15, 16, 22, 23, 24, 25, 26, 27]
    assert number_of(ErrorCode.GROUP_MAX_SIZE_REACHED) == 81
    assert number_of(ErrorCode.FENCED_INSTANCE_ID) == UNKNOWN == -1


def test_configuration_has_kafkas_numbers() -> None:
    """DescribeConfigs and IncrementalAlterConfigs of Apache Kafka's protocol guide."""
    types = {"UNKNOWN": 0, "BOOLEAN": 1, "STRING": 2, "INT": 3, "LONG": 5, "DOUBLE": 6, "LIST": 7}
    assert {one.name: int(one) for one in ConfigType} == types
    assert {one.name: int(one) for one in Source} == {"STATIC_BROKER": 4, "DEFAULT": 5, "GROUP": 8}
    operations = {"SET": 0, "DELETE": 1, "APPEND": 2, "SUBTRACT": 3}
    assert {one.name: int(one) for one in ConfigOperation} == operations
    assert LONG_MAX == "9223372036854775807"


def test_members_leave_by_kafkas_epochs() -> None:
    """KIP-848: -1 for good, -2 a static member that will come back."""
    assert (LEAVE_EPOCH, LEAVE_FOR_NOW_EPOCH) == (-1, -2)
