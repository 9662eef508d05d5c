// What an elementwise operator's file includes. The file is compiled twice: as C++, and as CUDA,
// which sees the functors and kernels, and not what stands between `#ifndef __CUDACC__` and
// `#endif`.
#pragma once
#include "ops/elementwise/kernel.h"
#ifndef __CUDACC__
#include "ops/elementwise.h"
#include "ops/elementwise/unary_operator.h"
#include "ops/spec/elementwise_spec.h"
#endif
