// The texts of suppressions.cpp and leave.cpp. Constants.
#pragma once

namespace stradsap::rt {

inline constexpr char thread_suppressions[] = "called_from_lib:libzmq\nrace:libzmq\nrace:libpgm\n";
inline constexpr char leak_suppressions[] = "leak:libzmq\n";

}  // namespace stradsap::rt
