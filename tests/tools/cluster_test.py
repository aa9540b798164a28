"""tools/test --cluster: installs the packages of its tests, and fails with the reason if one of them is skipped."""

import os
import shutil
import tempfile
import unittest

from support import ROOT, subprocess

RECORDS = '#!/bin/sh\necho "$0 $*" >>"$CALLS"\n'
PASSES = 'add_test(tools.launcher_hosts true)\nadd_test(runtime.programs false)\n'
SKIPS = """add_test(runtime.slurm sh -c "echo 'SKIPPED: no slurmd here'; exit 77")
set_tests_properties(runtime.slurm PROPERTIES SKIP_RETURN_CODE 77)
"""
SKIPS_SOME = """add_test(runtime.direct_starts sh -c "echo 'OK (skipped=2)'")\n"""


class ClusterTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cluster-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name in ("install-deps", "build"):
            self.put(f"tools/{name}", RECORDS)
        shutil.copy(os.path.join(ROOT, "tools", "test"), os.path.join(self.folder, "tools", "test"))

    def put(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def run_it(self, tests):
        self.put("build/release/CTestTestfile.cmake", tests)
        return subprocess.run([os.path.join(self.folder, "tools", "test"), "--cluster"], capture_output=True, text=True,
                              env={**os.environ, "CALLS": os.path.join(self.folder, "calls")}, timeout=60, check=False)

    def test_it_installs_the_packages_and_runs_the_tests_of_hosts_alone(self):
        done = self.run_it(PASSES)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("tools.launcher_hosts", done.stdout)
        self.assertNotIn("runtime.programs", done.stdout)
        with open(os.path.join(self.folder, "calls"), encoding="utf-8") as file:
            install, build = file.read().splitlines()
        self.assertTrue(install.endswith("install-deps --cluster-tests --benchmarks"), install)
        self.assertTrue(build.endswith("build release all"), build)

    def test_a_skipped_test_fails_with_its_reason(self):
        done = self.run_it(PASSES + SKIPS)
        self.assertEqual((done.returncode, "runtime.slurm: SKIPPED: no slurmd here" in done.stderr), (1, True), done.stderr)

    def test_so_does_a_test_that_skips_a_part_and_passes(self):
        done = self.run_it(PASSES + SKIPS_SOME)
        self.assertEqual((done.returncode, "runtime.direct_starts: OK (skipped=2)" in done.stderr), (1, True), done.stderr)


if __name__ == "__main__":
    unittest.main()
