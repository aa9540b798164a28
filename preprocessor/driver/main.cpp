// stradsap-cc, a compiler driver: reads the command line, finds the tools and starts the compiler class. One
// thread besides the one of `interruption`.
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

/// Allows as much stack as g++ takes for itself, because generated programs contain deep expressions.
static void allow_deep_recursion() {
  rlimit stack;
  if (getrlimit(RLIMIT_STACK, &stack) != 0) return;
  const rlim_t wanted = std::min<rlim_t>(rlim_t{64} << 20, stack.rlim_max);
  if (stack.rlim_cur >= wanted) return;
  stack.rlim_cur = wanted;
  (void)setrlimit(RLIMIT_STACK, &stack);
}

/// Refuses ccache in depend mode, if ccache runs stradsap-cc and the command asks for dependencies. In this
/// mode ccache uses only the list of dependencies, so it notices neither CXX nor the native compiler's name
/// in the output of -E.
static std::string refused_cache(const command_line& line, char** environment) {
  const bool is_cached = !variable(environment, "CCACHE_DISABLE").empty();  // ccache sets it
  const bool depends = !variable(environment, "CCACHE_DEPEND").empty();
  if (!is_cached || !depends || !line.writes_dependencies) return {};
  return "ccache in depend mode takes one native compiler for another: write stradsap-cc ccache " +
         line.native.back();
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
  toolchain tools = find_toolchain(line, variable(environment, "TMPDIR"));
  if (line.version) {
    process_runner runner;
    std::cout << "stradsap-cc " STRADSAP_CC_VERSION "\nnative compiler: " << tools.identity(runner) << '\n';
    return 0;
  }
  const std::string missing = tools.error.empty() ? missing_resources().value_or("") : tools.error;
  if (!missing.empty()) {
    std::cerr << "stradsap-cc: error: " << missing << '\n';
    return 1;
  }
  if (line.showme) return show(*line.showme, tools);
  if (const std::string refused = refused_cache(line, environment); !refused.empty()) {
    std::cerr << "stradsap-cc: error: " << refused << '\n';
    return 1;
  }
  allow_deep_recursion();
  temporary_directory folder(tools.temporary_parent);
  process_runner runner;
  tools.has_graphite = tools.finds_graphite(runner, line);
  if (line.times) runner.print_times();
  const interruption guard(runner, folder);
  return compiler(line, tools, runner, folder).run();
}

/// Reports a failure to write standard output, such as a full disk, and returns 1 then.
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
