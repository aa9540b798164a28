"""The public headers: each public function has an example, which compiles, and members for generated code cannot be named."""

import glob
import os
import re
import subprocess
import textwrap
import unittest

from example_case import COMPILER, ROOT, ExampleTest
from fragments import Fragments

INCLUDE = os.path.join(ROOT, "include")
EXAMPLE = re.compile(r"^ *///\s*@code\n((?: *///.*\n)*?) *///\s*@endcode$", re.MULTILINE)
PRELUDE = re.compile(r"^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPECIFIERS = r"(?:\[\[\w+\]\] |template <.*?> |inline |constexpr |static |friend )*"
FUNCTION = re.compile(rf"^(?:  )?{SPECIFIERS}(?:const )?[\w:]+(?:<[^()]*>)?[&*]? (operator\S+|\w+)\([^;]*\{{?", re.MULTILINE)
RANGE = {"begin", "end"}  # called by `for (x : X)`
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-unused"]

# A member that generated code or the runtime uses, in an expression that would compile if it were public.
PRIVATE = """
#include <stradsap/stradsap.hpp>
using namespace stradsap;
template <class T> concept is_seen = requires { typename T::element_type; };
#define MEMBER(name, ...) template <class T> concept has_##name = requires(T& one, const abi::window& w, \\
    const abi::element_column& e, std::byte* b) { one.__VA_ARGS__; }
MEMBER(look_at, look_at(w));
MEMBER(rebase, rebase(0, b, true));
MEMBER(follow, follow(e));
MEMBER(begin_iteration, begin_iteration(0, 0));
MEMBER(state, state());
MEMBER(ops, ops());
MEMBER(make_keys, make_keys);
MEMBER(added_by, template added_by<abi::fold::addition>());
MEMBER(reach, reach(1));
MEMBER(seek, seek(1));
MEMBER(window, window_);
template <class T> constexpr bool is_closed = !is_seen<T> && !has_look_at<T> && !has_rebase<T> && !has_follow<T> &&
    !has_begin_iteration<T> && !has_state<T> && !has_ops<T> && !has_make_keys<T> && !has_added_by<T> && !has_reach<T> &&
    !has_seek<T> && !has_window<T> && !std::is_constructible_v<T, abi::window> &&
    !std::is_constructible_v<T, abi::handle_target*>;
static_assert(is_closed<dvector<int>> && is_closed<dmap<int, int>> && is_closed<dmultimap<int, int>>);

using model = ConsistencyModel;
static_assert(!std::is_default_constructible_v<model> && !std::is_constructible_v<model, model::kind>);
static_assert(!std::is_constructible_v<model, model::kind, int> && !std::is_constructible_v<model, model::kind, int, int>);
static_assert(!std::is_constructible_v<model, int> && !std::is_aggregate_v<model>);
static_assert(!std::is_default_constructible_v<std::remove_const_t<decltype(consistency::sync)>>);
static_assert(std::is_copy_constructible_v<model> && std::is_copy_assignable_v<model>);
static_assert(!std::is_constructible_v<random_stream, abi::launch_key, std::uint64_t>);

template <class T> concept can_be_read = requires(const T& one) { reads(one); };
template <class T> concept can_be_written = requires(const T& one) { writes(one); };
template <class T> concept can_be_added_to = requires(const T& one) { adds(one); };
template <class T> constexpr bool is_named = can_be_read<T> && can_be_written<T> && can_be_added_to<T>;
template <class T> constexpr bool is_refused = !can_be_read<T> && !can_be_written<T> && !can_be_added_to<T>;
static_assert(is_named<dvector<int>> && is_named<dmap<int, int>> && is_named<dmultimap<int, int>>);
static_assert(is_refused<int> && is_refused<float*> && is_refused<decltype([] {})> && is_refused<ConsistencyModel>);
"""
REGISTERED_RUNNING = """#include <stradsap/stradsap.hpp>
int main() {
  stradsap::running<double> loss;
  const auto run = stradsap::resumable(loss);
}
"""

WITHOUT_MODEL = """
#include <stradsap/stradsap.hpp>
int main() { stradsap::parallel_for("label", 3, [](int) {}); }
"""


def headers():
    """(name, text) of the headers that a program may include; not those of abi/."""
    for path in sorted(glob.glob(os.path.join(INCLUDE, "stradsap", "*.hpp"))):
        with open(path, encoding="utf-8") as file:
            yield os.path.basename(path), file.read()


def examples(text):
    return [re.sub(r"^ *///(?: |$)", "", block, flags=re.MULTILINE) for block in EXAMPLE.findall(text)]


def public_functions(text):
    """The names of functions in namespace stradsap and in public parts of its classes."""
    text = re.sub(r"^namespace abi.*?^\}  // namespace abi", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"//.*|^ *operator \w+\(", "", text, flags=re.MULTILINE)  # conversions have no name
    text = re.sub(r"^ (?:private|protected):.*?^\};", "", text, flags=re.MULTILINE | re.DOTALL)
    return {name for name in FUNCTION.findall(text) if not name.startswith(("operator", "static_assert"))}


class Api(ExampleTest):
    def compiled(self, command, text):
        with open(os.path.join(self.folder, "program.cpp"), "w", encoding="utf-8") as file:
            file.write(text)
        return subprocess.run([*command, "-c", "program.cpp"], cwd=self.folder, capture_output=True, text=True, timeout=240)

    def plain(self, *options):
        return ["g++", "-std=c++20", "-I", INCLUDE, *options]

    def test_each_example_in_the_headers_compiles_without_a_word(self):
        with open(os.path.join(ROOT, "docs", "diagnostics.md"), encoding="utf-8") as file:
            fragments = Fragments(PRELUDE.search(file.read()).group(1))
        found = [(name, example) for name, text in headers() for example in examples(text)]
        self.assertGreaterEqual(len(found), 50)
        for name, example in found:
            fragments.add(f"{name}: {textwrap.shorten(example, 60)}", example)
        for command in ([COMPILER, *WARNINGS], self.plain(*WARNINGS, "-fsyntax-only")):
            done = self.compiled(command, fragments.program())
            at = re.search(r"^program\.cpp:(\d+):", done.stderr, re.MULTILINE)
            self.assertEqual((done.returncode, done.stderr), (0, ""), at and fragments.owner(int(at.group(1))))

    def test_each_public_function_is_in_an_example_of_its_header(self):
        seen = 0
        for name, text in headers():
            if name in ("serialize.hpp", "cereal.hpp"):  # their functions are called by templates only
                continue
            code = "".join(examples(text))
            words = set(re.findall(r"\w+", code)) | (RANGE if re.search(r"for \(.* : ", code) else set())
            functions = public_functions(text)
            seen += len(functions)
            self.assertEqual(functions - words, set(), name)
        self.assertGreaterEqual(seen, 60)

    def test_members_for_generated_code_and_constructors_of_models_are_private(self):
        for options in ([], ["-DSTRADSAP_INSTRUMENTED"], ["-DSTRADSAP_INSTRUMENTED", "-DSTRADSAP_CHECKED"]):
            done = self.compiled(self.plain(*options, "-fsyntax-only"), PRIVATE)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_plain_compiler_says_that_a_loop_needs_a_model(self):
        for compiler in ("g++", "clang++-19"):
            done = self.compiled([compiler, *self.plain("-w", "-fsyntax-only")[1:]], WITHOUT_MODEL)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"parallel_for takes a model after the body: consistency::async \(one serial order\)")
            self.assertIn("program.cpp:3:", done.stderr)
            self.assertLess(done.stderr.count("\n"), 15, done.stderr)

    def test_a_running_number_cannot_be_registered_and_the_compiler_says_what_can(self):
        for options in ([], ["-DSTRADSAP_INSTRUMENTED"]):
            done = self.compiled(self.plain(*options, "-w", "-fsyntax-only"), REGISTERED_RUNNING)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"resumable\(\) cannot save a stradsap::running: register a number, such as `double sum`")
            self.assertEqual(done.stderr.count("error:"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
