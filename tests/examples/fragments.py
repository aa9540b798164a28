"""Makes one program of the fragments of C++ in a document, each in a namespace of its own.

What comes before the first blank line of a fragment is outside of functions, the rest in one. A fragment without a
blank line is all in one.
"""

HEADERS = ("algorithm", "cmath", "cstdint", "cstdio", "cstdlib", "functional", "mutex", "random", "span", "stdexcept",
           "tuple", "vector", "stradsap/stradsap.hpp")


def _parts(text):
    outside, blank, inside = text.strip("\n").partition("\n\n")
    return (outside, inside) if blank else ("", outside)


class Fragments:
    """Lines of the program, and to which fragment each belongs."""

    def __init__(self, prelude):
        self._outside, self._inside = _parts(prelude)
        self._lines = [f"#include <{name}>" for name in HEADERS]
        self._owners = [None] * len(self._lines)

    def add(self, owner, text):
        outside, inside = _parts(text)
        head = f"namespace fragment_{len(self._lines)} {{\n{self._outside}\n{outside}"
        function = f"void all();\nvoid all() {{\n{self._inside}\n{inside}\n}}"
        lines = f"{head}\n{function}\n}}".split("\n")
        self._lines += lines
        self._owners += [owner] * len(lines)

    def program(self):
        return "\n".join([*self._lines, "int main() {}", ""])

    def owner(self, line):
        return self._owners[line - 1]
