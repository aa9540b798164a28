// SIGTERM, noted for the next save point. Thread rule: any; the handler only sets a flag.
#pragma once

namespace stradsap::rt {

/// From now on SIGTERM does not end the process.
void note_term();
[[nodiscard]] bool has_noted_term();

}  // namespace stradsap::rt
