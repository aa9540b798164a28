// The only interface between the templates in user programs and the runtime library, by subject. For
// generated code and the headers of this folder; not for users.
#pragma once

#include <stradsap/abi/blocks.hpp>
#include <stradsap/abi/containers.hpp>
#include <stradsap/abi/elements.hpp>
#include <stradsap/abi/loop_bits.hpp>
#include <stradsap/abi/loops.hpp>
#include <stradsap/abi/noalias.hpp>
#include <stradsap/abi/program.hpp>
