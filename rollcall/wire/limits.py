"""How much one frame may ask of us: every limit of the wire, with its reason.

Only numbers live here. Where a limit is checked is said by who imports it.
"""

FRAME_BYTES_MAX = 8 * 1024 * 1024
"""A leader's SyncGroup for 10,000 members is below 4 MiB; Kafka's 100 MiB invites harm."""

REPLY_BYTES_MAX = 8 * 1024 * 1024
"""What a reply is cut to, or refused beyond: as long as the longest request. Only what tells of one
group alone may be longer, as far as the limits of a group allow."""

FRAME_ELEMENTS_MAX = 100_000
"""Array elements and tagged fields in one frame, all nestings together.

Bytes alone are no limit on work: a 1 MB JoinGroup of three-byte protocols keeps
a decoder busy for most of a second, in which no lease is renewed (CVE-2022-34917
is the same thought with memory). Ten members' worth for each of 10,000 members.
"""

TAGGED_FIELDS_MAX = 32
"""Tagged fields (KIP-482) in one struct. No message of Kafka's defines more than ten."""

TAGGED_FIELD_BYTES_MAX = 16 * 1024
"""Bytes of one tagged field; unknown ones are skipped, and a skip should be short."""

UVARINT_BYTES_MAX = 5
"""Thirty-two bits in groups of seven. Without an end, 2 MB of 0xFF are one number."""

STRING_BYTES_MAX = 0x7FFF
"""Kafka's own: a compact string may not be longer than an int16 length could say."""
