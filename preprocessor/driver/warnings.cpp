#include "driver/warnings.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace stradsap::pp {

namespace {

struct row {
  const char* name;
  int number;
  bool is_error;
};

}  // namespace

static constexpr bool error = true;
static constexpr bool warning = false;

static constexpr row table[] = {
#define STRADSAP_DIAGNOSTIC(name, number, severity, text, note) {#name, number, severity},
#include "analyze/source/diagnostics.def"
#undef STRADSAP_DIAGNOSTIC
};

static constexpr char all[] = "stradsap";

static std::string option_name(const row& one) {
  std::string name = std::string(all) + "-" + one.name;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

static bool is_warning(const std::string& name) {
  return name == all || std::any_of(std::begin(table), std::end(table), [&](const row& one) {
           return !one.is_error && option_name(one) == name;
         });
}

static std::string name_of(const diagnostic& found) {
  const auto* const at = std::find_if(std::begin(table), std::end(table),
                                      [&](const row& one) { return one.number == found.number; });
  return at == std::end(table) ? std::string() : option_name(*at);
}

bool warning_options::take(const std::string& word) {
  if (word == "-w") are_silent_ = true;
  if (word == "-Werror") are_errors_ = true;
  if (word == "-Wno-error") are_errors_ = false;
  static constexpr std::string_view beginnings[] = {"-Werror=", "-Wno-error=", "-Wno-", "-W"};
  for (const std::string_view beginning : beginnings) {
    if (!word.starts_with(std::string(beginning) + all)) continue;
    const std::string name = word.substr(beginning.size());
    const bool is_wanted = beginning == "-W" || beginning == "-Werror=";
    if (!is_warning(name)) unknown_ = word;
    (beginning.find("error") == std::string_view::npos ? shown_ : errors_)[name] = is_wanted;
    return true;
  }
  return false;
}

/// The setting of one warning; else that of all, else `otherwise`.
static bool said(const std::map<std::string, bool>& by_name, const std::string& name, bool otherwise) {
  const auto own = by_name.find(name);
  if (own != by_name.end()) return own->second;
  const auto general = by_name.find(all);
  return general == by_name.end() ? otherwise : general->second;
}

warning_options::outcome warning_options::of(const diagnostic& found) const {
  if (found.is_error) return outcome::error;
  const std::string name = name_of(found);
  if (are_silent_ || !said(shown_, name, true)) return outcome::silence;
  return said(errors_, name, are_errors_) ? outcome::error : outcome::warning;
}

std::string warning_options::label(const diagnostic& found) const {
  if (found.is_error) return {};
  return (of(found) == outcome::error ? "-Werror=" : "-W") + name_of(found);
}

}  // namespace stradsap::pp
