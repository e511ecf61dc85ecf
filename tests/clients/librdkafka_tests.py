"""Which of librdkafka's own tests run against Rollcall, in which protocols, and which do not.

Its tests are files of subtests; most begin by producing records, which Rollcall refuses. This
table is the whole choice, with a reason for each that is left out. It starts nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

CLASSIC, CONSUMER = "classic", "consumer"
BOTH = (CLASSIC, CONSUMER)

RECORDS = "produces records"


@dataclass(frozen=True, slots=True)
class Part:
    """A test, or those of its subtests whose name contains ``subtest``.

    ``passes`` is how many subtests must pass: a name that matches none would prove nothing.
    Zero where the test has no subtests. ``kafka`` is the version that its runner takes Rollcall
    for: it leaves out what that version has not.
    """

    test: str
    subtest: str = ""
    protocols: Sequence[str] = BOTH
    passes: int = 0
    kafka: str = "2.4.0"

    @property
    def name(self) -> str:
        """What a report calls it."""
        return ".".join(filter(None, (self.test, self.subtest)))


def _of(test: str, passes: Mapping[str, int], protocols: Sequence[str] = BOTH) -> Iterator[Part]:
    for subtest, count in passes.items():
        yield Part(test, subtest, protocols, count)


PARTS: Sequence[Part] = (
    Part("0067"),  # the end of partitions that have nothing
    Part("0099"),  # any metadata beside a commit
    Part("0069"),  # a consumer sees partitions that are added
    Part("0084"),  # destroying a consumer with and without leaving, with what it holds
    Part("0140", passes=1),  # a commit through an application's own metadata
    Part("0019", "list_groups_hang", (CLASSIC,), 1),
    Part("0045", "test_regex", passes=1),
    Part("0045", "resubscribe_with_regex", (CLASSIC,), 1),
    Part("0045", "subscribe_many_updates", passes=2),
    Part("0089", "rejoin_after_interval_expire", passes=3),
    Part("0102", "fenced_member_classic", (CLASSIC,), 1),
    Part("0102", "fenced_member_consumer", (CONSUMER,), 1),
    *_of(
        "0113",
        {
            "c_subscribe_no_cb_test": 2,
            "d_change_subscription_add_topic": 2,
            "e_change_subscription_remove_topic": 2,
            "f_assign_call_cooperative": 1,
            "h_delete_topic": 1,
            "i_delete_topic_2": 1,
            "j_delete_topic_no_rb_callback": 1,
            "k_add_partition": 1,
            "l_unsubscribe": 1,
            "m_unsubscribe_2": 1,
            "n_wildcard": 1,
            "s_subscribe_when_rebalancing": 6,
            "t_max_poll_interval_exceeded": 3,
            "x_incremental_rebalances": 1,
        },
    ),
    Part("0113", "g_incremental_assign_call_eager", (CLASSIC,), 1),
    Part("0081", "test_AlterConsumerGroupOffsets", (CLASSIC,), 8, "4.0.0"),
    *_of(
        "0081",
        {
            "test_CreateTopics": 8,
            "test_DeleteTopics": 2,
            "test_CreatePartitions": 2,
            "test_DescribeTopics": 8,
            "test_DescribeCluster": 8,
            "test_DeleteConsumerGroupOffsets": 6,
            "test_ListConsumerGroupOffsets": 12,
            "test_unclean_destroy": 4,
        },
        (CLASSIC,),
    ),
)

LEFT_OUT: Mapping[str, str] = {
    "0018": RECORDS,
    "0019.test_list_groups": RECORDS,
    "0030": RECORDS,
    "0045.test_topic_remove": "wants Kafka's own scripts",
    "0045.test_non_exist_and_partchange": "wants Kafka's own scripts",
    "0045.resubscribe_with_regex with the consumer protocol": "expects Kafka's two steps, names "
    "before patterns; Rollcall gives both at once",
    "0081.test_DeleteRecords": RECORDS,
    "0081.test_DeleteGroups": RECORDS,
    "0081.test_ListConsumerGroups": RECORDS,
    "0081.test_DescribeConsumerGroups": RECORDS,
    "0081.test_UserScramCredentials": "users are not Kafka's records here",
    "0089.do_test:48": RECORDS,
    "0102.static_group_rebalance": RECORDS,
    "0112": RECORDS,
    "0113.a_assign_tests": RECORDS,
    "0113.b_subscribe_with_cb_test": RECORDS,
    "0113.o_java_interop": "wants a checkout of Kafka",
    "0113.u_multiple_subscription_changes": RECORDS,
    "0113.v_commit_during_rebalance": RECORDS,
    "0118": RECORDS,
}
"""Tests of the coordinator's matters that do not run, by name, and why."""
