// The convenience header for checking derivatives of one's own functions: notape::verify::check,
// gradcheck, check_kink, check_everywhere. Link notape::verify. For GoogleTest's macros include
// "verify/gtest.h", which needs GoogleTest and RapidCheck.
#pragma once
#include "autograd/language.h"  // first

#include "verify/check_everywhere.h"
