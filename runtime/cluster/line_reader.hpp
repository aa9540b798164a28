// Text files, line by line.
// Thread rule: one thread.
#pragma once

#include <string>

#include <stradsap/abi/abi.hpp>

namespace stradsap::rt {

/// See abi::read_lines.
void read_lines(const std::string& path, abi::line_sink& sink);

}  // namespace stradsap::rt
