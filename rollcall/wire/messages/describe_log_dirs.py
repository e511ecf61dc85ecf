"""DescribeLogDirs: where brokers keep the records of partitions (KIP-113, KIP-827, KIP-1066)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, boolean, int16, int32, int64, string


@struct
class DescribableLogDirTopic(Struct):
    """Partitions of a topic."""

    topic: str = wire(string)
    partitions: Sequence[int] = wire(array(int32))


@message(api_key=35, versions="1-5", flexible="2+")
class DescribeLogDirsRequest(Message):
    """Of which partitions; None: of all."""

    topics: Sequence[DescribableLogDirTopic] | None = wire(
        array(DescribableLogDirTopic), nullable_since=0
    )


@struct
class DescribeLogDirsPartition(Struct):
    """A partition's log."""

    partition_index: int = wire(int32)
    partition_size: int = wire(int64)
    offset_lag: int = wire(int64)
    is_future_key: bool = wire(boolean)


@struct
class DescribeLogDirsTopic(Struct):
    """The logs of a topic."""

    name: str = wire(string)
    partitions: Sequence[DescribeLogDirsPartition] = wire(array(DescribeLogDirsPartition))


@struct
class DescribeLogDirsResult(Struct):
    """A directory; -1 bytes: unknown."""

    error_code: int = wire(int16)
    log_dir: str = wire(string)
    topics: Sequence[DescribeLogDirsTopic] = wire(array(DescribeLogDirsTopic))
    total_bytes: int = wire(int64, since=4, default=-1)
    usable_bytes: int = wire(int64, since=4, default=-1)
    is_cordoned: bool = wire(boolean, since=5)


@message(api_key=35, versions="1-5", flexible="2+")
class DescribeLogDirsResponse(Message):
    """The broker's directories."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16, since=3)
    results: Sequence[DescribeLogDirsResult] = wire(array(DescribeLogDirsResult))
