// stradsap-cc: a compiler driver. Reads the command line, finds the tools, hands over to the compiler class.
#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "configured.hpp"
#include "driver/command_line.hpp"
#include "driver/compile.hpp"
#include "driver/native_commands.hpp"
#include "driver/own_options.hpp"
#include "driver/process.hpp"
#include "driver/temporary_files.hpp"
#include "driver/toolchain.hpp"

using namespace stradsap::pp;

static int show(const std::string& what, const toolchain& tools) {
  std::vector<std::string> words;
  if (what.empty()) words = tools.native;
  if (what != "link") {
    words.push_back("-std=c++20");
    for (const std::string& flag : tools.compile_flags()) words.push_back(flag);
  }
  if (what != "compile") {
    for (const std::string& flag : tools.link_flags()) words.push_back(flag);
  }
  std::cout << spelled(words) << '\n';
  return 0;
}

/// As much stack as g++ gives itself: expressions of a generated program are deep.
static void allow_deep_recursion() {
  rlimit stack;
  if (getrlimit(RLIMIT_STACK, &stack) != 0) return;
  const rlim_t wanted = std::min<rlim_t>(rlim_t{64} << 20, stack.rlim_max);
  if (stack.rlim_cur >= wanted) return;
  stack.rlim_cur = wanted;
  (void)setrlimit(RLIMIT_STACK, &stack);
}

static int run(const command_line& line, char** environment) {
  if (!line.error.empty()) {
    std::cerr << "stradsap-cc: error: " << line.error
              << "\nstradsap-cc: note: stradsap-cc --help lists the options\n";
    return 2;
  }
  if (line.help) {
    std::cout << help_text;
    return 0;
  }
  if (line.version) {
    std::cout << "stradsap-cc " STRADSAP_CC_VERSION "\n";
    return 0;
  }
  const toolchain tools = find_toolchain(line, variable(environment, "TMPDIR"));
  const std::string missing = tools.error.empty() ? missing_resources().value_or("") : tools.error;
  if (!missing.empty()) {
    std::cerr << "stradsap-cc: error: " << missing << '\n';
    return 1;
  }
  if (line.showme) return show(*line.showme, tools);
  allow_deep_recursion();
  temporary_directory folder(tools.temporary_parent);
  process_runner runner;
  if (line.times) runner.print_times();
  const interruption guard(runner, folder);
  return compiler(line, tools, runner, folder).run();
}

/// A full disk is told, and is no success.
static int with_output_written(int status) {
  if (std::cout.flush()) return status;
  std::cerr << "stradsap-cc: error: cannot write standard output\n";
  return 1;
}

int main(int argc, char** argv, char** environment) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    return with_output_written(run(parse_command_line(words, variable(environment, "CXX")), environment));
  } catch (const std::exception& failure) {
    std::cerr << "stradsap-cc: error: " << failure.what() << '\n';
    return 1;
  }
}
