"""Limits of the wire, with their reasons.

Only numbers are here; the modules that import them make the checks.
"""

FRAME_BYTES_MAX = 8 * 1024 * 1024
"""A leader's SyncGroup for 10,000 members is below 4 MiB; Kafka's 100 MiB invites harm."""

REPLY_BYTES_MAX = 8 * 1024 * 1024
"""Replies are truncated to this length, or refused: the same as the longest request. Only replies
about a single group may be longer, within the limits of a group."""

FRAME_ELEMENTS_MAX = 100_000
"""Array elements and tagged fields in one frame, at all nesting levels.

A limit in bytes does not limit the work: a 1 MB JoinGroup of three-byte protocols keeps a decoder
busy for most of a second, in which no lease is renewed (CVE-2022-34917 is the same problem with
memory). This allows ten for each of 10,000 members.
"""

TAGGED_FIELDS_MAX = 32
"""Tagged fields (KIP-482) in one struct. Kafka's messages define at most ten."""

TAGGED_FIELD_BYTES_MAX = 16 * 1024
"""Bytes of one tagged field; unknown ones are skipped, which should be fast."""

UVARINT_BYTES_MAX = 5
"""Thirty-two bits in groups of seven. Without a limit, 2 MB of 0xFF would be one number."""

STRING_BYTES_MAX = 0x7FFF
"""Kafka's own: a compact string may not be longer than an int16 length allows."""
