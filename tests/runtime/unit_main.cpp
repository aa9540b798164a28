// Catch2's own main for the unit tests of the runtime.
#define CATCH_CONFIG_MAIN
#include "tests/support/catch.hpp"
