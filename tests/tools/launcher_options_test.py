"""Options, their variables, their effects on the ranks, and refused options."""

import os
import sys
import unittest

from support import LauncherTest, ROOT, clean_environment, launch, subprocess

TOOLS = os.path.join(ROOT, "tools")
sys.path.insert(0, TOOLS)
from launcher import cores  # noqa: E402


class RankEnvironmentTest(LauncherTest):
    def environment_of(self, *options, env=None):
        """STRADSAP_ variables as rank 0 sees them."""
        status, output, errors = launch(*options, "--no-prefix", "env", env=env or self.env)
        self.assertEqual(status, 0, errors)
        pairs = (line.split("=", 1) for line in output.decode().splitlines() if "=" in line)
        return {name: value for name, value in pairs if name.startswith("STRADSAP_")}

    def test_ranks_are_told_who_they_are(self):
        show = "echo $STRADSAP_RANK $STRADSAP_LOCAL_RANK of $STRADSAP_WORLD_SIZE"
        _, output, _ = self.shell("-n", "3", show)
        self.assertEqual(sorted(output.splitlines()), [b"[%d] %d %d of 3" % (r, r, r) for r in range(3)])

    def test_cores_are_shared_by_the_ranks_unless_said_otherwise(self):
        cores = len(os.sched_getaffinity(0))
        self.assertEqual(self.environment_of("-n", "1")["STRADSAP_THREADS"], str(cores))
        self.assertEqual(self.environment_of("--threads", "7")["STRADSAP_THREADS"], "7")

    def test_two_ranks_have_half_of_the_cores_each_and_show_config_says_so(self):
        usable = cores.count()
        each = max(1, usable // 2)
        self.assertEqual(self.environment_of("-n", "2")["STRADSAP_THREADS"], str(each))
        _, output, _ = launch("--show-config", "-n", "2", env=self.env)
        self.assertIn(f"--threads=  (default: {each}, of {usable} core{'s' if usable > 1 else ''})", output.decode().splitlines())
        _, output, _ = launch("--show-config", "--threads", "3", env=self.env)
        self.assertIn("--threads=3  (option)", output.decode().splitlines())

    def test_options_reach_the_ranks(self):
        seen = self.environment_of("--seed", "18446744073709551615", "--stats", f"{self.folder}/s.json",
                                   "--start-timeout", "9", "--hang-timeout=8", "--check", "conflicts",
                                   "--check-order", f"{self.folder}/orders", "--shared-memory", "0", "--replicate", "64M",
                                   "--metrics", f"{self.folder}/m.csv", "--falling", "loss,error", "--summary", "--quiet")
        self.assertEqual((seen["STRADSAP_METRICS"], seen["STRADSAP_FALLING"]), (f"{self.folder}/m.csv", "loss,error"))
        self.assertEqual((seen["STRADSAP_SUMMARY"], seen["STRADSAP_QUIET"]), ("1", "1"))
        self.assertEqual((seen["STRADSAP_SHARED_MEMORY"], seen["STRADSAP_REPLICATE"]), ("0", str(64 << 20)))
        self.assertEqual((seen["STRADSAP_CHECK"], seen["STRADSAP_CHECK_ORDER"]), ("conflicts", f"{self.folder}/orders"))
        self.assertEqual(seen["STRADSAP_SEED"], "18446744073709551615")
        self.assertEqual(seen["STRADSAP_STATS"], f"{self.folder}/s.json")
        self.assertEqual((seen["STRADSAP_START_TIMEOUT"], seen["STRADSAP_HANG_TIMEOUT"]), ("9", "8"))

    def test_what_was_not_asked_for_is_not_set(self):
        names = {"RANK", "LOCAL_RANK", "WORLD_SIZE", "JOB_ID", "RUN_DIR", "THREADS"}
        self.assertEqual(set(self.environment_of()), {"STRADSAP_" + name for name in names})

    def test_serial_is_one_rank_with_one_thread(self):
        seen = self.environment_of("--serial")
        self.assertEqual((seen["STRADSAP_SERIAL"], seen["STRADSAP_WORLD_SIZE"], seen["STRADSAP_THREADS"]), ("1",) * 3)

    def test_option_beats_variable_beats_default(self):
        env = {**self.env, "STRADSAP_SEED": "1", "STRADSAP_THREADS": "2"}
        seen = self.environment_of("--seed", "3", env=env)
        self.assertEqual((seen["STRADSAP_SEED"], seen["STRADSAP_THREADS"]), ("3", "2"))
        self.assertEqual(self.environment_of("--serial", env={**self.env, "STRADSAP_NPROC": "4"})["STRADSAP_WORLD_SIZE"], "1")

    def test_an_option_has_several_spellings(self):
        for words in (["-n2"], ["-n", "2"], ["-np", "2"], ["--nproc=2"], ["--nproc", "2"]):
            self.assertEqual(self.environment_of(*words)["STRADSAP_WORLD_SIZE"], "2", words)
        self.assertEqual(self.environment_of("--plan_cache", "0")["STRADSAP_PLAN_CACHE"], "0")
        self.assertEqual(self.environment_of("--plan-cache=off")["STRADSAP_PLAN_CACHE"], "0")
        self.assertEqual(self.environment_of("--shared-memory", "Yes")["STRADSAP_SHARED_MEMORY"], "1")
        for words, serial in ((["--serial"], "1"), (["--serial=TRUE"], "1"), (["--serial=0"], None)):
            self.assertEqual(self.environment_of(*words).get("STRADSAP_SERIAL"), serial, words)
        _, output, _ = launch("-xA=1", "-n1", "--no_prefix", "sh", "-c", "echo $A $0 $1", "--dry_run", "-n2", env=self.env)
        self.assertEqual(output, b"1 --dry_run -n2\n")

    def test_variables_of_the_launcher_end_with_it(self):
        env = {**self.env, "STRADSAP_NPROC": "1", "STRADSAP_TIMEOUT": "20", "STRADSAP_SERIAL": "0"}
        seen = self.environment_of(env=env)
        self.assertFalse({"STRADSAP_NPROC", "STRADSAP_TIMEOUT", "STRADSAP_SERIAL"} & set(seen))

    def test_a_relative_stats_path_is_meant_from_where_it_was_typed(self):
        _, output, _ = launch("--stats", "s.json", "--wdir", "/", "sh", "-c", "echo $STRADSAP_STATS $PWD",
                              env=self.env, cwd=self.folder)
        self.assertEqual(output.decode(), f"[0] {os.path.realpath(self.folder)}/s.json /\n")

    def test_x_sets_and_passes_on(self):
        _, output, _ = launch("-x", "A=1 2=3", "-x", "B", "sh", "-c", 'echo "$A" "$B"', env={**self.env, "B": "here"})
        self.assertEqual(output, b"[0] 1 2=3 here\n")

    def test_the_arguments_of_the_program_are_its_own(self):
        _, output, _ = launch("-n", "1", "printf", "%s|", "-n", "--help", "a b", "--", env=self.env)
        self.assertEqual(output, b"[0] -n|--help|a b|--|\n")
        _, output, _ = launch("--", "echo", "--version", env=self.env)
        self.assertNotIn(b"stradsap-run", output)


class UsageTest(LauncherTest):
    def refused(self, *words, env=None):
        status, output, errors = launch(*words, env=env or self.env)
        self.assertEqual((status, output), (2, b""), words)
        return errors.decode()

    def test_unknown_options_are_refused_with_a_hint(self):
        self.assertIn("unknown option --nprocs (did you mean --nproc?)", self.refused("--nprocs", "2", "true"))
        self.assertIn("unknown option -z", self.refused("-z", "true"))

    def test_there_is_one_kind_of_check(self):
        self.assertIn("--check: 'races' is not conflicts", self.refused("--check", "races", "true"))
        self.assertIn("--check-order has nothing to write without --check conflicts",
                      self.refused("--check-order", "orders", "true"))

    def test_other_starters_of_ranks_are_refused_by_name(self):
        for program in ("mpirun", "/usr/bin/mpiexec", "srun"):
            self.assertIn(f"{os.path.basename(program)} starts ranks, and so does stradsap-run: start the program by one of both",
                          self.refused("-n", "2", program, "-n", "2", "true"))

    def test_a_run_started_inside_another_is_refused(self):
        self.assertIn("name the program, and write all options before it", self.refused("-n", "2", "stradsap-run", "true"))
        for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE"):
            copies = {**clean_environment(), name: "2"}
            status, output, errors = launch("true", env=copies)
            self.assertEqual((status, output), (2, b""), errors)
            self.assertIn("mpirun has started 2 copies of stradsap-run", errors.decode())
            self.assertEqual(launch("--launcher", "local", "true", env=copies)[0], 0)
            self.assertEqual(launch("true", env={**copies, name: "1"})[0], 0)

    def test_planned_options_are_refused_by_name(self):
        for words in (["--trace=x"], ["--report", "a"]):
            errors = self.refused(*words, "true")
            self.assertIn("is not supported yet", errors)
            self.assertIn("--", errors)

    def test_wrong_values_are_named(self):
        for words, message in (
                (["-n", "0"], "-n: 0 is not between 1 and 4096"), (["-n", "two"], "-n: 'two' is not a whole number"),
                (["--timeout", "soon"], "--timeout: 'soon' is not a number of seconds"),
                (["--seed", "-1"], "--seed: -1 is not between"), (["--timeout", "nan"], "--timeout: 'nan'"),
                (["-x", "=1"], "names no variable"), (["-x", "NOT_SET_ANYWHERE"], "is not set here"),
                (["-x", "STRADSAP_RANK=3"], "is set by stradsap-run itself"),
                (["--resume=saved/point-00000012/"], "saved/point-00000012/ is one checkpoint; name its folder, "
                                                     "whose newest whole one is used: --resume=saved"),
                (["-x", "STRADSAP_ADDRESS=3"], "is set by stradsap-run itself"),
                (["--stats", "/no/such/folder/f"], "--stats: no directory /no/such/folder")):
            self.assertIn(message, self.refused(*words, "true"))
        self.assertIn("--seed needs a value", self.refused("--seed"))
        self.assertIn("--stats needs a value", self.refused("--stats", "--seed", "3", "true"))
        self.assertIn("--stats: no directory", self.refused("--stats=--seed/f", "true"))
        self.assertIn("no program named", self.refused("-n", "2"))

    def test_wrong_variables_are_named_too(self):
        self.assertIn("STRADSAP_NPROC: 'x' is not", self.refused("true", env={**self.env, "STRADSAP_NPROC": "x"}))

    def test_serial_with_more_ranks_or_threads_is_a_contradiction(self):
        self.assertIn("nproc is 2", self.refused("--serial", "-n", "2", "true"))
        self.assertIn("threads is 2", self.refused("--serial", "--threads", "2", "true"))
        self.assertEqual(launch("--serial", "-n", "1", "true", env=self.env)[0], 0)

    def test_a_wrong_cluster_to_simulate_is_refused_with_the_right_form(self):
        for text in ("4", "4x", "x2", "0x2", "4x0", "70000x1", "4x2,", "4x2,10", "4x2,0Gbit", "4x2,10Gbit,", "4x2,10Gbit,50",
                     "4x2,10Gbit,50us,1", "4x2,50us", "-1x2", "4X2", "4x2,1e3Gbit", ""):
            self.assertIn(f"--simulate: '{text}' is not RANKSxTHREADS[,BANDWIDTH[,LATENCY[,PROCESSOR]]], such as 4x2,10Gbit,50us or",
                          self.refused("--simulate", text, "true"))
        for text in ("4x2", "1024x16,100Gbit", "4x2,1.5GB,0us", "4x2,inf,2.5ms"):
            self.assertEqual(launch("--simulate", text, "true", env=self.env)[0], 0, text)

    def test_what_is_simulated_runs_on_one_rank(self):
        self.assertIn("nproc is 2", self.refused("--simulate", "4x2", "-n", "2", "true"))
        self.assertIn("--simulate plans the loops, --serial", self.refused("--simulate", "4x2", "--serial", "true"))
        show = "echo $STRADSAP_WORLD_SIZE $STRADSAP_THREADS $STRADSAP_SIMULATE"
        _, output, _ = launch("--simulate", "4x2", "--threads", "3", "sh", "-c", show, env={**self.env, "STRADSAP_NPROC": "2"})
        self.assertEqual(output, b"[0] 1 3 4x2\n")

    def test_the_workers_of_a_simulated_loop_are_a_positive_number(self):
        for text in ("0", "65537"):
            self.assertIn(f"--simulate-parallel: {text} is not between 1 and 65536", self.refused("--simulate-parallel", text, "true"))
        _, output, _ = launch("--simulate-parallel", "65536", "sh", "-c", "echo $STRADSAP_SIMULATE_PARALLEL", env=self.env)
        self.assertEqual(output, b"[0] 65536\n")

    def test_unknown_variables_are_warned_about_with_a_hint(self):
        status, _, errors = launch("true", env={**self.env, "STRADSAP_THREAD": "1", "STRADSAP_TRACE": "f"})
        self.assertEqual(status, 0)
        self.assertIn(b"unknown variable STRADSAP_THREAD has no effect (did you mean STRADSAP_THREADS?)", errors)
        self.assertIn(b"STRADSAP_TRACE is not supported yet and has no effect", errors)

    def test_help_fits_one_screen_and_names_every_option(self):
        status, output, errors = launch("--help", env=self.env)
        lines = output.decode().splitlines()
        self.assertEqual((status, errors), (0, b""))
        self.assertLessEqual(len(lines), 53)
        self.assertLessEqual(max(map(len, lines)), 110)
        listed = subprocess.run(["python3", "-IBc", f"import sys; sys.path.insert(0, {TOOLS!r}); "
                                 "from launcher.options import OPTIONS; print(*[o.name for o in OPTIONS])"],
                                capture_output=True, text=True, check=True).stdout.split()
        for name in listed:
            self.assertIn("--" + name, output.decode())

    def test_version(self):
        status, output, _ = launch("--version", env=self.env)
        self.assertEqual(status, 0)
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            self.assertIn(f"VERSION {output.decode().split()[1]} ", file.read())


class DryRunTest(LauncherTest):
    def test_it_prints_commands_that_do_the_same_and_runs_nothing(self):
        proof = os.path.join(self.folder, "proof")
        script = f'echo "$STRADSAP_RANK of $STRADSAP_WORLD_SIZE $A $(stat -c %a $STRADSAP_RUN_DIR)" >>{proof}; exit 4'
        status, output, _ = launch("-n", "3", "--dry-run", "-x", "A=it's", "sh", "-c", script, env=self.env)
        self.assertEqual(status, 0)
        self.assertFalse(os.path.exists(proof))
        self.assertEqual(self.run_folders(), [])
        replayed = subprocess.run(["sh"], input=output, env=self.env, check=False, timeout=30)
        self.assertEqual(replayed.returncode, 4)
        with open(proof, encoding="utf-8") as file:
            self.assertEqual(sorted(file.read().splitlines()), [f"{r} of 3 it's 700" for r in range(3)])
        self.assertEqual(self.run_folders(), [])


class PlaceTest(LauncherTest):
    def test_it_runs_from_any_directory_with_any_python_set_up(self):
        with open(os.path.join(self.folder, "subprocess.py"), "w", encoding="utf-8") as file:
            file.write("raise SystemExit('the wrong module')\n")
        env = {**self.env, "PYTHONPATH": self.folder, "PYTHONHOME": ""}
        self.assertEqual(launch("echo", "fine", env=env, cwd=self.folder)[:2], (0, b"[0] fine\n"))

    def test_relative_programs_are_found_from_the_working_directory_of_the_ranks(self):
        self.program("here.sh", "#!/bin/sh\necho $0 in $PWD\n")
        status, output, _ = launch("--wdir", self.folder, "./here.sh", env=self.env, cwd="/")
        self.assertEqual((status, output.decode()), (0, f"[0] ./here.sh in {self.folder}\n"))


if __name__ == "__main__":
    unittest.main()
