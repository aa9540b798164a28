"""stradsap-run doctor: one screen on this machine and the hosts, each line with a remedy if it is not well."""

import os
import re
import socket

import unittest

from support import LauncherTest, ROOT, launch

FAKE_SSH = os.path.join(ROOT, "tests", "tools", "fake_ssh")
CHECKS = ("launcher", "cores", "memory", "addresses", "shared memory", "limits", "run folder", "huge pages", "clock", "debuggers",
          "ports", "loopback", "stradsap-cc")


class DoctorTest(LauncherTest):
    def examine(self, *options, env=None):
        """(status, the level of each check by name, the screen)."""
        status, output, errors = launch("doctor", *options, env=env or self.env)
        self.assertEqual(errors, b"")
        text = output.decode()
        found = re.findall(r"^(ok|warn|fail) +(\S.*?)  +\S", text, re.MULTILINE)
        return status, {name: level for level, name in found}, text

    def test_each_check_has_a_line_and_the_screen_is_one(self):
        status, found, text = self.examine()
        self.assertEqual(set(found), set(CHECKS))
        self.assertEqual(status, 1 if "fail" in found.values() else 0, text)
        self.assertLessEqual(len(text.splitlines()), 40)

    def test_what_is_not_well_has_a_remedy_below(self):
        _, found, text = self.examine("-n", "4000")
        self.assertIn(found["cores"], ("warn", "fail"))
        lines = text.splitlines()
        for at, line in enumerate(lines):
            if not line.startswith(("ok", " ")):
                self.assertRegex(lines[at + 1], r"^ +remedy: \S")

    def test_taken_ports_fail(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            status, found, text = self.examine("--port-range", f"{port}-{port}")
        self.assertEqual((status, found["ports"]), (1, "fail"), text)
        self.assertIn(f"0 of 1 in {port}-{port} are free, for 1 ranks", text)

    def test_a_bad_place_for_the_run_folder_fails(self):
        _, found, text = self.examine(env={**self.env, "XDG_RUNTIME_DIR": "/no/such", "TMPDIR": "/" + "x" * 100})
        self.assertEqual(found["run folder"], "ok", text)  # /tmp is the last choice
        self.assertIn("in /tmp", text)

    def test_hosts_are_asked_over_ssh(self):
        env = {**self.env, "STRADSAP_SSH": FAKE_SSH}
        status, found, text = self.examine("-H", "a:2,chatty", "--launcher", "ssh", env=env)
        self.assertEqual((found["host a"], found["host chatty"]), ("ok", "ok"), text)
        self.assertRegex(text, r"host a +answers after \d+\.\d s; Python 3\.\d+\.\d+; \d+ usable of \d+ cores")
        status, found, text = self.examine("-H", "a,down-b", env=env)
        self.assertEqual((status, found["host down-b"]), (1, "fail"))
        self.assertIn("Could not resolve hostname down-b", text)

    def test_a_host_without_the_folder_of_the_program_fails(self):
        env = {**self.env, "STRADSAP_SSH": FAKE_SSH}
        status, _, text = self.examine("-H", "a", "--wdir", "/no/such/folder", env=env)
        self.assertEqual(status, 1)
        self.assertRegex(text, r"fail +host a: directory +no /no/such/folder\n +remedy: the same path on all hosts")

    def test_it_takes_options_and_no_program(self):
        status, _, errors = launch("doctor", "./program", env=self.env)
        self.assertEqual(status, 2)
        self.assertIn(b"doctor takes options, and no program", errors)
        self.assertEqual(launch("-n", "1", "doctor", env=self.env)[0], self.examine()[0])
        doctor = self.program("doctor", "#!/bin/sh\necho a program\n")
        self.assertEqual(launch(doctor, env=self.env)[:2], (0, b"[0] a program\n"))


if __name__ == "__main__":
    unittest.main()
