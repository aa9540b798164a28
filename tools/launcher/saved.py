"""The checkpoints of a run, as far as the launcher knows them: rank 0 names their folder by a link in the folder of the run."""

import os
import re

LINK = "checkpoints"
_NAME = re.compile(r"point-\d+", re.ASCII)


def newest(run_dir):
    """The path of the newest checkpoint of the program that runs with this folder, or None."""
    try:
        folder = os.readlink(os.path.join(run_dir, LINK))
    except OSError:
        return None
    try:
        points = [name for name in os.listdir(folder) if _NAME.fullmatch(name)]
    except OSError:
        points = []
    return os.path.join(folder, max(points, key=lambda name: int(name[len("point-"):]))) if points else None
