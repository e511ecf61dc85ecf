"""docs/configuration.md has every setting of a group, with its bounds."""

from pathlib import Path

from groups.core.configs.group import BY_NAME, GroupConfig

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"


def documented() -> dict[str, tuple[str, str]]:
    """The first table: name to bounds and what holds unless set."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    cells = [[cell.strip().replace("`", "") for cell in line.split("|")[1:-1]] for line in lines]
    return {name: (bounds, unset) for name, bounds, unset, _meaning in cells}


def expected(config: GroupConfig) -> tuple[str, str]:
    bounds = f"{config.least} … {config.most}" if config.most else "true, false"
    return bounds, config.inherits or config.default


def test_the_page_has_every_name_its_bounds_and_its_default() -> None:
    assert documented() == {name: expected(config) for name, config in BY_NAME.items()}
