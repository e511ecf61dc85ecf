"""A timeline as a drawing: positions and paths of what ``console.queries.timeline`` read.

Computes positions; the templates write the SVG. The drawing is ``WIDTH`` wide whatever the screen
is, and is stretched: texts are beside it, in HTML, or in the picture that is downloaded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from console.queries import timeline_events, tones
from console.queries.timeline import BINS, REBALANCING, Rebalance, Timeline
from console.queries.timeline_events import Event
from console.queries.timeline_lanes import LOST, MEMBER, Lane
from console.queries.tones import trigger_class
from console.queries.why_text import seconds

UNIT: Final = 2
WIDTH: Final = BINS * UNIT
HEAD: Final = 16
"""The strip of states, above the lanes."""

STRIP: Final = 10
ROW: Final = 26
BODY: Final = 20
"""A lane, and the part of it that ownership fills at most."""

THIN: Final = 3
NARROW: Final = 1.5
"""What has no length, or little, is so wide."""

TICKS: Final = 6
STEPS_S: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600)
DAY_S: Final = 86_400

TOGETHER: Final = 14.0
"""Events that are nearer to each other have one sign."""

SIGNS: Final = {
    timeline_events.MARK: "◆",
    timeline_events.DEPLOY: "▲",
    timeline_events.OPERATOR: "●",
    timeline_events.NODE: "⇄",
    timeline_events.OUTAGE: "✕",
    timeline_events.GROUP_EVENT: "○",
}
WORDS: Final = {
    timeline_events.MARK: "mark",
    timeline_events.DEPLOY: "deploy",
    timeline_events.OPERATOR: "operator",
    timeline_events.NODE: "takeover",
    timeline_events.OUTAGE: "outage",
    timeline_events.GROUP_EVENT: "group",
}


class Box(NamedTuple):
    """A rectangle with its explanation; ``link``: the line that tells it."""

    x: float
    y: float
    width: float
    height: float
    css: str
    title: str
    link: str = ""


class Sign(NamedTuple):
    """The sign of one event or several, in percent of the width."""

    left: float
    text: str
    title: str
    link: str
    tone: str


class Tick(NamedTuple):
    """A mark on the axis, in percent of the width, and as a time."""

    left: float
    label: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Row:
    """A lane: where it is, the path of what it owned, and what lies on it."""

    lane: Lane
    y: int
    middle: int
    path: str
    boxes: Sequence[Box]


@dataclass(frozen=True, slots=True)
class Drawing:
    """The whole."""

    width: int
    height: int
    rows: Sequence[Row]
    bands: Sequence[Box]
    states: Sequence[Box]
    outages: Sequence[Box]
    signs: Sequence[Sign]
    ticks: Sequence[Tick]
    head: int = HEAD
    row: int = ROW


@dataclass(frozen=True, slots=True)
class Scale:
    """From times to positions."""

    since: datetime
    until: datetime
    known: datetime

    @property
    def end(self) -> int:
        """The part of the time after the last one that is known."""
        return round(self.x(self.known) / UNIT)

    def x(self, at: datetime) -> float:
        """The position of a time, within the drawing."""
        share = (at - self.since) / (self.until - self.since)
        return round(min(1.0, max(0.0, share)) * WIDTH, 1)

    def box(
        self, since: datetime, until: datetime | None, y: float, height: float, css: str, title: str
    ) -> Box:
        """A rectangle from a time to another one, wide enough to be seen."""
        left = self.x(since)
        width = max(NARROW, round(self.x(until or self.known) - left, 1))
        return Box(min(left, WIDTH - NARROW), y, width, height, css, title)


def draw(timeline: Timeline) -> Drawing:
    """The drawing of a timeline."""
    scale = Scale(timeline.since, timeline.until, timeline.known)
    height = HEAD + ROW * len(timeline.lanes) + 4
    most = max((lane.most for lane in timeline.lanes if lane.key), default=0)
    return Drawing(
        WIDTH,
        height,
        [_row(lane, n, scale, most, timeline) for n, lane in enumerate(timeline.lanes)],
        list(_bands(timeline.rebalances, scale, height)),
        list(_states(timeline, scale)),
        [
            scale.box(one.at, one.until or one.at, 0, height, "rc-tl-outage", one.text)
            for one in timeline.events
            if one.sort == timeline_events.OUTAGE
        ],
        list(_signs(timeline.events, scale)),
        list(_ticks(scale)),
    )


def line_of(event: Event, number: int) -> str:
    """The id of the line that tells an event."""
    return f"e-{event.seq}" if event.seq is not None else f"m-{number}"


def rebalance_line(one: Rebalance) -> str:
    """The id of the line that tells a rebalance."""
    return f"r-{one.generation}-{int(one.until.timestamp() * 1_000)}"


def _states(timeline: Timeline, scale: Scale) -> Iterator[Box]:
    for since, until, state in timeline.states:
        tone = tones.STATES.get(state, tones.WARN if state != REBALANCING else "preparing")
        yield scale.box(since, until, 0, STRIP, f"rc-fill-{tone}", state)


def _bands(rebalances: Sequence[Rebalance], scale: Scale, height: int) -> Iterator[Box]:
    """A band for each rebalance; those that no screen could tell apart share one."""
    together: list[Rebalance] = []
    for one in rebalances:
        if together and scale.x(one.since) - scale.x(together[0].since) >= UNIT:
            yield _band(together, scale, height)
            together = []
        together.append(one)
    if together:
        yield _band(together, scale, height)


def _band(together: Sequence[Rebalance], scale: Scale, height: int) -> Box:
    worst = max(together, key=lambda one: (one.cost_ms, one.until - one.since))
    until = max(one.until for one in together)
    title = worst.text
    if len(together) > 1:
        title = f"{len(together)} rebalances, the costliest: {title}"
    box = scale.box(together[0].since, until, 0, height, trigger_class(worst.trigger), title)
    return box._replace(link=rebalance_line(worst))


def _row(lane: Lane, number: int, scale: Scale, most: int, timeline: Timeline) -> Row:
    y = HEAD + number * ROW
    return Row(
        lane,
        y,
        y + ROW // 2,
        _path(lane, y + ROW - 3, lane.most if not lane.key else most, scale.end),
        list(_boxes(lane, y, scale, timeline)),
    )


def _path(lane: Lane, floor: int, most: int, end: int) -> str:
    """The outline of what the lane owned, along the parts of the time."""
    if not most:
        return ""
    ends = [*(step.bin for step in lane.steps[1:]), end]
    parts, is_open = [], False
    for step, until in zip(lane.steps, ends, strict=False):
        top = floor - max(1, round(BODY * step.partitions / most))
        if step.partitions > 0:
            begin = "L" if is_open else f"M{step.bin * UNIT} {floor}L"
            parts.append(f"{begin}{step.bin * UNIT} {top}H{until * UNIT}")
        elif is_open:
            parts.append(f"V{floor}Z")
        is_open = step.partitions > 0
    return "".join(parts) + (f"V{floor}Z" if is_open else "")


def _boxes(lane: Lane, y: int, scale: Scale, timeline: Timeline) -> Iterator[Box]:
    floor = y + ROW - THIN
    for since, until in lane.spans:
        yield scale.box(since, until, floor, 2, "rc-tl-life", _lived(lane, since, until))
    for wait in lane.waits:
        until = wait.since + timedelta(milliseconds=wait.ms)
        title = f"{lane.name} was awaited for {seconds(wait.ms)} ({wait.act}: {wait.end})"
        css = "rc-tl-revoke" if wait.act == "revoke" else "rc-tl-wait"
        yield scale.box(wait.since, until, y + 2, THIN, css, title)
    for left in lane.departures:
        if left.silent_since is not None:
            title = f"{lane.name} was silent until it was removed"
            yield scale.box(left.silent_since, left.at, floor, 2, "rc-tl-silent", title)
        css = "rc-tl-lost" if left.how in LOST else "rc-tl-left"
        yield scale.box(left.at, left.at, y + 2, ROW - 4, css, f"{lane.name}: {left.how}")
    for pause in timeline.pauses:
        if pause.member_id is None or (
            timeline.by == MEMBER and pause.member_id in lane.member_ids
        ):
            since = pause.since or timeline.since
            title = "its work was stopped by an operator"
            yield scale.box(since, pause.until, y + 6, ROW - 12, "rc-tl-paused", title)


def _lived(lane: Lane, since: datetime, until: datetime | None) -> str:
    end = "it is there" if until is None else f"until {until:%H:%M:%S}"
    return f"{lane.name}: from {since:%Y-%m-%d %H:%M:%S} UTC, {end}"


def _signs(events: Sequence[Event], scale: Scale) -> Iterator[Sign]:
    together: list[tuple[int, Event]] = []
    for number, one in enumerate(events):
        if together and scale.x(one.at) - scale.x(together[0][1].at) >= TOGETHER:
            yield _sign(together, scale)
            together = []
        together.append((number, one))
    if together:
        yield _sign(together, scale)


def _sign(together: Sequence[tuple[int, Event]], scale: Scale) -> Sign:
    number, first = together[0]
    title = first.text if len(together) == 1 else f"{len(together)} events: {first.text}"
    sorts = dict.fromkeys(SIGNS[one.sort] for _, one in together)
    left = round(100 * scale.x(first.at) / WIDTH, 2)
    return Sign(left, "".join(sorts), title, line_of(first, number), first.tone)


def _ticks(scale: Scale) -> Iterator[Tick]:
    """Round times of UTC."""
    length_s = (scale.until - scale.since) / timedelta(seconds=1)
    step = next((s for s in STEPS_S if length_s / s <= TICKS), None)
    step = step or DAY_S * max(1, round(length_s / DAY_S / TICKS))
    at = -(-scale.since.timestamp() // step) * step
    form = "%m-%d" if step >= DAY_S else "%H:%M" if step >= STEPS_S[6] else "%H:%M:%S"
    while at <= scale.until.timestamp():
        moment = datetime.fromtimestamp(at, UTC)
        yield Tick(round(100 * scale.x(moment) / WIDTH, 2), moment.strftime(form), moment)
        at += step
