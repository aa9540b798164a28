// The headers of generated programs, which are compiled once for each kind of build.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <emmintrin.h>

#include <stradsap/stradsap.hpp>
