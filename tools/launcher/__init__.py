"""The parts of stradsap-run, in reading order: options, job, run_dir, guard, rank, output, supervisor, report, main."""

VERSION = "0.1.0"
