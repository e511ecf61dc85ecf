"""Metadata (3) v0 on the draft's listener: as on the Kafka port, with the draft's ports."""

from collections.abc import Sequence
from functools import partial

from groups.cluster.view import NodeAddress
from protocol.call import Call
from protocol.handlers import metadata
from rollcall.wire.codec import LARGE_ELEMENTS
from rollcall.wire.messages.draft.metadata import (
    TopicMetadataBroker,
    TopicMetadataPartition,
    TopicMetadataRequest,
    TopicMetadataResponse,
    TopicMetadataTopic,
)
from rollcall.wire.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponsePartition,
)


async def handle(request: TopicMetadataRequest, call: Call) -> TopicMetadataResponse:
    """All topics for an empty list, as in every v0."""
    modern_request = MetadataRequest(
        topics=[MetadataRequestTopic(name=name) for name in request.topics]
    )
    known = await metadata.handle(modern_request, call)
    making = partial(_response, known, call.node.cluster.brokers)
    count = sum(len(topic.partitions) for topic in known.topics)
    return await call.beside(making) if count > LARGE_ELEMENTS else making()


def _response(known: MetadataResponse, brokers: Sequence[NodeAddress]) -> TopicMetadataResponse:
    return TopicMetadataResponse(
        brokers=[
            TopicMetadataBroker(node_id=b.node_id, host=at.host, port=at.port)
            for b in brokers
            if (at := b.draft)
        ],
        topics=[
            TopicMetadataTopic(
                error_code=topic.error_code,
                name=topic.name or "",
                partitions=[_partition(partition) for partition in topic.partitions],
            )
            for topic in known.topics
        ],
    )


def _partition(known: MetadataResponsePartition) -> TopicMetadataPartition:
    return TopicMetadataPartition(
        error_code=known.error_code,
        partition=known.partition_index,
        leader=known.leader_id,
        replicas=known.replica_nodes,
        in_sync_replicas=known.isr_nodes,
    )
