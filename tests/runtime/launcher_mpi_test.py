"""stradsap-run --launcher mpi with a real Open MPI: outputs, statuses and signals, on this machine and on hosts.

Skipped, with the reason in ctest's summary, where mpirun is missing (tools/install-deps --benchmarks).
"""

import os
import shutil
import signal
import sys
import time
import unittest

from direct_starts_test import AS_ROOT, DirectStart, finish
from namespaces_test import Network, obstacle
from programs_case import BIN, run

SKIPPED = 77
ODD = "a;b 'c' \"d\",e=$f\\"


class MpiCase(DirectStart):
    def setUp(self):
        super().setUp()
        self.env.update(AS_ROOT, OMPI_MCA_rmaps_base_oversubscribe="1")

    def launched(self, *options, program="factorization", args=(), **variables):
        words = [f"{BIN}/program_{program}"] if program else []
        return self.start(f"{BIN}/stradsap-run", "--launcher", "mpi", *options, *words, *args, **variables)


class MpiLauncherTest(MpiCase):
    def test_a_program_prints_the_same_as_by_other_launchers(self):
        for ranks, name, *args in ((1, "factorization"), (2, "factorization"), (4, "factorization"), (2, "word_count")):
            wanted = run(name, ranks, 1, *args)
            self.assertEqual(finish(self.launched("-n", str(ranks), program=name, args=args))[:2], (0, wanted.stdout),
                             f"{name} on {ranks}")
        self.assertEqual(self.run_folders(), [])

    def test_options_and_odd_values_reach_all_ranks(self):
        done = self.launched("-n", "2", "--threads", "3", "-x", f"ODD={ODD}", "--wdir", "/", program=None,
                             args=("sh", "-c", 'echo "$OMPI_COMM_WORLD_RANK|$ODD|$STRADSAP_THREADS|$PWD|$1"', "x", "a  b"))
        status, output, errors = finish(done)
        self.assertEqual((status, sorted(output.splitlines())), (0, [f"{rank}|{ODD}|3|/|a  b" for rank in range(2)]), errors)

    def test_the_standard_input_goes_to_rank_0(self):
        text = "".join(f"{n}\n" for n in range(1000))
        path = os.path.join(self.folder, "input")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        one = self.start("sh", "-c", f"exec {BIN}/stradsap-run --launcher mpi -n 2 cat <{path}")
        self.assertEqual(finish(one)[:2], (0, text))

    def test_statuses_are_those_of_mpirun(self):
        self.assertEqual(finish(self.launched("-n", "2", program=None, args=("sh", "-c", "exit 5")))[0], 5)
        self.assertEqual(finish(self.launched("-n", "1", program=None, args=("sh", "-c", "kill -9 $$")))[0], 137)

    def test_errors_of_mpirun_reach_the_user(self):
        status, _, errors = finish(self.launched("-n", "99", OMPI_MCA_rmaps_base_oversubscribe="0"))
        self.assertNotEqual(status, 0)
        self.assertIn("not enough slots", errors)
        status, _, errors = finish(self.launched("-n", "1", program=None, args=("./nothing",)))
        self.assertNotEqual(status, 0)
        self.assertIn("./nothing", errors)
        status, _, errors = finish(self.launched("-H", "nowhere.invalid:2"))
        self.assertNotEqual(status, 0)
        self.assertIn("resolve hostname nowhere", errors)  # mpirun drops the domain

    def test_a_time_out_and_a_signal_end_all(self):
        begin = time.monotonic()
        status, _, errors = finish(self.launched("-n", "2", "--timeout", "1", program="endless"))
        self.assertNotEqual(status, 0)  # 110 of version 4
        self.assertIn("time limit", errors)
        self.assertLess(time.monotonic() - begin, 20)
        one = self.launched("-n", "2", program="endless")
        self.assertEqual(self.read_line(one), "pass 10\n")
        one.send_signal(signal.SIGTERM)
        self.assertNotEqual(finish(one)[0], 0)  # 1 of version 4


class MpiOnHostsTest(MpiCase):
    """Ranks on hosts with networks of their own, which mpirun starts by ssh. They meet by a file."""

    def test_ranks_of_two_hosts_meet_by_a_file_in_the_shared_home(self):
        network = Network(self.folder)
        self.addCleanup(network.remove)
        network.make()
        network.start_servers()
        hosts = os.path.join(self.folder, "hosts")
        with open(hosts, "w", encoding="utf-8") as file:
            file.write("n0 slots=2\nn1:2\n")
        self.env["OMPI_MCA_oob_tcp_if_include"] = f"{network.subnet}.0/24"
        options = ("--hostfile", hosts, "--ssh", f"ssh -F {self.folder}/ssh_config", "--threads", "1", "-x", "HOME")
        self.assert_right([self.launched(*options)])
        odd = self.launched(*options, "-x", f"ODD={ODD}", program=None, args=("sh", "-c", 'echo "$ODD|$1"', "x", "a  $b"))
        self.assertEqual(finish(odd), (0, f"{ODD}|a  $b\n" * 4, ""))
        self.assertEqual(os.listdir(f"{self.folder}/.stradsap"), [])


if __name__ == "__main__":
    if shutil.which("mpirun") is None:
        print("SKIPPED: mpirun is not installed (tools/install-deps --benchmarks)")
        sys.exit(SKIPPED)
    reason = obstacle()
    if reason:
        print(f"SKIPPED: {reason}")
        MpiOnHostsTest = unittest.skip(reason)(MpiOnHostsTest)
    unittest.main()
