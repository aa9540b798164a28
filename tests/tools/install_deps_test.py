"""tools/install-deps: silent on a complete system, installs only missing packages, suggests commands if it cannot."""

import os
import tempfile
import unittest

from support import ROOT, subprocess

INSTALL_DEPS = os.path.join(ROOT, "tools", "install-deps")

# Stand in for Debian's programs: the packages in $MISSING are not installed, and calls of apt-get are recorded.
DPKG_QUERY = '#!/bin/sh\nfor package; do :; done\ncase " $MISSING " in *" $package "*) exit 1 ;; esac\nprintf installed\n'
APT_GET = '#!/bin/sh\necho "$*" >>"$CALLS"\ncase "$*" in *install*) [ -z "$FAIL" ] || { echo no such archive >&2; exit 100; } ;; esac\n'
NOT_ROOT = "#!/bin/sh\necho 1000\n"
SUDO = '#!/bin/sh\necho sudo >>"$CALLS"\nexec "$@"\n'


class InstallDepsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="deps-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name in ("bash", "env", "sed", "mktemp", "rm", "cat", "sh"):
            os.symlink(f"/bin/{name}" if os.path.exists(f"/bin/{name}") else f"/usr/bin/{name}", self.at(name))

    def at(self, name):
        return os.path.join(self.folder, name)

    def put(self, name, text):
        with open(self.at(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.at(name), 0o755)

    def run_it(self, *words, missing="", root=True, fail=""):
        self.put("id", "#!/bin/sh\necho 0\n" if root else NOT_ROOT)
        env = {"PATH": self.folder, "MISSING": missing, "CALLS": self.at("calls"), "FAIL": fail, "TMPDIR": self.folder}
        done = subprocess.run([self.at("bash"), INSTALL_DEPS, *words], env=env, capture_output=True, text=True,
                              timeout=30, check=False)
        calls = ""
        if os.path.exists(self.at("calls")):
            with open(self.at("calls"), encoding="utf-8") as file:
                calls = file.read()
        return done.returncode, done.stderr, calls

    def debian(self):
        self.put("dpkg-query", DPKG_QUERY)
        self.put("apt-get", APT_GET)

    def test_it_is_silent_and_does_nothing_when_all_is_there(self):
        self.debian()
        self.assertEqual(self.run_it(), (0, "", ""))

    def test_it_installs_what_is_missing_and_only_that(self):
        self.debian()
        status, _, calls = self.run_it(missing="gdb libzmq3-dev")
        self.assertEqual(status, 0)
        update, install = calls.splitlines()
        self.assertTrue(update.endswith("update"))
        self.assertTrue(install.endswith("libzmq3-dev gdb"))

    def test_packages_of_the_rivals_come_only_when_asked_for(self):
        self.debian()
        self.assertEqual(self.run_it(missing="libopenmpi-dev")[2], "")
        self.assertIn("libopenmpi-dev", self.run_it("--benchmarks", missing="libopenmpi-dev")[2])

    def test_without_root_it_uses_sudo_or_says_what_to_install(self):
        self.debian()
        status, errors, calls = self.run_it(missing="gdb", root=False)
        self.assertEqual((status, calls), (1, ""))
        self.assertIn("not root and no sudo; as root: apt-get install gdb", errors)
        self.put("sudo", SUDO)
        status, _, calls = self.run_it(missing="gdb", root=False)
        self.assertEqual((status, calls.splitlines()[0]), (0, "sudo"))

    def test_a_failed_installation_shows_what_apt_said(self):
        self.debian()
        status, errors, _ = self.run_it(missing="gdb", fail="yes")
        self.assertEqual(status, 1)
        self.assertIn("no such archive", errors)
        self.assertIn("could not install gdb", errors)

    def test_elsewhere_than_on_debian_it_says_so(self):
        status, errors, _ = self.run_it()
        self.assertEqual(status, 1)
        self.assertIn("this is not Debian", errors)

    def test_an_unknown_option_is_2(self):
        status, errors, _ = self.run_it("--benchmark")
        self.assertEqual(status, 2)
        self.assertIn("unknown option --benchmark", errors)


if __name__ == "__main__":
    unittest.main()
