#include "driver/report.hpp"

#include <cstdio>
#include <iostream>

namespace stradsap::pp {

static std::string spelled(const source_place& place) {
  return place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

void print_remarks(const source_place& place, const std::vector<std::string>& remarks) {
  for (const std::string& remark : remarks) std::cerr << spelled(place) << ": remark: " << remark << '\n';
}

void print(const diagnostic& found) {
  char number[16];
  std::snprintf(number, sizeof number, " [SAP%03d]\n", found.number);
  std::cerr << spelled(found.place) << (found.is_error ? ": error: " : ": warning: ") << found.text << number;
  for (const diagnostic_note& note : found.notes) {
    std::cerr << spelled(note.place) << ": note: " << note.text << '\n';
  }
}

}  // namespace stradsap::pp
