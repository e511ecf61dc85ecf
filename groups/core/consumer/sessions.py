"""Computes how long members of a consumer group may be silent."""

from groups.core.consumer.index import Index
from groups.core.consumer.live import Live
from groups.core.consumer.member import Member
from groups.core.group import Millis, Rules, last_heard


class Sessions:
    """When each member's last request arrived, its session timeout, and when the session ends. The
    timeout is the group's, except for members of the classic protocol, which have their own."""

    __slots__ = ("_live", "_own", "interval_ms", "usual_ms")

    def __init__(self, live: Live, index: Index, rules: Rules) -> None:
        self._live, self._own = live, index.classic
        self.usual_ms: Millis = rules.group_consumer_session_timeout_ms
        self.interval_ms: Millis = rules.group_consumer_heartbeat_interval_ms

    def heard_at(self, member_id: str) -> Millis:
        """Since when the member has been silent, without times that do not count."""
        return max(self._live.beats[member_id].at, self._live.floor)

    def really_heard(self, member_id: str) -> Millis:
        """When the member was really heard, as far as known."""
        return last_heard(self._live.beats[member_id], self._live.floor)

    def timeout_ms(self, member: Member) -> Millis:
        """The member's session timeout."""
        own = member.row.member_id in self._own
        return member.row.session_timeout_ms if own else self.usual_ms

    def end(self, member: Member) -> Millis:
        """When a member that stays silent is removed."""
        return self.heard_at(member.row.member_id) + self.timeout_ms(member)
