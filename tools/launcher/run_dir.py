"""The folder of one run: private to the user, short enough for socket names, gone when the run is over.

The launcher holds an flock on the folder while it lives. The kernel drops it however the launcher ends, so a
folder that can be locked belongs to nobody: the next launcher removes it. (A process number in the name would
mislead across containers and after the number was reused.)
"""

import fcntl
import os
import re
import shutil
import stat

from launcher.errors import StartError

PREFIX = "stradsap-run."
SOCKET_PATH_MAX = 107  # bytes, from sockaddr_un
SOCKET_NAME_ROOM = 32  # for "/" and the file names that the runtime chooses


def _base_folders(environment):
    named = (environment.get("XDG_RUNTIME_DIR"), environment.get("TMPDIR"), "/tmp")
    return [os.path.abspath(folder) for folder in named if folder]


def new_path(base):
    return os.path.join(base, PREFIX + os.urandom(4).hex())


def choose_base(environment):
    """The first folder that is writable and leaves room for socket names. Raises StartError."""
    reasons = []
    for base in _base_folders(environment):
        length = len(os.fsencode(new_path(base)))
        if not os.path.isdir(base):
            reasons.append(f"{base} is no directory")
        elif not os.access(base, os.W_OK | os.X_OK):
            reasons.append(f"{base} is not writable")
        elif length + SOCKET_NAME_ROOM > SOCKET_PATH_MAX:
            reasons.append(f"{base} is too long for socket names: {length + SOCKET_NAME_ROOM} bytes "
                           f"of at most {SOCKET_PATH_MAX}")
        else:
            return base
    raise StartError("no place for the folder of the run: " + "; ".join(reasons))


def _lock(path):
    """A descriptor that holds the folder's lock, or None when somebody else has it or the folder is gone."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held = os.fstat(descriptor)
        if held.st_uid == os.getuid() and os.path.samestat(held, os.lstat(path)):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def _is_run_folder(entry):
    """Ours by name, owner and mode, and with nothing in it but sockets, doorbells and links: nobody's results."""
    if not re.fullmatch(re.escape(PREFIX) + "[0-9a-f]{8}([0-9a-f]{8})?", entry.name):  # 16 digits: of a run without launcher
        return False
    try:
        state = entry.stat(follow_symlinks=False)
        if state.st_uid != os.getuid() or state.st_mode != stat.S_IFDIR | 0o700:
            return False
        kinds = (stat.S_IFMT(inside.stat(follow_symlinks=False).st_mode) for inside in os.scandir(entry.path))
        return all(kind in (stat.S_IFSOCK, stat.S_IFIFO, stat.S_IFLNK) for kind in kinds)
    except OSError:
        return False


def remove_stale(base):
    """Removes the folders of launchers that ended without doing so. Never fails: it is a courtesy."""
    try:
        entries = list(os.scandir(base))
    except OSError:
        return
    for entry in entries:
        if _is_run_folder(entry):
            lock = _lock(entry.path)
            if lock is not None:
                shutil.rmtree(entry.path, ignore_errors=True)
                os.close(lock)


class RunDir:
    """Owns one folder, from create() to remove()."""

    def __init__(self, path, lock):
        self.path = path
        self._lock = lock
        self._created = os.fstat(lock).st_mtime_ns

    @classmethod
    def create(cls, environment):
        base = choose_base(environment)
        remove_stale(base)
        for _ in range(16):
            path = new_path(base)
            try:
                os.mkdir(path, 0o700)
            except FileExistsError:
                continue
            except OSError as error:
                raise StartError(f"cannot create {path}: {error.strerror}") from None
            # Between mkdir and flock another launcher may take the folder for a stale one: then take the next name.
            lock = _lock(path)
            if lock is not None:
                return cls(path, lock)
        raise StartError(f"cannot create a folder for the run in {base}: other launchers keep removing it")

    def was_used(self):
        """Whether any rank made a socket in the folder, also if it is gone."""
        return os.fstat(self._lock).st_mtime_ns != self._created

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)
