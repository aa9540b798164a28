"""Idioms of which stradsap-cc is known to make wrong programs: --without-open leaves them out, so that the test of a
commit fails for new faults alone. A mend takes its line out; the hunt by command makes them too."""

OPEN = ("map_contains",)  # at run time: "a dmap key that reconnaissance did not see"


def is_open(loop):
    """Also pointers to elements (issue 17, item 1), and a constexpr local as argument of span: no check build by clang++."""
    idioms = loop.idioms()
    return not all(piece.good for piece in loop.pieces) or any(idiom.startswith(OPEN) for idiom in idioms) or \
        loop.dim == "D" and any(idiom.startswith("span") for idiom in idioms)
