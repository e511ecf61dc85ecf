"""A Dockerfile's instructions, as far as ours has them. It executes nothing."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

NAMED = re.compile(r"\$\{(\w+)\}|\$(\w+)")


class Instruction(NamedTuple):
    """A word, such as RUN, and what follows it in one line."""

    word: str
    text: str


@dataclass
class Stage:
    """One FROM: its base, its name, and what is done in it."""

    base: str
    name: str
    steps: list[Instruction] = field(default_factory=list)


def lines(text: str) -> Iterator[Instruction]:
    """Each instruction whole, without comments."""
    kept = [
        line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]
    whole = re.sub(r"\\\n\s*", "", "\n".join(kept))
    for line in whole.splitlines():
        word, _, rest = line.strip().partition(" ")
        yield Instruction(word, rest.strip())


def stages(text: str, arguments: Mapping[str, str]) -> list[Stage]:
    """The stages in order; arguments of the build are filled in where a base names them."""
    values: dict[str, str] = {}
    found: list[Stage] = []
    for each in lines(text):
        if each.word == "FROM":
            base, _, name = filled(each.text, values).partition(" AS ")
            found.append(Stage(base, name))
        elif found:
            found[-1].steps.append(each)
        elif each.word == "ARG":
            values |= assigned(each.text, {}) | dict(arguments)
    return found


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with the values of its variables; as Docker does it outside of RUN."""
    return NAMED.sub(lambda found: values.get(found[1] or found[2], ""), text)


def assigned(text: str, values: Mapping[str, str]) -> dict[str, str]:
    """What ENV or ARG says: names and values."""
    pairs = (word.partition("=") for word in shlex.split(text))
    return {name: filled(value, values) for name, _, value in pairs}


def words(text: str) -> list[str]:
    """A list in JSON, as of ENTRYPOINT."""
    read: list[str] = json.loads(text)
    return read
