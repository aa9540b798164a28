"""The sides of a workload: their names, and how each is run."""

USUAL = ("-strata", "-ranges")  # one ends the name of a usual rival, of the kind that most people write.
FLAT = "-flat"  # ends the name of our side with rows in flat vectors.
PACKED = "-packed"  # ends that of our side with the kernels of the rivals by hand.
CLASS = "-class"  # ends that of our side as a class, with loops in member functions.
LAYOUTS = (FLAT, CLASS)  # with a sequential program of their own
RELAXED = "-relaxed"  # ends that of our side with stale containers.
PLAIN = "plain"  # begins the name of our side compiled by g++, without stradsap-cc.
OUR_SHAPES = ((1, 1), (1, 2), (2, 1))  # ranks and threads of ours in most tables


def kind_of(side):
    """The way to run a side: openmp-strata runs as openmp, stradsap-flat as stradsap."""
    for suffix in (*USUAL, *LAYOUTS, PACKED, RELAXED):
        side = side.removesuffix(suffix)
    return side


class Row:
    """One line of the table: a side at a number of ranks and of threads a rank."""

    def __init__(self, side, ranks, threads):
        self.side, self.ranks, self.threads = side, ranks, threads
        self.kind = kind_of(side)

    def __str__(self):
        return f"{self.side} ({self.ranks},{self.threads})"


def launch(row, program, root, stats, consistency=None):
    """The command and the environment of a row. Loops of ours run under `consistency` if it is given."""
    if row.kind == "openmp":
        # OpenMP is fastest with spinning barriers if each thread has a core.
        return program, {"OMP_NUM_THREADS": str(row.threads), "OMP_WAIT_POLICY": "active", "OMP_DYNAMIC": "false"}
    if row.kind == "mpi":
        launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(row.ranks)]
        return launcher + program, {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    forced = {"STRADSAP_CONSISTENCY": consistency} if consistency else {}
    if row.kind == "stradsap" and row.ranks > 1:
        launcher = [f"{root}/build/release/bin/stradsap-run", "-n", str(row.ranks), "--threads", str(row.threads),
                    "--no-prefix", "--stats", stats, "--"]
        return launcher + program, forced
    if row.kind == "stradsap":
        return program, {"STRADSAP_THREADS": str(row.threads), "STRADSAP_STATS": stats, **forced}
    return program, {}
