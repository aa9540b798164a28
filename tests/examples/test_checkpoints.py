"""A resumed run has the bits of an undisturbed one; bad checkpoints are refused by name (programs/checkpoints.cpp)."""

import errno
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest

from checkpoints_case import CheckpointsTest
from example_case import ROOT, line_of

SHAPES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]  # ranks, threads of each
EPOCHS = 9
SOAKS = bool(os.environ.get("TEST_ALL_SCHEDULES"))


class Checkpoints(CheckpointsTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.breaker = os.path.join(cls.built.name, "die_at_write.so")
        subprocess.run(["g++", "-shared", "-fPIC", "-O1", os.path.join(ROOT, "tests", "support", "die_at_write.cpp"),
                        "-o", cls.breaker, "-ldl"], check=True)

    def run_it(self, mode="run", at=-1, *, shape=(1, 1), every=2, epochs=EPOCHS, resume=None, folder=None, binary=None, options=()):
        if resume is not None:
            options = (*options, "--resume" if resume is True else f"--resume={resume}")
        return self.run_program(binary or self.binary, self.saved if folder is None else folder, str(epochs), str(every), mode, str(at),
                                ranks=shape[0], threads=shape[1], options=options)

    def undisturbed(self, shape=(1, 1), options=(), mode="run", epochs=EPOCHS):
        done = self.run_it(mode, folder="-", shape=shape, options=options, epochs=epochs)
        self.assertEqual(done.status, 0, done.errors)
        return done.output

    def points(self):
        return sorted(os.listdir(self.saved))

    def assert_refused(self, done, *texts):
        self.assertNotEqual(done.status, 0)
        self.assertLess(done.status, 128, done.errors)  # no crash
        for text in texts:
            self.assertIn(text, done.errors)
        self.assertEqual(done.output, "")

    # --- the same bits ---

    def test_an_undisturbed_run_has_the_same_bits_with_and_without_checkpoints(self):
        wanted = self.undisturbed()
        for shape in SHAPES:
            self.assertEqual(self.undisturbed(shape), wanted, shape)
        done = self.run_it("wait", every=1)
        self.assertEqual((done.status, done.output), (0, wanted), done.errors)
        self.assertEqual(self.points(), ["point-00000007", "point-00000008"])

    def test_a_resumed_run_has_the_bits_of_an_undisturbed_one_on_any_ranks_and_threads(self):
        wanted = self.undisturbed()
        before = random.Random(1).sample(SHAPES, len(SHAPES))
        for first, second, at in zip(SHAPES, before, (3, 5, 2, 7, 8)):
            killed = self.run_it("kill", at, shape=first)
            self.assertEqual(killed.status, 137, killed.errors)
            done = self.run_it(resume=True, shape=second)
            self.assertEqual((done.status, done.output), (0, wanted), f"{first} {second} {at}: {done.errors}")
            self.assertIn(f"goes on from {self.saved}/point-0000000{at - at % 2}", done.errors)
            shutil.rmtree(self.saved)

    def test_a_run_may_be_resumed_again_and_again(self):
        wanted = self.undisturbed()
        for shape, at in zip(SHAPES, (1, 2, 4, 5, 7)):
            self.assertEqual(self.run_it("kill", at, every=1, shape=shape, resume=True).status, 137)
        self.assertEqual(self.run_it(every=1, resume=True).output, wanted)

    def test_other_models_have_the_same_bits_too(self):
        for options in (("--consistency", "sync=4096"), ("--consistency", "ordered"), ("--seed", "9"), ("--plan-cache", "0")):
            wanted = self.undisturbed(options=options, epochs=5)
            self.assertEqual(self.run_it("kill", 3, epochs=5, every=1, options=options).status, 137)
            done = self.run_it(resume=True, shape=(2, 2), epochs=5, options=options)
            self.assertEqual((done.status, done.output), (0, wanted), f"{options}: {done.errors}")
            shutil.rmtree(self.saved)

    def test_a_save_point_at_the_end_of_the_loop_goes_on_behind_it(self):
        wanted = self.undisturbed(mode="tail")
        done = self.run_it("tail", epochs=5)
        self.assertEqual(done.status, 0, done.errors)
        done = self.run_it("tail", resume=True, shape=(2, 1))
        self.assertEqual((done.status, done.output), (0, wanted), done.errors)
        self.assertEqual(done.errors.count("this loop runs before the first save point of a resumed run"), 1, done.errors)

    def test_sigterm_saves_at_the_next_save_point_and_ends_with_143(self):
        wanted = self.undisturbed()
        done = self.run_it("term", 4, every=100)
        self.assertEqual((done.status, done.output), (143, ""), done.errors)
        self.assertIn(f"SIGTERM: saved as {self.saved}/point-00000005", done.errors)
        done = self.run_it(resume=True, shape=(2, 1))
        self.assertEqual((done.status, done.output), (0, wanted), done.errors)

    def test_sigterm_to_the_launcher_saves_a_run_of_several_ranks(self):
        for ranks, threads in ((2, 1), (1, 2)):
            run = self.start_program(self.binary, self.saved, "1000000", "1000000", "talk", ranks=ranks, threads=threads,
                                     options=("--kill-grace", "25"))
            self.assertEqual([run.read_line() for _ in range(3)], [f"[0] epoch {epoch}" for epoch in range(3)])
            run.signal(signal.SIGTERM)
            status, _, errors = run.finish()
            self.assertEqual((status, len(self.points())), (143, 1), errors)
            epochs = int(self.points()[0].removeprefix("point-")) + 1
            done = self.run_it(resume=True, epochs=epochs)
            self.assertEqual((done.status, done.output), (0, self.undisturbed(epochs=epochs)), done.errors)
            shutil.rmtree(self.saved)

    def test_checkpoints_are_written_every_so_often_too(self):
        for period, is_soon in (("200ms", True), ("1min", False)):
            begin, seen = time.monotonic(), set()
            run = self.start_program(self.binary, self.saved, "1000000", period, "talk")
            while len(seen) < 2 and time.monotonic() < begin + (20 if is_soon else 2):
                self.assertTrue(run.read_line())
                seen |= {name for name in self.points() if not name.endswith(".part")}
            run.__exit__()
            self.kill_what_is_left()
            if not is_soon:
                self.assertEqual(self.points(), [])
                continue
            self.assertEqual(len(seen), 2)
            self.assertGreater(time.monotonic() - begin, 0.4)
            epochs = int(max(seen).removeprefix("point-")) + 1
            done = self.run_it(resume=True, epochs=epochs)
            self.assertEqual((done.status, done.output), (0, self.undisturbed(epochs=epochs)), done.errors)
            shutil.rmtree(self.saved)

    # --- bad input ---

    def killed_at(self, at, **more):
        done = self.run_it("kill", at, **more)
        self.assertEqual(done.status, 137, done.errors)

    def test_a_torn_or_changed_checkpoint_is_refused_by_name_and_the_one_before_it_is_used(self):
        wanted = self.undisturbed()
        self.killed_at(6)
        newest = os.path.join(self.saved, "point-00000006")
        whole = os.path.join(self.folder, "whole")
        shutil.copytree(self.saved, whole)
        files = sorted(os.listdir(newest))
        self.assertIn("manifest.json", files)
        draw = random.Random(5)
        for name in files if SOAKS else [*draw.sample(files, 4), "state", "manifest.json"]:
            for damage in ("shorter", "flipped", "gone"):
                path = os.path.join(newest, name)
                if damage == "gone":
                    os.remove(path)
                else:
                    with open(path, "r+b") as file:
                        size = os.path.getsize(path)
                        if damage == "shorter":
                            file.truncate(draw.randrange(size))
                        else:
                            at = draw.randrange(size)
                            if name == "manifest.json":
                                at = file.read().index(b'"point"') + 9  # its number
                            file.seek(at)
                            byte = file.read(1)[0]
                            file.seek(at)
                            file.write(bytes([byte ^ 1]))
                done = self.run_it(resume=True)
                self.assertEqual((done.status, done.output), (0, wanted), f"{name} {damage}: {done.errors}")
                self.assertIn(newest, done.errors)
                self.assertIn("the checkpoint before it is used", done.errors)
                self.assertIn(f"goes on from {self.saved}/point-00000004", done.errors)
                shutil.rmtree(self.saved)
                shutil.copytree(whole, self.saved)

    def test_without_any_whole_checkpoint_a_run_is_refused(self):
        self.killed_at(6)
        for point in self.points():
            os.remove(os.path.join(self.saved, point, "manifest.json"))
        self.assert_refused(self.run_it(resume=True), f"{self.saved}: has no whole checkpoint", "point-00000006", "point-00000004")
        other = os.path.join(self.folder, "other")
        self.assert_refused(self.run_it(resume=self.folder, folder=other), f"{self.folder}: has no whole checkpoint")

    def test_an_empty_folder_lets_a_run_start_from_the_beginning(self):
        done = self.run_it(resume=True)
        self.assertEqual((done.status, done.output), (0, self.undisturbed()), done.errors)
        self.assertIn("has no checkpoint: the run starts from the beginning", done.errors)

    def test_a_run_that_does_not_go_on_from_checkpoints_does_not_mix_with_them(self):
        self.killed_at(4)
        before = self.points()
        self.assert_refused(self.run_it(), f"{self.saved}: has checkpoints of an earlier run")
        self.assertEqual(self.points(), before)

    def test_a_run_that_goes_on_from_another_folder_keeps_the_checkpoints_of_its_own(self):
        wanted = self.undisturbed()
        self.killed_at(4)
        old = os.path.join(self.folder, "old")
        shutil.copytree(self.saved, old)
        before = self.points()
        self.assert_refused(self.run_it(resume=old), f"{self.saved}: has checkpoints, and the run goes on from those of {old}")
        self.assertEqual(self.points(), before)
        self.assertEqual(self.run_it(resume=self.saved + "/.").output, wanted)  # the same folder
        shutil.rmtree(self.saved)
        self.assertEqual(self.run_it(resume=old, shape=(2, 1)).output, wanted)
        self.assertEqual(sorted(os.listdir(old)), before)  # it is only read

    def test_containers_that_change_their_variable_are_refused(self):
        for mode in ("swap", "reset"):
            self.assert_refused(self.run_it(mode), "checkpoints.cpp:", "a container was moved or swapped into another variable")
            shutil.rmtree(self.saved)
        done = self.run_it("swap_twice")
        self.assertEqual((done.status, done.output), (0, self.undisturbed()), done.errors)

    def test_checkpoints_of_other_programs_and_runs_are_refused_by_name(self):
        self.killed_at(4)
        number = line_of("checkpoints", 'mode != "tail") run.save_point')
        place = f"checkpoints.cpp:{number}"
        self.assert_refused(self.run_it("other", resume=True), "was saved at", place, "resumable() has int, float, double")
        self.assert_refused(self.run_it("more", resume=True), "does not fit the program", place)
        self.assert_refused(self.run_it("tail", resume=True), "was saved at", place, "came to")
        self.assert_refused(self.run_it(resume=True, options=("--seed", "3")), "is of a run with seed 0", "seed 3")
        self.assert_refused(self.run_it(resume=True, options=("--serial",)), "in parallel", "in program order")
        copy = os.path.join(self.folder, "another")
        subprocess.run(["objcopy", "--remove-section", ".note.gnu.build-id", self.binary, copy], check=True)
        self.assert_refused(self.run_it(resume=True, binary=copy), "is of another program")

    def test_another_version_of_the_format_is_refused_by_name(self):
        self.killed_at(4)
        path = os.path.join(self.saved, "point-00000004", "manifest.json")
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
        self.assertEqual(manifest["checkpoint"]["format"], 1)
        script = os.path.join(self.built.name, "sum")
        if not os.path.exists(script):
            source = script + ".cpp"
            with open(source, "w", encoding="utf-8") as file:
                file.write("#include <cstdio>\n#include <iostream>\n#include <iterator>\n#include <string>\n#include <xxhash.h>\n"
                           "int main() { const std::string all((std::istreambuf_iterator<char>(std::cin)), {});\n"
                           "std::printf(\"%016llx\", (unsigned long long)XXH3_64bits(all.data(), all.size())); }\n")
            subprocess.run(["g++", "-O1", source, "-o", script, "-lxxhash"], check=True)
        manifest["checkpoint"]["format"] = 2
        text = json.dumps(manifest["checkpoint"], separators=(",", ":"), ensure_ascii=False)
        manifest["xxh3"] = subprocess.run([script], input=text, capture_output=True, text=True, check=True).stdout
        with open(path, "w", encoding="utf-8") as file:
            json.dump(manifest, file)
        self.assert_refused(self.run_it(resume=True), "has format 2, and this program reads format 1")

    def test_folders_that_cannot_be_written_are_named(self):
        with open(self.saved, "w", encoding="utf-8"):
            pass
        self.assert_refused(self.run_it(), f"{self.saved}: the folder cannot be made")
        self.assert_refused(self.run_it(folder=""), "checkpoints need a folder")

    def run_alone(self, *words, **more):
        return subprocess.run([self.binary, self.saved, str(EPOCHS), "2", *words], capture_output=True, text=True, check=False,
                              **{"env": {**os.environ, "STRADSAP_THREADS": "1"}, **more})

    def test_a_limit_of_file_sizes_costs_the_checkpoint_and_not_the_run(self):
        def few_bytes():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        done = self.run_alone("run", preexec_fn=few_bytes)
        self.assertEqual((done.returncode, done.stdout), (0, self.undisturbed()), done.stderr)
        self.assertRegex(done.stderr, f"{self.saved}/point-00000002 was not written: .*/container-0: cannot be written: File too large")
        self.assertEqual(self.points(), [])

    def failing(self, number, at):
        """Variables by which writing calls fail from the `at`-th on."""
        return {**os.environ, "STRADSAP_THREADS": "1", "LD_PRELOAD": self.breaker, "FAIL_WITH": str(number), "DIE_AT": str(at),
                "DIE_COUNT": os.path.join(self.folder, f"count-{number}-{at}")}

    def test_a_full_disk_costs_the_checkpoint_and_not_the_run(self):
        wanted = self.undisturbed(mode="fast")
        writes = self.writes_of_a_run()  # two checkpoints; here four
        done = self.run_alone("fast", env=self.failing(errno.ENOSPC, writes // 2 + 3))
        self.assertEqual((done.returncode, done.stdout), (0, wanted), done.stderr)
        for point in ("point-00000004", "point-00000006"):
            self.assertRegex(done.stderr, f"{self.saved}/{point} was not written: .*: No space left on device")
        self.assertEqual(self.points(), ["point-00000002"])
        done = self.run_it("fast", resume=True)
        self.assertEqual((done.status, done.output), (0, wanted), done.errors)
        self.assertIn(f"goes on from {self.saved}/point-00000002", done.errors)

    def test_a_disk_that_fails_at_synchronisation_or_rename_costs_the_checkpoints_and_not_the_run(self):
        wanted = self.undisturbed(mode="fast")
        for call in ("fsync", "rename"):
            done = self.run_alone("fast", env={**self.failing(errno.EIO, 1), "FAIL_IN": call})
            self.assertEqual((done.returncode, done.stdout), (0, wanted), done.stderr)
            for point in ("point-00000002", "point-00000008"):
                self.assertRegex(done.stderr, f"{self.saved}/{point} was not written: .*: cannot be written: Input/output error")
            self.assertEqual(self.points(), [], call)

    def test_a_folder_that_may_only_be_read_costs_the_checkpoints_and_not_the_run(self):
        wanted = self.undisturbed()
        done = self.run_alone("run", env=self.failing(errno.EROFS, 1))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"{self.saved}: the folder cannot be made: Read-only file system", done.stderr)
        os.mkdir(self.saved)
        done = self.run_alone("run", env=self.failing(errno.EROFS, 1))
        self.assertEqual((done.returncode, done.stdout), (0, wanted), done.stderr)
        self.assertRegex(done.stderr, f"{self.saved}/point-00000002 was not written: .*: Read-only file system")

    def test_a_folder_without_the_right_to_write_is_refused(self):
        def nobody():
            if os.geteuid() == 0:  # root may write everywhere
                os.setgid(65534)
                os.setuid(65534)

        for folder in (self.folder, self.built.name):
            os.chmod(folder, 0o755)
        os.mkdir(self.saved)
        os.chmod(self.saved, 0o555)
        done = self.run_alone("run", preexec_fn=nobody)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn(f"{self.saved}: cannot be written: Permission denied", done.stderr)
        self.assertEqual(self.points(), [])

    def test_two_runs_cannot_save_in_one_folder(self):
        os.mkdir(self.saved)
        import fcntl
        lock = os.open(self.saved, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        running = subprocess.Popen([self.binary, self.saved, "1", "2", "run"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with self.assertRaises(subprocess.TimeoutExpired):
            running.wait(timeout=0.5)
        os.close(lock)  # a child of a run that was killed ends
        self.assertEqual((running.communicate(timeout=60)[1], running.returncode), ("", 0))

    # --- crashes ---

    def writes_of_a_run(self):
        log = os.path.join(self.folder, "writes")
        env = {**os.environ, "STRADSAP_THREADS": "1", "LD_PRELOAD": self.breaker, "DIE_LOG": log}
        subprocess.run([self.binary, self.saved, "5", "2", "fast"], env=env, check=True, capture_output=True)
        shutil.rmtree(self.saved)
        with open(log, encoding="utf-8") as file:
            return len(file.read())

    def test_death_at_any_write_of_a_checkpoint_costs_no_bits(self):
        wanted = self.undisturbed(mode="fast", epochs=5)
        writes = self.writes_of_a_run()
        self.assertGreater(writes, 100)
        died = 0
        schedules = [(at, whom) for at in range(1, writes + 1) for whom in ("writer", "run")]
        if not SOAKS:
            schedules = random.Random(11).sample(schedules, 24)
        for at, whom in schedules:
            env = {**os.environ, "STRADSAP_THREADS": "1", "LD_PRELOAD": self.breaker, "DIE_AT": str(at), "DIE_WHO": whom,
                   "DIE_COUNT": os.path.join(self.folder, "count")}
            if os.path.exists(env["DIE_COUNT"]):
                os.remove(env["DIE_COUNT"])
            done = subprocess.run([self.binary, self.saved, "5", "2", "fast"], env=env, capture_output=True, text=True, check=False)
            self.assertIn((done.returncode, done.stdout), ((0, wanted), (-signal.SIGKILL, "")), f"{at} {whom}: {done.stderr}")
            died += "was killed by signal 9" in done.stderr or done.returncode != 0
            done = self.run_it("fast", resume=True, epochs=5, shape=random.Random(at).choice(SHAPES[:3]))
            self.assertEqual((done.status, done.output), (0, wanted), f"{at} {whom}: {done.errors}")
            self.assertNotIn("is used", done.errors)  # none is torn
            self.assertEqual([name for name in self.points() if name.endswith(".part")], [])
            shutil.rmtree(self.saved, ignore_errors=True)
        self.assertGreater(died, len(schedules) // 2)


if __name__ == "__main__":
    unittest.main()
