"""Passes the output of ranks on: cuts it at line ends, marks lines with their rank, and writes without blocking.

No function blocks: a slow reader fills a bounded queue, a full queue stops reading from the ranks, and a rank
then waits in its own write, as it would without a launcher.
"""

import os

READ_SIZE = 1 << 16
WRITE_SIZE = 4096  # PIPE_BUF: poll() says that this much can be written to a pipe without blocking
QUEUE_HIGH = 1 << 20
QUEUE_LOW = 1 << 18
LINE_MAX = 1 << 20  # a longer line is passed on in pieces
TAIL_SIZE = 1 << 14  # of a rank's last output, kept for the report


TO_AN_EMPTY_LINE = b"\r\x1b[K"  # begins a progress line of rank 0; alone, the end of the last one


class Output:
    """One of the launcher's own streams. Pieces of several sources never share a line."""

    def __init__(self, descriptor, beside=None):
        self.descriptor = descriptor
        self.closed = False  # its reader is gone
        self.has_progress = False  # the last line is one that the next output replaces
        self._beside = beside  # another stream on the same terminal
        self._queue = bytearray()
        self._source = None
        self._at_line_start = True

    @property
    def pending(self):
        return len(self._queue)

    def put(self, source, data, prefix=b""):
        """Queues whole lines, or a piece of one, each line with the prefix."""
        if not data or self.closed:
            return
        if self.has_progress:
            self.show_progress(b"")
        elif self._beside is not None and self._beside.has_progress and self._at_line_start:
            self._queue += TO_AN_EMPTY_LINE
        if not self._at_line_start and source != self._source:
            self._queue += b"\n"
            self._at_line_start = True
        if prefix:
            body, last = (data[:-1], data[-1:]) if data.endswith(b"\n") else (data, b"")
            data = body.replace(b"\n", b"\n" + prefix) + last
            if self._at_line_start:
                self._queue += prefix
        self._queue += data
        self._source = source
        self._at_line_start = data.endswith(b"\n")

    def show_progress(self, line):
        """Replaces the progress line of a terminal; no text removes it."""
        if self._at_line_start and not self.closed and (line or self.has_progress):
            self._queue += TO_AN_EMPTY_LINE + line
            self.has_progress = bool(line)

    def end_line(self, source):
        """Ends a source: adds the newline that its last line lacks."""
        if self._source == source and not self._at_line_start:
            self._queue += b"\n"
            self._at_line_start = True

    def flush_some(self):
        """Writes as much as a writable descriptor takes at once."""
        try:
            written = os.write(self.descriptor, memoryview(self._queue)[:WRITE_SIZE])
        except BlockingIOError:
            return  # another process that shares the descriptor made it non-blocking
        except OSError:
            self.discard()
            return
        del self._queue[:written]

    def discard(self):
        self.closed = True
        self._queue.clear()


class Copy:
    """A file that gets the output of one stream too. A file that cannot be written causes a warning, and is left then."""

    def __init__(self, path, warn):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK, 0o666)
        self._path, self._warn = path, warn

    def write(self, data):
        rest = memoryview(data)
        try:
            while rest and self._file is not None:
                rest = rest[os.write(self._file, rest):]
        except OSError as error:
            os.close(self._file)
            self._file = None
            self._warn(f"{self._path}: cannot be written: {error.strerror}; it lacks all further output")


class Stream:
    """One stream of one rank, from its pipe to an Output."""

    def __init__(self, rank, descriptor, output, prefix, raw, copy=None, shows_progress=False):
        self.rank = rank
        self.shows_progress = shows_progress
        self.descriptor = descriptor
        self.output = output
        self.at_end = False
        self.budget = None  # bytes still to be read, once the rank is gone
        self._prefix = prefix
        self._copy = copy
        self._raw = raw  # one source, no prefix: bytes go through as they come, prompts too
        self._partial = bytearray()
        self._tail = b""

    def pump(self):
        """Reads once from a readable pipe. Returns the number of bytes, 0 at the end."""
        data = os.read(self.descriptor, READ_SIZE)
        if self.budget is not None:
            self.budget -= len(data)
        if not data or (self.budget is not None and self.budget <= 0):
            self._pass_on(data)
            self.finish()
            return 0
        self._pass_on(data)
        return len(data)

    def finish(self):
        """Passes on the rest of the last line, and reads no more."""
        if self.at_end:
            return
        self.at_end = True
        self._put(bytes(self._partial))
        self._partial.clear()
        if self.shows_progress:
            self.output.show_progress(b"")
        if self._prefix:
            self.output.end_line(self)

    def last_lines(self, count):
        lines = self._tail.decode("utf-8", "replace").split("\n")
        return [line for line in lines if line and not line.startswith(TO_AN_EMPTY_LINE.decode())][-count:]

    def _pass_lines(self, lines):
        if TO_AN_EMPTY_LINE not in lines:
            self._put(lines)
            return
        for line in lines.split(b"\n")[:-1]:
            text = line.removeprefix(TO_AN_EMPTY_LINE)
            if self.shows_progress and text != line:
                self.output.show_progress(self._prefix + text if text else b"")
            else:
                self._put(line + b"\n")

    def _put(self, data):
        self.output.put(self, data, self._prefix)
        if self._copy is not None:
            self._copy.write(data)

    def _pass_on(self, data):
        self._tail = (self._tail + data)[-TAIL_SIZE:]
        if self._raw:
            self._put(data)
            return
        end = data.rfind(b"\n") + 1
        if end:
            self._pass_lines(bytes(self._partial) + data[:end])
            self._partial.clear()
        self._partial += data[end:]
        if len(self._partial) > LINE_MAX:
            self._put(bytes(self._partial))
            self._partial.clear()
