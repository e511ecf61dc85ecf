"""``manage.py rollcall_worker shop.workers.pack``: run a worker of the project."""

import asyncio
import inspect
from argparse import ArgumentParser
from collections.abc import Awaitable
from functools import wraps
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import close_old_connections, connections
from django.utils.module_loading import import_string

from rollcall.client import MemberError, Work, Worker
from rollcall.contrib.django import health
from rollcall.contrib.django.checks import options


class Command(BaseCommand):
    """Runs until SIGINT or SIGTERM; then the functions end, and the member leaves its group."""

    help = "Run a function for each partition that this process owns (@rollcall.client.worker)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The worker, and what may differ from the setting ``ROLLCALL``."""
        parser.add_argument("worker", help="the worker's dotted path: shop.workers.pack")
        parser.add_argument("--bootstrap", help="HOST:PORT, several with commas")
        parser.add_argument("--group", help="the group's name")
        parser.add_argument("--instance-id", help="the name of a static member")
        parser.add_argument("--health-port", type=int, help="a port for probes (0: any)")
        parser.add_argument("--health-host", default="127.0.0.1", help="its address (%(default)s)")

    def handle(self, *args: Any, **given: Any) -> None:
        """Find the worker, and run it."""
        worker = _prepared(_found(given["worker"]))
        names = ("bootstrap", "group", "instance_id")
        chosen = {name: given[name] for name in names if given[name]}
        # The decorator's options are more particular than the project's.
        merged = {**options(), **worker.options, **chosen}
        if given["health_port"] is not None:
            worker.beside = lambda: self._serve(worker, given["health_host"], given["health_port"])
        try:
            worker.main(**merged)
        except (MemberError, OSError, TypeError, ValueError) as error:
            raise CommandError(str(error)) from error

    async def _serve(self, worker: Worker, host: str, port: int) -> asyncio.Server:
        server = await health.serve(worker, host, port)
        for each in server.sockets:
            self.stdout.write("probes at http://{}:{}/".format(*each.getsockname()[:2]))
        self.stdout.flush()
        return server


def _found(path: str) -> Worker:
    try:
        found = import_string(path)
    except ImportError as error:
        raise CommandError(str(error)) from error
    if not isinstance(found, Worker):
        raise CommandError(f"{path} is no worker: decorate it with @worker(...)")
    return found


def _prepared(worker: Worker) -> Worker:
    """A plain function's thread gives its database connections back when it ends, as a request
    does."""
    function = worker.function
    if inspect.iscoroutinefunction(function):
        return worker

    @wraps(function)
    def with_connections(work: Work) -> Awaitable[None] | None:
        close_old_connections()
        try:
            return function(work)
        finally:
            connections.close_all()

    return worker.of(with_connections)
