"""Every way to change an element is seen as one: a write taken for a read would be lost without a word."""

import pathlib
import re
import subprocess

from driver_case import DriverCase, main

KINDS = pathlib.Path(__file__).resolve().parent / "kinds"
CONTAINERS = """  dvector<E> A(10);
  dvector<Cell> C(10);
  dvector<int> I(10);
  dvector<std::vector<int>> V(10);
  dvector<double> F(10);
  dvector<std::string> S(10);
  dvector<std::vector<bool>> B(10);
  dvector<Owner> P(10);
  dvector<std::vector<Owner>> Q(10);
  dvector<Shared> R(10);
  dvector<std::bitset<8>> Z(10);
"""
WRITES = 2  # a bit of a container's mode


class AccessKinds(DriverCase):
    maxDiff = None
    def setUp(self):
        super().setUp()
        self.needs_header()

    def lost_pointers(self):
        """The lines of bodies that keep a pointer where it is not followed: an error, SAP056."""
        done = subprocess.run([self.compiler, "--show-rewrite", "-I", str(KINDS), "bodies.cpp"], cwd=self.folder, capture_output=True, text=True, timeout=240,
                              check=False)
        return {int(line) for line in re.findall(r"bodies.cpp:(\d+):\d+: error: .* \[SAP056\]", done.stderr)}

    def bits(self, name):
        """(body, mode of its container) of each line of a file of bodies, but for those that the tool refuses."""
        bodies = [line for line in (KINDS / name).read_text().splitlines() if not line.startswith("#")]
        head = '#include "prelude.hpp"\nint main() {\n' + CONTAINERS
        self.write("bodies.cpp", head + "".join(f"  async_for(10, [&](int64_t j) {{ {body} }});\n" for body in bodies) + "}\n")
        first = head.count("\n") + 1
        for line in sorted(self.lost_pointers(), reverse=True):
            del bodies[line - first]
        self.write("bodies.cpp", head + "".join(f"  async_for(10, [&](int64_t j) {{ {body} }});\n" for body in bodies) + "}\n")
        text = self.cc("--show-rewrite", "-I", str(KINDS), "bodies.cpp").stdout
        for number, body in enumerate(bodies, first):
            container = re.search(r"\b[ABCPQRSVZ]\b", body).group()
            edits = "\n".join(line for line in text.splitlines() if line.startswith(f"bodies.cpp:{number}:"))
            yield body, int(re.search(rf'container<(\d+), "{container}"[^>]*>\({container}\)', edits).group(1))

    def test_what_changes_an_element_is_a_write(self):
        seen = list(self.bits("writes.txt"))
        self.assertGreater(len(seen), 100)
        self.assertEqual([body for body, bits in seen if not bits & WRITES], [])

    def test_what_only_reads_is_none(self):
        seen = list(self.bits("reads.txt"))
        self.assertGreater(len(seen), 5)
        self.assertEqual([body for body, bits in seen if bits & WRITES], [])


if __name__ == "__main__":
    main()
