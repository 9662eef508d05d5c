#pragma once

/// The whole library in one include: tensors, the graph and its engine, every operator and its out
/// form.

#include "autograd/language.h"  // first

#include "autograd/autograd.h"
#include "autograd/tensor/autocast_mode.h"
#include "autograd/tensor/device_allocator.h"
#include "ops/ops.h"
#include "ops/out.h"
