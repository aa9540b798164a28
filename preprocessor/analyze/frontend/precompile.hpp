// Headers that the analysis reads precompiled, in Clang's form, beside those of the native compiler. Only
// headers that bring in nothing but system headers: other text may have to be edited. Thread-safe: no state.
#pragma once

#include <string>
#include <vector>

namespace stradsap::pp {

/// Precompiles `header` with `flags`, for sources with `-include` of a file `NAME`, into
/// precompiled_name(NAME). Removes an older file there if the header is unfit, or has errors.
void precompile_header(const std::string& header, const std::vector<std::string>& flags,
                       const std::string& name);

/// The name of the precompiled form of a header.
[[nodiscard]] std::string precompiled_name(const std::string& header);

/// The flags with the precompiled form of the first -include, if there is one.
[[nodiscard]] std::vector<std::string> with_precompiled(const std::vector<std::string>& flags);

}  // namespace stradsap::pp
