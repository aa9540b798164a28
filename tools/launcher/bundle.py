"""The launcher's own source, for an agent on a host where nothing is installed but Python.

The remote command is one line without a quote of its own. It reads the source from its standard input, so nothing about the
run is on a command line. The launcher sends more only once the agent has answered, so that line reads nothing too much.
"""

import os
import pkgutil

COMMAND = "import sys;exec(sys.stdin.buffer.read(int(sys.stdin.buffer.readline())))"

_LOADER = """
import importlib.abc, importlib.util, sys

class Loader(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_loader(name, self) if name in SOURCES else None

    def get_source(self, name):
        return SOURCES[name]

    def is_package(self, name):
        return name == 'launcher'

sys.meta_path.insert(0, Loader())
"""


def source(module="agent", function="main"):
    """The bytes for the standard input of COMMAND, which then calls the function of a module of the launcher."""
    folder = os.path.dirname(os.path.realpath(__file__))
    names = [module.name for module in pkgutil.iter_modules([folder])]
    sources = {}
    for name in ["__init__", *names]:
        with open(os.path.join(folder, name + ".py"), encoding="utf-8") as file:
            sources["launcher" if name == "__init__" else "launcher." + name] = file.read()
    start = f"from launcher.{module} import {function}\n{function}()\n"
    text = f"SOURCES = {sources!r}\n{_LOADER}{start}".encode("utf-8")
    return b"%d\n" % len(text) + text
