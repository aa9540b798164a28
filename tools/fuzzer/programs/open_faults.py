"""Idioms of which stradsap-cc is known to make wrong programs (issue 17, item 1): --without-open leaves them out,
so that the test of a commit fails for new faults alone. A mend takes its line out; the hunt by command makes them too."""


def is_open(loop):
    """Pointers to elements."""
    return not all(piece.good for piece in loop.pieces)
