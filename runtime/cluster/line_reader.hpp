// Text files, line by line.
// Thread rule: one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace stradsap::rt {

/// See abi::read_lines.
void read_lines(const std::string& path, const std::function<void(std::size_t)>& expect,
                const std::function<void(std::string_view)>& parse);

}  // namespace stradsap::rt
