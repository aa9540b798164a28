"""Idioms of which stradsap-cc is known to make wrong programs: --without-open leaves them out, so that the test of a
commit fails for new faults alone. A mend takes its line out; the hunt by command makes them too."""

def is_open(loop):
    """A constexpr local whose address a constructor takes: clang++ refuses what g++ accepts."""
    return loop.dim == "D" and any(idiom.startswith(("span", "pair")) for idiom in loop.idioms())
