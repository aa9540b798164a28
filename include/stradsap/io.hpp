// Readers of files into distributed containers. All ranks and threads read, each its pieces of the files; an
// element belongs to the rank that read it. The containers are the same on any number of ranks and threads.
// Every reader takes a path or a pattern of glob(3), reads files in sorted order as if they were one, and
// reads gzip and zstd. Thread rule: the driver's thread.
#pragma once

#include <stradsap/read_corpus.hpp>
#include <stradsap/read_csv.hpp>
#include <stradsap/read_libsvm.hpp>
#include <stradsap/read_matrix.hpp>
#include <stradsap/read_text.hpp>
