// The kind `text`: sentences in which planted words share neighbours by their group and by their kind.
#pragma once

#include "request.hpp"

namespace stradsap::data {

/// Writes corpus.txt and questions.txt into the folder that `request` names and says their shape on stderr.
/// Throws std::invalid_argument before anything is written if they cannot be, std::runtime_error or
/// std::filesystem::filesystem_error if writing fails.
void make_text(const text_request& request);

}  // namespace stradsap::data
