// A container of 8 numbers on the driver, for tests of the driver's records.
#pragma once

#include <stradsap/dvector.hpp>

#include "runtime/dds/driver_handle.hpp"
#include "runtime/dds/replica.hpp"

struct driver_container {
  driver_container() { handle.attach(&window); }

  stradsap::abi::window window;
  stradsap::rt::replica local{
      stradsap::rt::container_id{7}, stradsap::abi::operations<double>::table,  8, nullptr,
      stradsap::rt::driver_rank,     [](stradsap::rt::replica&, const auto&) {}};
  stradsap::rt::driver_handle handle{local, [](stradsap::rt::replica&) {}};
};
