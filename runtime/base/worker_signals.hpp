// Signals to ranks other than 0. The program's main does not run there, so its handlers do not either, and
// rank 0 needs these ranks while it saves its results. The end of rank 0 ends them.
// Thread rule: outlive_signals() once, on the main thread; the others by any.
#pragma once

namespace stradsap::rt {

/// From now on USR1 and USR2 have no effect, and TERM, INT and HUP do not end this process. Signals that the
/// program handles, or that it was started to ignore, stay as they are.
void outlive_signals();
/// Whether TERM, INT or HUP has come, or comes in a tenth of a second: the driver ends on purpose.
[[nodiscard]] bool is_told_to_end();
/// Ends this process by the signal, if one of these has come. While a rank waits for rank 0 to be there: no
/// main runs yet that could save anything.
void end_if_told();

}  // namespace stradsap::rt
