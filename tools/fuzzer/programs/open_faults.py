"""Idioms of which stradsap-cc is known to make wrong programs (issue 17, items 1 and 2): --without-open leaves them out,
so that the test of a commit fails for new faults alone. A mend takes its line out; the hunt by command makes them too."""


def is_open(loop):
    """Pointers to elements; updates that are bound to a reference."""
    return not all(piece.good for piece in loop.pieces) or any("bound" in idiom for idiom in loop.idioms())
