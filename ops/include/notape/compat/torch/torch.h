#pragma once

/// LibTorch's spelling of notape: a program written for LibTorch's tensors and autograd compiles
/// unchanged with this folder's parent on its include path (CMake: notape::torch_compat). It is not
/// there by default, so a real LibTorch is never shadowed. torch::nn and torch::optim are there if
/// notape::nn is linked, too; torch::jit is not covered.

#include "autograd/language.h"  // first

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
}  // namespace torch

#if __has_include("notape/compat/torch/nn.h")
#include "notape/compat/torch/nn.h"
#endif
