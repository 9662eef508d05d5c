// Every operator.
#pragma once
#include "ops/conv.h"
#include "ops/elementwise.h"
#include "ops/index.h"
#include "ops/linalg.h"
#include "ops/loss.h"
#include "ops/parallel.h"
#include "ops/random.h"
#include "ops/reduce.h"
#include "ops/shape.h"
