"""``python -m coordinator_site.settings_page``: every setting with Kafka's names, as
docs/settings.md has it.
"""

import sys
from collections.abc import Iterator
from typing import Final

from coordinator_site.kafka_settings import SETTINGS, text

HEAD: Final = """\
# Settings

`python -m coordinator_site.settings_page` generates this page from
`coordinator_site/kafka_settings/`. A process reads its settings when it starts, from environment
variables: `group.max.size` is `ROLLCALL_GROUP_MAX_SIZE`. If a value is invalid, nothing starts and
a message names the variable. Names, types and defaults are those of Kafka's brokers, except where a
row says "ours". [Configuration](configuration.md) describes the settings of single groups, and
changes at run time.

| setting | default | values | meaning or reason |
|---|---|---|---|"""


def page() -> str:
    """The same on every installation: defaults, not what is set here."""
    return "\n".join((HEAD, *_rows(), ""))


def _rows() -> Iterator[str]:
    for setting in SETTINGS:
        default = f"`{text(setting.default)}`" if text(setting.default) else "none"
        may_be = setting.bounds or ("true, false" if setting.kind == "BOOLEAN" else "text")
        why = setting.reason.replace("|", "\\|")
        yield f"| `{setting.name}` | {default} | {may_be} | {why} |"


if __name__ == "__main__":
    sys.stdout.write(page())
