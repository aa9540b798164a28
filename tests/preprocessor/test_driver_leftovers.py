"""Nothing is left behind: not by a refusal, not by a failure, not by a signal; and compilers do not meet."""

import os
import select
import signal
import subprocess
import time

from driver_case import LOOP, DriverCase, main


class Leftovers(DriverCase):
    def test_a_refusal_leaves_an_old_object_and_nothing_else(self):
        self.write("a.cpp", LOOP.replace("[scale, &rows, &sum]", "[scale, rows, &sum]"))
        self.write("a.o", "old")
        self.cc("-MMD", "-c", "a.cpp", status=1)
        self.assertEqual(self.files(), ["a.cpp", "a.o"])
        self.assertEqual((self.folder / "a.o").read_text(), "old")
        self.assert_no_temporary_files()

    def test_all_errors_of_all_sources_come_at_once(self):
        for name in ("a.cpp", "b.cpp"):
            self.write(name, LOOP.replace("[scale, &rows, &sum]", "[scale, rows, &sum]"))
        done = self.cc("a.cpp", "b.cpp", "-o", "program", status=1)
        self.assertEqual(done.stderr.count("[SAP003]"), 2)
        self.assertEqual(self.files(), ["a.cpp", "b.cpp"])

    def test_an_output_that_cannot_be_written(self):
        self.write("a.cpp", LOOP)
        self.cc("-c", "a.cpp", "-o", "nowhere/a.o", status=1)
        done = self.cc("--emit-source", "a.cpp", "-o", "nowhere/a.sap.cpp", status=1)
        self.assertIn("cannot write nowhere/a.sap.cpp", done.stderr)
        self.assertEqual(self.files(), ["a.cpp"])

    def test_a_source_that_is_not_there(self):
        for how in (["--emit-source"], ["--show-rewrite"], ["-c"]):
            done = self.cc(*how, "nowhere.cpp", status=1)
            self.assertIn("nowhere.cpp: No such file or directory", done.stderr)
        self.assertEqual(self.files(), [])

    def test_a_device_is_written_and_never_replaced(self):
        # behind a link: only the link would go if this failed
        self.write("a.cpp", LOOP)
        for arguments in (["--emit-source", "a.cpp", "-o", "null"], ["-MD", "-MF", "null", "-c", "a.cpp"]):
            os.symlink(os.devnull, self.folder / "null")
            self.cc(*arguments)
            self.assertTrue((self.folder / "null").is_char_device())
            (self.folder / "null").unlink()

    def test_a_good_run_leaves_its_output_and_what_save_temps_keeps(self):
        self.write("a.cpp", LOOP)
        self.cc("--save-temps=kept", "-c", "a.cpp")
        self.assert_no_temporary_files()
        self.assertEqual(self.files(), ["a.cpp", "a.o", "kept/a.sap.cpp"])
        self.assertIn("::stradsap::stradsap_loop<", (self.folder / "kept/a.sap.cpp").read_text())

    def test_kept_texts_of_two_files_of_one_name_do_not_meet(self):
        self.write("x/row.hpp", "#pragma once\n" + LOOP[LOOP.index("struct"):LOOP.index("int main")])
        self.write("x/a.cpp", '#include "row.hpp"\n' + LOOP[:LOOP.index("struct")] + LOOP[LOOP.index("int main"):])
        self.write("y/a.cpp", LOOP.replace("int main", "int other"))
        self.cc("--save-temps=kept", "-c", "x/a.cpp", str(self.folder / "y/a.cpp"))
        kept = [name for name in self.files() if name.startswith("kept/")]
        self.assertEqual(kept, ["kept/x/a.sap.cpp", "kept/x/row.sap.hpp", "kept/y/a.sap.cpp"])
        self.assertIn("int main", (self.folder / "kept/x/a.sap.cpp").read_text())
        (self.folder / "z").mkdir()
        self.cc("--save-temps=../kept", "-c", str(self.folder / "x/a.cpp"), folder="z")
        self.assertIn(f"kept{self.folder}/x/a.sap.cpp", self.files())

    def waiting_compiler(self, told, first=""):
        """A native compiler that writes its number to `told` and waits for ever. Returns the environment that names it."""
        self.write("slow-g++", f"#!/bin/sh\ncase \"$*\" in *-print-*) exec g++ \"$@\";; esac\n"
                               f"{first}echo $$ >&{told}\nexec cat {self.folder}/never\n")
        os.chmod(self.folder / "slow-g++", 0o755)
        os.mkfifo(self.folder / "never")
        self.write("a.cpp", LOOP)
        return {**os.environ, "TMPDIR": str(self.temporary), "CXX": str(self.folder / "slow-g++")}

    def test_a_signal_ends_the_native_compiler_and_removes_the_files(self):
        # a native compiler that says when it runs and then waits for its end
        ready, told = os.pipe()
        variables = self.waiting_compiler(told)
        running = subprocess.Popen([self.compiler, "-c", "a.cpp"], cwd=self.folder, env=variables, pass_fds=[told])
        os.close(told)
        with os.fdopen(ready) as pipe:
            native = int(pipe.readline())
            self.assertNotEqual(list(self.temporary.iterdir()), [])
            running.send_signal(signal.SIGTERM)
            self.assertEqual(running.wait(timeout=60), -signal.SIGTERM)
            self.assertEqual(pipe.read(), "")  # closed: the native compiler is gone too
        self.assertRaises(ProcessLookupError, os.kill, native, 0)
        self.assert_no_temporary_files()

    def test_a_part_of_the_native_compiler_that_outlives_it_leaves_nothing(self):
        # as cc1plus does when a signal ends g++
        ready, told = os.pipe()
        makes_files = ("while kill -0 $$; do :; done; "
                       "i=0; while [ $i -lt 3000 ] && : > $TMPDIR/part$i; do i=$((i+1)); done")
        variables = self.waiting_compiler(told, f"({makes_files}) 2> /dev/null &\n")
        for _ in range(3):
            running = subprocess.Popen([self.compiler, "-c", "a.cpp"], cwd=self.folder, env=variables, pass_fds=[told])
            select.select([ready], [], [], 60)
            os.read(ready, 100)
            running.send_signal(signal.SIGTERM)
            self.assertEqual(running.wait(timeout=60), -signal.SIGTERM)
            self.assert_no_temporary_files()
        os.close(ready)
        os.close(told)

    def test_dependencies_appear_only_when_their_names_are_right(self):
        self.write("a.cpp", LOOP)
        # writes dependencies and an object, and fails
        self.write("dying-g++", '#!/bin/sh\ncase "$*" in *-print-*) exec g++ "$@" ;; esac\ng++ "$@" -E\nexit 1\n')
        (self.folder / "dying-g++").chmod(0o755)
        for how in ([], ["-MF", "a.dep"], ["-MFa.dep"]):
            self.cc("-MMD", *how, "-c", "a.cpp", environment={"CXX": str(self.folder / "dying-g++")}, status=1)
            self.assertEqual(self.files(), ["a.cpp", "a.o", "dying-g++"])
        self.cc("-MMD", "-MFa.dep", "-c", "a.cpp")
        self.assertEqual((self.folder / "a.dep").read_text(), "a.o: a.cpp\n")

    def test_a_signal_at_any_moment_leaves_nothing(self):
        self.needs_header()  # for its length: the moments in which g++ starts its parts are g++'s
        self.write("a.cpp", LOOP)
        variables = {**os.environ, "TMPDIR": str(self.temporary)}
        begin = time.monotonic()
        self.cc("-c", "a.cpp", "-o", "a.o")
        seconds = time.monotonic() - begin
        whole = (self.folder / "a.o").read_bytes()
        for number in range(10):
            running = subprocess.Popen([self.compiler, "-MMD", "--save-temps=kept", "-c", "a.cpp", "-o", "a.o"],
                                       cwd=self.folder, env=variables, stderr=subprocess.DEVNULL)
            ended = os.pidfd_open(running.pid)
            moment = seconds * number / 8  # the last ones find it done
            select.select([ended], [], [], moment)  # its end, or that moment
            os.close(ended)
            running.send_signal((signal.SIGTERM, signal.SIGINT)[number % 2])
            status = running.wait(timeout=60)
            self.assertIn(status, (0, -signal.SIGTERM, -signal.SIGINT))
            self.assert_no_temporary_files()
            self.assertLessEqual(set(self.files()), {"a.cpp", "kept/a.sap.cpp", "a.d", "a.o"})
            if "a.o" in self.files():  # the signal came when all was done
                self.assertEqual((self.folder / "a.o").read_bytes(), whole)
            for name in self.files()[1:]:
                (self.folder / name).unlink()

    def test_a_signal_that_is_ignored_stays_ignored(self):
        self.write("a.cpp", LOOP)
        variables = {**os.environ, "TMPDIR": str(self.temporary)}
        running = subprocess.Popen(["nohup", self.compiler, "-c", "a.cpp"], cwd=self.folder, env=variables,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ended = os.pidfd_open(running.pid)
        while not select.select([ended], [], [], 0.2)[0]:
            running.send_signal(signal.SIGHUP)
        self.assertEqual(running.wait(), 0)

    def test_compilers_of_one_source_with_one_output_do_not_meet(self):
        self.write("a.cpp", LOOP)
        variables = {**os.environ, "TMPDIR": str(self.temporary)}
        command = [self.compiler, "-MMD", "-c", "a.cpp", "-o", "a.o"]
        runs = [subprocess.Popen(command, cwd=self.folder, env=variables) for _ in range(3)]
        self.assertEqual([run.wait(timeout=240) for run in runs], [0] * len(runs))
        self.assertEqual((self.folder / "a.d").read_text(), "a.o: a.cpp\n")
        self.assertEqual(self.files(), ["a.cpp", "a.d", "a.o"])

    def test_compilers_that_run_at_once_do_not_meet(self):
        for name in ("x/a.cpp", "y/a.cpp"):
            self.write(name, LOOP.replace("scale = 2", f"scale = {3 if name[0] == 'x' else 4}"))
        variables = {**os.environ, "TMPDIR": str(self.temporary)}
        runs = [subprocess.Popen([self.compiler, "-S", f"{d}/a.cpp", "-o", f"{d}/{i}.s"], cwd=self.folder, env=variables)
                for d, i in ("x0", "x1", "y0")]
        self.assertEqual([run.wait(timeout=240) for run in runs], [0] * len(runs))
        text = {name: (self.folder / name).read_text() for name in ("x/0.s", "x/1.s", "y/0.s")}
        self.assertEqual(text["x/0.s"], text["x/1.s"])
        self.assertNotEqual(text["x/0.s"], text["y/0.s"])
        self.assert_no_temporary_files()


if __name__ == "__main__":
    main()
