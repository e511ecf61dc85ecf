"""How long members of a consumer group may be silent: the one place that reckons it."""

from groups.core.consumer.index import Index
from groups.core.consumer.live import Live
from groups.core.consumer.member import Member
from groups.core.group import Millis, Rules


class Sessions:
    """When each member was heard of, how long its session is, and when that ends. The group says
    how long, but to a member of the classic protocol, who said it itself."""

    __slots__ = ("_live", "_own", "usual_ms")

    def __init__(self, live: Live, index: Index, rules: Rules) -> None:
        self._live, self._own = live, index.classic
        self.usual_ms: Millis = rules.group_consumer_session_timeout_ms

    def heard_at(self, member_id: str) -> Millis:
        """Since when the member has been silent, as far as silence counts."""
        return max(self._live.beats[member_id].at, self._live.floor)

    def timeout_ms(self, member: Member) -> Millis:
        """How long it may be silent."""
        own = member.row.member_id in self._own
        return member.row.session_timeout_ms if own else self.usual_ms

    def end(self, member: Member) -> Millis:
        """When a member that stays silent is removed."""
        return self.heard_at(member.row.member_id) + self.timeout_ms(member)
