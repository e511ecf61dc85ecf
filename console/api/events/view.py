"""``GET /api/v1/journal/events``: its authorization, its start position, and its streaming
response."""

import time
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any, Final

from django.conf import settings
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from console.api.events.follower import FOLLOWER
from console.api.events.holders import holder_of
from console.api.events.streams import PLACES, Stream
from console.api.inputs import described
from console.api.permissions import readable_kinds
from console.api.problems import Problem
from console.api.schema import NAME
from console.api.views import View
from console.queries import journal_rows
from console.queries.journal_position import Position
from console.queries.journal_text import SENTENCES
from groups.postgres.django_connection import give_back

EVENT_STREAM: Final = "text/event-stream"
LAST_EVENT_ID: Final = "Last-Event-ID"
COME_AGAIN_S: Final = 5

STREAMS: Final = "WEB_EVENT_STREAMS_MAX"
STREAMS_OF_ONE: Final = "WEB_EVENT_STREAMS_PER_USER_MAX"

ABOUT = (
    "`retry:`, then an event for each entry: its `data` is a `JournalEntry`, its `id` says where"
    " the client stands. Comments keep the connection open. An event `end` says why the server"
    " ends the stream: `slow`, `forbidden`, `unavailable` or `time_went_back`."
)


class Events(BaseRenderer):
    """Renders nothing: it only declares the media type."""

    media_type = EVENT_STREAM
    format = "events"


class EventStreamNegotiation(DefaultContentNegotiation):
    """Events are sent whatever the client accepts; problems are JSON."""

    def select_renderer(self, request: Request, renderers: Any, *_: Any) -> tuple[Any, str]:
        """The first one, with which problems are rendered."""
        return renderers[0], renderers[0].media_type


class Answer(StreamingHttpResponse):
    """The events; holds a place until it is closed."""

    def __init__(self, events: AsyncIterator[str], who: object) -> None:
        self._who: object | None = who
        super().__init__(events, content_type=EVENT_STREAM)
        self["Cache-Control"] = "no-store"
        self["X-Accel-Buffering"] = "no"  # nginx then passes events on without buffering

    def close(self) -> None:
        """The stream has ended, for whatever reason."""
        self._give()
        super().close()

    def __del__(self) -> None:
        """The response was never sent: an error occurred after the view."""
        self._give()

    def _give(self) -> None:
        who, self._who = self._who, None
        if who is not None:
            PLACES.give(who)


class JournalEvents(View):
    """The journal, as it is written."""

    renderer_classes = (JSONRenderer, Events)
    content_negotiation_class = EventStreamNegotiation

    @described(
        operation_id="follow_journal",
        parameters=[
            OpenApiParameter("group_id", NAME),
            OpenApiParameter("kind", str, enum=list(SENTENCES)),
            OpenApiParameter(
                "after",
                NAME,
                description="Begin behind this: a `seq`, or the `id` of an event. Without it, and"
                " without a header that says so, with what comes from now on.",
            ),
            OpenApiParameter(
                LAST_EVENT_ID,
                str,
                OpenApiParameter.HEADER,
                description="The `id` of the last event that was received; it replaces `after`.",
            ),
        ],
        responses={(200, EVENT_STREAM): OpenApiResponse(OpenApiTypes.STR, description=ABOUT)},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Follow the journal: server-sent events, each entry once, also where the client comes
        back with the id of the last one, and where a transaction ended later than a younger one
        (three minutes later at the most)."""
        holder, kinds = holder_of(request), readable_kinds(request, self.query.get("kind"))
        position = self._position(request)
        if request.method == "HEAD" or not hasattr(request._request, "scope"):
            # There is nothing to stream, or, under WSGI, it would hold a thread.
            return HttpResponse(": the end\n\n", content_type=EVENT_STREAM)
        who = holder.user_id or "installation"
        if not PLACES.take(who, getattr(settings, STREAMS), getattr(settings, STREAMS_OF_ONE)):
            detail = "Too many streams of events are open; a list of the journal is at /journal."
            again = {"Retry-After": str(COME_AGAIN_S)}
            raise Problem(HTTPStatus.TOO_MANY_REQUESTS, "too_many_streams", detail, headers=again)
        query = self.query
        stream = Stream(position, holder, kinds, query.get("group_id", ""), query.get("kind", ""))
        # Events are sent one by one, so compression gains nothing.
        request._request.META.pop("HTTP_ACCEPT_ENCODING", None)
        return Answer(FOLLOWER.events(stream), who)

    def _position(self, request: Request) -> Position:
        sent, now = request.headers.get(LAST_EVENT_ID) or self.query.get("after"), time.monotonic()
        if sent is None:
            return journal_rows.end(now)
        try:
            position = Position.read(sent, now)
        except ValueError:
            detail = "This is neither a number of an entry nor the id of an event."
            raise Problem(HTTPStatus.BAD_REQUEST, "invalid", detail) from None
        if journal_rows.is_behind(position):
            detail = "The journal has not come so far: its database stands where it stood before."
            raise Problem(HTTPStatus.CONFLICT, "time_went_back", detail)
        return position


def without_connection(get_response: Any) -> Any:
    """Middleware before all that use the database: while events are streamed, the thread that began
    them serves others, and so does its connection."""

    def middleware(request: Any) -> Any:
        answer = get_response(request)
        if isinstance(answer, Answer):
            give_back()
        return answer

    return middleware
