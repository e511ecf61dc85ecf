"""The list of groups: its filters, its named views, and values of a row besides its columns.

A view is a named query; some are built in, others are saved by users for themselves or for all
(``groups.models.SavedView``).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Case, Q, QuerySet, When
from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils import timezone

from console.admin.links import LinkedList
from console.people import rights
from console.queries import day_strips, group_rows, group_search, groups, situation
from console.queries.acknowledgements import ABOUT_GROUPS, in_force
from console.queries.attention_table import OF_GROUPS
from groups.models import Group, Node, SavedView

ASSIGNORS: Final = ("range", "roundrobin", "sticky", "cooperative-sticky", "uniform")
"""Assignors of Kafka's clients and servers; others can be set in the URL (``?assignor=``)."""

NOBODY: Final = "nobody"
ANY_RULE: Final = "any"


class Filter(admin.SimpleListFilter, ABC):
    """A filter with choices. A value in the URL that is no choice is accepted and shown."""

    @property
    @abstractmethod
    def options(self) -> Sequence[tuple[str, str]]:
        """The choices."""

    @abstractmethod
    def chosen(self, queryset: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Groups with this choice."""

    def has_output(self) -> bool:
        """Always shown, even with few choices."""
        return bool(self.lookup_choices)

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The choices, and the value in the URL."""
        choices, value = list(self.options), self.value()
        if value and value not in dict(choices):
            choices.append((value, value))
        return choices

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The groups with the selected value; all if none is selected."""
        value = self.value()
        return queryset if not value else self.chosen(queryset, value)


class StateFilter(Filter):
    """Groups by state."""

    title = "state"
    parameter_name = "state"
    options = [(state, state) for state in groups.STATES]

    def chosen(self, queryset: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Groups in this state, or all that wait."""
        return queryset.filter(state=value) if value in groups.STATES else queryset


class TypeFilter(Filter):
    """Groups by protocol."""

    title = "type"
    parameter_name = "type"
    options = [(kind, kind) for kind in groups.KINDS]

    def chosen(self, queryset: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Groups with this protocol."""
        return queryset.filter(kind=value) if value in groups.KINDS else queryset


class AttentionFilter(Filter):
    """Groups with a finding of an attention rule."""

    title = "rule that fires"
    parameter_name = "attention"
    options = [(ANY_RULE, "any rule"), *((rule.name, rule.name) for rule in OF_GROUPS)]

    def chosen(self, queryset: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Groups with a finding of this rule."""
        names = [rule.name for rule in OF_GROUPS] if value == ANY_RULE else [value]
        return group_search.of_rules(queryset, names)


class AssignorFilter(Filter):
    """Groups by assignor."""

    title = "assignor"
    parameter_name = "assignor"
    options = [(name, name) for name in ASSIGNORS]

    def chosen(self, queryset: QuerySet[Any], value: str) -> QuerySet[Any]:
        """The assignor that the members selected, or the coordinator's."""
        by_members = Q(protocol_name=value)
        return queryset.filter(by_members | Q(kind=groups.CONSUMER, details__assignor=value))


class NodeFilter(Filter):
    """Groups by node."""

    title = "node"
    parameter_name = "node"

    @property
    def options(self) -> Sequence[tuple[str, str]]:
        """The existing nodes, and none."""
        ids = Node.objects.order_by("node_id").values_list("node_id", flat=True)
        return [*((str(n), f"node {n}") for n in ids), (NOBODY, "no node")]

    def chosen(self, queryset: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Groups whose slot the node owns."""
        if value == NOBODY:
            return group_search.of_node(queryset, None)
        is_id = value.isascii() and value.isdigit() and len(value) < NODE_DIGITS_MAX
        return group_search.of_node(queryset, int(value)) if is_id else queryset.none()


NODE_DIGITS_MAX: Final = 10
"""Digits of an int32, the maximum of a node's number."""


class TopicFilter(Filter):
    """Groups by topic. There may be thousands of topics, so a topic's page and the search link
    here."""

    title = "topic"
    parameter_name = "topic"
    options = []

    def chosen(self, queryset: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Groups that subscribe to it or have committed offsets of it."""
        return group_search.of_topic(queryset, value)


FILTERS: Final = (
    StateFilter,
    AttentionFilter,
    TypeFilter,
    AssignorFilter,
    NodeFilter,
    TopicFilter,
)


LIVE: Final = "live"


def is_refresh(request: HttpRequest) -> bool:
    """Whether live.js refreshes: only the changing part of the page is needed."""
    return request.headers.get("X-Requested-With") == LIVE


class Ids(list[str]):
    """All groups of a list in order, in place of Django's queryset."""

    def _clone(self) -> Self:
        return self


class GroupList(LinkedList):
    """The groups of a page with values besides their columns.

    Computed after the page's rows are known: PostgreSQL would otherwise count members of every
    group that an OFFSET skips.
    """

    result_list: Any
    queryset: Any

    def get_results(self, request: HttpRequest) -> None:
        """The usual rows, each with its number of members, ``newest``, its last rebalance,
        ``situation``, its current activity, ``work`` and ``rebalances_1h``."""
        if self.query or TopicFilter.parameter_name in request.GET:
            self._find_once()
        if not isinstance(self.queryset, Ids):  # the rows of a page are read by their ids below
            self.queryset = self.queryset.only("group_id")
        super().get_results(request)
        ids = [one if isinstance(one, str) else one.group_id for one in self.result_list]
        rows = list(groups.annotated(Group.objects.filter(group_id__in=ids)))
        newest, situations = groups.with_rebalances(rows), situation.of_many(rows)
        noted = {one.subject: one for one in in_force(ids).values() if one.rule in ABOUT_GROUPS}
        work = group_rows.work_of(rows)
        often = group_rows.rebalances_1h(ids)
        days = day_strips.read(ids, timezone.now())
        may_evict = rights.may(request.user, rights.EVICT)
        for group in rows:
            group.newest = newest.get(group.group_id)
            group.situation = situations[group.group_id]
            group.acknowledged = noted.get(group.group_id)
            group.work = work.get(group.group_id)
            group.rebalances_1h = often.get(group.group_id, 0)
            group.day = days[group.group_id]
            group.may_evict = may_evict
        self.result_list = sorted(rows, key=lambda group: ids.index(group.group_id))

    def _find_once(self) -> None:
        """Search once for the count and the page, or load all rows if there are few."""
        ids, total = group_search.ids_of(self.queryset)
        if len(ids) == total:
            self.queryset = Ids(ids)
        else:
            self.queryset.count = lambda: total


# -- Views ------------------------------------------------------------------------------------


class View(NamedTuple):
    """A named query. ``remove``: the URL to delete it; "": it cannot be deleted, or not by this
    user."""

    title: str
    link: str
    is_shown: bool
    remove: str = ""
    by: str = ""


VIEWS: Final[Mapping[str, str]] = {
    "All": "",
    "Needs attention": "attention=any",
    "Rebalances most": "o=-often",
    "Largest": "o=-size",
    "Frozen": "attention=frozen",
    "Stopped": "attention=stopped",
    "Empty": "state=Empty",
}

SAVED_MAX: Final = 30
"""Maximum number of saved views that are offered; each user may save as many."""

PAGE: Final = "p"


ORDER: Final = "o"

PARAMETERS: Final = frozenset([*(each.parameter_name for each in FILTERS), "q", ORDER, PAGE, "all"])
"""What a view may hold: the list refuses anything else."""


def columns(site: Any, request: HttpRequest) -> Sequence[str]:
    """The columns as Django numbers them in an order: from 1 if there is a checkbox before each
    row, from 0 if the user has no actions. So views use column names."""
    names: Sequence[str] = site.get_list_display(request)
    return ["", *names] if site.get_actions(request) else names


def numbered(query: QueryDict, names: Sequence[str]) -> QueryDict:
    """The query with column numbers, as Django expects."""
    return _ordered(query, {name: str(number) for number, name in enumerate(names) if name})


def named(query: QueryDict, names: Sequence[str]) -> QueryDict:
    """The query with column names."""
    return _ordered(query, {str(number): name for number, name in enumerate(names) if name})


def _ordered(query: QueryDict, words: Mapping[str, str]) -> QueryDict:
    if ORDER not in query:
        return query
    parts = [part.rpartition("-") for part in str(query[ORDER]).split(".")]
    changed = query.copy()
    changed[ORDER] = ".".join(f"{sign}{words.get(word, word)}" for _, sign, word in parts)
    return changed


def views(request: HttpRequest, names: Sequence[str]) -> dict[str, Any]:
    """The views above a list with these columns. One statement."""
    present = query_of(named(request.GET, names))
    saved = list(visible(request.user).select_related("user")[:SAVED_MAX])
    return {
        "views": [
            *(View(title, f"?{query}", query == present) for title, query in VIEWS.items()),
            *(_saved(one, present, request.user) for one in saved),
        ],
        "save_url": _save_url(present, saved),
    }


def visible(user: Any) -> QuerySet[SavedView]:
    """This user's views, then those that others share: one's own are offered in any case."""
    views = SavedView.objects.filter(Q(user=user.pk) | Q(is_shared=True))
    is_others = Case(When(user=user.pk, then=0), default=1)
    return views.order_by(is_others, "name", "id")


def _saved(one: SavedView, present: str, user: Any) -> View:
    is_own = one.user_id == user.pk
    remove = reverse("admin:groups_savedview_delete", args=[one.pk]) if is_own else ""
    by = "" if is_own else one.user.get_username()
    return View(one.name, f"?{one.query}", one.query == present, remove, by)


def _save_url(present: str, saved: Sequence[SavedView]) -> str:
    """The URL to save the current query; "" if it has a name."""
    if present in VIEWS.values() or any(one.query == present for one in saved):
        return ""
    return f"{reverse('admin:groups_savedview_add')}?{urlencode({'query': present})}"


def query_of(query: QueryDict) -> str:
    """A list's query without its page, in a fixed order."""
    return urlencode(sorted(_items(query)))


def _items(query: QueryDict) -> Iterator[tuple[str, str]]:
    for name in query:
        if name != PAGE and query[name]:
            yield name, str(query[name])
