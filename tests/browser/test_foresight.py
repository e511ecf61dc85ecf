"""What happens if a host dies: asked from the Overview in at most four clicks, and answered by a
sentence whose figures SQL confirms."""

import pytest
from playwright.sync_api import expect

from console.people.staff_roles import VIEWER
from tests.browser.conftest import LogIn, World
from tests.browser.test_accessibility import THEMES, troubles
from tests.browser.test_past import Clicks
from tests.browser.test_plain import TOO_WIDE
from tests.browser.test_steering import ALL
from tests.clients.conftest import Start

pytestmark = pytest.mark.xdist_group("browser")

ON_HOST = """
SELECT count(DISTINCT l.life), coalesce(sum(upper(r) - lower(r)), 0), max(l.session_timeout_ms)
FROM rollcall_life_open l LEFT JOIN rollcall_ownership_open o USING (life)
LEFT JOIN LATERAL unnest(o.partitions) AS r ON true
WHERE l.group_id = %s AND l.client_host = %s
"""
HOSTS = "SELECT DISTINCT client_host FROM rollcall_member WHERE group_id = %s"


def test_what_happens_if_a_host_dies(log_in: LogIn, world: World, start: Start, topic: str) -> None:
    one = start("kafka-python", world.kafka, topic)
    one.until(lambda: one.owned == ALL, "it has all six")
    page = log_in(VIEWER)
    clicks = Clicks(page, topic)
    clicks.open_group()
    clicks.tab("What if")
    ((host,),) = world.execute(HOSTS, topic)
    clicks.click(page.locator("#questions a", has_text=host.lstrip("/")))
    ((members, partitions, session_ms),) = world.execute(ON_HOST, topic, host)
    assert (members, partitions) == (1, 6)
    expect(page.locator("#answer h2")).to_have_text(f"If host {host.lstrip('/')} dies")
    expect(page.locator("#foreseen")).to_contain_text(
        f"1 member owns {partitions} partitions, which stand still until their sessions end, for at"
        f" most {session_ms / 1_000:.1f} s: at most {partitions * session_ms / 1_000:,.1f}"
        " partition-seconds."
    )
    expect(page.locator("#foreseen")).to_contain_text("The group would be empty.")
    assert [told for theme in THEMES for told in troubles(page, theme)] == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate(TOO_WIDE) <= 0
