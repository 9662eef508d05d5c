#pragma once

/// LibTorch's spelling of notape: a program written for LibTorch's tensors and autograd compiles
/// unchanged with this folder's parent on its include path (CMake: notape::torch_compat). It is not
/// there by default, so a real LibTorch is never shadowed. torch::nn and torch::optim are there if
/// notape::nn is linked, too; torch::jit is not covered.

#include "autograd/language.h"  // first

// What programs have from LibTorch's header without asking.
#include <cassert>
#include <cmath>
#include <iostream>
#include <list>
#include <map>
#include <numeric>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "notape/compat/torch/array_ref.h"
#include "notape/compat/torch/autograd.h"
#include "notape/compat/torch/c10.h"
#include "notape/compat/torch/cuda.h"
#include "notape/compat/torch/generator.h"
#include "notape/compat/torch/irange.h"
#include "notape/compat/torch/print.h"
#include "notape/compat/torch/warning.h"
#include "notape/notape.h"

#if __has_include("autograd/interchange/dlpack.h")
#include "notape/compat/torch/dlpack.h"
#endif

namespace at {
using namespace notape;
using namespace c10;
}  // namespace at

namespace torch {
using namespace notape;
using namespace c10;
using Dtype = notape::ScalarType;
inline constexpr Dtype kF16 = notape::kHalf, kF32 = notape::kFloat32, kF64 = notape::kFloat64;
inline constexpr Dtype kU8 = notape::kUInt8, kI8 = notape::kInt8, kI16 = notape::kInt16,
                       kI32 = notape::kInt32, kI64 = notape::kInt64;
}  // namespace torch

#if __has_include("notape/compat/torch/nn.h")
#include "notape/compat/torch/nn.h"
#endif
