// Checkpoints without the types of the program's variables.
// Thread rule: functions are called on the driver's thread, outside loop bodies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <typeinfo>

#include <stradsap/serialize.hpp>

namespace stradsap::abi {

/// When and where a program is saved; see stradsap::checkpoint(). Without a folder, that of --checkpoint-dir.
struct checkpoint_request {
  std::string_view folder;
  std::int64_t points;  // 0: none
  double seconds;       // 0: none
  bool on_term;
};
/// Throws error(errc::output) if the folder cannot be written, or belongs to another run.
void request_checkpoints(const checkpoint_request& how);

/// A variable of the program that checkpoints contain.
struct registered_variable {
  void* at;
  const std::type_info* type;
  void (*write)(const void* from, writer& out);
  void (*read)(void* to, reader& in);
};
template <class T_> registered_variable register_one(T_& variable) {
  return {&variable, &typeid(T_),
          [](const void* from, writer& out) { abi::write(out, *static_cast<const T_*>(from)); },
          [](void* to, reader& in) { abi::read(in, *static_cast<T_*>(to)); }};
}
/// Gives the variables their saved values if the run is resumed; returns whether it is. Throws error.
bool register_variables(const registered_variable* first, std::size_t n_);
void forget_variables() noexcept;
/// The program is at a place where it may be saved, or where a resumed run goes on. Throws error.
void reach_save_point(const char* file, unsigned line);

}  // namespace stradsap::abi
