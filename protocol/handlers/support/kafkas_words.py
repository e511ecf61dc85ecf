"""Kafka's own sentences, where programs look for them in an error message.

Older versions of an API, and clients that show only the message, leave nothing else to go by. What
people read, in the admin or in a log, is written where it arises.
"""

from typing import Final

TOPIC_EXISTS: Final = "Topic '{}' already exists."
TOPIC_TWICE: Final = "Duplicate topic name."
NO_SUCH_TOPIC: Final = "This server does not host this topic-partition."
NO_SUCH_TOPIC_ID: Final = "This server does not host this topic ID."
NAME_AND_ID: Final = "You may not specify both topic name and topic id."
NAME_OF_ID: Final = "The provided topic name maps to an ID that was already supplied."
NO_CONFIG_OF_TOPIC: Final = "The topic '{}' does not exist."

NO_SUCH_GROUP: Final = "Group {} not found."
NOT_CLASSIC: Final = "Group {} is not a classic group."
NOT_CONSUMER: Final = "Group {} is not a consumer group."
