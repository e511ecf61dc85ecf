"""A commanded member's requests as messages, and the partitions in a command.

Values in, values out; ``commanded`` decides when.
"""

from collections.abc import Mapping
from typing import Final

from rollcall.client.core.events import Identity, Millis, Subscription, TopicPartition
from rollcall.wire.messages.acknowledge_command import AcknowledgeCommandRequest
from rollcall.wire.messages.poll_commands import Command, PollCommandsRequest
from rollcall.wire.messages.register_consumer import RegisterConsumerRequest, TopicThreads

START: Final = "start-fetcher"
"""Any other command means stop: a member that stops too often does no harm."""

BY_NAME, WHITE_LIST, BLACK_LIST = 0, 1, 2


def register(
    identity: Identity, member_id: str, generation: int, offered: Subscription
) -> RegisterConsumerRequest:
    """RegisterConsumer; ``generation`` -1 if it works on nothing."""
    lists = {WHITE_LIST: offered.pattern, BLACK_LIST: offered.blacklist}
    kind = next((number for number, pattern in lists.items() if pattern is not None), BY_NAME)
    return RegisterConsumerRequest(
        group_id=identity.group,
        consumer_id=member_id,
        generation_id=generation,
        session_timeout_ms=identity.session_timeout_ms,
        topics=[
            TopicThreads(name=name, threads=offered.threads_of(name)) for name in offered.topics
        ],
        filter_type=kind,
        pattern=lists.get(kind),
        pattern_threads=offered.threads,
    )


def poll(identity: Identity, member_id: str, received: int, wait_ms: Millis) -> PollCommandsRequest:
    """PollCommands after the greatest command that was received."""
    return PollCommandsRequest(
        group_id=identity.group, member_id=member_id, last_command_id=received, max_wait_ms=wait_ms
    )


def acknowledge(identity: Identity, member_id: str, command_id: int) -> AcknowledgeCommandRequest:
    """AcknowledgeCommand."""
    return AcknowledgeCommandRequest(
        group_id=identity.group, member_id=member_id, command_id=command_id
    )


def owned_by(command: Command) -> Mapping[TopicPartition, int] | None:
    """The partitions in a command, with their threads: none for a stop; None: unchanged."""
    if command.option != START:
        return {}
    if command.ownership is None:
        return None
    return {
        TopicPartition(topic.name, each.partition): int(each.consumer_thread.rpartition("-")[2])
        for topic in command.ownership
        for each in topic.partitions
    }
