"""The parts of stradsap-run, in reading order: options, hosts, job, run_dir, guard, rank, output, fleet, supervisor, report, main.

For several hosts also: addresses, frames, bundle, agent, remote."""

VERSION = "0.1.0"
