"""From the command line to the exit status."""

import os
import sys

from launcher import VERSION, cores, job, options, restarts
from launcher.errors import START_FAILED, LauncherError, UsageError
from launcher.guard import Guard
from launcher.run_dir import choose_base, new_path


def _open_standard_streams():
    """A closed descriptor 0, 1 or 2 would be given to the next pipe, and be written to as if it were the stream."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _say(text):
    try:
        os.write(2, f"stradsap-run: {text}\n".encode("utf-8", "surrogateescape"))
    except OSError:
        pass  # nobody listens


def _print(text):
    try:
        os.write(1, text.encode("utf-8", "surrogateescape"))
    except OSError:
        return 1
    return 0


def _run_by_mpirun(settings):
    from launcher import mpi  # imported here, because few runs need it

    mpi.check(settings, os.environ)
    if settings.show_config:
        return _print(options.show(settings, cores.count()) + mpi.shown(os.environ))
    if settings.dry_run:
        return _print(mpi.script(settings, os.environ))
    return mpi.run(settings, os.environ)


def _run(settings):
    planned = job.plan(settings, os.environ, cores.count())
    if settings.dry_run and planned.places:
        return _print(job.dry_run_places(planned))
    if settings.dry_run:
        return _print(job.dry_run_script(planned, new_path(choose_base(os.environ))))
    if planned.places and settings.encrypt == 0:
        _say("warning: connections between hosts are neither encrypted nor authenticated (--encrypt 0)")
    guard = Guard()
    try:
        return restarts.run(planned, settings, guard)
    finally:
        guard.end()


def _examine(settings):
    from launcher import doctor

    found = doctor.examine(settings)
    return _print(doctor.screen(found)) or doctor.status_of(found)


def main(words):
    _open_standard_streams()
    try:
        settings = options.parse(words, os.environ)
        for warning in settings.warnings:
            _say("warning: " + warning)
        if settings.wants == "help":
            return _print(options.help_text())
        if settings.wants == "version":
            return _print(f"stradsap-run {VERSION}\n")
        if settings.wants == "doctor":
            return _examine(settings)
        if settings.launcher == "mpi":
            return _run_by_mpirun(settings)
        if settings.show_config:
            return _print(options.show(settings, cores.count()))
        return _run(settings)
    except LauncherError as error:
        _say(error)
        if isinstance(error, UsageError):
            _say("see stradsap-run --help")
        return error.status
    except OSError as error:
        _say(f"cannot go on: {error}")
        return START_FAILED
    except KeyboardInterrupt:
        return 130  # before the console has the signals


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
