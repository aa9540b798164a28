#include "runtime/base/process_state.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <system_error>

#include <stradsap/error.hpp>

#include <fmt/format.h>

#include "runtime/base/log.hpp"

namespace stradsap::rt {

static constexpr std::string_view own_prefix = "STRADSAP_";

static std::vector<std::string> environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

/// Compares without a copy: this runs before every loop that may query the environment.
static bool is_environment(const std::vector<std::string>& known) {
  std::size_t i = 0;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry, ++i) {
    if (i == known.size() || known[i] != *entry) return false;
  }
  return i == known.size();
}

/// Empty if the folder does not exist any more.
static std::string working_folder() {
  char text[4096];
  return getcwd(text, sizeof text) == nullptr ? std::string() : std::string(text);
}

static std::string name_of_c_locale() {
  const char* const name = std::setlocale(LC_ALL, nullptr);
  return name == nullptr ? std::string() : std::string(name);
}

static std::map<std::string_view, std::string_view> by_name(const std::vector<std::string>& entries) {
  std::map<std::string_view, std::string_view> found;
  for (const std::string& entry : entries) {
    const std::size_t end = entry.find('=');
    if (end == std::string::npos || entry.starts_with(own_prefix)) continue;
    found.emplace(std::string_view(entry).substr(0, end), entry);  // getenv finds the first
  }
  return found;
}

process_watch::process_watch()
    : environment_(environment()), folder_(working_folder()), c_locale_(name_of_c_locale()) {}

static void compare(const std::vector<std::string>& before, const std::vector<std::string>& now,
                    process_changes& changes) {
  const auto old = by_name(before);
  const auto fresh = by_name(now);
  for (const auto& [name, entry] : fresh) {
    const auto known = old.find(name);
    if (known == old.end() || known->second != entry) changes.set.emplace_back(entry);
  }
  for (const auto& [name, entry] : old) {
    if (fresh.count(name) == 0) changes.unset.emplace_back(name);
  }
}

process_changes process_watch::take_changes() {
  process_changes changes;
  if (!is_environment(environment_)) {
    std::vector<std::string> now = environment();
    compare(environment_, now, changes);
    environment_ = std::move(now);
  }
  if (std::string now = working_folder(); now != folder_) changes.folder = folder_ = std::move(now);
  if (const std::locale now; now != locale_) {
    locale_ = now;
    changes.locale = now.name();
    if (changes.locale == "*") {
      changes.locale.clear();
      warn_once("unnamed locale",
                "the program's std::locale has facets of its own, which bodies on other ranks do not get");
    }
  }
  if (std::string now = name_of_c_locale(); now != c_locale_) changes.c_locale = c_locale_ = std::move(now);
  return changes;
}

static void enter(const std::string& folder) {
  if (chdir(folder.c_str()) == 0) return;
  throw error(errc::unsupported,
              fmt::format("the working directory of rank 0, {}, cannot be entered here: {}", folder,
                          std::generic_category().message(errno)));
}

static void use_locale(const std::string& name) {
  try {
    std::locale::global(std::locale(name));
  } catch (const std::runtime_error&) {
    throw error(errc::unsupported,
                fmt::format("rank 0 uses the locale {}, which is not installed here", name));
  }
}

void apply(const process_changes& changes) {
  for (const std::string& entry : changes.set) {
    const std::size_t end = entry.find('=');
    (void)setenv(entry.substr(0, end).c_str(), entry.c_str() + end + 1, /*overwrite=*/1);
  }
  for (const std::string& name : changes.unset) (void)unsetenv(name.c_str());
  if (!changes.folder.empty()) enter(changes.folder);
  if (!changes.locale.empty()) use_locale(changes.locale);  // sets that of C too
  if (!changes.c_locale.empty() && std::setlocale(LC_ALL, changes.c_locale.c_str()) == nullptr) {
    throw error(errc::unsupported,
                fmt::format("rank 0 uses the C locale {}, which is not installed here", changes.c_locale));
  }
}

}  // namespace stradsap::rt
