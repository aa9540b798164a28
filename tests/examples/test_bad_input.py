"""User errors: status 2, one message that names the error, no other output, no process left, on 1 and 2 ranks."""

import os
import unittest

from example_case import ExampleTest

BAD_FILES = {  # content: expected message after the file's name
    "": ": no ratings in this file",
    "\n \t\n": ": no ratings in this file",
    "1 2\n": ":1: expected three fields: user item value",
    "1 2 3\n\n1 2 3 4\n": ":3: expected three fields: user item value",
    "1 2 3\n1 2 three": ":2: value is not a number: 'three'",
    "1 2 3\n-4 2 3\n": ":2: user id -4 is negative",
    "1 2 3\n1 2147483648 3\n": ":2: item id 2147483648 does not fit",
    "7 2147483647 3\n": ": id 2147483647 does not fit 1 ratings: ids must be dense, from 0",
    "7 2 nan\n": ":1: value is not a finite number: 'nan'",
    "1 2 3\r\n1 2 3,5\r\n": ":2: value is not a number: '3,5'",
}


class BadInput(ExampleTest):
    name, passes_option = "sgd_mf", "--epochs"

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path

    def assert_refused(self, message, *arguments):
        for ranks in (1, 2):
            done = self.run_program(self.name, *arguments, ranks=ranks)
            self.assertEqual((done.status, done.output), (2, ""), (arguments, ranks, done.errors))
            # The launcher quotes the last words of a failed rank. Those lines are its own.
            said = [line for line in done.errors.split("\n") if line and not line.startswith("stradsap-run: ")]
            self.assertEqual(said, [message], (arguments, ranks))

    def test_a_bad_file_is_refused_at_its_line(self):
        for content, message in BAD_FILES.items():
            path = self.write("ratings.txt", content)
            self.assert_refused(path + message, "--ratings", path)

    def test_the_first_bad_line_of_a_long_file_is_the_one_named(self):
        lines = [f"{j % 300} {j % 200} 1.5\n" for j in range(50000)]
        lines[40000] = "1 2 later\n"
        lines[30000] = "1 2 first\n"
        path = self.write("ratings.txt", "".join(lines))
        self.assert_refused(path + ":30001: value is not a number: 'first'", "--ratings", path)

    def test_a_bad_test_file_is_refused_before_anything_is_printed(self):
        good = self.write("good.txt", "0 0 1\n")
        for content in ("", "1 2\n"):
            bad = self.write("bad.txt", content)
            self.assert_refused(bad + BAD_FILES[content], "--ratings", good, "--test", bad)

    def test_a_file_that_cannot_be_read_is_named_with_the_reason(self):
        missing = os.path.join(self.folder, "missing.txt")
        self.assert_refused(missing + ": cannot be read: No such file or directory", "--ratings", missing)
        self.assert_refused(self.folder + ": cannot be read: is a directory", "--ratings", self.folder)

    def test_a_rank_that_was_not_compiled_is_refused_with_those_that_were(self):
        good = self.write("good.txt", "0 0 1\n")
        self.assert_refused("--rank 10 is not one of 8, 16, 32, 64, 128", "--ratings", good, "--rank", "10")

    def test_wrong_options_are_refused(self):
        self.assert_refused("option --ratings is missing")
        self.assert_refused("unknown option --speed", "--speed", "1")
        self.assert_refused("option --ratings needs a value", "--ratings")
        self.assert_refused(f"{self.passes_option} -1 is negative", "--ratings", "f", self.passes_option, "-1")


class BadInputOfCoordinateDescent(BadInput):
    name, passes_option = "cd_mf", "--iterations"

    def test_no_inner_iteration_at_all_is_refused(self):
        self.assert_refused("--inner is 0", "--ratings", "f", "--inner", "0")


if __name__ == "__main__":
    unittest.main()
