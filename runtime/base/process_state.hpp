// The state of the process that main may change and bodies may query: environment, locale, working directory.
// Rank 0 watches its own. Other ranks apply the changes before they run a loop that may query it.
// Thread rule: the main thread of each rank, while no body runs.
#pragma once

#include <locale>
#include <optional>
#include <string>
#include <vector>

namespace stradsap::rt {

/// The changes since rank 0 last sent its state.
struct process_changes {
  std::vector<std::string> set;    // NAME=VALUE
  std::vector<std::string> unset;  // NAME
  std::string folder;              // empty: no change; the same below
  std::string locale;              // of C++
  std::string c_locale;

  template <class Archive> void serialize(Archive& archive) { archive(set, unset, folder, locale, c_locale); }
};

class process_watch {
 public:
  /// Starts from the present state, which all ranks share.
  process_watch();
  /// The changes since the last call, without the STRADSAP_* variables, which belong to the run.
  [[nodiscard]] process_changes take_changes();

 private:
  std::vector<std::string> environment_;
  std::string folder_;
  std::locale locale_;
  std::string c_locale_;
};

/// Applies the changes to this process. Throws error(errc::unsupported) if that is impossible here.
void apply(const process_changes& changes);

}  // namespace stradsap::rt
