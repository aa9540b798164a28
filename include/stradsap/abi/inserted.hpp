// The names that stradsap-cc inserts into programs, except member names (<stradsap/serialize.hpp>). Each name
// begins with stradsap_, so no macro of a program replaces it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <stradsap/abi/captured_lambda.hpp>
#include <stradsap/abi/captured_struct.hpp>
#include <stradsap/abi/closure.hpp>
#include <stradsap/abi/container_capture.hpp>
#include <stradsap/abi/fold.hpp>
#include <stradsap/abi/hoisting.hpp>
#include <stradsap/abi/interleaving.hpp>
#include <stradsap/abi/opening.hpp>
#include <stradsap/abi/reduction_capture.hpp>
#include <stradsap/abi/running_capture.hpp>
#include <stradsap/abi/value_capture.hpp>

namespace stradsap {

// loop bodies
using abi::stradsap_closure;
using abi::stradsap_functor;
using abi::stradsap_loop;
using abi::stradsap_loop_calling;
using abi::stradsap_sliced;
using abi::stradsap_straight;
using stradsap_rebuilt = abi::rebuilt;

// captures
using abi::stradsap_callable;
using abi::stradsap_container;
using abi::stradsap_further;
using abi::stradsap_given;
using abi::stradsap_kept;
using abi::stradsap_kept_callable;
using abi::stradsap_length;
using abi::stradsap_number;
using abi::stradsap_of_this;
using abi::stradsap_part;
using abi::stradsap_reduction;
using abi::stradsap_reductions;
using abi::stradsap_value;
template <unsigned Mode_, auto Variable_> using stradsap_global = abi::global<Mode_, Variable_>;
template <class... Global_> using stradsap_globals = abi::globals<Global_...>;

// operators of reductions
using stradsap_sum = abi::fold::addition;
using stradsap_product = abi::fold::product;
using stradsap_minimum = abi::fold::minimum;
using stradsap_maximum = abi::fold::maximum;
using stradsap_minimum_number = abi::fold::minimum_number;
using stradsap_maximum_number = abi::fold::maximum_number;
using stradsap_bit_and = abi::fold::bit_and;
using stradsap_bit_or = abi::fold::bit_or;
using stradsap_bit_xor = abi::fold::bit_xor;
using stradsap_all = abi::fold::all;
using stradsap_any = abi::fold::any;

// interleaved iterations
using abi::stradsap_at;
using abi::stradsap_interleaved;
using abi::stradsap_phases;
template <class T_> using stradsap_interleaved_values = abi::interleaved_values<T_>;
template <class Carried_> using stradsap_carried_type = abi::carried_type<Carried_>;
template <class... T_> using stradsap_carry = abi::carry<T_...>;

}  // namespace stradsap
