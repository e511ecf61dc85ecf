"""Variants of what people reported of other coordinators and clients: other versions, other
connections, other orders."""

import contextlib
import time

from support import (
    ERR_NAME,
    Classic,
    Modern,
    any_err,
    connect,
    describe,
    eq,
    err,
    name,
    stable,
    state,
    topic,
    topic_id,
    until,
)


def partition(index):
    return {
        "partition": index,
        "current_leader_epoch": -1,
        "fetch_offset": 0,
        "log_start_offset": -1,
        "partition_max_bytes": 1000,
        "last_fetched_epoch": -1,
    }


def fetched(c, v, topics, epoch=-1, session=0):
    r = c.call(
        "Fetch",
        v,
        replica_id=-1,
        max_wait_ms=50,
        min_bytes=1,
        max_bytes=1000,
        isolation_level=0,
        session_id=session,
        session_epoch=epoch,
        topics=topics,
        forgotten_topics_data=[],
        rack_id="",
    )
    return r, {
        (t.get("topic") or str(t.get("topic_id")), p["partition_index"])
        for t in r["responses"]
        for p in t["partitions"]
    }


def case_fetch_names_each_partition_in_every_version():
    """A fetch without a session names all that it asks for in each answer, by name (v4 to v12) and
    by id (since v13), of two topics."""
    a, b = topic(2), topic(1)
    c = connect()
    for v in range(4, 19):
        key = (lambda t: t) if v < 13 else lambda t: str(topic_id(t))
        wanted = [
            ({"topic": t} if v < 13 else {"topic_id": topic_id(t)})
            | {"partitions": [partition(p) for p in ps]}
            for t, ps in ((a, (0, 1)), (b, (0,)))
        ]
        for again in range(2):
            eq(
                fetched(c, v, wanted)[1],
                {(key(a), 0), (key(a), 1), (key(b), 0)},
                f"v{v}, answer {again}",
            )


def case_fetch_that_begins_a_session_each_time_names_its_partition():
    """Clients without incremental fetches begin a session with each fetch."""
    t = topic(1)
    c = connect()
    for v in (7, 11, 12):
        for again in range(3):
            eq(
                fetched(c, v, [{"topic": t, "partitions": [partition(0)]}], epoch=0)[1],
                {(t, 0)},
                f"v{v}, answer {again}",
            )


def case_fetch_with_another_connection_each_time():
    """Each partition is named on a new connection, too."""
    t = topic(1)
    for _ in range(3):
        eq(fetched(connect(), 11, [{"topic": t, "partitions": [partition(0)]}])[1], {(t, 0)})


def case_list_offsets_names_each_partition():
    """ListOffsets names each partition for each special time; one that there is not, with its
    error."""
    t = topic(1)
    c = connect()
    for v in range(1, 8):
        for at in (-1, -2):
            r = c.call(
                "ListOffsets",
                v,
                replica_id=-1,
                isolation_level=0,
                topics=[
                    {
                        "name": t,
                        "partitions": [
                            {"partition_index": p, "current_leader_epoch": -1, "timestamp": at}
                            for p in (0, 9)
                        ],
                    }
                ],
            )
            eq(
                {
                    p["partition_index"]: ERR_NAME.get(p["error_code"])
                    for x in r["topics"]
                    for p in x["partitions"]
                },
                {0: "NONE", 9: "UNKNOWN_TOPIC_OR_PARTITION"},
                f"v{v}, {at}",
            )


def ids(first, v, connections):
    """A member id for each of these connections; returns the request by which a client joins with
    the last one."""
    body = {
        "group_id": first.g,
        "session_timeout_ms": 20000,
        "rebalance_timeout_ms": 30000,
        "group_instance_id": None,
        "protocol_type": "consumer",
        "protocols": first.protocols,
    }
    for c in connections:
        r = err(c.call("JoinGroup", v, member_id="", **body), "MEMBER_ID_REQUIRED")
    return lambda c: c.send("JoinGroup", v, member_id=r["member_id"], **body)


def rejoins(first, within=5.0):
    """The group's rebalance does not wait for ids that nobody uses."""
    t = time.monotonic()
    first.join()
    first.joined(timeout=15)
    took = time.monotonic() - t
    if took > within:
        raise AssertionError(f"the group waited {took:.1f} s")


def other_ids(v):
    first = Classic(name(), version=5, session=20000, rebalance=30000)
    stable(first)
    c = connect(first.g)
    ids(first, v, [c] * 3)(c)
    until(lambda: state(first.g), "PreparingRebalance", step=0.02)
    rejoins(first)


def case_three_ids_on_a_connection_v4():
    """A client that asks three times holds nobody up, v4."""
    other_ids(4)


def case_three_ids_on_a_connection_v7():
    """The same, v7."""
    other_ids(7)


def case_three_ids_on_a_connection_v9():
    """The same, v9."""
    other_ids(9)


def case_ids_of_connections_that_ended():
    """Two clients got an id and were gone; the third joins."""
    first = Classic(name(), version=5, session=20000, rebalance=30000)
    stable(first)
    gone, here = [connect(first.g) for _ in range(2)], connect(first.g)
    join = ids(first, 9, [*gone, here])
    [c.close() for c in gone]
    join(here)
    until(lambda: state(first.g), "PreparingRebalance", step=0.02)
    rejoins(first)


def case_an_id_alone_whose_connection_ended():
    """An id that was given out, and nobody joins: the next rebalance does not wait for it."""
    first = Classic(name(), version=5, session=20000, rebalance=30000)
    stable(first)
    c = connect(first.g)
    ids(first, 5, [c])
    c.close()
    rejoins(first)


def case_a_classic_client_with_the_instance_of_a_consumer():
    """One instance id in both protocols: the classic client takes the other's place or is refused,
    and the group goes on."""
    t = topic(2)
    g = name()
    holder = Modern(g, topics=[t], instance="w-7")
    holder.settle()
    m = Classic(g, instance="w-7", session=30000, topics=(t,))
    m.join()
    r = m.c.recv(10)
    if any_err(r, {"NONE", "UNRELEASED_INSTANCE_ID"}) != "NONE":
        holder.beat()
        return
    any_err(
        holder.c.call(
            "ConsumerGroupHeartbeat", 1, group_id=g, member_id=holder.id, member_epoch=holder.epoch
        ),
        {"FENCED_INSTANCE_ID", "GROUP_ID_NOT_FOUND"},
    )


def case_a_consumer_with_the_instance_of_another_until_it_leaves():
    """The loser is refused while the holder is there, and gets its place when that goes away for a
    while (epoch -2)."""
    t = topic(2)
    g = name()
    holder, loser = Modern(g, topics=[t], instance="w-8"), Modern(g, topics=[t], instance="w-8")
    holder.settle()
    for _ in range(3):
        loser.beat("UNRELEASED_INSTANCE_ID")
    holder.beat(member_epoch=-2, instance_id="w-8")
    loser.settle()
    eq(len(loser.owned), 2, "partitions")


def case_describe_forms_name_what_they_are_asked_for():
    """Each described group is in the answer, known or not, in its order."""
    g, h = name(), name()
    m = Classic(g, session=30000)
    stable(m)
    c = connect(g)
    eq(
        [x["group_id"] for x in c.call("DescribeGroups", 5, groups=[h, g, h + "2"])["groups"]],
        [h, g, h + "2"],
    )
    eq(
        [
            x["group_id"]
            for x in c.call(
                "ConsumerGroupDescribe", 0, group_ids=[h, g], include_authorized_operations=False
            )["groups"]
        ],
        [h, g],
    )


def case_a_list_has_a_group_of_each_letter():
    """ListGroups and DescribeGroups name groups whatever letters they have."""
    t = topic(1)
    groups = {name(x) for x in ("größe", "имя", "ćwiczenie", "日本", "a b", "%2F", "🦀", "e\u0301")}
    for g in groups:
        eq(
            connect(g).call(
                "OffsetCommit",
                8,
                group_id=g,
                generation_id_or_member_epoch=-1,
                member_id="",
                group_instance_id=None,
                topics=[
                    {
                        "name": t,
                        "partitions": [
                            {
                                "partition_index": 0,
                                "committed_offset": 1,
                                "committed_leader_epoch": -1,
                                "committed_metadata": "",
                            }
                        ],
                    }
                ],
            )["topics"][0]["partitions"][0]["error_code"],
            0,
            g,
        )

    def missing():
        with contextlib.closing(connect()) as c:
            return groups - {
                x["group_id"]
                for x in err(c.call("ListGroups", 4, states_filter=[]), "NONE")["groups"]
            }

    until(missing, set())
    for g in groups:
        eq(describe(g)["group_state"], "Empty", g)


def case_a_list_by_state_ignores_case_and_spaces():
    """States are compared as Kafka compares them: whatever their case, and without spaces."""
    m = Classic(name(), session=30000)
    stable(m)
    c = connect(m.g)

    def listed(states, kind):
        r = err(c.call("ListGroups", 5, states_filter=[states], types_filter=[kind]), "NONE")
        return m.g in {x["group_id"] for x in r["groups"]}

    for one in ("Stable", "STABLE", "stable", " Stable", "stable "):
        eq(listed(one, "Classic"), True, repr(one))
    for one, kind in (("Empty", "classic"), ("bogus", "classic"), ("Stable", " classic")):
        eq(listed(one, kind), False, repr((one, kind)))
