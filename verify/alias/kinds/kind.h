// What the file of every kind of statement needs.
#pragma once
#include <fmt/format.h>

#include "verify/alias/draws.h"
#include "verify/alias/executor.h"
