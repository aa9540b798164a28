// From findings to text: what is inserted into each file, on the line where it belongs and on no other.
//
//   before: parallel_for(n, [&D](int64_t j) { D[j] = 0; }, async);
//   after:  parallel_for(n, ::stradsap::stradsap_loop<0x…ULL, 0>("a.cpp:9", [](decltype(D)& D) { return
//           [&D](int64_t j) { D[j] = 0; }; }, ::stradsap::stradsap_container<6, "D">(D)), async);   (on one
//           line)
//
// Pure functions.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

/// A replacement of `length` bytes; nearly always of none.
struct edit {
  unsigned offset = 0;
  unsigned length = 0;
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> inserted = {};  // what of the text is ours: begin and end
};

/// A file of the user's as the native compiler shall see it.
struct rendered_file {
  std::string name;  // of the original
  std::string text;
  std::string compiled;            // the same with insertions in files of their own; see separation.hpp
  std::vector<std::string> apart;  // these
};

/// The edits of every file, in order. `project_path` turns a file's name into one that does not depend on
/// where the compiler was called from: loops are known by it in all processes.
std::map<std::string, std::vector<edit>> edits_of(
    const translation_unit& unit, const std::function<std::string(const std::string&)>& project_path);

/// The main file and every header on the way to an edited one, edited. An edited header is included under the
/// name that `placed` gives, another header of the user's that an edited one includes under its `absolute`
/// name.
std::vector<rendered_file> render(const translation_unit& unit,
                                  std::map<std::string, std::vector<edit>> edits,
                                  const std::function<std::string(const std::string&)>& placed,
                                  const std::function<std::string(const std::string&)>& absolute);

/// One text in the place of several.
struct rendered_alone {
  std::string text;
  std::string left_out;  // an edited header that no directive brings in, so that its edits are not here
};

/// The main file with the edited headers put in the place of their #include directives. Other headers of the
/// user's are included under their `absolute` names, so that the text compiles from any folder.
rendered_alone render_alone(const translation_unit& unit,
                            const std::map<std::string, std::vector<edit>>& edits,
                            const std::function<std::string(const std::string&)>& absolute);

}  // namespace stradsap::pp
