"""Configurations of other clients: what means the same is taken, what means nothing is refused."""

import inspect
from typing import Any

import pytest

from rollcall.client import BlockingMember, Member, from_config
from rollcall.client.configs import NAMES
from rollcall.client.options import Settings
from rollcall.testing import Coordinator

ARGUMENTS = {*inspect.signature(Member.__init__).parameters, *Settings.__annotations__}


def test_every_name_leads_to_an_argument_of_a_member() -> None:
    assert {argument for argument, _ in NAMES.values()} <= ARGUMENTS
    inherited = {name for each in Settings.__mro__ for name in getattr(each, "__annotations__", {})}
    assert {argument for argument, _ in NAMES.values()} & (inherited - ARGUMENTS) == set()


@pytest.mark.parametrize(
    "config",
    [
        {
            "group.id": "g",
            "auto.offset.reset": "earliest",
            "session.timeout.ms": "6000",
            "heartbeat.interval.ms": 1000,
            "partition.assignment.strategy": "cooperative-sticky, range",
        },
        {
            "group_id": "g",
            "enable_auto_commit": False,
            "session_timeout_ms": 6000,
            "heartbeat_interval_ms": 1000,
            "partition_assignment_strategy": [type("Range", (), {"name": "range"})],
        },
        {"group.id": "g", "group.protocol": "CONSUMER", "group.remote.assignor": "range"},
    ],
    ids=["confluent-kafka", "aiokafka", "consumer protocol"],
)
def test_a_member_joins_by_the_configuration_of_another_client(config: dict[str, Any]) -> None:
    with Coordinator({"orders": 2}) as coordinator:
        bootstrap = {"bootstrap.servers": coordinator.bootstrap}
        taken = from_config({**bootstrap, **config})
        with BlockingMember(topics=["orders"], **taken) as member:
            next(member.changes(timeout_s=30))
            assert member.assignment() == member.assigned and len(member.assigned) == 2


def test_a_token_callback_of_confluent_kafka_is_a_token_provider() -> None:
    taken = from_config({"oauth_cb": lambda text: (f"token{text}", 1e10)})
    assert taken["sasl_oauth_token_provider"]() == "token"


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"colour": "red"}, "'colour' means nothing to a member"),
        ({"group.id": "a", "group_id": "b"}, "'group.id' and 'group_id' are the same setting"),
        ({"session.timeout.ms": "soon"}, "'session.timeout.ms' cannot be 'soon'"),
        ({"partition.assignment.strategy": 3}, "cannot be 3"),
    ],
)
def test_what_means_nothing_is_refused(config: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        from_config(config)
