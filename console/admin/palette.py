"""The command palette (Ctrl+K): pages, groups, topics, nodes, members and verbs of a group, by part
of their names. It shows only links that the user may follow.

unfold draws it; unfold's own search covers only models and caches for five minutes, so its view is
replaced.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import admin
from django.db.models.functions import Length
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse

from console.admin.links import quote
from console.people import rights
from console.queries.text_search import any_has_text, has_text
from groups.cluster.view import address
from groups.models import Group, Member, Node, Topic

WORD_CHARS_MAX: Final = 300
"""Maximum length of the input. Ids are shorter."""

GROUPS_MAX: Final = 8
TOPICS_MAX: Final = 5
MEMBERS_MAX: Final = 5
"""Maximum hits of each kind."""


class Hit(NamedTuple):
    """One hit, in the form of unfold's template."""

    title: str
    description: str
    link: str
    icon: str


class Act(NamedTuple):
    """A verb of a group: the words by which it is found, and its URL."""

    words: str
    title: str
    page: str
    permission: str


ACTS: Final = (
    Act("force rebalance", "Force a rebalance of {}", "rebalance", rights.REBALANCE),
    Act("freeze thaw", "Freeze or thaw {}", "freeze", rights.FREEZE),
    Act("stop start pause resume", "Stop or start the work of {}", "pause", rights.PAUSE),
    Act("reset offsets set", "Reset the offsets of {}", "reset", rights.RESTORE),
    Act("delete remove", "Delete {}", "remove", rights.DELETE),
)

TABS: Final = ("members", "rebalances", "offsets", "configuration")

PAGES: Final = (
    ("Create a topic", "groups_topic_add", "groups.add_topic", "add"),
    ("Make an API token", "groups_apitoken_add", rights.LOGGED_IN, "key"),
    ("Change your password", "password_change", rights.LOGGED_IN, "password"),
    ("Add a user of the admin", "auth_user_add", "auth.add_user", "person_add"),
)
"""Pages that are not in the sidebar: title, name, permission, icon."""


def search(request: HttpRequest, extra_context: Any = None) -> HttpResponse:
    """The hits for an input; none for an empty one."""
    typed = request.GET.get("s", "").strip()
    if not typed:
        return HttpResponse()
    hits = [] if len(typed) > WORD_CHARS_MAX else list(matching_hits(request, typed))
    context = {"results": hits, "number": len(hits)}
    return TemplateResponse(request, "admin/palette.html", context)


setattr(admin.site, "search", search)  # noqa: B010  (unfold's, whose URL is made of it)


def matching_hits(request: HttpRequest, typed: str) -> Iterator[Hit]:
    """The hits by kind. At most four statements."""
    may = partial(rights.may, request.user)
    yield from _pages(request, typed)
    if may(rights.VIEW_GROUP):
        yield from _groups(typed, may)
    if may(rights.VIEW_TOPIC):
        yield from map(_topic, _named(Topic, "name", typed, TOPICS_MAX))
    if may("groups.view_node"):
        yield from _nodes(typed)
    if may(rights.VIEW_GROUP):
        yield from _members(typed)


def _pages(request: HttpRequest, typed: str) -> Iterator[Hit]:
    for area in settings.UNFOLD["SIDEBAR"]["navigation"]:
        for item in area["items"]:
            is_allowed = item["permission"] is None or item["permission"](request)
            if is_allowed and _has(item["title"], typed):
                yield Hit(item["title"], area["title"], str(item["link"]), item["icon"])
    for title, page, permission, icon in PAGES:
        if rights.may(request.user, permission) and _has(title, typed):
            yield Hit(title, "page", reverse(f"admin:{page}"), icon)


def _has(title: str, typed: str) -> bool:
    return all(has_text(title, word) for word in typed.split())


def _groups(typed: str, may: Callable[[str], bool]) -> Iterator[Hit]:
    """Groups, then verbs of the first one; "freeze orders" is the freeze of ``orders``."""
    verbs, rest = _verbs(typed)
    groups: Sequence[Any] = list(_named(Group, "group_id", typed, GROUPS_MAX))
    targets = list(_named(Group, "group_id", rest, GROUPS_MAX)) if verbs and rest else []
    yield from chain.from_iterable(_acts(group, verbs, may) for group in targets)
    yield from (
        Hit(group.group_id, f"{group.kind} group, {group.state}", _url(group), "groups")
        for group in groups
    )
    if len(groups) == 1 or any(group.group_id == typed for group in groups):
        yield from chain(_acts(groups[0], ACTS, may), _tabs(groups[0]))


def _verbs(typed: str) -> tuple[Sequence[Act], str]:
    """The verbs that begin with the first word, and the rest of the input."""
    first, _, rest = typed.partition(" ")
    begun = first.lower()
    acts = [act for act in ACTS if any(word.startswith(begun) for word in act.words.split())]
    return acts, rest.strip()


def _acts(group: Group, acts: Sequence[Act], may: Callable[[str], bool]) -> Iterator[Hit]:
    for act in acts:
        if may(act.permission):
            url = reverse(f"admin:groups_group_{act.page}", args=[quote(group.group_id)])
            yield Hit(act.title.format(group.group_id), "action", url, "bolt")


def _tabs(group: Group) -> Iterator[Hit]:
    for tab in TABS:
        yield Hit(f"{tab.title()} of {group.group_id}", "page", f"{_url(group)}?tab={tab}", "tab")


def _url(group: Group) -> str:
    return reverse("admin:groups_group_change", args=[quote(group.group_id)])


def _named(model: Any, field: str, typed: str, most: int) -> Sequence[Any]:
    """Rows whose names contain the text, the shortest names first, so that an exact match leads."""
    rows = model.objects.filter(any_has_text(typed, field))
    return list(rows.order_by(Length(field), field)[:most])


def _topic(topic: Topic) -> Hit:
    url = reverse("admin:groups_topic_change", args=[quote(topic.name)])
    return Hit(topic.name, f"topic, {topic.partitions:,} partitions", url, "category")


def _nodes(typed: str) -> Iterator[Hit]:
    number = typed.lower().removeprefix("node").strip()
    if number.isascii() and number.isdigit():
        for node in Node.objects.filter(node_id__in=[int(number)] if len(number) < 10 else []):
            url = reverse("admin:groups_node_changelist")
            title = f"Node {node.node_id}"
            yield Hit(title, address(node.host, node.port), url, "dns")


def _members(typed: str) -> Iterator[Hit]:
    of = any_has_text(typed, "client_id", "instance_id", "member_id")
    for member in Member.objects.filter(of).order_by("client_id")[:MEMBERS_MAX]:
        query = urlencode({"tab": "members", "members": member.client_id or member.member_id})
        url = reverse("admin:groups_group_change", args=[quote(member.group_id)])
        name = member.client_id or member.member_id
        yield Hit(name, f"member of {member.group_id}", f"{url}?{query}", "person")
