"""The exit statuses of stradsap-run that are its own, and the exceptions that carry them to main()."""

USAGE = 2
START_FAILED = 3
LOST_PEER = 75  # lost_peer_status of the runtime: a rank ended because it lost another one
TIMED_OUT = 124
SIGNAL_BASE = 128


class LauncherError(Exception):
    """Ends the launcher with one message, no traceback."""

    status = START_FAILED


class UsageError(LauncherError):
    """The command line or a STRADSAP_ variable is wrong: nothing was started."""

    status = USAGE


class StartError(LauncherError):
    """A rank could not be started. `hosts`: the names of those to blame, if it was for their sake."""

    def __init__(self, message, hosts=()):
        super().__init__(message)
        self.hosts = list(hosts)
