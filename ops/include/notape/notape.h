#pragma once

/// The whole library in one include: tensors, the graph and its engine, and every operator.

#include "autograd/language.h"  // first

#include "autograd/autograd.h"
#include "ops/ops.h"
