// The kind `lasso`: sparse samples of correlated features, and targets that follow from few of them.
#pragma once

#include "request.hpp"

namespace stradsap::data {

/// Writes the file that `request` asks for, in LIBSVM's format, and says its shape on stderr. Throws
/// std::invalid_argument before anything is written if it cannot be, std::runtime_error if writing fails.
void make_regression(const regression_request& request);

}  // namespace stradsap::data
