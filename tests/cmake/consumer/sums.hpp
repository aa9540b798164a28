#pragma once

#include <stradsap/stradsap.hpp>

#include "row.hpp"

double sum_of(stradsap::dvector<Row>& rows);
