"""What an agent may ask: one function for each tool, over REST (``rollcall mcp``).

The names, types and docstrings of these functions are what the agent reads. Sentences are the
server's own, the same as on pages and in the command line.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from rollcall.cli.operation_table import COMMANDS, Row, path_of
from rollcall.cli.rest import WAIT_S_MAX, Rest

ROWS_MAX: Final = 200
"""Rows of one answer: an agent reads all of them."""

Answer = dict[str, Any]
Tool = Callable[..., Any]

KEPT_FROM_AGENTS: Final = ("freeze", "delete")
OFFERED: Final[Mapping[str, Row]] = {
    row[0]: row for row in COMMANDS if row[0] not in KEPT_FROM_AGENTS
}


class Tools:
    """The tools of one installation; the public methods are offered."""

    def __init__(self, rest: Rest) -> None:
        self._rest = rest

    def reading(self) -> list[Tool]:
        """Those that change nothing."""
        return [
            self.list_groups,
            self.describe_group,
            self.why,
            self.timeline,
            self.compare,
            self.who_owned,
            self.what_if,
            self.needs_attention,
            self.report,
        ]

    def list_groups(self, state: str | None = None, search: str | None = None) -> list[Answer]:
        """List consumer groups (200 at most). `state`: Stable, Empty, PreparingRebalance,
        CompletingRebalance, Assigning or Reconciling. `search`: a part of the group's id."""
        return list(self._rest.pages("/groups", most=ROWS_MAX, state=state, q=search))

    def describe_group(self, group: str) -> Answer:
        """Show a group with its members, and the partitions that each owns."""
        members = self._rest.pages("/group/members", most=ROWS_MAX, group_id=group)
        return {**self._rest.get("/group", group_id=group), "members": list(members)}

    def why(self, group: str) -> Answer:
        """Say what a group does now and whom it waits for, and why its latest rebalances were
        needed."""
        rebalances = self._rest.pages("/group/rebalances", most=5, group_id=group)
        return {
            "now": self._rest.get("/group/waiting", group_id=group),
            "latest_rebalances": list(rebalances),
        }

    def timeline(self, group: str, since: str | None = None, until: str | None = None) -> Answer:
        """Show a group along time (times as 2026-01-31T12:00:00Z; by default the last hour): what
        rebalances cost, whom they waited for, marks, operators' acts, outages."""
        found = self._rest.get("/group/timeline", group_id=group, since=since, until=until)
        return {
            **{name: found[name] for name in ("group_id", "since", "until", "text", "cost")},
            "rebalances": found["rebalances"][-ROWS_MAX:],
            "events": found["events"][-ROWS_MAX:],
        }

    def compare(self, group: str, since: str, until: str | None = None) -> Answer:
        """Say what differs in a group between two moments: who came and went, what moved, whose
        offsets advanced, which settings changed."""
        query = {"group_id": group, "since": since, "until": until}
        found: Answer = self._rest.get("/group/comparison", **query)
        return {
            name: value[:ROWS_MAX] if isinstance(value, list) else value
            for name, value in found.items()
        }

    def who_owned(self, group: str, topic: str, partition: int, at: str) -> list[Answer]:
        """Say which member owned a partition at a moment."""
        query = {"topic": topic, "partition": partition, "since": at, "until": at}
        return list(self._rest.pages("/group/owners", most=ROWS_MAX, group_id=group, **query))

    def what_if(
        self,
        group: str,
        host: str | None = None,
        member: str | None = None,
        members: int | None = None,
        topic: str | None = None,
        partitions: int | None = None,
        assignor: str | None = None,
        deploy_at_once: int | None = None,
        static_ids: bool = False,
        session_timeout_ms: int | None = None,
        protocol: str | None = None,
    ) -> Answer:
        """Say what would become of a group, without a change: a host dies (its address as members
        have it, "/10.0.0.7"), a member dies (its id), so many members more (negative: fewer), a
        topic gets more partitions, another assignor, a deploy of so many members at a time (with
        static ids or not). Give one of these; none: a rebalance is forced. Besides it, or alone:
        another session timeout for who dies, another protocol (classic or consumer)."""
        found: Answer = self._rest.get(
            "/group/foresight",
            group_id=group,
            host=host,
            gone=member,
            more=members,
            grown=topic,
            partitions=partitions,
            assignor=assignor,
            at_once=deploy_at_once,
            static="true" if static_ids else None,
            session_timeout_ms=session_timeout_ms,
            protocol=protocol,
        )
        return {**found, "shares": found["shares"][:ROWS_MAX]}

    def needs_attention(self) -> list[Answer]:
        """List what an operator should look at, the most severe first: since when, what stands
        still, what to do."""
        return list(self._rest.get("/attention")["data"])

    def report(self, name: str = "cost", period: str = "24h") -> Answer:
        """Show a report of the pipeline (cost, stability, advice and so on; an unknown name lists
        those that there are) for 1h, 24h, 7d, 30d or all."""
        known = {row["name"] for row in self._rest.get("/reports")["data"]}
        if name not in known:
            return {"reports": sorted(known)}
        rows = self._rest.pages(f"/reports/{name}", most=ROWS_MAX, period=period)
        return {"report": name, "rows": list(rows)}

    def operate(
        self, group: str, operation: str, reason: str, member: str = "", dry_run: bool = True
    ) -> Answer:
        """Ask the coordinator to change a group, or by default say what that would do (`dry_run`).
        Of a group: rebalance, pause, resume, thaw; of a member: evict, pause, resume, drain,
        undrain. The reason is kept in the journal."""
        if operation not in OFFERED:
            raise ValueError(f"There is no operation {operation}: {', '.join(sorted(OFFERED))}.")
        _, method, tail, targets, _ = OFFERED[operation]
        if member and "member" not in targets:
            raise ValueError(f"The operation {operation} is about a group, not a member.")
        if not member and "group" not in targets:
            raise ValueError(f"The operation {operation} is about a member: name one.")
        query = {"group_id": group, "member_id": member or None}
        query["dry_run"] = "true" if dry_run else None
        path, headers = path_of(tail, member or None), {"Prefer": f"wait={WAIT_S_MAX}"}
        answer: Answer = self._rest.request(method, path, query, {"reason": reason}, headers)[1]
        return answer
