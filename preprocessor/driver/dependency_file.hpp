// Dependency files as make and ninja read them: the names of our temporary files replaced by the originals'.
#pragma once

#include <map>
#include <string>

namespace stradsap::pp {

/// Rewrites the file in place: whole names are replaced as `originals` says, others stay.
void restore_names(const std::string& dependency_file, const std::map<std::string, std::string>& originals);

}  // namespace stradsap::pp
