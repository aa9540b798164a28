#include "driver/native_options.hpp"

#include <algorithm>
#include <iterator>

namespace stradsap::pp {

template <std::size_t N> static bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

template <std::size_t N>
static bool begins_with_one_of(std::string_view word, const std::string_view (&beginnings)[N]) {
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](std::string_view beginning) { return word.starts_with(beginning); });
}

bool takes_next_word(std::string_view option) {
  static constexpr std::string_view options[] = {
      "-I",       "-D",         "-U",        "-include", "-imacros",     "-isystem",
      "-iquote",  "-idirafter", "-isysroot", "-iprefix", "-iwithprefix", "-iwithprefixbefore",
      "-L",       "-l",         "-T",        "-u",       "-z",           "-e",
      "-G",       "-A",         "-B",        "-Xlinker", "-Xassembler",  "-Xpreprocessor",
      "-arch",    "--param",    "-aux-info", "-wrapper", "-dumpbase",    "-dumpbase-ext",
      "-dumpdir", "-MF",        "-MT",       "-MQ",      "-x",           "-o",
      "-specs",   "--sysroot",  "-Xclang",   "-mllvm",   "-target"};
  return is_one_of(option, options);
}

namespace {

constexpr std::string_view meaning_beginnings[] = {"-O",
                                                   "-I",
                                                   "-D",
                                                   "-U",
                                                   "-isystem",
                                                   "-iquote",
                                                   "-idirafter",
                                                   "-std=",
                                                   "--sysroot",
                                                   "-march=",
                                                   "-mtune=",
                                                   "-mcpu=",
                                                   "-mavx",
                                                   "-mno-avx",
                                                   "-msse",
                                                   "-mno-sse",
                                                   "-mfma",
                                                   "-mno-fma",
                                                   "-mbmi",
                                                   "-mno-bmi",
                                                   "-mf16c",
                                                   "-stdlib=",
                                                   "--gcc-toolchain=",
                                                   "--gcc-install-",
                                                   "--target=",
                                                   "-ftemplate-depth="};
constexpr std::string_view meaning_words[] = {"-include",
                                              "-imacros",
                                              "-isysroot",
                                              "-target",
                                              "-fexceptions",
                                              "-fno-exceptions",
                                              "-frtti",
                                              "-fno-rtti",
                                              "-fopenmp",
                                              "-pthread",
                                              "-fsigned-char",
                                              "-funsigned-char",
                                              "-fshort-enums",
                                              "-fchar8_t",
                                              "-fno-char8_t",
                                              "-ffast-math",
                                              "-fno-fast-math",
                                              "-funsafe-math-optimizations",
                                              "-fno-unsafe-math-optimizations",
                                              "-fassociative-math",
                                              "-fno-associative-math",
                                              "-fno-signed-zeros",
                                              "-fno-trapping-math",
                                              "-ffp-contract=fast",
                                              "-fpic",
                                              "-fPIC",
                                              "-fpie",
                                              "-fPIE",
                                              "-nostdinc",
                                              "-nostdinc++",
                                              "-fno-access-control",
                                              "-fno-operator-names",
                                              "-fms-extensions",
                                              "-fpermissive",
                                              "-ansi",
                                              "-trigraphs",
                                              "-m32",
                                              "-m64",
                                              "-mpopcnt",
                                              "-maes",
                                              "-mlzcnt",
                                              "-mpclmul",
                                              "-mrdrnd",
                                              "-mrdseed",
                                              "-msha",
                                              "-mvaes",
                                              "-mmovbe",
                                              "-mgfni"};

}  // namespace

bool changes_meaning(std::string_view option) {
  return begins_with_one_of(option, meaning_beginnings) || is_one_of(option, meaning_words);
}

bool is_question(std::string_view option) {
  static constexpr std::string_view beginnings[] = {"-print-", "--print-", "-dump", "--help="};
  static constexpr std::string_view words[] = {"-v", "--verbose", "-###", "--target-help"};
  return begins_with_one_of(option, beginnings) || is_one_of(option, words);
}

/// The base name without a target triple before it and a version after it.
static std::string_view bare_name(std::string_view word) {
  word.remove_prefix(word.rfind('/') + 1);  // npos + 1 is 0
  const std::size_t version = word.find_last_not_of("0123456789.");
  if (version != std::string_view::npos && version > 0 && word[version] == '-')
    word = word.substr(0, version);
  return word.substr(word.rfind('-') + 1);
}

bool is_compiler_name(std::string_view word) {
  static constexpr std::string_view names[] = {"g++",     "gcc",   "c++",    "cc",
                                               "clang++", "clang", "mpicxx", "mpic++"};
  return is_one_of(bare_name(word), names) && !word.ends_with("stradsap-cc");
}

bool is_compiler_launcher(std::string_view word) {
  static constexpr std::string_view names[] = {"ccache", "sccache", "distcc", "icecc"};
  return is_one_of(bare_name(word), names);
}

template <std::size_t N>
static bool ends_with_one_of(std::string_view name, const std::string_view (&endings)[N]) {
  return std::any_of(std::begin(endings), std::end(endings),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

bool is_cxx_name(std::string_view name) {
  static constexpr std::string_view endings[] = {".cpp", ".cc", ".cxx", ".C", ".c++", ".CPP", ".cp"};
  return ends_with_one_of(name, endings);
}

bool is_header_name(std::string_view name) {
  static constexpr std::string_view endings[] = {".h",   ".hpp", ".hh",  ".hxx", ".H",
                                                 ".h++", ".hp",  ".HPP", ".tcc"};
  return ends_with_one_of(name, endings);
}

}  // namespace stradsap::pp
