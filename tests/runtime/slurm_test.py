"""Runs in jobs of a real Slurm: munged, slurmctld and two slurmd on this machine, with a configuration of the test's own.

Skipped, with the reason in ctest's summary, where Slurm or the rights of root are missing
(tools/install-deps --cluster-tests).
"""

import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from programs_case import BIN, run

DEADLINE = 120
SKIPPED = 77
NEEDED = ("munged", "slurmctld", "slurmd", "salloc", "sbatch", "srun", "scancel")
NODES = ("na", "nb")


def command(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")


def free_ports(count):
    taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in taken]
    for one in taken:
        one.close()
    return ports


class Cluster:
    """Slurm's daemons with all files in one folder."""

    def __init__(self, folder):
        self.folder = folder
        self.daemons = []
        self.env = {**os.environ, "SLURM_CONF": f"{folder}/slurm.conf"}

    def start(self):
        self.write_configuration()
        key = f"{self.folder}/munge.key"
        with open(key, "wb") as file:
            file.write(os.urandom(128))
        os.chmod(key, 0o600)
        at = f"{self.folder}/munge"
        self.daemon("munged", "-F", "-f", f"--socket={at}.socket", f"--key-file={key}", f"--log-file={at}.log",
                    f"--pid-file={at}.pid", f"--seed-file={at}.seed")
        self.daemon("slurmctld", "-D", "-c", "-f", self.env["SLURM_CONF"])
        for node in NODES:
            os.mkdir(f"{self.folder}/{node}")
            self.daemon("slurmd", "-D", "-N", node, "-f", self.env["SLURM_CONF"])
        self.wait_for_nodes()

    def write_configuration(self):
        controller, *ports = free_ports(1 + len(NODES))
        cores = len(os.sched_getaffinity(0))
        lines = ["ClusterName=test", "SlurmctldHost=localhost(127.0.0.1)", f"SlurmctldPort={controller}", "SlurmUser=root",
                 "SlurmdUser=root", "AuthType=auth/munge", f"AuthInfo=socket={self.folder}/munge.socket", "CredType=cred/munge",
                 "ProctrackType=proctrack/pgid", "TaskPlugin=task/none", "SelectType=select/cons_tres", "MpiDefault=none",
                 "SelectTypeParameters=CR_CPU", f"StateSaveLocation={self.folder}/state", f"SlurmdSpoolDir={self.folder}/%n",
                 f"SlurmctldPidFile={self.folder}/ctld.pid", f"SlurmdPidFile={self.folder}/%n.pid", "ReturnToService=2"]
        lines += [f"NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs={cores}"
                  for node, port in zip(NODES, ports)]
        lines += [f"PartitionName=test Nodes={','.join(NODES)} Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES"]
        os.mkdir(f"{self.folder}/state")
        with open(self.env["SLURM_CONF"], "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def daemon(self, name, *words):
        with open(f"{self.folder}/{name}.log", "a", encoding="utf-8") as log:
            self.daemons.append(subprocess.Popen([command(name), *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                 env=self.env))

    def wait_for_nodes(self):
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            listed = subprocess.run(["sinfo", "-h", "-o", "%D %t"], env=self.env, capture_output=True, text=True, check=False)
            if listed.stdout.split() == [str(len(NODES)), "idle"]:
                return
            select.select([], [], [], 0.1)
        raise AssertionError(f"no idle nodes: {listed.stdout} {listed.stderr} {self.logs()}")

    def logs(self):
        text = ""
        for name in ("munged", "slurmctld", "slurmd"):
            with open(f"{self.folder}/{name}.log", encoding="utf-8", errors="replace") as file:
                text += f"\n{name}: " + file.read()[-2000:]
        return text

    def stop(self):
        for one in reversed(self.daemons):
            one.terminate()
        for one in self.daemons:
            try:
                one.wait(10)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()


def obstacle():
    missing = [name for name in NEEDED if command(name) is None]
    if missing:
        return f"no {missing[0]} here (tools/install-deps --cluster-tests)"
    return None if os.geteuid() == 0 else "Slurm's daemons want root"


class SlurmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.cluster = Cluster(cls.folder.name)
        cls.addClassCleanup(cls.folder.cleanup)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()

    def in_job(self, *words, tasks=2, **variables):
        """A run of `words` in a job of all nodes, which ends with it."""
        return subprocess.run(["salloc", "-Q", f"-N{len(NODES)}", f"-n{tasks}", *words], env={**self.cluster.env, **variables},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE, check=False)

    def test_ranks_on_the_nodes_of_the_job_have_the_bits_of_one(self):
        done = self.in_job(f"{BIN}/stradsap-run", "--threads", "1", "--no-prefix", f"{BIN}/program_factorization")
        self.assertEqual((done.returncode, done.stdout), (0, run("factorization", 1, 1).stdout), done.stderr + self.cluster.logs())
        shown = self.in_job(f"{BIN}/stradsap-run", "--", "sh", "-c", "echo $SLURMD_NODENAME $STRADSAP_NODE_RANK", tasks=4)
        self.assertEqual(sorted(shown.stdout.splitlines()), ["[0] na 0", "[1] na 0", "[2] nb 1", "[3] nb 1"], shown.stderr)

    def test_a_batch_script_has_the_bits_of_one_rank(self):
        printed = f"{self.folder.name}/printed"
        script = f"{BIN}/stradsap-run --threads 1 --no-prefix {BIN}/program_factorization; {BIN}/program_factorization 2>&1 >/dev/null"
        done = subprocess.run(["sbatch", "-W", f"-N{len(NODES)}", "-n2", "-o", printed, "--wrap", script], env=self.cluster.env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE, check=False)
        with open(printed, encoding="utf-8") as file:
            output, _, warning = file.read().partition("stradsap: warning: ")
        self.assertEqual((done.returncode, output), (0, run("factorization", 1, 1).stdout), done.stderr + self.cluster.logs())
        self.assertIn("one process runs alone in a Slurm job of 2 tasks", warning)

    def test_the_status_of_the_first_failing_rank_is_that_of_the_run(self):
        done = self.in_job(f"{BIN}/stradsap-run", "--", "sh", "-c", "[ $STRADSAP_RANK = 0 ] && exec sleep 60; exit 7")
        self.assertEqual(done.returncode, 7, done.stderr)

    def test_tasks_of_srun_are_ranks(self):
        wanted = run("factorization", 1, 1).stdout
        env = {"HOME": self.folder.name, "STRADSAP_INTERFACE": "lo", "STRADSAP_THREADS": "1"}
        for options in (["-n", "4"], ["-N1", "-n2"], ["-N1", "-n1"]):  # both nodes, one node, alone
            done = self.in_job("srun", *options, f"{BIN}/program_factorization", tasks=4, **env)
            self.assertEqual((done.returncode, done.stdout), (0, wanted), f"{options}: {done.stderr}")
        self.assertEqual(os.listdir(f"{self.folder.name}/.stradsap"), [])

    def test_a_killed_task_ends_the_step(self):
        done = self.in_job("srun", "-K0", "sh", "-c", "[ $SLURM_PROCID = 1 ] && (sleep 5; kill -9 $$) & exec $0",
                           f"{BIN}/program_endless", HOME=self.folder.name, STRADSAP_INTERFACE="lo", STRADSAP_THREADS="1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("rank 1 is lost: its process has gone", done.stderr)

    def test_copies_of_stradsap_run_are_refused(self):
        done = self.in_job("srun", f"{BIN}/stradsap-run", f"{BIN}/program_factorization")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("srun has started 2 tasks of stradsap-run", done.stderr)
        apart = self.in_job("srun", f"{BIN}/stradsap-run", "--launcher", "local", "--no-prefix", f"{BIN}/program_factorization")
        self.assertEqual(sorted(apart.stdout.splitlines()), sorted(run("factorization", 1, 1).stdout.splitlines() * 2), apart.stderr)


if __name__ == "__main__":
    reason = obstacle()
    if reason:
        print(f"SKIPPED: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
