// Matrices as readers make them and save_npy takes them. Thread rule: as dvector.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <stradsap/dvector.hpp>

namespace stradsap {
inline namespace STRADSAP_BUILD {

/// Row i has the columns index[k] with the values value[k], for k from indptr[i] to indptr[i + 1] - 1; as
/// scipy.sparse.csr_matrix.
/// @code
/// const sparse_matrix<float> A = read_libsvm<float>("a9a").features;
/// float first = 0;  // the sum of row 0
/// for (int64_t k = A.indptr[0]; k < A.indptr[1]; ++k) first += A.value[k];
/// @endcode
template <class V_> struct sparse_matrix {
  dvector<std::int64_t> indptr;
  dvector<std::int32_t> index;
  dvector<V_> value;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// A table of numbers, row by row: row i and column j are at value[i * columns + j].
template <class V_> struct dense_matrix {
  dvector<V_> value;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::string> names = {};  // of the columns
};

}  // namespace STRADSAP_BUILD
}  // namespace stradsap
