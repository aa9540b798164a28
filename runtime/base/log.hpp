// What the runtime says to people: lines on stderr that begin with "stradsap: ". stdout is the program's.
// Thread rule: thread-safe; a line is one write.
#pragma once

#include <string>

namespace stradsap::rt {

void inform(const std::string& text);
void warn(const std::string& text);
/// Warns unless it has been warned about `what` before.
void warn_once(const std::string& what, const std::string& text);
void complain(const std::string& text);
/// Says what went wrong and ends this process at once, with no destructor run: peers see it go.
[[noreturn]] void die(int status, const std::string& text);
/// Ends a check build that has found `fault`, a line as compilers print errors, by SIGABRT.
[[noreturn]] void stop_check(const std::string& fault);

}  // namespace stradsap::rt
