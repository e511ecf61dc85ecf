"""What an import does and what it cannot do, from two snapshots."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollcall.importing.plan import Action, Step, Subject, Wanted, plan
from rollcall.importing.snapshot import Committed, Group, Rule, Snapshot

EMPTY = Snapshot({}, {}, None)
RULE = Rule(2, "orders", 3, "User:ann", "*", 3, 3)


def idle(*offsets: int, kind: str = "Classic", topic: str = "orders") -> Group:
    """A group without members, with these offsets of partitions 0, 1, ..."""
    return Group(
        kind, "Empty", {(topic, n): Committed(offset, f"m{n}") for n, offset in enumerate(offsets)}
    )


def planned(source: Snapshot, target: Snapshot = EMPTY, wanted: Wanted | None = None) -> list[str]:
    """Each step as a line."""
    steps = plan(source, target, wanted or Wanted(rules=False))
    return [f"{s.subject} {s.name} {s.action}: {s.detail}" for s in steps]


def apply(target: Snapshot, steps: list[Step]) -> Snapshot:
    """What the target has after the steps."""
    topics, groups = dict(target.topics), dict(target.groups)
    rules = target.rules
    for step in steps:
        if step.partitions:
            topics[step.name] = step.partitions
        if step.offsets:
            before = groups[step.name].offsets if step.name in groups else None
            groups[step.name] = Group("classic", "Empty", {**(before or {}), **step.offsets})
        if step.rules:
            rules = (rules or frozenset()) | set(step.rules)
    return Snapshot(topics, groups, rules)


def test_everything_of_a_new_installation() -> None:
    source = Snapshot({"orders": 2}, {"packers": idle(5, 0)}, frozenset((RULE,)))
    target = Snapshot({}, {}, frozenset())
    steps = plan(source, target, Wanted())
    assert [(s.subject, s.name, s.action) for s in steps] == [
        (Subject.TOPIC, "orders", Action.CREATE),
        (Subject.GROUP, "packers", Action.COMMIT),
        (Subject.ACLS, "User:ann", Action.CREATE),
    ]
    assert steps[1].offsets == source.groups["packers"].offsets
    again = plan(source, apply(target, steps), Wanted())
    assert {step.action for step in again} == {Action.NONE}


@pytest.mark.parametrize(
    ("group", "there", "why"),
    [
        (
            Group("Classic", "Stable", None),
            None,
            "it has members at the source (Stable): stop them",
        ),
        (Group("Classic", "", None), None, "it has members at the source (state not told)"),
        (Group("Share", "Empty", {}), None, "a Share group has no committed offsets"),
        (Group("Classic", "Empty", None, "a transaction"), None, "a transaction"),
        (idle(5), Group("classic", "Stable", None), "it has members at the target (Stable)"),
        (idle(5), idle(9), "the target is ahead in orders-0"),
        (idle(5, topic="gone"), None, "offsets of topics that are not there: gone"),
        (idle(5, 6, 7), None, "offsets of topics that are not there: orders"),
    ],
)
def test_what_cannot_be_moved_is_said(group: Group, there: Group | None, why: str) -> None:
    source = Snapshot({"orders": 2}, {"packers": group}, None)
    target = Snapshot({"orders": 2}, {"packers": there} if there else {}, None)
    assert any(line.startswith(f"group packers cannot: {why}") for line in planned(source, target))


def test_a_topic_grows_and_never_shrinks() -> None:
    source = Snapshot({"grown": 4, "less": 2, "same": 3}, {}, None)
    target = Snapshot({"grown": 2, "less": 3, "same": 3, "other": 1}, {}, None)
    assert planned(source, target) == [
        "topic grown grow: from 2 to 4 partitions",
        "topic less cannot: the target has 3 partitions, not 2: a topic does not shrink",
        "topic same none: 3 partitions",
    ]


def test_a_selection_by_names_and_patterns() -> None:
    source = Snapshot({"orders": 1, "other": 1}, {"a-1": idle(5), "b[1]": idle(5)}, None)
    wanted = Wanted(["b[1]", "nobody"], ["ord*"], rules=False)
    assert planned(source, EMPTY, wanted) == [
        "topic orders create: 1 partitions",
        "group nobody cannot: the source has none of this name",
        "group b[1] commit: 1 of 1 offsets",
    ]


def test_rules_need_an_authorizer() -> None:
    source = Snapshot({}, {}, frozenset((RULE,)))
    assert planned(source, EMPTY, Wanted()) == [
        "acls  cannot: 1 rules, and the target has no authorizer (authorizer.class.name)"
    ]
    assert planned(EMPTY, EMPTY, Wanted()) == ["acls  none: the source has no authorizer"]


@pytest.mark.parametrize("kind", ["draft", "commanded", "streams", ""])
def test_every_kind_but_share_groups_has_offsets_to_move(kind: str) -> None:
    """Back to Kafka, too, where the group's kind is not known."""
    source = Snapshot({"orders": 1}, {"g": idle(5, kind=kind)}, None)
    assert planned(source)[1] == "group g commit: 1 of 1 offsets"


SNAPSHOTS = st.builds(
    Snapshot,
    st.dictionaries(st.sampled_from("abc"), st.integers(1, 4)),
    st.dictionaries(
        st.sampled_from("gh"),
        st.builds(
            Group,
            st.sampled_from(("Classic", "Consumer", "Share")),
            st.sampled_from(("Empty", "Stable", "")),
            st.dictionaries(
                st.tuples(st.sampled_from("abc"), st.integers(0, 4)),
                st.builds(Committed, st.integers(0, 5), st.sampled_from(("", "m"))),
            ),
        ),
    ),
    st.none(),
)


@given(SNAPSHOTS, SNAPSHOTS)
def test_a_second_import_has_nothing_to_do_and_none_goes_back(
    source: Snapshot, target: Snapshot
) -> None:
    steps = plan(source, target, Wanted())
    after = apply(target, steps)
    assert {step.action for step in plan(source, after, Wanted())} <= {Action.NONE, Action.CANNOT}
    assert all(after.topics[name] >= count for name, count in target.topics.items())
    for name, group in target.groups.items():
        for at, committed in (group.offsets or {}).items():
            offsets = after.groups[name].offsets or {}
            assert offsets[at].offset >= committed.offset
            assert not group.is_live or offsets[at] == committed
