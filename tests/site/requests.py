"""Plain HTTP over sockets of one's own, as many as one likes at a time."""

import asyncio
from urllib.parse import urlsplit

PATIENCE_S = 90


async def get(web: str, path: str, **headers: str) -> tuple[int, dict[str, str]]:
    """Status and headers of the answer to one GET on a connection of its own."""
    found = urlsplit(web)
    reader, writer = await asyncio.open_connection(found.hostname, found.port)
    try:
        writer.write(head("GET", path, headers))
        return await asyncio.wait_for(answer(reader), PATIENCE_S)
    finally:
        writer.close()


def head(method: str, path: str, headers: dict[str, str]) -> bytes:
    """A request up to its body; names with "_" for "-"."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


async def answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    """Status and headers, lower-case, of the next answer."""
    status, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
    pairs = (line.split(": ", 1) for line in lines)
    return int(status.split()[1]), {name.lower(): value for name, value in pairs}


async def post(web: str, path: str, body: bytes, **headers: str) -> tuple[int, dict[str, str]]:
    """The same of a POST of JSON."""
    found = urlsplit(web)
    reader, writer = await asyncio.open_connection(found.hostname, found.port)
    try:
        sent = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
        writer.write(head("POST", path, sent) + body)
        return await asyncio.wait_for(answer(reader), PATIENCE_S)
    finally:
        writer.close()
