"""``python -m demo``: something to watch in a running installation, until Ctrl-C.

Members of stock Kafka clients, of Rollcall's own library in every protocol, and members that speak
the wire themselves, work on sample topics; they join, commit, leave, crash and come back at seeded
times. In the end they leave, and their groups and topics are removed. Nothing here is used by the
server.
"""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence

from demo import cast, plot, wire
from demo.cast import Kind, Troupe
from demo.stage import Stage, Terms
from demo.tidy import tidy

WORK_S = 2.0
WORK_LEAST_S = 0.2
CLASSIC_SESSION_S = 6.0
"""The shortest that a node allows unless told otherwise: a dead member is missed soon."""

CONSUMER_SESSION_VARIABLE = "ROLLCALL_GROUP_CONSUMER_SESSION_TIMEOUT_MS"
CONSUMER_SESSION_MS = 45_000


def say(text: str) -> None:
    """One line of the story."""
    print(text, flush=True)


async def show(options: argparse.Namespace) -> None:
    """The whole demo, from the first entrance until everything is away again."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    stages = engage(options)
    for stage in stages:
        await wire.create_topic(options.bootstrap, stage.troupe.topic, stage.troupe.partitions)
    say(f"seed {options.seed}; groups: {', '.join(stage.troupe.group for stage in stages)}")
    await play(stages, options, stop)
    if not options.keep:
        await asyncio.gather(*(tidy(options.bootstrap, stage.troupe) for stage in stages))
    say("everybody has left")


async def play(stages: Sequence[Stage], options: argparse.Namespace, stop: asyncio.Event) -> None:
    """All groups at once, until the time is up or it is stopped."""
    playing = [
        asyncio.create_task(
            stage.perform(
                plot.play(stage.troupe, options.seed, options.pace, stage.session_s, options.quiet)
            )
        )
        for stage in stages
    ]
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait(
            [stopping, *playing], timeout=options.seconds, return_when=asyncio.FIRST_COMPLETED
        )
    finally:
        say("the demo ends")
        for task in (stopping, *playing):
            task.cancel()
        ends = await asyncio.gather(*playing, return_exceptions=True)
    for end in ends:
        if isinstance(end, Exception):
            raise end


def engage(options: argparse.Namespace) -> list[Stage]:
    """A stage for each group whose clients are installed; missing ones are printed."""
    installed = cast.installed()
    if installed.isdisjoint(cast.MODULES):
        say(f"no stock client is installed ({', '.join(cast.MODULES)}): only our own play")
    terms = Terms(
        options.bootstrap, options.draft, options.seed, max(WORK_S * options.pace, WORK_LEAST_S)
    )
    stages = []
    for troupe in options.groups:
        library = troupe.library(installed)
        if library is None:
            say(f"{troupe.name} is left out: it needs {' or '.join(troupe.libraries)}")
        else:
            session_s = session(troupe, options, os.environ)
            stages.append(Stage(troupe, library, terms, session_s, say))
    return stages


def session(troupe: Troupe, options: argparse.Namespace, environ: Mapping[str, str]) -> float:
    """How long a silent member of this group is waited for, in seconds."""
    if troupe.kind is Kind.CONSUMER:  # its coordinator decides
        return int(environ.get(CONSUMER_SESSION_VARIABLE) or CONSUMER_SESSION_MS) / 1000
    return float(options.session)


def troupes(text: str) -> list[Troupe]:
    """The groups that a list of names means."""
    known = {troupe.name: troupe for troupe in cast.TROUPES}
    try:
        return [known[name.strip()] for name in text.split(",")]
    except KeyError as unknown:
        raise argparse.ArgumentTypeError(f"{unknown} is none of {', '.join(known)}") from None


def parser() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    port = os.environ.get("ROLLCALL_KAFKA_PORT") or "9092"
    draft = os.environ.get("ROLLCALL_DRAFT_PORT") or "9392"
    made = argparse.ArgumentParser(prog="python -m demo", description=__doc__)
    add = made.add_argument
    add("--bootstrap", default=f"127.0.0.1:{port}", help="HOST:PORT of a node")
    add("--draft", default=f"127.0.0.1:{draft}", help="HOST:PORT of its listener for the 0.9 draft")
    add("--for", dest="seconds", type=float, help="seconds until it ends by itself")
    add("--seed", type=int, default=1, help="another number, another story")
    add("--groups", type=troupes, default=cast.TROUPES, help="names, with commas between")
    add("--pace", type=float, default=1.0, help="0.5: everything takes half of its time")
    add(
        "--quiet",
        type=float,
        default=plot.QUIET_S,
        help="seconds between two scenes of a group; with 10 the groups rebalance so often that"
        " they need attention",
    )
    add(
        "--session",
        type=float,
        default=CLASSIC_SESSION_S,
        help="seconds, unless the coordinator decides",
    )
    add("--keep", action="store_true", help="leave the groups and the topics there")
    return made


def main() -> int:
    """Show it; the result is the exit status."""
    options = parser().parse_args()
    try:
        asyncio.run(show(options))
    except (OSError, wire.Away) as failure:
        say(f"nobody serves at {options.bootstrap}: is `make run` running? ({failure})")
        return 1
    except wire.DemoRefused as refusal:
        say(str(refusal))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
