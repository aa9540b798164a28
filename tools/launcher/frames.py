"""Frames between the launcher and an agent: a header of fields and a body of bytes, over a pair of pipes.

No function blocks, after the first bytes: data that a pipe does not take waits in a queue. Its owner bounds the queue: output
and input are sent only as far as the other side has room for them (`credit`).
"""

import json
import os
import struct

READ_SIZE = 1 << 16
MOST_BYTES = 1 << 26  # of a frame
CREDIT = 1 << 16  # bytes of a stream that may be on their way

_SIZES = struct.Struct(">II")
_LAST = b"\n"  # of a frame, because srun passes output on by lines


class FrameError(Exception):
    """The other side sent bytes that are no frames."""


class Outgoing:
    """The bytes that wait for a descriptor. `closed`: nobody reads them."""

    def __init__(self, descriptor):
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self.closed = False
        self._queue = bytearray()

    @property
    def pending(self):
        return len(self._queue)

    def put(self, data):
        if not self.closed:
            self._queue += data

    def flush(self):
        """Writes as much as the descriptor takes. Returns the number of bytes."""
        written = 0
        try:
            while self._queue:
                count = os.write(self.descriptor, memoryview(self._queue)[:READ_SIZE])
                del self._queue[:count]
                written += count
        except BlockingIOError:
            pass
        except OSError:
            self.closed = True
            self._queue.clear()
        return written


class Channel:
    """One end of the connection between launcher and agent."""

    def __init__(self, read_descriptor, write_descriptor):
        self.read_descriptor = read_descriptor
        self.at_end = False
        self.out = Outgoing(write_descriptor)
        self._received = bytearray()

    def put(self, kind, body=b"", **fields):
        header = json.dumps({"kind": kind, **fields}).encode("ascii")
        self.out.put(_SIZES.pack(len(header), len(body)) + header + body + _LAST)
        self.out.flush()

    def receive(self):
        """Reads once from a readable descriptor. Returns the frames that are whole."""
        self._received += self.read()
        return list(self._frames())

    def read(self):
        """The bytes that have come; at their end sets `at_end`."""
        try:
            data = os.read(self.read_descriptor, READ_SIZE)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        self.at_end = not data
        return data

    def begin_with(self, data):
        """Takes bytes that read() returned for the first frames, and returns those that are whole."""
        self._received += data
        return list(self._frames())

    def _frames(self):
        while len(self._received) >= _SIZES.size:
            head, body = _SIZES.unpack_from(self._received)
            if head + body > MOST_BYTES:
                raise FrameError(f"a frame of {head + body} bytes")
            start = _SIZES.size + head
            end = start + body
            if len(self._received) < end + len(_LAST):
                return
            try:
                fields = json.loads(bytes(self._received[_SIZES.size:start]))
            except ValueError:
                raise FrameError("a frame without fields") from None
            if not isinstance(fields, dict) or not isinstance(fields.get("kind"), str):
                raise FrameError("a frame without a kind")
            content = bytes(self._received[start:end])
            if self._received[end:end + len(_LAST)] != _LAST:
                raise FrameError("a frame without its last byte")
            del self._received[:end + len(_LAST)]
            yield fields, content


def as_json(text):
    """The bytes of a name of the system, in characters that JSON carries."""
    return os.fsencode(text).decode("latin-1")


def from_json(text):
    return os.fsdecode(text.encode("latin-1"))
