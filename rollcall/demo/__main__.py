"""A short tour against a running installation: a group forms, loses a member, and goes on.

The members speak the wire with Rollcall's own codec, so that the demo needs nothing beside
Rollcall. Nothing here is used by the server.
"""

import argparse
import asyncio
import itertools
import os
import sys

from rollcall.demo.member import Member, Told, create_topic

TOPIC, PARTITIONS = "demo.orders", 6
NAMES = ("anna", "ben", "cleo", "dan")
STEP_S = 4.0


def say(text: str) -> None:
    """One line of the story."""
    print(text, flush=True)


async def tour(bootstrap: str, seconds: float) -> None:
    """Members join one by one; then one leaves and one dies, over and over, until time is up."""
    await create_topic(bootstrap, TOPIC, PARTITIONS)
    group = f"demo-{os.getpid()}"
    say(f'topic "{TOPIC}" has {PARTITIONS} partitions; the group is "{group}"')
    members: list[Member] = []
    names = itertools.cycle(NAMES)
    end = asyncio.get_running_loop().time() + seconds
    try:
        while asyncio.get_running_loop().time() < end:
            await _scene(bootstrap, group, members, names)
            left = end - asyncio.get_running_loop().time()
            await asyncio.sleep(max(0.0, min(STEP_S, left)))
    finally:
        for member in members:
            await member.leave("the demo ends")
        say("everybody has left")


async def _scene(
    bootstrap: str, group: str, members: list[Member], names: "itertools.cycle[str]"
) -> None:
    if len(members) < 3:
        name = next(names)
        say(f"+ {name} joins")
        members.append(await Member.start(bootstrap, group, TOPIC, PARTITIONS, name, _tell))
    elif members[0].generation % 2:
        gone = members.pop(0)
        say(f"- {gone.name} leaves")
        await gone.leave("had enough")
    else:
        dead = members.pop()
        say(f"x {dead.name} is cut off without a word; its session ends in {dead.session_s:.0f} s")
        dead.cut_off()


def _tell(told: Told) -> None:
    say(f"    {told.name}: generation {told.generation}, works on {told.partitions}")


def main() -> int:
    """Run the tour until its time is up or Ctrl-C."""
    parser = argparse.ArgumentParser(prog="rollcall.demo", description=__doc__)
    port = os.environ.get("ROLLCALL_KAFKA_PORT", "9092")
    parser.add_argument("--bootstrap", default=f"127.0.0.1:{port}", help="HOST:PORT of a node")
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    try:
        asyncio.run(tour(options.bootstrap, options.seconds))
    except ConnectionRefusedError:
        say(f"nobody serves at {options.bootstrap}: start `make run` in another terminal")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
