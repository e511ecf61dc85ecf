"""Metadata (3) v0 on the draft's listener: as on the Kafka port, with the draft's ports."""

from collections.abc import Sequence
from functools import partial

from groups.cluster.view import NodeAddress
from protocol.handlers import metadata
from protocol.requests.call import Call
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
    response = await metadata.handle(modern_request, call)
    making = partial(_response, response, call.node.cluster.brokers)
    count = sum(len(topic.partitions) for topic in response.topics)
    return await call.beside(making) if count > LARGE_ELEMENTS else making()


def _response(response: MetadataResponse, brokers: Sequence[NodeAddress]) -> TopicMetadataResponse:
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
            for topic in response.topics
        ],
    )


def _partition(partition: MetadataResponsePartition) -> TopicMetadataPartition:
    return TopicMetadataPartition(
        error_code=partition.error_code,
        partition=partition.partition_index,
        leader=partition.leader_id,
        replicas=partition.replica_nodes,
        in_sync_replicas=partition.isr_nodes,
    )
