"""Commands that look: what they print in each form, and how they end when there is nothing."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml

from launcher.installation import CHECKOUT, Installation
from rollcall.cli import output
from rollcall.cli.failures import Code, Failure
from rollcall.cli.profiles import chosen
from tests.cli.conftest import Cli
from tests.clients.conftest import Worker
from tests.installations import TOKEN

pytestmark = pytest.mark.xdist_group("cli")

PARTITIONS = [str(number) for number in range(6)]


def test_groups_are_listed_with_their_current_activity(cli: Cli, worker: Worker, name: str) -> None:
    assert cli("group", "watch", name, "--until", "stable", "--timeout", "60").code == 0
    titles, row = cli("group", "list", "-q", name).table
    assert titles == ["GROUP", "TYPE", "STATE", "#MEMBERS", "SITUATION"]
    assert row[:4] == [name, "classic", "Stable", "1"]
    assert " ".join(row[4:]) == "Settled: 1 member."
    assert not cli("group", "list", "-q", name, "--state", "Empty", "-o", "json").json


def test_each_format_has_the_same_content(cli: Cli, worker: Worker, name: str) -> None:
    outputs = [cli("group", "list", "-q", name, "-o", form) for form in ("json", "yaml", "csv")]
    by_json, by_yaml = outputs[0].json, yaml.safe_load(outputs[1].printed)
    assert (
        by_json[0]["group_id"] == by_yaml[0]["group_id"] == outputs[2].rows[0]["group_id"] == name
    )
    assert by_json[0].keys() == by_yaml[0].keys() > outputs[2].rows[0].keys()


def test_a_group_is_described_like_kafka_does(cli: Cli, worker: Worker, name: str) -> None:
    worker.commit(7)
    titles, *rows = cli("group", "describe", name).table
    assert titles == [
        "GROUP",
        "TOPIC",
        "PARTITION",
        "CURRENT-OFFSET",
        "LOG-END-OFFSET",
        "LAG",
        "CONSUMER-ID",
        "HOST",
        "CLIENT-ID",
    ]
    assert [row[:6] for row in rows] == [[name, name, n, "7", "-", "-"] for n in PARTITIONS]
    (member,) = cli("group", "members", name, "-o", "json").json
    assert {tuple(row[6:]) for row in rows} == {
        (member["member_id"], member["client_host"], member["client_id"])
    }


def test_members_and_state_of_a_group_are_shown(cli: Cli, worker: Worker, name: str) -> None:
    titles, row = cli("group", "describe", name, "--members").table
    assert titles == ["GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS"]
    assert row[-1] == "6"
    (state,) = cli("group", "describe", name, "--state", "-o", "csv").rows
    assert (state["state"], state["member_count"]) == ("Stable", "1")
    assert state["coordinator"].startswith("127.0.0.1:")
    assert cli("group", "describe", name, "--state", "--members").code == 2
    (verbose,) = cli("group", "members", name, "-o", "csv").rows
    assert verbose["assignment"] == f"{name}:0,1,2,3,4,5"


def test_why_prints_the_state_line_of_the_groups_page(cli: Cli, worker: Worker, name: str) -> None:
    first, second = cli("group", "why", name).printed.splitlines()
    assert first == f"{name}: Stable. Settled: 1 member owns 6 partitions."
    assert second.startswith("last rebalance, ")
    assert "Rebalanced to generation" in second


def test_the_configuration_of_a_group_is_shown(cli: Cli, name: str) -> None:
    found = {row["name"]: row for row in cli("group", "config", name, "-o", "csv").rows}
    assert (found["rollcall.freeze"]["value"], found["rollcall.freeze"]["is_own"]) == (
        "false",
        "False",
    )


def test_topics_nodes_and_operations_are_listed(cli: Cli, worker: Worker, name: str) -> None:
    assert cli("topic", "list", "-q", name).table[1][:2] == [name, "6"]
    rows = cli("topic", "describe", name, "-o", "csv").rows
    assert [row["partition"] for row in rows] == PARTITIONS
    assert {row["log_start_offset"] for row in rows} == {"0"}
    assert cli("topic", "journal", name, "-o", "json").json[0]["kind"] == "topic-created"
    assert [node["slots"] for node in cli("node", "list", "-o", "json").json] == [64]
    mine = cli("node", "connections", "--group", name, "-o", "json").json
    assert {row["software"] for row in mine} == {"confluent-kafka-python"} and len(mine) >= 1
    assert {row["node_id"] for row in mine} == {0} and mine[0]["groups"] == [name]
    assert cli("node", "connections", "--listener", "none", "-o", "json").json == []
    assert isinstance(cli("operation", "list", "-n", "1", "-o", "json").json, list)


def test_the_journal_of_one_group_is_printed(cli: Cli, worker: Worker, name: str) -> None:
    rows = cli("journal", "tail", "--group", name, "-n", "500", "-o", "json").json
    assert {row["group_id"] for row in rows} == {name}
    assert [row["seq"] for row in rows] == sorted(row["seq"] for row in rows)
    assert len(cli("journal", "tail", "--group", name, "-n", "1", "-o", "json").json) == 1
    last = rows[-1]["at"]
    for bound, found in (("--since", rows[-1:]), ("--until", rows[:-1])):
        words = ("journal", "tail", "--group", name, bound, last, "-n", "500", "-o", "json")
        assert cli(*words).json == found
    assert cli("journal", "tail", "-f", "--until", last).code == 2


def test_the_journal_is_followed_by_a_separate_process(
    installation: Installation, cli: Cli, worker: Worker, name: str
) -> None:
    """The one test that starts the program itself; each entry comes once, as a line of JSON."""
    words = ["journal", "tail", "-f", "-n", "0", "--group", name, "-o", "json"]
    with subprocess.Popen(
        [sys.executable, "-m", "rollcall.cli", *words],
        cwd=CHECKOUT,
        env={"ROLLCALL_URL": installation.web, "ROLLCALL_TOKEN": TOKEN, "HOME": "/nonexistent"},
        stdout=subprocess.PIPE,
        text=True,
    ) as follower:
        entries: list[Any] = []
        some = threading.Event()

        def read() -> None:
            assert follower.stdout is not None
            for line in follower.stdout:
                entries.append(json.loads(line))
                if entries[-1]["kind"] == "rebalance-completed":
                    some.set()

        reader = threading.Thread(target=read)
        reader.start()
        while not some.is_set():  # it may begin to follow behind the first of them
            assert cli("group", "rebalance", name, "-r", "to be seen").code == 0
            some.wait(3)
        follower.terminate()
        reader.join()
    numbers = [entry["seq"] for entry in entries]
    assert len(numbers) == len(set(numbers))
    assert any("to be seen" in entry["sentence"] for entry in entries)


@pytest.mark.parametrize(
    "words",
    [
        ["group", "describe", "nobody's"],
        ["group", "why", "../.."],
        ["group", "members", "a/members/b"],
        ["topic", "describe", "no-such-topic"],
        ["operation", "show", "999999999"],
        ["group", "rebalance", "nobody's", "-r", "try"],
    ],
)
def test_a_missing_object_exits_with_4(cli: Cli, words: list[str]) -> None:
    ended = cli(*words)
    assert (ended.code, ended.printed) == (4, ""), ended
    assert ended.errors.startswith("rollcall: There is no ")


@pytest.mark.parametrize(
    "words",
    [
        ["group"],
        ["group", "rebalance", "g"],
        ["group", "list", "--dry-run"],
        ["group", "list", "--state", "Sleeping"],
        ["group", "restore", "g", "--to", "yesterday", "-r", "why"],
        ["group", "watch", "g", "--until", "Stabel"],
        ["journal", "tail", "--since", "yesterday"],
        ["topic", "create", "cli-none", "--partitions", "some"],
        ["--profile", "nowhere", "group", "list"],
    ],
)
def test_invalid_arguments_exit_with_2(cli: Cli, words: list[str]) -> None:
    ended = cli(*words)
    assert ended.code == 2, ended


def test_a_refused_login_is_reported(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLCALL_TOKEN", "another")
    ended = cli("group", "list")
    assert (ended.code, ended.printed) == (1, "")
    assert "ROLLCALL_TOKEN" in ended.errors
    assert cli("doctor").code == 1


def test_an_unreachable_server_is_reported(cli: Cli) -> None:
    ended = cli("--url", "http://127.0.0.1:9", "group", "list")
    assert ended.code == 1
    assert "http://127.0.0.1:9 does not answer" in ended.errors
    assert cli("--url", "no address", "group", "list").code in (1, 2)


def test_a_profile_selects_an_installation(
    installation: Installation, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its token is not the environment's: that may be another installation's."""
    folder = tmp_path / "rollcall"
    folder.mkdir()
    (folder / "token").write_text(f"{TOKEN}\n")
    profile = f'url = "{installation.web}"\ntoken_file = "token"'
    (folder / "config.toml").write_text(f"[profiles.here]\n{profile}\n")
    monkeypatch.setenv("ROLLCALL_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ROLLCALL_TOKEN", "another")

    assert cli("--profile", "here", "node", "list").code == 0
    (folder / "config.toml").write_text("[profiles.here]\npassword = 'x'\n")
    assert cli("--profile", "here", "node", "list").code == 2


def test_a_malformed_url_is_not_reported_as_an_outage() -> None:
    for url in ("nonsense", "localhost:8000", "ftp://127.0.0.1"):
        with pytest.raises(Failure, match="begins with http") as refused:
            chosen(None, url, {"XDG_CONFIG_HOME": "/nowhere"})
        assert refused.value.code is Code.USAGE


def test_the_doctor_finds_no_problem_in_a_healthy_installation(cli: Cli, worker: Worker) -> None:
    """Other tests break things at the same time; what the doctor itself checks is healthy."""
    titles, *rows = cli("doctor").table
    assert titles == ["CHECK", "FINDING", "DETAIL"]
    assert {row[1]: row[0] for row in rows if row[1] in ("web", "token", "nodes")} == {
        "web": "ok",
        "token": "ok",
        "nodes": "ok",
    }


ODD = "\x1b[31mred\x07\u202e\x9b1m größe"


def test_client_supplied_text_cannot_control_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert output.cell("\x1b[31mred\x07\u202e") == "\\x1b[31mred\\x07\\u202e"
    columns = [output.Column("NAME", "name")]
    for form in output.Output:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        output.show([{"name": ODD}], columns, form)
        shown = capsys.readouterr().out
        assert all(part.isprintable() for part in shown.splitlines()) and "red" in shown, shown


def test_programs_read_text_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    columns = [output.Column("NAME", "name")]
    output.show([{"name": ODD}], columns, output.Output.CSV)
    assert capsys.readouterr().out == f"name\n{ODD}\n"
    output.show([{"name": ODD}], columns, output.Output.JSON)
    assert json.loads(capsys.readouterr().out) == [{"name": ODD}]
    output.show([{"name": ODD}], columns, output.Output.YAML)
    assert yaml.safe_load(capsys.readouterr().out) == [{"name": ODD}]


def test_a_time_without_a_zone_is_in_utc_whatever_the_command(cli: Cli) -> None:
    """Some commands refused what others took, and Kafka's tool writes it so."""
    zoned, bare = (
        cli("journal", "tail", "--since", f"2026-01-31T12:00:00.000{zone}", "-n", "1", "-o", "csv")
        for zone in ("Z", "")
    )
    assert (zoned.code, bare.code) == (0, 0), bare.errors
    assert bare.printed == zoned.printed
    when = "2026-01-31 12:00"
    for words in (
        ("group", "restore", "nobody's", "--to", when, "-r", "x", "--dry-run"),
        ("group", "reset-offsets", "nobody's", "--all-topics", "--to-datetime", when),
        ("group", "freeze", "nobody's", "--until", when, "-r", "x"),
        ("attention", "acknowledge", "storm", "nobody's", "-n", "x", "--until", when),
        ("attention", "silence", "storm", "nobody's", "-r", "x", "--until", when),
    ):
        assert "time zone" not in cli(*words).errors, words


def test_owners_and_lives_are_shown(cli: Cli, worker: Worker, name: str) -> None:
    assert cli("group", "watch", name, "--until", "stable", "--timeout", "60").code == 0
    (life,) = cli("group", "lives", name, "-o", "json").json
    assert life["software_name"] and life["left_at"] is None
    (owned,) = cli("group", "owner", name, name, "0", "-o", "json").json
    assert (owned["member_id"], owned["life"]) == (life["member_id"], life["life"])
    assert cli("group", "rounds", name).code == 0
    last = cli("group", "rounds", name, "-o", "json").json[-1]
    assert (last["outcome"], last["members"]) == ("assigned", 1) and last["generation"] >= 1
    assert cli("group", "progress", name, "--topic", name, "-o", "json").json == []
    assert cli("group", "progress", name, "--since", "yesterday").code == Code.USAGE
    then = owned["from_at"]
    assert cli("group", "owner", name, name, "0", "--at", then, "-o", "json").json == [owned]
    assert not cli("group", "owner", name, name, "0", "--at", "2001-01-01", "-o", "json").json
    assert cli("group", "owner", name, name, "0", "--at", "yesterday").code == Code.USAGE
    of_group = {"group_id": name, **owned}
    assert cli("owners", name, "0", "--at", then, "-o", "json").json == [of_group]
    assert cli("owners", name, "0", "--at", "2001-01-01", "-o", "json").json == []
    on_host = cli("lives", "--host", life["client_host"], "--since", then, "-o", "json").json
    assert {"group_id": name, **life} in on_host
    assert cli("lives", "--client-id", "nobody", "-o", "json").json == []


def test_a_report_is_shown_by_its_name(cli: Cli) -> None:
    """Before the first run, when the cost alone is known."""
    named, shown = (cli("report", *words, "cost", "-o", "csv") for words in ((), ("show",)))
    assert named.code == shown.code == 0
    assert named.printed.startswith("group_id,trigger,rebalances,")
    unknown = cli("report", "colours")
    assert unknown.code != 0
    assert "report" in unknown.errors
    for odd in ("cost?period=1h", "cost/"):  # printed blank lines
        ended = cli("report", "show", odd)
        assert (ended.code, ended.printed) == (4, ""), ended


OF_A_RUN = """
WITH made AS (
    INSERT INTO rollcall_report_run (id, state, requested_by, started_at, detail, reports)
    VALUES (2000000000, 'succeeded', 'olga', now(), '', %s) RETURNING id
)
INSERT INTO rollcall_report_row (run_id, report, period, keys, figures)
SELECT id, 'shapes', period, jsonb_build_object('group_id', name), jsonb_build_object('sides', n)
FROM made, (VALUES ('24h', 'a', 4), ('24h', 'b', 3), ('24h-before', 'a', 9), ('7d', 'a', 1))
    AS t(period, name, n)
RETURNING run_id
"""

SHAPES = {
    "name": "shapes",
    "title": "Shapes",
    "question": "Which?",
    "order": "sides",
    "totals": [],
    "chart": None,
    "keys": [{"name": "group_id", "type": "string", "meaning": "the group"}],
    "figures": [{"name": "sides", "type": "bigint", "meaning": "how many"}],
}
TIMES = {
    **SHAPES,
    "name": "times",
    "keys": [{"name": "began_at", "type": "timestamp", "meaning": "when"}],
}


@pytest.fixture
def shapes(installation: Installation) -> Iterator[None]:
    """A run with a report that has another day before it: the newest, whoever else makes some."""
    url = (installation.data_dir / "database-url").read_text().strip()
    with psycopg.connect(url, autocommit=True) as connection:
        made = connection.execute(OF_A_RUN, [json.dumps([SHAPES, TIMES])]).fetchall()
        yield
        for table, key in (("rollcall_report_row", "run_id"), ("rollcall_report_run", "id")):
            connection.execute(f"DELETE FROM {table} WHERE {key} = %s".encode(), made[0])


@pytest.mark.xdist_group("browser")  # whose runs would be the newest, too
def test_a_report_is_compared_with_the_time_before(cli: Cli, shapes: None) -> None:
    words = ("report", "shapes", "--compare", "--period")
    assert cli(*words, "24h", "-o", "json").json == [
        {"period": "24h", "group_id": "a", "sides": 4, "sides_before": 9},
        {"period": "24h", "group_id": "b", "sides": 3, "sides_before": 0},
    ]
    assert cli(*words, "7d", "-o", "csv").printed.split() == [
        "group_id,sides,sides_before",
        "a,1,0",
    ]
    of_times = cli("report", "times", "--compare", "--period", "24h")  # said that there were none
    assert of_times.code == Code.USAGE and "--period 24h-before" in of_times.errors
    of_all = cli(*words, "all")
    assert of_all.code == Code.USAGE and "24h, 7d, 30d" in of_all.errors
