"""The demo, as a person would run it, for a few seconds; and the plots that it follows."""

import os
import re
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import psutil
import psycopg
import pytest

from coordinator_site import kafka_settings
from demo import cast, plot
from demo.cast import NAMES, TROUPES, Scene
from demo.plot import Act
from demo.stage import spans
from launcher.installation import CHECKOUT, Installation
from tests.installations import SETTINGS
from tests.launcher.waiting import until

HURRIED = {
    "ROLLCALL_GROUP_INITIAL_REBALANCE_DELAY_MS": "500",
    "ROLLCALL_GROUP_MIN_SESSION_TIMEOUT_MS": "1000",
    "ROLLCALL_CONSUMER_MIN_SESSION_TIMEOUT_MS": "1000",
    "ROLLCALL_GROUP_CONSUMER_SESSION_TIMEOUT_MS": "2000",
    "ROLLCALL_GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS": "1000",
    "ROLLCALL_GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS": "300",
    "ROLLCALL_GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS": "300",
}
"""Sessions as short as they may be, so that the dead are missed within the test."""

DEMO = (sys.executable, "-m", "demo")
FAST = ("--pace", "0.15", "--quiet", "8", "--session", "6")
HURRIED_SESSION = ("--session", "3")
"""Long enough for a static member to come back within it, on a busy machine too."""

REASONS = {"member-joined", "member-left", "session-expired"}
STATIC_REASONS = {"member-joined", "member-replaced", "session-expired"}

PATIENCE_S = 150
STOP_S = 60
SOON_S = 40
LEFT_BEHIND = ("rollcall_group", "rollcall_member", "rollcall_offset", "rollcall_topic")


@pytest.fixture
def hurried() -> Iterator[Installation]:
    """An installation that only the demo uses, and that soon misses the dead."""
    with Installation(HURRIED) as running:
        yield running


def connected(running: Installation) -> psycopg.Connection:
    """A connection to the installation's database."""
    return psycopg.connect((running.data_dir / "database-url").read_text().strip(), autocommit=True)


def rows(running: Installation, query: str) -> Sequence[tuple[str, ...]]:
    """What the installation's database answers."""
    with connected(running) as database:
        return database.execute(query.encode()).fetchall()


def rebalances(database: psycopg.Connection) -> dict[str, set[str]]:
    """What made each group rebalance, as its journal tells."""
    found: dict[str, set[str]] = defaultdict(set)
    for group, trigger in database.execute("SELECT group_id, trigger FROM rollcall_journal"):
        found[group].add(trigger)
    return found


def has_reached_all(database: psycopg.Connection) -> bool:
    """Whether each group has rebalanced for every reason that its scenes give."""
    reached = rebalances(database)
    return all(
        (STATIC_REASONS if troupe.kind is cast.Kind.STATIC else REASONS) <= reached[troupe.group]
        for troupe in TROUPES
    )


def environ(settings: Mapping[str, str] = SETTINGS) -> dict[str, str]:
    """The demo gets the coordinator's settings as its installation does."""
    return {**os.environ, **settings}


@pytest.mark.long
@pytest.mark.timeout(PATIENCE_S + 2 * STOP_S)
def test_every_group_forms_and_rebalances_for_every_reason_and_is_cleaned_up(
    hurried: Installation, tmp_path: Path
) -> None:
    place = ("--bootstrap", hurried.kafka, "--draft", hurried.draft)
    story = tmp_path / "story"
    with story.open("w") as output:
        demo = subprocess.Popen(
            [*DEMO, *place, *FAST, *HURRIED_SESSION],
            cwd=CHECKOUT,
            env=environ(HURRIED),
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
        )
    try:
        with connected(hurried) as database:
            what = "each group rebalanced for every reason"
            until(lambda: has_reached_all(database), what, PATIENCE_S)
    finally:
        demo.send_signal(signal.SIGINT)
        _, errors = demo.communicate(timeout=STOP_S)

    assert (demo.returncode, errors) == (0, "")
    out = story.read_text()
    assert out.endswith("everybody has left\n")
    assert "ended by itself" not in out
    for troupe in TROUPES:
        assert re.search(rf"^{troupe.name} +anna joins \({troupe.kind.value}", out, re.MULTILINE)
        assert re.search(rf"^{troupe.name} +\w+ works on \d", out, re.MULTILINE), troupe
    assert {table: rows(hurried, f"SELECT * FROM {table}") for table in LEFT_BEHIND} == {
        table: [] for table in LEFT_BEHIND
    }


STORM = kafka_settings.read({})["ATTENTION_REBALANCES_PER_HOUR"]


@pytest.mark.parametrize("troupe", TROUPES, ids=lambda troupe: troupe.name)
def test_no_group_needs_attention_for_its_rebalances(troupe: cast.Troupe) -> None:
    """In the first hour, in which everybody comes: each act is a rebalance, or two where members
    first revoke."""
    each = 2 if troupe.kind in (cast.Kind.COOPERATIVE, cast.Kind.CONSUMER) else 1
    for seed in range(50):
        passed, acts = 0.0, 0
        for beat in plot.play(troupe, seed, 1.0, 6.0):
            passed += beat.pause_s
            if passed > 3_600:
                break
            acts += 1
        assert acts * each < int(str(STORM))


def test_it_ends_on_ctrl_c_and_its_members_with_it(installation: Installation) -> None:
    groups = ("--groups", "orders,letters", "--keep")
    demo = subprocess.Popen(
        [*DEMO, "--bootstrap", installation.kafka, *groups, *FAST, "--seed", "7"],
        cwd=CHECKOUT,
        env=environ(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert demo.stdout is not None
    working = 0
    for line in demo.stdout:
        working += bool(re.match(r"orders +\w+ works on \d", line))
        if working == 2:
            break
    members = psutil.Process(demo.pid).children()
    assert members
    demo.send_signal(signal.SIGINT)
    rest, _ = demo.communicate(timeout=STOP_S)

    assert demo.returncode == 0
    assert rest.endswith("everybody has left\n")
    assert not [member for member in members if member.is_running()]
    offsets = rows(installation, "SELECT DISTINCT group_id FROM rollcall_offset ORDER BY 1")
    assert ("demo-letters",) in offsets
    members_left = "SELECT member_id FROM rollcall_member WHERE group_id = 'demo-letters'"
    until(lambda: rows(installation, members_left) == [], "a dead one's session ended", SOON_S)


@pytest.mark.long
def test_stock_members_do_not_outlive_a_demo_that_is_killed(installation: Installation) -> None:
    demo = subprocess.Popen(
        [*DEMO, "--bootstrap", installation.kafka, "--groups", "orders", *FAST],
        cwd=CHECKOUT,
        env=environ(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert demo.stdout is not None
    next(line for line in demo.stdout if "works on" in line)
    members = psutil.Process(demo.pid).children()
    assert members
    demo.kill()
    demo.communicate()

    _, alive = psutil.wait_procs(members, SOON_S)
    assert alive == []


def test_it_reports_an_unreachable_server() -> None:
    run = subprocess.run(
        [*DEMO, "--bootstrap", "127.0.0.1:1"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 1 and run.stderr == ""
    assert run.stdout.startswith("nobody serves at 127.0.0.1:1: is `make run` running?")


def test_it_reports_missing_stock_clients(installation: Installation, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util as u\n"
        "real = u.find_spec\n"
        f"away = {set(cast.MODULES.values())}\n"
        "u.find_spec = lambda name, *more: None if name in away else real(name, *more)\n"
    )
    run = subprocess.run(
        [*DEMO, "--bootstrap", installation.kafka, "--for", "2", "--groups", "reports,alerts"],
        cwd=CHECKOUT,
        env=environ() | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert "no stock client is installed" in run.stdout
    assert "reports is left out: it needs confluent-kafka" in run.stdout
    assert "alerts      anna joins (consumer protocol; the wire)" in run.stdout
    assert run.stdout.endswith("the demo ends\neverybody has left\n")


# -- The plot --------------------------------------------------------------------------------


def test_a_seed_reproduces_the_same_events() -> None:
    def script(seed: int) -> list[plot.Beat]:
        return list(islice(plot.play(TROUPES[0], seed, 1.0, 6.0), 40))

    assert script(3) == script(3)
    assert script(3) != script(4)


STORM = kafka_settings.read({})["ATTENTION_REBALANCES_PER_HOUR"]


@pytest.mark.parametrize("troupe", TROUPES, ids=lambda troupe: troupe.name)
def test_only_present_members_leave_and_only_absent_ones_join(troupe: cast.Troupe) -> None:
    there: set[str] = set()
    for beat in islice(plot.play(troupe, 1, 1.0, 6.0), 400):
        if beat.act in (Act.JOIN, Act.RETURN):
            assert beat.name not in there and beat.name in NAMES
            there.add(beat.name)
        else:
            there.remove(beat.name)
        assert there, "a group is never without members"


def test_every_scene_is_played_before_any_repeats() -> None:
    [troupe] = (t for t in TROUPES if t.name == "orders")
    scenes = [b.scene for b in islice(plot.play(troupe, 5, 1.0, 6.0), troupe.size + 16)]
    played = scenes[troupe.size :: 2]

    assert set(played[:4]) == set(played[4:]) == set(Scene)


def test_killed_members_stay_away_for_longer_than_their_session() -> None:
    beats = islice(plot.play(TROUPES[0], 2, 0.01, 6.0), 200)
    returns = [b for b in beats if b.act is Act.RETURN and b.scene is Scene.CRASH]

    assert returns and all(beat.pause_s > 6.0 for beat in returns)


@pytest.mark.parametrize(
    ("numbers", "said"), [([4], "4"), ([0, 1, 2], "0-2"), ([0, 2, 3, 7], "0, 2-3, 7")]
)
def test_partitions_are_printed_as_ranges(numbers: list[int], said: str) -> None:
    assert spans(numbers) == said
