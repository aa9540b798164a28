"""The report on a failed run: the rank that failed first, the way it ended, and its last output."""

from launcher.rank import signal_name

LAST_LINES = 20
LINE_WIDTH = 400
OTHERS_NAMED = 8


def _how(rank):
    if rank.lost:
        return f"is lost, because {rank.lost}"
    if rank.killed_by is not None:
        killed_for = f", {rank.killed_for}," if rank.killed_for else ""
        return f"was killed by {signal_name(rank.killed_by)} ({rank.killed_by}){killed_for}"
    return f"ended with status {rank.status}"


def suspended(ranks):
    """Lines on ranks that a signal or a debugger has stopped: the others may have waited for them."""
    return [f"rank {rank.number} (pid {rank.pid}{f' on host {rank.host}' if rank.host else ''}) does not run: it was stopped, "
            f"as by SIGSTOP or a debugger" for rank in ranks]


def while_stopped(ranks):
    """A clause on ranks that a signal or a debugger has stopped: they are the likely cause."""
    numbers = ", ".join(str(rank.number) for rank in sorted(ranks, key=lambda rank: rank.number))
    return f", while rank {numbers} did not run (stopped, as by SIGSTOP)" if numbers else ""


def cause(failed):
    """A clause on the rank, the way it ended, and the time."""
    place = f" on host {failed.host}" if failed.host else ""
    comma = "," if failed.lost else ""
    return f"rank {failed.number} (pid {failed.pid}{place}) {_how(failed)}{comma} after {failed.ended - failed.started:.2f} s"


def rank_failure(failed, ranks, last_lines, stopped):
    """The block for a failed rank. `stopped`: the numbers of ranks that had to be stopped because of it. `last_lines`: None if
    the rank has reported by itself."""
    lines = [cause(failed)]
    later = [rank for rank in ranks if rank is not failed and rank.status and rank.number not in stopped]
    for rank in sorted(later, key=lambda rank: rank.ended)[:OTHERS_NAMED]:
        delay = rank.ended - failed.ended
        when = f"{delay:.2f} s later" if delay >= 0 else f"{-delay:.2f} s before that process had gone"
        lines.append(f"then rank {rank.number} {_how(rank)}, {when}")
    if len(later) > OTHERS_NAMED:
        lines.append(f"and {len(later) - OTHERS_NAMED} more ranks")
    if stopped:
        lines.append("stopped because of it: rank " + ", ".join(str(number) for number in sorted(stopped)))
    if last_lines is None:
        lines.append("its report is above")
    elif last_lines:
        lines.append(f"last words of rank {failed.number} on stderr:")
        lines += ["  | " + (line if len(line) <= LINE_WIDTH else line[:LINE_WIDTH] + " …") for line in last_lines]
    else:
        lines.append(f"rank {failed.number} said nothing on stderr")
    return lines


def timed_out(seconds, running):
    names = ", ".join(str(number) for number in running)
    return [f"time-out: not done after {seconds:g} s; still running: rank {names}"]


def interrupted(number):
    return [f"stopped by {signal_name(number)}"]
