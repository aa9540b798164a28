// The test framework; one place, since Catch2 3 has other headers.
#pragma once

#include <catch2/catch.hpp>
