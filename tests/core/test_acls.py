"""Access rules: what a set of bindings says, compared with Kafka's rule written out in full."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groups.core.acls import forms
from groups.core.acls.bindings import (
    ANY_NAME,
    EVERYBODY,
    OPERATIONS,
    AclOperation,
    Binding,
    Filter,
    PatternType,
    Permission,
    ResourceType,
)
from groups.core.acls.index import AclIndex, Who, host
from groups.core.errors import Refuse

TOPIC, GROUP = ResourceType.TOPIC, ResourceType.GROUP
LITERAL, PREFIXED = PatternType.LITERAL, PatternType.PREFIXED
READ, WRITE, DESCRIBE, ALL = (
    AclOperation.READ,
    AclOperation.WRITE,
    AclOperation.DESCRIBE,
    AclOperation.ALL,
)
ALLOW, DENY = Permission.ALLOW, Permission.DENY
ANN = Who("User:ann", "10.0.0.1")

NAMES = ("a", "ab", "abc", "b", ANY_NAME)
bindings = st.builds(
    Binding,
    st.sampled_from((TOPIC, GROUP)),
    st.sampled_from(NAMES),
    st.sampled_from((LITERAL, PREFIXED)),
    st.sampled_from(("User:ann", "User:ben", EVERYBODY)),
    st.sampled_from(("10.0.0.1", "10.0.0.2", "*")),
    st.sampled_from((READ, WRITE, DESCRIBE, ALL, AclOperation.ALTER_CONFIGS)),
    st.sampled_from((ALLOW, DENY)),
)
sets = st.frozensets(bindings, max_size=8)
people = st.builds(
    Who, st.sampled_from(("User:ann", "User:ben")), st.sampled_from(("10.0.0.1", "10.0.0.2"))
)
operations = st.sampled_from((READ, WRITE, DESCRIBE, AclOperation.DESCRIBE_CONFIGS))


def rule(
    name: str = "a",
    operation: AclOperation = READ,
    permission: Permission = ALLOW,
    pattern: PatternType = LITERAL,
    principal: str = "User:ann",
    where: str = "*",
    kind: ResourceType = TOPIC,
) -> Binding:
    return Binding(kind, name, pattern, principal, where, operation, permission)


def has_a_say(binding: Binding, name: str) -> bool:
    if binding.pattern is PREFIXED:
        return name.startswith(binding.name)
    return binding.name in (name, ANY_NAME)


def is_about(binding: Binding, who: Who) -> bool:
    is_he = binding.principal in (who.principal, EVERYBODY)
    return is_he and binding.host in (who.host, "*")


def kafka_says(
    known: frozenset[Binding], who: Who, operation: AclOperation, kind: ResourceType, name: str
) -> bool:
    """Every binding, one after another."""
    implying = {
        DESCRIBE: {DESCRIBE, READ, WRITE, AclOperation.DELETE, AclOperation.ALTER, ALL},
        AclOperation.DESCRIBE_CONFIGS: {
            AclOperation.DESCRIBE_CONFIGS,
            AclOperation.ALTER_CONFIGS,
            ALL,
        },
    }.get(operation, {operation, ALL})
    mine = [b for b in known if b.resource_type is kind and has_a_say(b, name) and is_about(b, who)]
    if any(b.permission is DENY and b.operation in (operation, ALL) for b in mine):
        return False
    return any(b.permission is ALLOW and b.operation in implying for b in mine)


@given(sets, people, operations, st.sampled_from((TOPIC, GROUP)), st.sampled_from(NAMES[:4]))
def test_the_index_agrees_with_a_scan_of_all_bindings(
    known: frozenset[Binding], who: Who, operation: AclOperation, kind: ResourceType, name: str
) -> None:
    found = AclIndex(known).allows(who, operation, kind, name)
    assert found == kafka_says(known, who, operation, kind, name)


@given(sets, people, operations, st.sampled_from(NAMES[:4]))
def test_a_right_on_a_prefix_covers_each_name(
    known: frozenset[Binding], who: Who, operation: AclOperation, prefix: str
) -> None:
    """And a denial of any of them is enough."""
    index = AclIndex(known)
    if index.allows_all(who, operation, TOPIC, prefix):
        for tail in ("", "b", "bc", "c", "zz"):
            assert index.allows(who, operation, TOPIC, prefix + tail)


@given(sets, people, operations)
def test_a_right_on_some_topic_is_enough_to_be_admitted(
    known: frozenset[Binding], who: Who, operation: AclOperation
) -> None:
    """KIP-679, against every name that these bindings can tell apart; and nobody else is."""
    index = AclIndex(known)
    some = [a + b for a, b in product((*NAMES, "x"), ("", "y", "zz"))]
    may = any(index.allows(who, operation, TOPIC, name) for name in some if name != ANY_NAME)
    assert index.allows_any(who, operation, TOPIC) == may


def test_without_a_rule_everything_is_denied() -> None:
    assert not AclIndex().allows(ANN, READ, TOPIC, "a")
    assert AclIndex(allow_everyone=True).allows(ANN, READ, TOPIC, "a")


def test_where_the_default_allows_a_rule_about_a_name_denies_others() -> None:
    index = AclIndex([rule(principal="User:ben")], allow_everyone=True)
    assert not index.allows(ANN, READ, TOPIC, "a")
    assert index.allows(ANN, READ, TOPIC, "b")
    assert not index.allows_all(ANN, READ, TOPIC)


def test_a_super_user_is_allowed_even_what_is_denied() -> None:
    index = AclIndex([rule(permission=DENY)], ["User:ann"])
    assert index.allows(ANN, READ, TOPIC, "a")
    assert index.allows_any(ANN, WRITE, TOPIC)
    assert index.allows_all(ANN, WRITE, TOPIC)


def test_a_denial_wins_and_implies_nothing() -> None:
    index = AclIndex([rule(operation=ALL), rule(operation=READ, permission=DENY)])
    assert not index.allows(ANN, READ, TOPIC, "a")
    assert index.allows(ANN, DESCRIBE, TOPIC, "a")


def test_a_denial_survives_the_removal_of_other_rules() -> None:
    """CVE-2024-27309, of three rules about one resource: each of the others in turn."""
    denial = rule(operation=READ, permission=DENY)
    others = [rule(operation=ALL), rule(operation=WRITE, principal="User:ben")]
    for gone in others:
        left = AclIndex({denial, *others} - {gone})
        assert not left.allows(ANN, READ, TOPIC, "a")


@pytest.mark.parametrize("written", ["::1", "0:0:0:0:0:0:0:1", "0000::0001"])
def test_an_ipv6_address_has_many_forms(written: str) -> None:
    index = AclIndex([rule(where=written)])
    assert index.allows(Who("User:ann", host("::1")), READ, TOPIC, "a")
    assert not index.allows(Who("User:ann", host("::2")), READ, TOPIC, "a")


@dataclass
class Case:
    """A filter, and which of these bindings it means."""

    asked: Filter
    means: str


KNOWN = {
    "abc": rule("abc"),
    "ab*": rule("ab", pattern=PREFIXED),
    "*": rule(ANY_NAME),
    "b": rule("b", principal="User:ben"),
}


@pytest.mark.parametrize(
    "case",
    [
        Case(Filter(), "abc ab* * b"),
        Case(Filter(name="abc"), "abc"),
        Case(Filter(name="abc", pattern=PatternType.MATCH), "abc ab* *"),
        Case(Filter(name="abc", pattern=PREFIXED), ""),
        Case(Filter(name="ab", pattern=PREFIXED), "ab*"),
        Case(Filter(pattern=LITERAL), "abc * b"),
        Case(Filter(principal="User:ben"), "b"),
        Case(Filter(resource_type=GROUP), ""),
        Case(Filter(operation=WRITE), ""),
        Case(Filter(permission=DENY), ""),
        Case(Filter(host="10.0.0.1"), ""),
    ],
    ids=str,
)
def test_an_open_field_of_a_filter_matches_everything(case: Case) -> None:
    assert [key for key, each in KNOWN.items() if case.asked.matches(each)] == case.means.split()


def test_a_filter_without_open_fields_is_a_binding() -> None:
    made = rule("a")
    assert Filter(*made).binding == made
    assert Filter(*made)._replace(pattern=PatternType.MATCH).binding is None
    assert Filter(*made)._replace(name=None).binding is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": ""}, "Invalid empty resource name"),
        ({"principal": "ann"}, "Could not parse principal from `ann`"),
        ({"operation": AclOperation.ANY}, "Invalid operation ANY"),
        ({"operation": AclOperation.UNKNOWN}, "Invalid operation UNKNOWN"),
        ({"pattern": PatternType.MATCH}, "Invalid patternType MATCH"),
        ({"permission": Permission.ANY}, "Invalid permissionType ANY"),
        ({"resource_type": ResourceType.ANY}, "Invalid resourceType ANY"),
        ({"resource_type": ResourceType.CLUSTER}, "The only valid name for the CLUSTER resource"),
        ({"host": ""}, "Invalid empty host"),
        ({"name": "x" * 1025}, "more than 1024 bytes"),
        ({"principal": "User:\0"}, "U+0000"),
    ],
    ids=str,
)
def test_an_invalid_binding_is_refused_in_kafkas_words(change: Any, sentence: str) -> None:
    with pytest.raises(Refuse) as refused:
        forms.check(rule()._replace(**change))
    assert sentence in str(refused.value.detail)


def test_super_users_are_separated_by_semicolons() -> None:
    assert forms.check_principals(" User:ann; User:CN=b,O=c ;") == ("User:ann", "User:CN=b,O=c")
    for wrong in ("ann", "User:", ":ann"):
        with pytest.raises(ValueError, match="Could not parse principal"):
            forms.check_principals(wrong)


def test_every_operation_is_one_of_kafkas() -> None:
    """KIP-430: of AclEntry.supportedOperations in 4.3.1."""
    assert {kind.name: len(known) for kind, known in OPERATIONS.items()} == {
        "TOPIC": 8,
        "GROUP": 5,
        "CLUSTER": 7,
        "TRANSACTIONAL_ID": 3,
    }


@pytest.mark.parametrize(
    ("name", "pattern", "prefix", "covers"),
    [
        ("ab", PREFIXED, "ab", True),
        ("ab", PREFIXED, "abc", True),
        ("ab", PREFIXED, "a", False),
        ("ab", LITERAL, "ab", False),
        (ANY_NAME, LITERAL, "", True),
        (ANY_NAME, LITERAL, "ab", True),
    ],
)
def test_a_prefix_is_covered_by_a_shorter_prefix(
    name: str, pattern: PatternType, prefix: str, covers: bool
) -> None:
    assert AclIndex([rule(name, pattern=pattern)]).allows_all(ANN, READ, TOPIC, prefix) is covers


def test_where_the_default_allows_a_prefix_is_covered_unless_a_rule_names_it() -> None:
    index = AclIndex(
        [rule("ab", pattern=PREFIXED, principal="User:ben"), rule("x", principal="User:ben")],
        allow_everyone=True,
    )
    assert index.allows_all(ANN, READ, TOPIC, "b")
    assert not any(index.allows_all(ANN, READ, TOPIC, prefix) for prefix in ("", "a", "abc", "x"))


def test_a_denial_of_a_name_does_not_cover_longer_names() -> None:
    """As Kafka 4.3.1 answers InitProducerId; a denial of the prefix does not."""
    allowed = rule("a", WRITE, pattern=PREFIXED)
    assert AclIndex([allowed, rule("a", WRITE, DENY)]).allows_any(ANN, WRITE, TOPIC)
    denied = rule("a", WRITE, DENY, pattern=PREFIXED)
    assert not AclIndex([allowed, denied]).allows_any(ANN, WRITE, TOPIC)


def test_some_topic_means_any_that_is_not_denied() -> None:
    denied = rule(ANY_NAME, permission=DENY)
    for allowed in (rule("a"), rule("a", pattern=PREFIXED), rule(ANY_NAME)):
        assert AclIndex([allowed]).allows_any(ANN, READ, TOPIC)
        assert not AclIndex([allowed, denied]).allows_any(ANN, READ, TOPIC)
        assert not AclIndex([allowed]).allows_any(ANN, WRITE, TOPIC)
    assert not AclIndex([denied], allow_everyone=True).allows_any(ANN, READ, TOPIC)
