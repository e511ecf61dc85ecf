"""The kinds of scenario, by name."""

from tests.differential.administration import Administration
from tests.differential.classic import Classic
from tests.differential.consumer import Consumer
from tests.differential.crossed import Crossed
from tests.differential.mixed import Mixed
from tests.differential.plays import Play
from tests.differential.transactions import Transactions

KINDS: dict[str, type[Play]] = {
    "consumer": Consumer,
    "classic": Classic,
    "mixed": Mixed,
    "transactions": Transactions,
    "administration": Administration,
    "crossed": Crossed,
}
