"""The source of some generated loops, and which loop a line of it is of."""


class Source:
    def __init__(self, loops):
        self.loops, self.spans, lines = list(loops), {}, ['#include "harness.hpp"', ""]
        for loop in self.loops:
            begin = len(lines) + 1
            lines += loop.text()
            self.spans[loop.name] = range(begin, len(lines) + 1)
            lines.append("")
        lines += ["int main(int argc, char** argv) {", *("  " + loop.call() for loop in self.loops), "}", ""]
        self.text = "\n".join(lines)

    def loop_at(self, line):
        return next((loop for loop in self.loops if line in self.spans[loop.name]), None)
