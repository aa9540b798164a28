"""Ranks that mpirun, srun or Kubernetes start without stradsap-run find each other, and print the same as with it.

mpirun is real. The variables of srun and of Kubernetes are set here; tests/runtime/slurm_test.py has a real srun.
"""

import json
import os
import random
import re
import select
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
import unittest

try:
    import yaml
except ImportError:
    yaml = None

from namespaces_test import HOSTS, Network, obstacle
from programs_case import BIN, run

DEADLINE = 60
FACTORIZATION = f"{BIN}/program_factorization"
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def finish(one):
    """(status as in a shell, stdout, stderr) of a process. mpirun and its ssh both set the process group of the
    latter; the one that comes late warns, and nothing else happens."""
    output, errors = one.communicate(timeout=DEADLINE)
    errors = re.sub(r"^\[.*\] plm:rsh: Warning: setpgid\(.*\n", "", errors, flags=re.MULTILINE)
    return (one.returncode if one.returncode >= 0 else 128 - one.returncode), output, errors


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def num_executors(pid):
    """The threads of a rank that run bodies: the main one, and those with that name."""
    names = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/comm", encoding="utf-8") as file:
            names.append(file.read())
    return 1 + sum(name.startswith("executor") for name in names)


class DirectStart(unittest.TestCase):
    """A test with a folder for the folders of runs, and an environment without other starters."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sap-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        foreign = ("STRADSAP_", "SLURM_", "OMPI_", "PMI_", "PMIX_")
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        self.env.update(XDG_RUNTIME_DIR=self.folder, HOME=self.folder, STRADSAP_THREADS="1", STRADSAP_START_TIMEOUT="20")

    def start(self, *words, before=(), **variables):
        one = subprocess.Popen([*before, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env={**self.env, **variables})
        self.addCleanup(one.communicate)
        self.addCleanup(one.kill)
        return one

    def read_line(self, one):
        ready, _, _ = select.select([one.stdout], [], [], DEADLINE)
        self.assertTrue(ready, "the program has not begun")
        return one.stdout.readline()

    def wait_until(self, one, holds):
        end = time.monotonic() + DEADLINE
        while not holds():
            self.assertIsNone(one.poll(), "the process has ended")
            self.assertLess(time.monotonic(), end)
            select.select([], [], [], 0.01)

    def assert_right(self, ranks, wanted=None):
        """Rank 0, the first of these processes, has the bits of one rank; the others print nothing."""
        wanted = wanted or run("factorization", 1, 1).stdout
        results = [finish(one) for one in ranks]
        self.assertEqual(results, [(0, "" if rank else wanted, "") for rank in range(len(ranks))])

    def run_folders(self):
        return [name for name in os.listdir(self.folder) if name.startswith("stradsap-run.")]

    def key_file(self, name="key", mode=0o600):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(os.urandom(32).hex() + "\n")
        os.chmod(path, mode)
        return path


@unittest.skipIf(shutil.which("mpirun") is None, "mpirun is not installed")
class MpirunTest(DirectStart):
    def setUp(self):
        super().setUp()
        self.env.update(AS_ROOT)

    def mpirun(self, ranks, name, *args):
        return self.start("mpirun", "--oversubscribe", "-n", str(ranks), f"{BIN}/program_{name}", *args)

    def ranks_of(self, one):
        """The processes of the ranks, by their numbers."""
        found = {}
        with open(f"/proc/{one.pid}/task/{one.pid}/children", encoding="utf-8") as file:
            children = file.read().split()
        for pid in children:
            with open(f"/proc/{pid}/environ", "rb") as file:
                pairs = dict(pair.split(b"=", 1) for pair in file.read().split(b"\0") if b"=" in pair)
            found[int(pairs[b"OMPI_COMM_WORLD_RANK"])] = int(pid)
        return found

    def test_a_program_prints_the_same_as_by_stradsap_run(self):
        for ranks, name, *args in ((1, "factorization"), (2, "factorization"), (4, "factorization"), (2, "waves", "async"),
                                   (2, "batches"), (2, "word_count")):
            wanted = run(name, ranks, 1, *args)
            self.assertEqual(finish(self.mpirun(ranks, name, *args))[:2], (0, wanted.stdout), f"{name} on {ranks}")
        self.assertEqual(self.run_folders(), [])

    def test_two_jobs_at_once_do_not_meet(self):
        wanted = run("factorization", 1, 1).stdout
        for one in [self.mpirun(2, "factorization") for _ in range(2)]:
            self.assertEqual(finish(one)[:2], (0, wanted))

    def test_statistics_have_all_ranks(self):
        self.env["STRADSAP_STATS"] = f"{self.folder}/stats.json"
        self.assertEqual(finish(self.mpirun(2, "factorization"))[0], 0)
        with open(self.env["STRADSAP_STATS"], encoding="utf-8") as file:
            self.assertEqual([one["rank"] for one in json.load(file)["ranks"]], [0, 1])

    def test_statistics_for_which_there_is_no_room_leave_no_file(self):
        path = f"{self.folder}/stats.json"
        done = subprocess.run(["bash", "-c", "trap '' XFSZ; ulimit -f 0; exec $0", FACTORIZATION], timeout=DEADLINE, check=False,
                              env={**self.env, "STRADSAP_STATS": path}, capture_output=True, text=True)
        self.assertIn(f"cannot write the statistics to {path}: File too large", done.stderr)
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith("stats")])

    def test_a_killed_rank_ends_the_job(self):
        for rank in (0, 1):
            one = self.mpirun(2, "endless")
            self.assertEqual(self.read_line(one), "pass 10\n")
            ranks = self.ranks_of(one)
            os.kill(ranks[rank], signal.SIGKILL)
            self.assertNotEqual(finish(one)[0], 0)
            self.assert_gone(ranks[1 - rank])

    def test_ranks_that_are_bound_to_the_same_cores_share_them(self):
        cores = len(os.sched_getaffinity(0))
        del self.env["STRADSAP_THREADS"]
        one = self.start("mpirun", "--oversubscribe", "--bind-to", "socket:overload-allowed", "-n", "2", f"{BIN}/program_endless")
        self.assertEqual(self.read_line(one), "pass 10\n")
        executors = sum(num_executors(pid) for pid in self.ranks_of(one).values())
        self.assertEqual(executors, max(2, cores // 2 * 2))

    def test_ranks_do_not_outlive_mpirun(self):
        one = self.mpirun(2, "endless")
        self.read_line(one)
        ranks = self.ranks_of(one)
        self.assertEqual(sorted(ranks), [0, 1])
        one.kill()
        for pid in ranks.values():
            self.assert_gone(pid)

    def assert_gone(self, pid):
        try:
            event = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        ready, _, _ = select.select([event], [], [], DEADLINE)
        os.close(event)
        self.assertTrue(ready, f"rank {pid} is still alive")


@unittest.skipIf(shutil.which("mpirun") is None, "mpirun is not installed")
class MpirunOnHostsTest(DirectStart):
    """mpirun starts ranks by ssh on hosts with networks of their own. They meet by a file."""

    def setUp(self):
        super().setUp()
        self.env.update(AS_ROOT)
        self.network = Network(self.folder)
        self.addCleanup(self.network.remove)
        self.network.make()
        self.network.start_servers()

    def test_ranks_of_two_hosts_meet_by_a_file_in_the_shared_home(self):
        ssh = f"ssh -F {self.folder}/ssh_config"
        done = self.start("mpirun", "--mca", "plm_rsh_agent", ssh, "--mca", "oob_tcp_if_include", f"{self.network.subnet}.0/24",
                          "-H", "n0:2,n1:2", "-n", "4", "-x", "HOME", "-x", "STRADSAP_THREADS", FACTORIZATION)
        self.assert_right([done])
        self.assertEqual(os.listdir(f"{self.folder}/.stradsap"), [])


class QuotaTest(DirectStart):
    """A control group of the test's own, with a quota of one core."""

    def control_group(self):
        """Its folder; None if there can be none here."""
        name = f"sap{os.getpid()}"
        for folder, file, text in (("/sys/fs/cgroup", "cpu.max", "100000 100000"),
                                   ("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "100000")):
            made = os.path.join(folder, name)
            try:
                os.mkdir(made)
                self.addCleanup(os.rmdir, made)
                with open(os.path.join(made, file), "r+", encoding="ascii") as quota:  # the kernel has made it
                    quota.write(text)
                return made
            except OSError:
                pass
        return None

    def test_a_rank_has_no_more_threads_than_its_quota(self):
        group = self.control_group()
        if group is None:
            print("SKIPPED: control groups with a quota are not permitted here")
            self.skipTest("no control groups")
        del self.env["STRADSAP_THREADS"]
        one = self.start(f"{BIN}/program_endless", before=("sh", "-c", f'echo $$ >{group}/cgroup.procs && exec "$@"', "sh"))
        self.assertEqual(self.read_line(one), "pass 10\n")
        self.assertEqual(num_executors(one.pid), 1)
        one.kill()
        one.communicate()


class StepTest(DirectStart):
    """The variables of a step of srun, on nodes that are this machine."""

    def step(self, rank, size=2, nodes=1, program="factorization", **variables):
        tasks = size // nodes
        return self.start(f"{BIN}/program_{program}", SLURM_JOB_ID="7", SLURM_STEP_ID="0", SLURM_PROCID=str(rank),
                          SLURM_STEP_NUM_TASKS=str(size), SLURM_STEP_NUM_NODES=str(nodes), SLURM_NODEID=str(rank // tasks),
                          SLURM_STEP_TASKS_PER_NODE=f"{tasks}(x{nodes})", SLURMD_NODENAME=f"n{rank // tasks}",
                          STRADSAP_INTERFACE="lo", **variables)

    def test_tasks_of_one_node_and_of_several_are_ranks(self):
        for size, nodes in ((2, 1), (2, 2), (4, 2)):
            self.assert_right([self.step(rank, size, nodes) for rank in range(size)])
        self.assertEqual(self.run_folders(), [])
        shared = f"{self.folder}/.stradsap"
        self.assertEqual((stat.S_IMODE(os.stat(shared).st_mode), os.listdir(shared)), (0o700, []))

    def test_one_task_runs_alone(self):
        self.assert_right([self.step(0, size=1)])
        self.assert_right([self.step(0, STRADSAP_WORLD_SIZE="1")])

    def test_a_process_alone_in_a_job_of_several_tasks_says_so(self):
        for more, warned in (({}, True), ({"SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0"}, False),
                             ({"STRADSAP_SERIAL": "1"}, False)):
            status, _, errors = finish(self.start(FACTORIZATION, SLURM_JOB_ID="1", SLURM_NTASKS="4", **more))
            self.assertEqual(status, 0, errors)
            self.assertEqual("alone in a Slurm job of 4 tasks: write srun PROGRAM or stradsap-run PROGRAM" in errors, warned)
            self.assertEqual(errors.count("\n"), warned)

    def test_what_a_dead_job_left_is_no_obstacle(self):
        for nodes in (1, 2):
            alone = self.step(0, nodes=nodes)  # waits for rank 1
            left = ".stradsap" if nodes == 2 else "stradsap-run."
            self.wait_until(alone, lambda: any(name.startswith(left) and os.listdir(f"{self.folder}/{name}")
                                               for name in os.listdir(self.folder)))
            alone.kill()
            alone.communicate()
            second = self.step(1, nodes=nodes)  # finds the file of the dead rank 0 first
            self.assert_right([self.step(0, nodes=nodes), second])
        self.assertEqual(self.run_folders(), [])

    def test_stradsap_run_removes_the_folders_of_dead_ranks_only(self):
        alone = self.step(0)
        self.wait_until(alone, self.run_folders)
        for left in (1, 0):
            self.assertEqual(finish(self.start(f"{BIN}/stradsap-run", "-n", "2", "true"))[0], 0)
            self.assertEqual(len(self.run_folders()), left)
            alone.kill()
            alone.communicate()

    def test_a_program_that_a_rank_starts_is_no_rank(self):
        ranks = [self.step(rank, program="endless") for rank in range(2)]
        self.assertEqual(self.read_line(ranks[0]), "pass 10\n")
        status, _, errors = finish(self.step(0))
        self.assertEqual(status, 3)
        self.assertIn("another process is rank 0 of this run", errors)

    def test_ranks_of_different_sizes_refuse_each_other(self):
        for nodes in (1, 2):
            for one in [self.step(0, size=2, nodes=nodes), self.step(1, size=4, nodes=nodes)]:
                status, _, errors = finish(one)
                self.assertEqual(status, 3, errors)
                self.assertRegex(errors, "rank [01] expects [24] ranks, rank [01] expects [24]")

    def test_tasks_of_several_nodes_that_disagree_on_encryption_end_soon_with_the_reason(self):
        begin = time.monotonic()
        ranks = [self.step(rank, nodes=2, STRADSAP_ENCRYPT=text) for rank, text in enumerate("10")]
        for status, _, errors in [finish(one) for one in ranks]:
            self.assertEqual((status, "rank 1 cannot run: it does not encrypt connections" in errors), (3, True), errors)
        self.assertLess(time.monotonic() - begin, 10)

    def test_folders_that_others_can_enter_are_refused(self):
        os.mkdir(f"{self.folder}/.stradsap", 0o755)
        status, _, errors = finish(self.step(0, nodes=2))
        self.assertEqual((status, "is open to others, who could join the run" in errors), (3, True), errors)

    def test_variables_of_a_step_do_not_reach_ranks_of_stradsap_run(self):
        done = self.start(f"{BIN}/stradsap-run", "--launcher", "local", "-n", "2", "--no-prefix", FACTORIZATION,
                          SLURM_PROCID="0", SLURM_STEP_NUM_TASKS="8", OMPI_COMM_WORLD_RANK="3", OMPI_COMM_WORLD_SIZE="8")
        self.assert_right([done])


class PrterunTest(DirectStart):
    """The variables of prterun, which do not have the number of ranks."""

    def rank(self, number, **variables):
        return self.start(FACTORIZATION, PMIX_RANK=str(number), PMIX_NAMESPACE="prterun-here-4711@1", PRTE_LAUNCHED="1",
                          PMIX_SERVER_URI4="prterun-here-4711@0.0;tcp4://127.0.0.1:1", STRADSAP_INTERFACE="lo", **variables)

    def test_with_the_number_of_ranks_they_meet(self):
        for size in ({}, {"STRADSAP_LOCAL_SIZE": "3"}):
            self.assert_right([self.rank(number, STRADSAP_WORLD_SIZE="3", **size) for number in range(3)])
        self.assert_right([self.rank(1, STRADSAP_WORLD_SIZE="1")])

    def test_without_it_the_program_says_what_to_write(self):
        status, output, errors = finish(self.rank(1))
        self.assertEqual((status, output), (2, ""), errors)
        self.assertIn("prterun -n 4 -x STRADSAP_WORLD_SIZE=4", errors)


class RendezvousTest(DirectStart):
    """As the manifest of docs/operators.md starts ranks, with 127.0.0.1 for the name of rank 0."""

    def setUp(self):
        super().setUp()
        self.env.update(STRADSAP_RENDEZVOUS=f"127.0.0.1:{free_port()}", STRADSAP_KEY_FILE=self.key_file())
        self.order = random.Random(7)

    def pod(self, rank, size=3, program="factorization", **variables):
        own = f"{self.folder}/pod{rank}"  # the same folder would make them ranks of one host
        os.makedirs(own, exist_ok=True)
        return self.start(f"{BIN}/program_{program}", JOB_COMPLETION_INDEX=str(rank), STRADSAP_WORLD_SIZE=str(size),
                          **{"XDG_RUNTIME_DIR": own, **variables})

    def failure(self, *words, **variables):
        status, _, errors = finish(self.pod(*words, **variables))
        self.assertEqual(status, 3, errors)
        return errors

    def test_ranks_may_come_in_any_order(self):
        for first in (0, 2):  # rank 0 first and last
            others = [rank for rank in range(4) if rank != first]
            self.order.shuffle(others)
            order = [first, *others] if first == 0 else [rank for rank in others if rank] + [first, 0]
            ranks = {}
            for rank in order:
                ranks[rank] = self.pod(rank, size=4)
                select.select([], [], [], self.order.uniform(0, 0.4))
            self.assert_right([ranks[rank] for rank in range(4)])

    def test_ranks_of_one_host_use_its_folder(self):
        self.assert_right([self.pod(rank, XDG_RUNTIME_DIR=self.folder) for rank in range(3)])
        self.assertEqual(self.run_folders(), [])

    def test_the_number_of_a_rank_may_have_the_name_of_stradsap_run(self):
        self.assert_right([self.pod(9, size=2, STRADSAP_RANK=str(rank)) for rank in range(2)])

    def test_a_lost_rank_ends_the_others(self):
        # silence is no loss by this hang time-out, so that the closed connection alone tells of the death
        for lost, folder in ((0, {}), (1, {}), (0, {"XDG_RUNTIME_DIR": self.folder}), (1, {"XDG_RUNTIME_DIR": self.folder})):
            ranks = [self.pod(rank, size=2, program="endless", STRADSAP_HANG_TIMEOUT="0", **folder) for rank in range(2)]
            self.read_line(ranks[0])
            ranks[lost].kill()
            status, _, errors = finish(ranks[1 - lost])
            self.assertEqual(status, 75, errors)
            self.assertRegex(errors, rf"rank {lost}\b.*: its process has gone")

    def test_keys_are_needed_and_have_to_be_the_same(self):
        self.assertIn("no key for the rendezvous", self.failure(0, STRADSAP_KEY_FILE=""))
        self.assertIn("others may read it: mode 644", self.failure(1, STRADSAP_KEY_FILE=self.key_file("open", 0o644)))
        self.assertIn("expected 64 hexadecimal digits", self.failure(1, STRADSAP_KEY_FILE=f"{self.folder}/none"))
        os.mkfifo(f"{self.folder}/pipe")
        self.assertIn("pipe: no file", self.failure(1, STRADSAP_KEY_FILE=f"{self.folder}/pipe"))
        stranger = self.pod(1, size=2, STRADSAP_KEY_FILE=self.key_file("other"), STRADSAP_START_TIMEOUT="1")
        self.assertIn("no word from rank 1 within 1 s", self.failure(0, size=2, STRADSAP_START_TIMEOUT="1"))
        self.assertIn("no answer from rank 0 within 1 s", finish(stranger)[2])

    def test_ranks_that_disagree_on_encryption_end_soon_with_the_reason(self):
        for plain in range(3):
            begin = time.monotonic()
            ranks = [self.pod(rank, **({"STRADSAP_ENCRYPT": "0"} if rank == plain else {})) for rank in range(3)]
            ends = [finish(one) for one in ranks]
            self.assertLess(time.monotonic() - begin, 10)
            self.assertEqual([status for status, _, _ in ends], [3] * 3, ends)
            reason = ("it encrypts connections, and rank 0 does not: give STRADSAP_ENCRYPT to all ranks" if plain == 0 else
                      f"rank {plain} cannot run: it does not encrypt connections, and rank 0 does: give STRADSAP_ENCRYPT to all ranks")
            for _, _, errors in ends:
                self.assertIn(reason, errors)

    def test_a_rank_without_a_key_that_rank_0_asks_for_ends_soon_and_rank_0_names_it(self):
        begin = time.monotonic()
        rank_0 = self.pod(0, size=2, STRADSAP_START_TIMEOUT="3")
        errors = self.failure(1, size=2, STRADSAP_ENCRYPT="0", STRADSAP_KEY_FILE="")
        self.assertLess(time.monotonic() - begin, 10)
        self.assertRegex(errors, "rank 0 at 127.0.0.1:[0-9]+ encrypts connections, and rank 1 does not: give STRADSAP_ENCRYPT")
        self.assertEqual(finish(rank_0)[2].count("a process that does not encrypt its connection has tried to join"), 2)

    def test_rank_0_names_a_process_with_another_key(self):
        stranger = self.pod(1, size=2, STRADSAP_KEY_FILE=self.key_file("other"), STRADSAP_START_TIMEOUT="2")
        errors = self.failure(0, size=2, STRADSAP_START_TIMEOUT="2")
        self.assertIn("a process that has another key has tried to join: give all ranks the same STRADSAP_KEY_FILE", errors)
        self.assertEqual(finish(stranger)[0], 3)

    def test_without_encryption_no_key_is_needed_and_rank_0_warns(self):
        ranks = [self.pod(rank, size=2, STRADSAP_ENCRYPT="0", STRADSAP_KEY_FILE="") for rank in range(2)]
        results = [finish(one) for one in ranks]
        self.assertEqual([status for status, _, _ in results], [0, 0], results)
        self.assertIn("neither encrypted nor authenticated (STRADSAP_ENCRYPT=0)", results[0][2])

    def test_a_rank_of_another_job_is_refused(self):
        rank_0 = self.pod(0, size=2, STRADSAP_JOB_ID="new")
        self.assertIn("rank 0 is of another job", self.failure(1, size=2, STRADSAP_JOB_ID="old"))
        self.assert_right([rank_0, self.pod(1, size=2, STRADSAP_JOB_ID="new")])

    def test_ranks_with_different_seeds_refuse_each_other(self):
        ranks = [self.pod(rank, size=2, STRADSAP_SEED=str(rank)) for rank in range(2)]
        errors = [finish(one)[::2] for one in ranks]
        self.assertEqual([status for status, _ in errors], [3, 3], errors)
        self.assertIn("give STRADSAP_SEED to all ranks", errors[0][1] + errors[1][1])

    def test_a_wrong_variable_of_one_rank_ends_all_at_once_with_the_reason(self):
        for wrong in range(3):
            for same_host in (True, False):
                begin = time.monotonic()
                more = {"XDG_RUNTIME_DIR": self.folder} if same_host else {}
                ranks = [self.pod(rank, **more, **({"STRADSAP_CONSISTENCY": "sink"} if rank == wrong else {})) for rank in range(3)]
                ends = [finish(one) for one in ranks]
                self.assertLess(time.monotonic() - begin, 10)
                self.assertEqual([status for status, _, _ in ends], [2 if rank == wrong else 3 for rank in range(3)], ends)
                for rank, (_, _, errors) in enumerate(ends):
                    self.assertIn("STRADSAP_CONSISTENCY=sink: expected async", errors)
                    if rank != wrong:
                        self.assertIn(f"rank {wrong} cannot run: ", errors)

    def test_so_does_a_wrong_variable_by_which_ranks_meet(self):
        usual = {"STRADSAP_SEED": "5", "STRADSAP_START_TIMEOUT": "20"}
        of_one_host = {"XDG_RUNTIME_DIR": self.folder, "STRADSAP_LOCAL_SIZE": "3"}
        wrongs = {"PORT_RANGE": "9", "ENCRYPT": "maybe", "SHARED_MEMORY": "2", "SEED": "x", "START_TIMEOUT": "0"}
        for number, (name, value) in enumerate(wrongs.items()):
            for places in ({}, of_one_host):
                wrong = number % 3
                begin = time.monotonic()
                ranks = [self.pod(rank, **{**usual, **places, **({f"STRADSAP_{name}": value} if rank == wrong else {})})
                         for rank in range(3)]
                ends = [finish(one) for one in ranks]
                self.assertLess(time.monotonic() - begin, 10, name)
                self.assertEqual([status for status, _, _ in ends], [2 if rank == wrong else 3 for rank in range(3)], ends)
                for rank, (_, _, errors) in enumerate(ends):
                    self.assertIn(f"STRADSAP_{name}={value}: expected", errors)
                    if rank != wrong:
                        self.assertIn(f"rank {wrong} cannot run: ", errors)

    def test_a_wrong_ENCRYPT_ends_ranks_without_keys_too(self):
        wrongs = ("", "maybe"), ("maybe", "")
        for words in wrongs:
            begin = time.monotonic()
            ranks = [self.pod(rank, size=2, STRADSAP_ENCRYPT=word or "0", STRADSAP_KEY_FILE="") for rank, word in enumerate(words)]
            ends = [finish(one) for one in ranks]
            self.assertLess(time.monotonic() - begin, 10)
            self.assertEqual([status for status, _, _ in ends], [2 if word else 3 for word in words], ends)

    def test_a_signal_ends_a_rank_that_waits_for_rank_0(self):
        waits = self.pod(1)
        select.select([], [], [], 0.5)
        waits.send_signal(signal.SIGTERM)
        self.assertEqual(finish(waits), (143, "", ""))

    def test_names_without_a_number_are_refused(self):
        status, _, errors = finish(self.start(FACTORIZATION, STRADSAP_WORLD_SIZE="2"))
        self.assertEqual((status, "set STRADSAP_RANK and STRADSAP_RENDEZVOUS too" in errors), (2, True), errors)
        for wrong in ("somewhere", "here:0", "0.0.0.0:7411"):
            self.assertIn("expected host:port of rank 0", self.failure(0, STRADSAP_RENDEZVOUS=wrong))


class PodsTest(DirectStart):
    """Ranks with networks of their own, which find rank 0 by a name that is known only later."""

    def setUp(self):
        super().setUp()
        self.network = Network(self.folder)
        self.addCleanup(self.network.remove)
        self.network.make()
        self.names = []
        for host in range(HOSTS):
            own = f"/etc/netns/{self.network.namespace(host)}"  # `ip netns exec` mounts its files over those of /etc
            os.makedirs(own)
            self.addCleanup(shutil.rmtree, own)
            self.names.append(f"{own}/hosts")
            with open(self.names[-1], "w", encoding="utf-8") as file:
                file.write("127.0.0.1 localhost\n")

    def pod(self, rank, **variables):
        return self.start(FACTORIZATION, before=("ip", "netns", "exec", self.network.namespace(rank)),
                          JOB_COMPLETION_INDEX=str(rank), STRADSAP_WORLD_SIZE="2", STRADSAP_RENDEZVOUS="mf-0.mf:7411",
                          STRADSAP_KEY_FILE=f"{self.folder}/key", **variables)

    def test_rank_0_is_found_by_a_name_that_comes_late(self):
        self.key_file()
        second = self.pod(1)
        select.select([], [], [], 0.5)
        for name in self.names:
            with open(name, "a", encoding="utf-8") as file:
                file.write(f"{self.network.address(0)} mf-0.mf\n")
        select.select([], [], [], 0.5)
        self.assert_right([self.pod(0), second])

    def test_a_name_that_never_comes_is_named(self):
        self.key_file()
        status, _, errors = finish(self.pod(1, STRADSAP_START_TIMEOUT="1"))
        self.assertEqual(status, 3, errors)
        self.assertIn("rank 1 has not found rank 0 within 1 s: mf-0.mf:7411 is a name that is not known", errors)


@unittest.skipIf(yaml is None, "python3-yaml is not installed")
class ManifestTest(unittest.TestCase):
    def test_the_manifest_of_the_documents_starts_the_ranks_of_one_run(self):
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        with open(f"{root}/docs/operators.md", encoding="utf-8") as file:
            text = file.read().split("```yaml\n")[1].split("```")[0]
        service, job = yaml.safe_load_all(text)
        pods = job["spec"]["template"]["spec"]
        container = pods["containers"][0]
        values = {one["name"]: one.get("value") for one in container["env"]}
        name, port = values["STRADSAP_RENDEZVOUS"].split(":")
        self.assertEqual(name, f"{job['metadata']['name']}-0.{service['metadata']['name']}")
        self.assertGreater(int(port), 1024)
        self.assertEqual((service["kind"], job["kind"], job["spec"]["completionMode"]), ("Service", "Job", "Indexed"))
        self.assertEqual(pods["subdomain"], service["metadata"]["name"])
        self.assertEqual(service["spec"]["selector"], {"job-name": job["metadata"]["name"]})
        self.assertEqual(values["STRADSAP_WORLD_SIZE"], str(job["spec"]["completions"]))
        self.assertEqual(job["spec"]["completions"], job["spec"]["parallelism"])
        self.assertTrue(values["STRADSAP_KEY_FILE"].startswith(container["volumeMounts"][0]["mountPath"] + "/"))
        self.assertEqual(pods["volumes"][0]["secret"]["defaultMode"], 0o440)


if __name__ == "__main__":
    reason = obstacle()
    if reason:
        print(f"SKIPPED: {reason}")
        PodsTest = unittest.skip(reason)(PodsTest)
        MpirunOnHostsTest = unittest.skip(reason)(MpirunOnHostsTest)
    unittest.main()
