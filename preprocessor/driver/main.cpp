// stradsap-cc: a compiler driver. Reads the command line, finds the tools, hands over to the compiler class.
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "configured.hpp"
#include "driver/command_line.hpp"
#include "driver/compile.hpp"
#include "driver/process.hpp"
#include "driver/temporary_directory.hpp"
#include "driver/toolchain.hpp"

using namespace stradsap::pp;

static constexpr char help[] = R"(usage: stradsap-cc [any g++ option] files...

Compiles C++ whose loops run on many processes: checks and rewrites each source, then runs the native compiler.
The environment variable CXX chooses it (default: g++). -std=c++20 is added where no -std= is given.

  --emit-source        write the rewritten source (to -o, else NAME.sap.cpp) and compile nothing;
                       compile it with: g++ $(stradsap-cc --showme:compile) X.sap.cpp $(stradsap-cc --showme:link)
  --show-rewrite       print what would be inserted, with its place, and compile nothing
  --save-temps[=DIR]   keep the rewritten files, as NAME.sap.cpp in DIR (default: here)
  --dry-run            print the native compiler's commands and run none of them
  --showme             print the native compiler and all options that are added to its command line
  --showme:compile     print those for compiling
  --showme:link        print those for linking
  --version, --help

Errors of the form [SAP012] are stradsap-cc's own; all others are the native compiler's.
Exit status: 0; 1 if a source was refused or the native compiler failed; 2 for a wrong command line.
)";

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

static int run(const command_line& line, char** environment) {
  if (!line.error.empty()) {
    std::cerr << "stradsap-cc: error: " << line.error
              << "\nstradsap-cc: note: stradsap-cc --help lists the options\n";
    return 2;
  }
  if (line.help) {
    std::cout << help;
    return 0;
  }
  if (line.version) {
    std::cout << "stradsap-cc " STRADSAP_CC_VERSION "\n";
    return 0;
  }
  const toolchain tools = find_toolchain(environment);
  const std::string missing = tools.error.empty() ? missing_resources().value_or("") : tools.error;
  if (!missing.empty()) {
    std::cerr << "stradsap-cc: error: " << missing << '\n';
    return 1;
  }
  if (line.showme) return show(*line.showme, tools);
  const temporary_directory folder(tools.temporary_parent);
  process_runner runner;
  const interruption guard(runner, folder.path());
  return compiler(line, tools, runner, folder.path().string()).run();
}

int main(int argc, char** argv, char** environment) {
  try {
    return run(parse_command_line(std::vector<std::string>(argv + 1, argv + argc)), environment);
  } catch (const std::exception& failure) {
    std::cerr << "stradsap-cc: error: " << failure.what() << '\n';
    return 1;
  }
}
