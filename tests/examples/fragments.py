"""Makes one program of a document's C++ fragments, each in a namespace of its own.

The lines before a fragment's first blank line stand outside of functions, the rest inside one. A fragment
without a blank line is all inside one.
"""

HEADERS = ("algorithm", "cmath", "cstdint", "cstdio", "cstdlib", "cstring", "functional", "iterator", "mutex", "random", "span",
           "sstream", "stdexcept", "string", "string_view", "tuple", "utility", "vector", "stradsap/cereal.hpp",
           "stradsap/stradsap.hpp")


def _parts(text):
    outside, blank, inside = text.strip("\n").partition("\n\n")
    return (outside, inside) if blank else ("", outside)


class Fragments:
    """Lines of the program, and the fragment of each line."""

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
