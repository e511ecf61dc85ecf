"""The table of APIs: every API of the Kafka port, its versions, its handler.

ApiVersions, dispatch, the docs and the tests read it. To add an API: CONTRIBUTING.md.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module

from groups.core.kinds import COMMANDED, KINDS
from protocol.handlers import (
    acknowledge_command,
    add_offsets_to_txn,
    alter_client_quotas,
    alter_user_scram_credentials,
    api_versions,
    consumer_group_describe,
    consumer_group_heartbeat,
    consumer_group_install_assignment,
    consumer_group_prepare_assignment,
    create_acls,
    create_partitions,
    create_topics,
    delete_acls,
    delete_groups,
    delete_topics,
    describe_acls,
    describe_client_quotas,
    describe_cluster,
    describe_configs,
    describe_groups,
    describe_log_dirs,
    describe_topic_partitions,
    describe_transactions,
    describe_user_scram_credentials,
    end_txn,
    fetch,
    find_coordinator,
    heartbeat,
    incremental_alter_configs,
    init_producer_id,
    join_group,
    leave_group,
    list_config_resources,
    list_groups,
    list_offsets,
    list_transactions,
    metadata,
    offset_commit,
    offset_delete,
    offset_fetch,
    poll_commands,
    produce,
    sasl_authenticate,
    sasl_handshake,
    sync_group,
    txn_offset_commit,
)
from protocol.requests.api_row import Api, Handler, api_of
from protocol.requests.call import Served
from rollcall.wire.messages import MESSAGES


def _api(key: int, handle: Handler) -> Api:
    return api_of(MESSAGES[key], handle)


def _of_commanded_groups() -> Iterator[Api]:
    """By which members join them: a kind that is a plug-in, and may not exist."""
    if COMMANDED in KINDS:
        yield _api(10000, import_module("protocol.handlers.register_consumer").handle)


APIS: Mapping[int, Api] = {
    api.key: api
    for api in (
        _api(0, produce.handle),
        _api(1, fetch.handle),
        _api(2, list_offsets.handle),
        _api(3, metadata.handle),
        _api(8, offset_commit.handle),
        _api(9, offset_fetch.handle),
        _api(10, find_coordinator.handle),
        _api(11, join_group.handle),
        _api(12, heartbeat.handle),
        _api(13, leave_group.handle),
        _api(14, sync_group.handle),
        _api(15, describe_groups.handle),
        _api(16, list_groups.handle),
        _api(17, sasl_handshake.handle),
        _api(18, api_versions.handle),
        _api(19, create_topics.handle),
        _api(20, delete_topics.handle),
        _api(22, init_producer_id.handle),
        _api(25, add_offsets_to_txn.handle),
        _api(26, end_txn.handle),
        _api(28, txn_offset_commit.handle),
        _api(29, describe_acls.handle),
        _api(30, create_acls.handle),
        _api(31, delete_acls.handle),
        _api(32, describe_configs.handle),
        _api(35, describe_log_dirs.handle),
        _api(36, sasl_authenticate.handle),
        _api(37, create_partitions.handle),
        _api(42, delete_groups.handle),
        _api(44, incremental_alter_configs.handle),
        _api(47, offset_delete.handle),
        _api(48, describe_client_quotas.handle),
        _api(49, alter_client_quotas.handle),
        _api(50, describe_user_scram_credentials.handle),
        _api(51, alter_user_scram_credentials.handle),
        _api(60, describe_cluster.handle),
        _api(65, describe_transactions.handle),
        _api(66, list_transactions.handle),
        _api(68, consumer_group_heartbeat.handle),
        _api(69, consumer_group_describe.handle),
        _api(74, list_config_resources.handle),
        _api(75, describe_topic_partitions.handle),
        *_of_commanded_groups(),
        _api(10001, poll_commands.handle),
        _api(10002, acknowledge_command.handle),
        _api(10010, consumer_group_prepare_assignment.handle),
        _api(10011, consumer_group_install_assignment.handle),
    )
}


UNAUTHENTICATED: Mapping[int, Api] = {key: APIS[key] for key in (17, 18, 36)}
"""The APIs that a listener with SASL serves to a connection that has not authenticated, or must
authenticate again: SaslHandshake, ApiVersions, SaslAuthenticate."""


def advertised() -> list[Served]:
    """(key, min version, max version) of every API, in key order, for ApiVersions."""
    return [(api.key, api.min_version, api.max_version) for api in APIS.values()]
