"""--launcher mpi: stradsap-run becomes mpirun. A script stands in for it; tests/runtime/launcher_mpi_test.py has a real one."""

import os
import re
import unittest

from support import LauncherTest, ROOT, Run, launch, subprocess

FAKE = os.path.join(ROOT, "tests", "tools", "fake_mpirun")


class MpiTest(LauncherTest):
    def setUp(self):
        super().setUp()
        self.tools = os.path.join(self.folder, "tools")
        os.mkdir(self.tools)
        os.symlink(FAKE, os.path.join(self.tools, "mpirun"))
        foreign = ("OMPI_", "PRTE_", "SLURM_")
        self.env = {name: value for name, value in self.env.items() if not name.startswith(foreign)}
        self.env.update(PATH=f"{self.tools}:/usr/bin:/bin", STRADSAP_LAUNCHER="mpi")

    def only(self, name, text=None):
        """A PATH that has this program besides those of the shell, and no mpirun."""
        empty = os.path.join(self.folder, "other")
        os.makedirs(empty, exist_ok=True)
        for needed in ("sh", "env", "grep", "sort", "python3"):
            if not os.path.exists(os.path.join(empty, needed)):
                os.symlink(os.path.realpath("/usr/bin/" + needed), os.path.join(empty, needed))
        if text is None and name is not None:
            os.symlink(FAKE, os.path.join(empty, name))
        elif name is not None:
            self.program(os.path.join("other", name), text)
        self.env["PATH"] = empty

    def words(self, *options):
        """(the words of mpirun, the variables that it has)."""
        status, output, errors = launch(*options, "--", "./program", "a b", env=self.env, cwd=self.folder)
        self.assertEqual((status, errors), (0, b""), output)
        lines = output.decode().splitlines()
        variables = dict(line.split("=", 1) for line in lines if re.match(r"(STRADSAP|FAKE)_\w+=", line))
        return [line[1:-1] for line in lines if line.startswith("<")], variables

    def refusal(self, *options, status=2):
        found, output, errors = launch(*options, "true", env=self.env)
        self.assertEqual((found, output), (status, b""), errors)
        return errors.decode()


class WordsTest(MpiTest):
    def test_options_become_those_of_mpirun(self):
        words, _ = self.words("-n", "3", "-H", "a:2,b[1-2]", "--timeout", "1.5", "--kill-grace", "2", "--ssh", "ssh -F x",
                              "--wdir", "/tmp")
        self.assertEqual(words, ["-n", "3", "-H", "a:2,b1:1,b2:1", "--wdir", "/tmp", "--bind-to", "none", "--timeout", "2",
                                 "--mca", "odls_base_sigkill_timeout", "2", "--mca", "plm_rsh_agent", "ssh -F x",
                                 "-x", "STRADSAP_JOB_ID", "./program", "a b"])

    def test_mpirun_alone_decides_what_no_option_says(self):
        words, _ = self.words()
        self.assertEqual(words, ["--wdir", os.path.realpath(self.folder), "--bind-to", "none", "-x", "STRADSAP_JOB_ID", "./program",
                                 "a b"])
        self.env["OMPI_MCA_rmaps_base_mapping_policy"] = "slot:PE=2"
        self.assertNotIn("--bind-to", self.words()[0])

    def test_hosts_of_a_file_and_more_ranks_than_slots_are_left_to_mpirun(self):
        path = self.program("hosts", "a slots=2  # two\nb:3\n", 0o644)
        self.assertEqual(self.words("--hostfile", path)[0][:4], ["-n", "5", "-H", "a:2,b:3"])
        self.assertEqual(self.words("--hostfile", path, "-n", "9")[0][:4], ["-n", "9", "-H", "a:2,b:3"])

    def test_values_travel_as_variables_and_are_on_no_command_line(self):
        self.env.update(STRADSAP_KEY_FILE="/k", STRADSAP_RENDEZVOUS="a:1", FAKE_A="1;2")
        words, variables = self.words("--threads", "4", "--seed", "9", "-x", "FAKE_A", "-x", "FAKE_B=x y", "--interface", "eth1",
                                      "--stats", "s.json", "--encrypt", "0")
        passed = {words[at + 1] for at, word in enumerate(words) if word == "-x"}
        self.assertEqual(passed, {"FAKE_A", "FAKE_B"} | {"STRADSAP_" + name for name in (
            "JOB_ID", "THREADS", "SEED", "INTERFACE", "STATS", "ENCRYPT", "KEY_FILE", "RENDEZVOUS")})
        self.assertEqual((variables["STRADSAP_THREADS"], variables["STRADSAP_SEED"], variables["FAKE_A"], variables["FAKE_B"]),
                         ("4", "9", "1;2", "x y"))
        self.assertEqual(variables["STRADSAP_STATS"], os.path.realpath(self.folder) + "/s.json")

    def test_the_variables_of_the_launcher_and_of_an_outer_run_end_with_it(self):
        self.env.update(STRADSAP_NPROC="2", STRADSAP_WORLD_SIZE="8", STRADSAP_RUN_DIR="/tmp", STRADSAP_RANK="3",
                        STRADSAP_JOB_ID="old")
        words, variables = self.words()
        self.assertEqual(words[:2], ["-n", "2"])
        self.assertEqual(set(variables), {"STRADSAP_JOB_ID"})
        self.assertNotEqual(variables["STRADSAP_JOB_ID"], "old")

    def test_a_dry_run_prints_a_command_that_does_the_same(self):
        self.env["FAKE_A"] = "it's"
        options = ("-n", "2", "--seed", "3", "-x", "FAKE_A")
        status, output, errors = launch(*options, "--dry-run", "--", "./program", "a b", env=self.env, cwd=self.folder)
        self.assertEqual((status, errors), (0, b""))
        done = subprocess.run(["sh", "-c", output.decode()], env=self.env, cwd=self.folder, capture_output=True, text=True, check=True)
        words, variables = self.words(*options)
        lines = done.stdout.splitlines()
        self.assertEqual([line[1:-1] for line in lines if line.startswith("<")], words)
        self.assertIn("STRADSAP_SEED=3", lines)
        self.assertIn("FAKE_A=it's", lines)
        self.assertEqual(sum(line.startswith("STRADSAP_") for line in lines), len(variables) - 1)


class BecomingTest(MpiTest):
    def test_stradsap_run_becomes_mpirun(self):
        run = Run("./program", env={**self.env, "FAKE_STATUS": "7"})
        self.addCleanup(run.__exit__)
        status, output, _ = run.finish()
        self.assertEqual(status, 7)
        self.assertIn(f"pid {run.pid}\n", output)
        ignored = int(re.search(r"SigIgn:\s*(\w+)", output)[1], 16)
        self.assertEqual(ignored & 1 << 12, 0, "SIGPIPE is ignored")  # bit 12 is signal 13

    def test_the_first_of_open_mpi_counts(self):
        self.only("mpiexec")
        self.env["FAKE_PROJECT"] = "OpenRTE"  # as mpiexec of version 4 says
        self.assertEqual(self.words()[0][-2:], ["./program", "a b"])

    def test_without_open_mpi_the_error_names_the_package(self):
        self.only(None)
        self.assertIn("--launcher mpi: no mpirun or mpiexec of Open MPI in the PATH (Debian's package is openmpi-bin)",
                      self.refusal(status=3))
        self.only("mpirun", "#!/bin/sh\necho HYDRA build details:\n")
        self.assertIn("/other/mpirun is: HYDRA build details:", self.refusal(status=3))


class RefusalsTest(MpiTest):
    def test_options_that_mpirun_cannot_obey_are_refused_with_what_to_write(self):
        for words, advice in ((["-o", "out"], "--output does not go with --launcher mpi: mpirun passes the output on; it writes files "
                               "with OMPI_MCA_orte_output_filename=DIR"),
                              (["--max-restarts", "2"], "--max-restarts does not go with --launcher mpi: mpirun starts no rank again"),
                              (["--min-ranks", "2"], "--min-ranks does not go with --launcher mpi"),
                              (["--debug-rank", "0", "--debugger", "gdb"], "--debug-rank alone makes a rank wait for gdb -p"),
                              (["--serial"], "--serial does not go with"), (["--simulate", "2x1"], "--simulate does not go with"),
                              (["-H", "a:3,b", "--port-range", "5-6"], "5-6 has 2 ports, and host a gets 3 ranks")):
            self.assertIn(advice, self.refusal(*words))
        self.env["STRADSAP_OUTPUT"] = "out"
        self.assertIn("STRADSAP_OUTPUT does not go with --launcher mpi", self.refusal())

    def test_words_that_mpirun_would_take_for_its_own_are_refused(self):
        for words, reason in ((["true", ":", "x"], "mpirun takes the argument ':'"), (["--", "-x"], "would take -x for an option")):
            status, output, errors = launch(*words, env=self.env)
            self.assertEqual((status, output, reason in errors.decode()), (2, b"", True), errors)

    def test_copies_that_another_starter_has_started_are_refused(self):
        for starter, name in (("srun", "SLURM_STEP_NUM_TASKS"), ("mpirun", "OMPI_COMM_WORLD_SIZE")):
            self.env = {**self.env, name: "4"}
            self.assertIn(f"{starter} has started 4 copies of stradsap-run", self.refusal())

    def test_mpirun_as_the_program_is_refused_with_advice(self):
        status, _, errors = launch("--launcher", "auto", "-n", "2", "mpirun", "true", env=self.env)
        self.assertEqual((status, "start the program by one of both; --launcher mpi starts mpirun" in errors.decode()), (2, True))


class ShownTest(MpiTest):
    def test_show_config_and_doctor_tell_which_mpirun_counts(self):
        _, output, _ = launch("--show-config", env=self.env)
        lines = output.decode().splitlines()
        self.assertIn("--launcher=mpi  (variable STRADSAP_LAUNCHER)", lines)
        self.assertIn("--nproc=  (default)", lines)
        self.assertEqual(lines[-1], f"{self.tools}/mpirun: mpirun (Open MPI) 5.0.3")
        _, output, _ = launch("doctor", env=self.env)
        self.assertIn(f"mpirun (Open MPI) 5.0.3, {self.tools}/mpirun", output.decode())
        self.only(None)
        _, output, _ = launch("--show-config", env=self.env)
        self.assertIn("no mpirun or mpiexec of Open MPI", output.decode().splitlines()[-1])
        status, output, _ = launch("doctor", env=self.env)
        self.assertEqual(status, 1)
        self.assertRegex(output.decode(), r"fail +mpirun +--launcher mpi: no mpirun[^\n]*\n +remedy: apt-get install openmpi-bin")


if __name__ == "__main__":
    unittest.main()
