// The original's options and matrix, and the same matrix in flat vectors.

#pragma once

#define main sequential_main
#include "../../examples/nmf/sequential.cpp"
#undef main

/// The rows in flat vectors (CSR): row i has the entries [begin[i], begin[i + 1]).
inline void append_rows(const std::vector<Row>& rows, auto& begin, auto& entries) {
  begin.push_back(0);
  for (const Row& row : rows) {
    for (const Entry& e : row) entries.push_back(e);
    begin.push_back(entries.size());
  }
}

/// The original's matrix by rows and by columns.
inline void make_matrix(const Options& options, auto& row_begin, auto& by_row, auto& column_begin,
                        auto& by_column) {
  std::vector<Row> rows(options.rows), columns(options.columns);
  make_matrix(rows, columns);
  append_rows(rows, row_begin, by_row);
  append_rows(columns, column_begin, by_column);
}
