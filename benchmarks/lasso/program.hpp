// The original's options and columns, and the same columns in flat vectors.

#pragma once

#define main sequential_main
#include "../../examples/lasso/sequential.cpp"
#undef main

/// The columns in flat vectors (CSC): column j has the entries [begin[j], begin[j + 1]).
inline void make_columns(const Options& options, auto& begin, auto& row, auto& value, auto& y) {
  std::vector<Column> columns(options.columns);
  make_columns(columns, y);
  begin.push_back(0);
  for (const Column& column : columns) {
    for (const Entry& e : column) {
      row.push_back(e.row);
      value.push_back(e.value);
    }
    begin.push_back(row.size());
  }
}
