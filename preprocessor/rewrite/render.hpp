// From findings to text: inserts text into each file without changing any line number.
//
//   before: parallel_for(n, [&D](int64_t j) { D[j] = 0; }, async);
//   after:  parallel_for(n, ::stradsap::stradsap_loop<0x…ULL, 0>("a.cpp:9", [](decltype(D)& D) { return
//           [&D](int64_t j) { D[j] = 0; }; }, ::stradsap::stradsap_container<6, "D">(D)), async);
//
// The inserted text stays on the line; only this comment wraps it. Pure functions.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

/// A replacement of `length` bytes; most edits replace none.
struct edit {
  unsigned offset = 0;
  unsigned length = 0;
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> inserted = {};  // ranges within `text`
};

/// A file of the user's in the form that the native compiler gets.
struct rendered_file {
  std::string name;  // of the original
  std::string text;
  std::string compiled;            // `text` with the insertions in files of their own; see separation.hpp
  std::vector<std::string> apart;  // the texts of those files
};

/// The edits of each file, in order of offsets. `project_path` makes a file's name independent of the folder
/// in which the compiler was called; that name identifies the file's loops in all processes.
std::map<std::string, std::vector<edit>> edits_of(
    const translation_unit& unit, const std::function<std::string(const std::string&)>& project_path);

/// The main file, the edited headers and all headers that lead to one, with their edits. Edited headers are
/// included under the names that `placed` returns. Other headers of the user's that an edited header includes
/// get their `absolute` names.
std::vector<rendered_file> render(const translation_unit& unit,
                                  std::map<std::string, std::vector<edit>> edits,
                                  const std::function<std::string(const std::string&)>& placed,
                                  const std::function<std::string(const std::string&)>& absolute);

/// A single text that replaces several files.
struct rendered_alone {
  std::string text;
  std::string left_out;  // an edited header that no directive includes; its edits are missing from the text
};

/// The main file with the text of each edited header in place of its #include directive. Other headers of the
/// user's are included under their `absolute` names, so that the text compiles from any folder.
rendered_alone render_alone(const translation_unit& unit,
                            const std::map<std::string, std::vector<edit>>& edits,
                            const std::function<std::string(const std::string&)>& absolute);

}  // namespace stradsap::pp
