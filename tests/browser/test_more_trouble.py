"""More trouble as its operator finds it: frozen, altered, a storm, groups of thousands; and that
a Viewer, who finds the same, can do nothing about it."""

import re
import subprocess
import sys

import pytest
from playwright.sync_api import Page, expect

from benchmarks import large_group
from console.people.staff_roles import OPERATOR, VIEWER
from launcher.installation import CHECKOUT
from tests.browser.conftest import LogIn, World
from tests.browser.test_steering import ALL, find, group_page, tab
from tests.clients.conftest import Start

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.long, pytest.mark.timeout(300)]

ACTIONS = ("rebalance", "evict", "pause", "reset", "freeze", "configure", "remove")

STORM = """
INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason, client_reason,
    generation_before, generation_after, waited_for, joined, "left", details)
SELECT now(), %s, n, 0, 'rebalance-completed', 'member-left', '', '', n, n + 1, '{}', '[]', '[]',
       '{}'
FROM generate_series(1, 60) n
"""

ALTER = """
import sys
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient
admin = AdminClient({"bootstrap.servers": sys.argv[1], "client.id": "a-script"})
wanted = ConsumerGroupTopicPartitions(sys.argv[2], [TopicPartition(sys.argv[2], 1, 42)])
[one.result() for one in admin.alter_consumer_group_offsets([wanted]).values()]
"""


def refuses(viewer: Page, group_id: str) -> None:
    """None of the buttons is there, and no form behind them."""
    page = f"/admin/groups/group/{group_id}"
    viewer.goto(f"{page}/change/")
    for word in ("Force", "Evict", "Stop", "Freeze", "Thaw", "Delete", "Acknowledge", "Withdraw"):
        expect(viewer.get_by_role("link", name=re.compile(f"^{word}"))).to_have_count(0)
    for tail in ACTIONS:
        answer = viewer.goto(f"{page}/{tail}/")
        assert answer is not None and answer.status == 403, tail
    answer = viewer.goto(f"/admin/groups/acknowledgement/add/?rule=storm&subject={group_id}")
    assert answer is not None and answer.status == 403


def test_a_frozen_group_shows_who_froze_it_until_when_and_what_waits(
    world: World, log_in: LogIn, start: Start, topic: str
) -> None:
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "the first has all six")
    page = log_in(OPERATOR, group_page(topic))
    viewer = log_in(VIEWER)
    page.get_by_role("link", name="Freeze it").click()
    page.get_by_label("Reason").fill("a long batch")
    page.get_by_label("Until, in UTC").fill("2999-01-01T10:00")
    page.get_by_role("button", name="Freeze the group").click()
    expect(page.get_by_text("succeeded").first).to_be_visible()

    two = start("kafka-python", world.kafka, topic)
    find(viewer, topic)
    situation = viewer.locator("#situation")
    said = r"^Frozen by operator since \d\d:\d\d UTC until 2999-01-01 10:00 UTC: nothing moves"
    expect(situation).to_contain_text(re.compile(said + ".* waits to join"))
    page.goto(f"/admin/groups/group/{topic}/rebalance/")
    expect(page.get_by_text(re.compile("frozen", re.IGNORECASE)).first).to_be_visible()
    refuses(viewer, topic)

    find(page, topic)
    page.get_by_role("link", name="Thaw it").click()
    page.get_by_label("Reason").fill("done")
    page.get_by_role("button", name="Thaw the group").click()
    two.until(lambda: len(one.owned) == len(two.owned) == 3, "three and three")
    find(viewer, topic)
    expect(situation).to_have_text("Settled: 2 members own 6 partitions.")
    expect(viewer.locator("#live")).to_contain_text("froze the group until 2999-01-01 10:00 UTC")


def test_a_freeze_ends_by_itself(world: World, log_in: LogIn, start: Start, topic: str) -> None:
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "the first has all six")
    page = log_in(OPERATOR, f"/admin/groups/group/{topic}/freeze/")
    page.get_by_label("Reason").fill("a short batch")
    page.get_by_label("Until, in UTC").fill("2999-01-01T10:00")
    page.get_by_role("button", name="Freeze the group").click()
    expect(page.get_by_text("succeeded").first).to_be_visible()
    watching = log_in(VIEWER, group_page(topic))
    expect(watching.locator("#situation")).to_contain_text("Frozen by operator")

    world.execute("UPDATE rollcall_group_config SET until = now() WHERE group_id = %s", topic)

    expect(watching.locator("#situation")).to_have_text("Settled: 1 member owns 6 partitions.")
    expect(watching.locator("#live")).to_contain_text("The end of the freeze thawed the group")


def test_offsets_altered_by_a_script_are_shown_with_their_old_values(
    world: World, log_in: LogIn, start: Start, topic: str
) -> None:
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "the first has all six")
    one.commit(7)
    viewer = log_in(VIEWER, group_page(topic))
    one.close()
    expect(viewer.locator("#situation")).to_have_text("The group has no members.")
    client = [sys.executable, "-c", ALTER, world.kafka, topic]
    subprocess.run(client, check=True, cwd=CHECKOUT)

    said = f"set 1 offset without being a member: {topic}-1 to 42 (was 7)."
    expect(viewer.locator("#live")).to_contain_text("Client a-script")
    expect(viewer.locator("#live")).to_contain_text(said)
    tab(viewer, "Offsets")
    expect(viewer.locator("#live")).to_contain_text("42")
    refuses(viewer, topic)


def test_a_storm_is_shown_and_folded_once_acknowledged(
    world: World, log_in: LogIn, start: Start, topic: str
) -> None:
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "the first has all six")
    world.execute(STORM, topic)
    page, viewer = log_in(OPERATOR), log_in(VIEWER)
    sentence = f"Group {topic} rebalances again and again"
    expect(viewer.get_by_text(sentence)).to_be_visible()
    refuses(viewer, topic)

    page.goto("/admin/")
    page.get_by_role("link", name=f"Acknowledge: {sentence}").click()
    expect(page.get_by_text(f"storm of {topic}").first).to_be_visible()
    page.get_by_label("Note").fill("the pod restarts, olga looks")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text(f"storm {topic} was acknowledged.")).to_be_visible()
    expect(page.get_by_text(sentence)).to_be_hidden()
    page.locator("#acknowledged summary").click()  # others of this installation may be there too
    expect(page.get_by_text("the pod restarts, olga looks")).to_be_visible()
    find(viewer, topic)
    viewer.get_by_text("1 acknowledged").click()
    expect(viewer.locator("#acknowledged")).to_contain_text("(operator at")
    refuses(viewer, topic)

    world.execute("UPDATE rollcall_journal SET at = now() - interval '2 hours'"
                  " WHERE group_id = %s", topic)  # fmt: skip
    page.goto("/admin/")
    expect(page.get_by_text(sentence)).to_have_count(0)
    found = "SELECT count(*) FROM rollcall_acknowledgement WHERE subject = %s"
    while world.execute(found, topic) != [(0,)]:
        page.wait_for_timeout(200)


@pytest.mark.parametrize(("members", "partitions"), [(300, 3_000), (5_000, 50_000)])
def test_each_tab_of_a_large_group_shows_its_state_and_every_member_is_found(
    world: World, log_in: LogIn, name: str, members: int, partitions: int
) -> None:
    large_group.write(world.url, name, members, partitions)
    viewer = log_in(VIEWER, group_page(name))
    sentence = f"Settled: {members:,} members own {partitions:,} partitions."
    for title in ("Who owns what", "Members", "Rebalances", "Offsets", "Configuration"):
        tab(viewer, title)
        expect(viewer.locator("#situation")).to_have_text(sentence)
    tab(viewer, "Who owns what")
    expect(viewer.locator("#heat")).to_be_visible()
    tab(viewer, "Members")
    last = f"picker-with-a-long-name-{members - 1:05}"
    viewer.goto(f"/admin/groups/group/{name}/change/?tab=members&members={last}")
    expect(viewer.locator("#members")).to_contain_text(f"{members - 1:05}")
    pages = -(-members // 40)
    viewer.goto(f"/admin/groups/group/{name}/change/?tab=members&page={pages}")
    expect(viewer.locator("#members")).to_contain_text(f"{members - 1:05}")
    refuses(viewer, name)
