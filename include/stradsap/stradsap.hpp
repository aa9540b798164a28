// StradsAP: loops over distributed containers. The one header that a program includes.
#pragma once

#include <stradsap/abi/standard.hpp>

#include <stradsap/access.hpp>
#include <stradsap/checkpoint.hpp>
#include <stradsap/consistency.hpp>
#include <stradsap/dmap.hpp>
#include <stradsap/dmultimap.hpp>
#include <stradsap/dvector.hpp>
#include <stradsap/error.hpp>
#include <stradsap/io.hpp>
#include <stradsap/jsonl.hpp>
#include <stradsap/npy.hpp>
#include <stradsap/parallel_for.hpp>
#include <stradsap/random.hpp>
#include <stradsap/report.hpp>
#include <stradsap/running.hpp>
#include <stradsap/schedule.hpp>
#include <stradsap/serialize.hpp>
#include <stradsap/updates.hpp>
