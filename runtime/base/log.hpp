// The runtime's messages to people: lines on stderr that begin with "stradsap: ". stdout belongs to the
// program. Thread rule: thread-safe; a line is one write.
#pragma once

#include <string>

namespace stradsap::rt {

void inform(const std::string& text);
void warn(const std::string& text);
/// Prints `text` as a warning, once for each `what`.
void warn_once(const std::string& what, const std::string& text);
void complain(const std::string& text);
/// A report of several lines. The output of the program may be stuck, so it is not flushed before.
void tell_at_once(const std::string& text);
/// For a stderr that is a terminal: replaces the last line by `text`, cut to the terminal's width. The line
/// stays until the next message, or clear_line().
void show_line(const std::string& text);
void clear_line();
/// The same through the launcher, which has the terminal. Empty text clears the line.
void relay_line(const std::string& text);
/// Prints `text` and ends this process at once, without destructors. Peers notice the closed connection.
[[noreturn]] void die(int status, const std::string& text);
/// Ends this process with the status, although a thread may be stuck in output: flushes it for a second at
/// most.
[[noreturn]] void end_stuck(int status);
/// Ends a check build by SIGABRT, after `fault`, a line in the form of a compiler's error.
[[noreturn]] void stop_check(const std::string& fault);

}  // namespace stradsap::rt
