"""Makes the loop of a find small: pieces and settings go while the same category of find remains."""

import dataclasses


def same(find, verdict, name):
    """Whether a smaller loop shows the find: of the same category, refusals of the same number."""
    other = verdict.finds.get(name) or verdict.refused.get(name)
    return other is not None and other[0] == find[0]


def shrunk(loop, find, compare, native, rounds=12):
    """(the smaller loop, its find). All candidates of a round are one source."""
    for _ in range(rounds):
        smaller = [dataclasses.replace(one, name=f"{loop.name}_{k}") for k, one in enumerate(alone(loop) + loop.simpler())]
        if not smaller:
            break
        verdict = compare(smaller, native)
        found = next((one for one in smaller if same(find, verdict, one.name)), None)
        if found is None:
            break
        find = verdict.finds.get(found.name) or verdict.refused[found.name]
        loop = dataclasses.replace(found, name=loop.name)
    return loop, find


def alone(loop):
    """Each piece as a loop of its own."""
    return [dataclasses.replace(loop, pieces=(piece,)) for piece in loop.pieces] if len(loop.pieces) > 2 else []
