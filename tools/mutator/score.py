"""The record of a run: a JSON that grows with each mutant, so that an interrupted run goes on where it ended.

Also the list of equivalent mutants, which change nothing that a test could see. Each has its reason in equivalent.txt.
"""

import json
import os
import threading

KILLED, SURVIVED, EQUIVALENT, SAME_CODE, NO_PROGRAM = "killed", "survived", "equivalent", "same code", "does not compile"
COUNTED = (KILLED, SURVIVED)


def reasons(path):
    """{name of a mutant: why no test can notice it}. An entry is a reason in a line `# `, then names without indent."""
    found, reason = {}, ""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file.read().splitlines():
                if line.startswith("# "):
                    reason = line[2:]
                elif line.strip():
                    found[line.strip()] = reason
    return found


class Record:
    """Thread-safe. A file is whole at any time."""

    def __init__(self, path):
        self.path, self.rows, self._mutex = path, {}, threading.Lock()
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.rows = {row["name"]: row for row in json.load(file)}

    def result(self, name):
        return self.rows.get(name, {}).get("result")

    def add(self, mutant, result, killer="", seconds=0.0):
        with self._mutex:
            self.rows[mutant.name] = {"name": mutant.name, "place": f"{mutant.file}:{mutant.line}", "kind": mutant.kind,
                                      "before": mutant.before, "after": mutant.after, "result": result, "killer": killer,
                                      "seconds": round(seconds, 1)}
            os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
            with open(self.path + ".new", "w", encoding="utf-8") as file:
                json.dump(list(self.rows.values()), file, indent=1)
            os.replace(self.path + ".new", self.path)

    def kills(self, folder=""):
        """{test: how many mutants below a folder it has killed}."""
        counts = {}
        for row in [row for row in self.rows.values() if row["place"].startswith(folder)]:
            counts[row["killer"]] = counts.get(row["killer"], 0) + (row["result"] == KILLED)
        return counts


def summary(label, results):
    """`results`: one of each chosen mutant."""
    killed, survived = results.count(KILLED), results.count(SURVIVED)
    share = 100 * killed / (killed + survived) if killed + survived else 0
    left_out = {result: results.count(result) for result in (EQUIVALENT, SAME_CODE, NO_PROGRAM) if result in results}
    words = "".join(f", {number} {result}" for result, number in left_out.items())
    return f"{label}: {killed} of {killed + survived} mutants killed, {share:.0f} %{words}"
