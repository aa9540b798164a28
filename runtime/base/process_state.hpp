// What main may change of its process and bodies may ask for: environment, locale, working directory. Rank 0
// watches its own; other ranks take the changes over before they run a loop that may ask.
// Thread rule: main's thread, on every rank, while no body runs.
#pragma once

#include <locale>
#include <optional>
#include <string>
#include <vector>

namespace stradsap::rt {

/// What has changed since another rank's process was last like this one.
struct process_changes {
  std::vector<std::string> set;    // NAME=VALUE
  std::vector<std::string> unset;  // NAME
  std::string folder;              // empty: as it was; so below
  std::string locale;              // of C++
  std::string c_locale;

  template <class Archive> void serialize(Archive& archive) { archive(set, unset, folder, locale, c_locale); }
};

class process_watch {
 public:
  /// All ranks are alike now.
  process_watch();
  /// Since the last call. What belongs to the run itself, STRADSAP_*, stays out.
  [[nodiscard]] process_changes take_changes();

 private:
  std::vector<std::string> environment_;
  std::string folder_;
  std::locale locale_;
  std::string c_locale_;
};

/// Throws error(errc::unsupported) where this process cannot be like that.
void apply(const process_changes& changes);

}  // namespace stradsap::rt
