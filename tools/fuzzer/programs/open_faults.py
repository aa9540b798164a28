"""Idioms of which stradsap-cc is known to make wrong programs: --without-open leaves them out, so that the test of a
commit fails for new faults alone. A mend takes its line out; the hunt by command makes them too."""

OPEN = ()  # how the names of such idioms begin


def is_open(loop):
    return any(idiom.startswith(OPEN) for idiom in loop.idioms())
