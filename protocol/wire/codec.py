"""Bytes to messages and back: the two functions that the rest of Rollcall calls.

A codec is compiled when a version of a message is first met and kept for the life
of the process; there are a few hundred at most, one per declared version.
"""

import struct
from collections.abc import Callable
from typing import TypeVar

from protocol.wire.declare import Message
from protocol.wire.decoding import Decoder, compile_decoder
from protocol.wire.encoding import Encoder, compile_encoder
from protocol.wire.errors import WireError
from protocol.wire.limits import FRAME_ELEMENTS_MAX

M = TypeVar("M", bound=Message)
C = TypeVar("C")


class _Versions(dict[int, C]):
    """The codecs of one class by version, each compiled when first asked for."""

    def __init__(self, compiler: Callable[[type[Message], int], C], cls: type[Message]) -> None:
        self.compiler = compiler
        self.cls = cls

    def __missing__(self, version: int) -> C:
        first, last = self.cls.versions
        if not first <= version <= last:
            raise ValueError(f"{self.cls.__name__} has versions {first} to {last}, not {version}")
        codec = self[version] = self.compiler(self.cls, version)
        return codec


class _Codecs(dict[type[Message], _Versions[C]]):
    def __init__(self, compiler: Callable[[type[Message], int], C]) -> None:
        self.compiler = compiler

    def __missing__(self, cls: type[Message]) -> _Versions[C]:
        versions = self[cls] = _Versions(self.compiler, cls)
        return versions


_decoders: _Codecs[Decoder] = _Codecs(compile_decoder)
_encoders: _Codecs[Encoder] = _Codecs(compile_encoder)


def decode(
    cls: type[M],
    version: int,
    data: bytes,
    offset: int = 0,
    *,
    elements_max: int = FRAME_ELEMENTS_MAX,
) -> M:
    """Read a message that begins at ``offset``; bytes behind it are ignored, as Kafka does.

    ``data`` must be ``bytes``. Fields that the version lacks hold their defaults.
    Raises WireError for anything malformed or over a limit, and ValueError for
    a version that the declaration does not know (the caller's mistake).
    """
    decoder: Callable[[bytes, int, int], M] = _decoders[cls][version]
    try:
        return decoder(data, offset, elements_max)
    except (IndexError, struct.error):
        raise WireError(f"{cls.__name__} v{version}: truncated") from None
    except UnicodeDecodeError as error:
        raise WireError(f"{cls.__name__} v{version}: {error.reason}, not UTF-8") from None
    except WireError as error:
        raise WireError(f"{cls.__name__} v{version}: {error}") from None


def encode(message: Message, version: int) -> bytes:
    """Write a message's body. Fields that the version lacks are left out in silence.

    Raises ValueError for a number out of its range, a string that is too long or
    an unknown version; TypeError for None where the version has no null, or a
    value of another type.
    """
    encoder = _encoders[type(message)][version]
    try:
        return encoder(message)
    except struct.error as error:
        raise ValueError(f"{type(message).__name__} v{version}: {error}") from error
    except AttributeError as error:
        raise TypeError(f"{type(message).__name__} v{version}: {error}") from error
