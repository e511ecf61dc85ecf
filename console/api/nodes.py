"""Nodes: their client connections, and drains."""

from collections.abc import Mapping
from http import HTTPStatus

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import serializers as shapes
from console.api.inputs import described
from console.api.problems import Problem
from console.api.schema import DRY_RUN, NAME, PAGE, page_beside, page_of
from console.api.views import View, actor
from console.operations import drains
from console.operations import nodes as forgetting
from console.queries import client_connections
from console.queries import drains as queries
from groups import models
from groups.models import Node

NODE_ID_MAX = 2**31 - 1
"""The maximum of the column and of Kafka's node ids."""

INT32 = {"type": "integer", "minimum": 0, "maximum": NODE_ID_MAX}
NODE_ID = OpenApiParameter("node_id", INT32, OpenApiParameter.PATH)


class Drains(View):
    """The drained nodes."""

    @described(operation_id="list_drains", parameters=PAGE, responses=page_of(shapes.DrainView))
    def get(self, request: Request) -> Response:
        """List drained nodes, those that are away too."""
        return self.paged(request, models.Drain.objects.all(), ["node_id"], shapes.DrainView)


class Drain(View):
    """Draining a node."""

    @described(
        operation_id="drain_node",
        parameters=[NODE_ID, DRY_RUN],
        request=shapes.Reason,
        responses=shapes.DrainMoves,
    )
    def post(self, request: Request, node_id: int) -> Response:
        """Drain a node: it gives its slots to the others and takes none until the drain is
        withdrawn, also after a restart. No member is removed. Refused while no other live node
        could take the slots."""
        _must_exist(node_id)
        moves, is_new = queries.by_draining(node_id), queries.of(node_id) is None
        try:
            if not self.is_dry:
                is_new = drains.drain(node_id, reason=self.body["reason"], actor=actor(request))
            elif is_new:
                drains.check(node_id)
        except drains.NoTaker as error:
            raise Problem(HTTPStatus.CONFLICT, "no_taker", str(error)) from None
        result = {"drained": True, "changed": is_new, "dry_run": self.is_dry}
        return _response(node_id, moves, moves.gains, result)


class Undrain(View):
    """Withdrawing that."""

    @described(
        operation_id="undrain_node",
        parameters=[NODE_ID, DRY_RUN],
        request=shapes.Reason,
        responses=shapes.DrainMoves,
    )
    def post(self, request: Request, node_id: int) -> Response:
        """Withdraw the drain of a node, which may be away: it takes its share of the slots
        again."""
        was_drained = queries.of(node_id) is not None
        if not was_drained:
            _must_exist(node_id)
        moves = queries.by_undraining(node_id) if was_drained else queries.NOTHING
        if not self.is_dry:
            was_drained = drains.undrain(node_id, reason=self.body["reason"], actor=actor(request))
        result = {"drained": False, "changed": was_drained, "dry_run": self.is_dry}
        return _response(node_id, moves, moves.losses, result)


class Forget(View):
    """Removing a node that has left."""

    @described(
        operation_id="forget_node",
        parameters=[NODE_ID, DRY_RUN],
        request=shapes.Reason,
        responses=shapes.NodeForgotten,
    )
    def post(self, request: Request, node_id: int) -> Response:
        """Forget a node that has left: it is not called silent any more. Refused while it beats,
        owns slots, or its process lives. One that comes back registers again."""
        _must_exist(node_id)
        try:
            if self.is_dry:
                forgetting.check(node_id)
            else:
                forgetting.forget(node_id, reason=self.body["reason"], actor=actor(request))
        except forgetting.NotGone as error:
            raise Problem(HTTPStatus.CONFLICT, "not_gone", str(error)) from None
        return Response(shapes.NodeForgotten({"node_id": node_id, "dry_run": self.is_dry}).data)


class Connections(View):
    """Who is connected."""

    @described(
        operation_id="list_connections",
        parameters=[
            OpenApiParameter("node_id", INT32),
            OpenApiParameter("group_id", NAME),
            *(OpenApiParameter(name, NAME) for name in client_connections.FILTERS),
            *PAGE,
        ],
        responses=page_beside(shapes.ConnectionView, "nodes", shapes.NodeConnections, many=True),
    )
    def get(self, request: Request) -> Response:
        """List the connections of clients to live nodes. The nodes note them for the first page;
        `nodes` has the time, at most a second before the request unless a node does not answer.
        `client_id` is that of the connection's first request, `software` is empty where the client
        does not name it."""
        if "cursor" not in self.query:
            client_connections.refresh()
        nodes = shapes.NodeConnections(client_connections.noted(), many=True).data
        rows = client_connections.rows(self.query)
        return self.paged(request, rows, ["node_id", "number"], shapes.ConnectionView, nodes=nodes)


def _must_exist(node_id: int) -> None:
    if node_id > NODE_ID_MAX or not Node.objects.filter(node_id=node_id).exists():
        raise Http404(f"There is no node {node_id}.")


def _response(
    node_id: int, moves: queries.Moves, nodes: Mapping[int, int], result: Mapping[str, bool]
) -> Response:
    detail = " ".join(queries.in_words(moves, is_drain=result["drained"]))
    each = [{"node_id": node, "slots": count} for node, count in sorted(nodes.items())]
    counts = {"slots": moves.slots, "groups": moves.groups, "nodes": each, "detail": detail}
    return Response(shapes.DrainMoves({"node_id": node_id, **result, **counts}).data)
