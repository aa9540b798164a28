#include "driver/report.hpp"

#include <cstdio>
#include <iomanip>
#include <iostream>

namespace stradsap::pp {

static std::string spelled(const source_place& place) {
  return place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

void print_remarks(const source_place& place, const std::vector<std::string>& remarks) {
  for (const std::string& remark : remarks) std::cerr << spelled(place) << ": remark: " << remark << '\n';
}

/// Prints a fix-it in the format of gcc and Clang under -fdiagnostics-parseable-fixits.
static void print(const fix_it& fix) {
  const auto at = [](const source_place& place) {
    return std::to_string(place.line) + ":" + std::to_string(place.column);
  };
  std::cerr << "fix-it:" << std::quoted(fix.begin.file) << ":{" << at(fix.begin) << '-' << at(fix.end)
            << "}:" << std::quoted(fix.text) << '\n';
}

void print(const diagnostic& found, const warning_options& warnings, bool with_fixes) {
  const bool is_error = warnings.of(found) == warning_options::outcome::error;
  const std::string label = warnings.label(found);
  char number[16];
  std::snprintf(number, sizeof number, " [SAP%03d]\n", found.number);
  std::cerr << spelled(found.place) << (is_error ? ": error: " : ": warning: ") << found.text
            << (label.empty() ? "" : " [" + label + "]") << number;
  for (const diagnostic_note& note : found.notes) {
    std::cerr << spelled(note.place) << ": note: " << note.text << '\n';
    for (const fix_it& fix : note.fixes) {
      if (with_fixes) print(fix);
    }
  }
}

}  // namespace stradsap::pp
