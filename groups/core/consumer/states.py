"""The states of a consumer group, in Kafka's words (KIP-848). Dead is the absence of the row."""

from typing import Final

EMPTY: Final = "Empty"
ASSIGNING: Final = "Assigning"
RECONCILING: Final = "Reconciling"
STABLE_GROUP: Final = "Stable"
