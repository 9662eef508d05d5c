// What the average pools share: windows along each dimension, and rows.
#pragma once
#include <span>

#include "ops/pooling.h"
#include "ops/resample/plain_resample.h"
#include "ops/resample/resample.h"

namespace notape {

/// Parameters per spatial dimension, outermost first.
struct AvgPool {
  std::vector<int64_t> kernel, stride, padding;
  bool ceil_mode = false, count_include_pad = true;
  std::optional<int64_t> divisor_override = {};
};

/// Throws for parameters or an input that do not fit.
Tensor avg_pool(const Operation& op, const char* node, const Tensor& self, const AvgPool& p);
Tensor adaptive_avg_pool(const Operation& op, const char* node, const Tensor& self,
                         std::span<const int64_t> output_size);

/// Random pools over as many dimensions.
using AvgPoolCall = Tensor (*)(const Tensor& self, const AvgPool& p);
OpCase avg_pool_case(Draw& draw, std::size_t dims, AvgPoolCall call);
using AdaptiveCall = Tensor (*)(const Tensor& self, const std::vector<int64_t>& output_size);
OpCase adaptive_avg_pool_case(Draw& draw, std::size_t dims, AdaptiveCall call);

}  // namespace notape
