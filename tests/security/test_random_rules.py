"""Random rules, and what each API answers by them: what the rules say by themselves, no more and no
less. ``tests/core/test_acls.py`` compares the rules with Kafka's, ``test_authorization`` the table
with each need alone."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from groups.core.acls.bindings import (
    ANY_NAME,
    CLUSTER_NAME,
    EVERYBODY,
    OPERATIONS,
    AclOperation,
    Binding,
    PatternType,
    Permission,
    ResourceType,
)
from groups.core.acls.index import AclIndex, Who
from groups.core.errors import ErrorCode
from protocol.authorization.table import Need
from protocol.requests.api_row import Api
from tests.security.asking import ERRORS, Tenant, codes, made
from tests.security.door import ANN, REFUSED, Door, every_case
from tests.security.test_authorization import due

LITERAL, MOSTLY = PatternType.LITERAL, 0.8
FEW, MANY = 300, 10_000
RULES_MAX = 6
WHO = Who(ANN, "127.0.0.1")
ANYBODY = (ANN, ANN, ANN, EVERYBODY, "User:ben")
HOSTS = (ANY_NAME, ANY_NAME, WHO.host, "10.0.0.1")
NAMES = ("anna-", "anna-", "a", "ben-", ANY_NAME)
"""Each says the same of all that is called ``anna-``."""

SOME = "anna-something"
PATTERNS = ("every one that a pattern can match", "every one that a filter can match")
PRODUCERS = "without a transactional id; or WRITE on any topic"


def rule(rng: Random, needs: Sequence[Need]) -> Binding:
    """Mostly about what is needed, mostly of Ann."""
    need = rng.choice(needs) if needs and rng.random() < MOSTLY else None
    kind = rng.choice(list(OPERATIONS)) if need is None else need.resource
    others = [*OPERATIONS[kind], AclOperation.ALL]
    operation = need.operation if need and rng.random() < MOSTLY else rng.choice(others)
    is_cluster = kind is ResourceType.CLUSTER
    return Binding(
        kind,
        CLUSTER_NAME if is_cluster else rng.choice(NAMES),
        PatternType.LITERAL if is_cluster else rng.choice([PatternType.PREFIXED] * 2 + [LITERAL]),
        rng.choice(ANYBODY),
        rng.choice(HOSTS),
        operation,
        rng.choice([Permission.ALLOW] * 5 + [Permission.DENY]),
    )


def is_met(index: AclIndex, need: Need) -> bool:
    """By the rules alone."""
    instead = need.instead
    if instead and index.allows(WHO, instead, ResourceType.CLUSTER, CLUSTER_NAME):
        return True
    if need.note in PATTERNS:
        return index.allows_all(WHO, need.operation, need.resource, "anna-topic")
    if need.note == PRODUCERS and index.allows_any(WHO, AclOperation.WRITE, ResourceType.TOPIC):
        return True
    name = CLUSTER_NAME if need.resource is ResourceType.CLUSTER else SOME
    return index.allows(WHO, need.operation, need.resource, name)


def _failed_whole(answer: Any) -> bool:
    """Whether it has an error of its own, and so names nothing."""
    return bool(getattr(answer, "error_code", 0))


def fault(answer: Any, missing: Sequence[Need], api: Api, tenant: Tenant) -> str:
    """What is wrong with an answer, "" where nothing is."""
    refused = set(codes(answer)) & REFUSED
    number = {need: api.number_of(ERRORS[need.resource.name]) for need in missing}
    if not missing:
        return "was refused" if refused else ""
    whole = [need for need in missing if not (need.is_each or need.in_handler)]
    if whole:
        return "" if refused == {number[whole[0]]} else "not refused as a whole"
    if not refused <= set(number.values()):
        return "refused for something else"
    loud = {number[need] for need in missing if need.is_each}
    if not loud <= refused and not _failed_whole(answer):
        return "not refused"
    if refused or ErrorCode.INVALID_REQUEST in codes(
        answer
    ):  # of an id with a name: it is said again
        return ""
    names = [tenant.called(need.resource.name) for need in missing]
    return "shown" if any(name in repr(answer) for name in names) else ""


@pytest.mark.parametrize(
    "calls", [FEW, pytest.param(MANY, marks=[pytest.mark.long, pytest.mark.timeout(300)])]
)
async def test_every_response_follows_the_rules(door: Door, calls: int) -> None:
    rng, cases, faults = Random(17), every_case(), list[Any]()
    for _ in range(calls):
        where, api, variant = rng.choice(cases).values
        version, tenant = rng.randint(api.min_version, api.max_version), door.tenant("anna")
        request = made(api.request, version, tenant, variant)
        needs = due(api, request, variant, version)
        rules = [rule(rng, needs) for _ in range(rng.randint(0, RULES_MAX))]
        door.allow(rules)
        answer = await door.ask(api, request, version, where)
        index = AclIndex(rules)
        missing = [need for need in needs if not is_met(index, need)]
        if wrong := fault(answer, missing, api, tenant):
            faults.append((api.name, version, wrong, missing, rules, answer))
    assert not faults, (len(faults), faults[0])
