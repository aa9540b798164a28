"""Runs in a Slurm job, as its variables describe it. A script stands in for srun; tests/runtime/slurm_test.py has a real one."""

import os
import sys
import unittest

from support import LauncherTest, ROOT, launch

SHOW = "echo $STRADSAP_NODE_RANK of $STRADSAP_WORLD_SIZE on $HOSTNAME, $HOST"


class SlurmTest(LauncherTest):
    def setUp(self):
        super().setUp()
        os.symlink(os.path.join(ROOT, "tests", "tools", "fake_srun"), os.path.join(self.folder, "srun"))
        self.env["PATH"] = self.folder + os.pathsep + self.env["PATH"]

    def in_job(self, **variables):
        self.env.update(SLURM_JOB_ID="7", **{"SLURM_" + name: value for name, value in variables.items()})

    def lines(self, *words):
        status, output, errors = self.shell(*words)
        self.assertEqual(status, 0, errors)
        return sorted(output.decode().splitlines())

    def refusal(self, *words):
        status, _, errors = launch(*words, "true", env=self.env)
        self.assertEqual(status, 2, errors)
        return errors.decode()

    def test_the_nodes_of_the_job_get_a_rank_for_each_task(self):
        self.in_job(JOB_NODELIST="n[1-2],m", TASKS_PER_NODE="2(x2),1", NTASKS="5", JOB_CPUS_PER_NODE="8(x2),3", CPUS_PER_TASK="4")
        self.assertEqual(self.lines(SHOW), ["[0] 0 of 5 on n1, 8", "[1] 0 of 5 on n1, 8", "[2] 1 of 5 on n2, 8",
                                            "[3] 1 of 5 on n2, 8", "[4] 2 of 5 on m, 3"])
        self.assertEqual(self.lines("-n", "2", SHOW), ["[0] 0 of 2 on n1, 8", "[1] 0 of 2 on n1, 8"])

    def test_a_step_has_its_own_nodes_and_never_those_of_the_job(self):
        self.in_job(JOB_NODELIST="n[1-8]", TASKS_PER_NODE="4(x8)", STEP_ID="3", STEP_NODELIST="n[1-2]", STEP_TASKS_PER_NODE="1(x2)")
        self.assertEqual(self.lines("echo $HOSTNAME"), ["[0] n1", "[1] n2"])
        self.env["SLURM_STEP_ID"] = "4294967290"  # the shell of salloc
        self.assertEqual(len(self.lines("echo")), 32)

    def test_tasks_without_their_nodes_are_spread(self):
        self.in_job(STEP_NODELIST="n[1-2]", NTASKS="3")
        self.assertEqual(self.lines("echo $HOSTNAME"), ["[0] n1", "[1] n1", "[2] n2"])

    def test_a_dry_run_names_the_hosts(self):
        self.in_job(STEP_NUM_NODES="2", STEP_NODELIST="n[1-2]", NTASKS="4")
        status, output, errors = launch("--dry-run", "./app", "a b", env=self.env)
        self.assertEqual((status, output.decode().splitlines(), errors),
                         (0, ["host n1: ranks 0, 1: ./app 'a b'", "host n2: ranks 2, 3: ./app 'a b'"], b""))

    def test_hosts_and_local_ranks_beat_the_job(self):
        self.in_job(JOB_NODELIST="n[1-2]", TASKS_PER_NODE="1(x2)")
        self.assertEqual(self.lines("--launcher", "local", "-n", "2", "echo $STRADSAP_NODE_RANK"), ["[0] ", "[1] "])
        self.assertEqual(self.lines("-H", "localhost:3", "echo $STRADSAP_NODE_RANK"), ["[0] ", "[1] ", "[2] "])
        self.assertEqual(self.lines("--launcher", "slurm", "-H", "n2:2", "echo $HOSTNAME"), ["[0] n2", "[1] n2"])

    def test_this_machine_alone_needs_no_srun(self):
        self.in_job(JOB_NODELIST=os.uname().nodename.partition(".")[0], TASKS_PER_NODE="2")
        self.assertEqual(self.lines("echo $STRADSAP_NODE_RANK"), ["[0] ", "[1] "])

    def test_mistakes_are_named(self):
        self.assertIn("SLURM_JOB_NODELIST is not set: start it in salloc or sbatch", self.refusal("--launcher", "slurm"))
        self.in_job(JOB_NODELIST="n[1-2]", TASKS_PER_NODE="1")
        self.assertIn("'1' has 1 numbers for 2 nodes", self.refusal())
        for wrong in ("many", "0(x2)", "2(x99999999999)"):
            self.env["SLURM_TASKS_PER_NODE"] = wrong
            self.assertIn(f"'{wrong}' is no list of numbers for 2 nodes", self.refusal())
        del self.env["SLURM_TASKS_PER_NODE"]
        for wrong in ("0", "abc"):
            self.env["SLURM_NTASKS"] = wrong
            self.assertIn(f"SLURM_NTASKS is '{wrong}'", self.refusal())
        self.env.update(SLURM_STEP_ID="0", SLURM_STEP_NODELIST="n[1-2]", SLURM_STEP_NUM_TASKS="2", SLURM_PROCID="1")
        self.assertIn("srun has started 2 tasks of stradsap-run", self.refusal())

    def test_a_node_that_does_not_answer_is_named(self):
        self.in_job(JOB_NODELIST="n1,stuck", TASKS_PER_NODE="1(x2)")
        status, _, errors = launch("--start-timeout", "3", "true", env=self.env)
        self.assertEqual((status, "host stuck: no answer within 3 s" in errors.decode()), (3, True), errors)

    def test_a_missing_srun_is_named(self):
        self.in_job(JOB_NODELIST="n1,n2", TASKS_PER_NODE="1(x2)")
        os.unlink(os.path.join(self.folder, "srun"))
        os.symlink(sys.executable, os.path.join(self.folder, "python3"))
        self.env["PATH"] = self.folder
        self.assertIn(b"cannot start srun for host n1", launch("/bin/true", env=self.env)[2])


if __name__ == "__main__":
    unittest.main()
