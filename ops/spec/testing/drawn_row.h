// A case of a registry row with arguments drawn from a seed, for tests that walk all rows.
#pragma once
#include <random>

#include "autograd/autograd.h"
#include "ops/spec/op_spec.h"

namespace notape::testing {

class DrawOfSeed final : public Draw {
 public:
  explicit DrawOfSeed(uint64_t seed) : engine_(seed) {}
  int64_t integer(int64_t low, int64_t high) override {
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  double real_in(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }

 private:
  std::mt19937_64 engine_;
};

inline Tensor draw_argument(const Argument& argument, DrawOfSeed& draw) {
  int64_t count = 1;
  for (const int64_t size : argument.sizes) count *= size;
  const ScalarType type = argument.kind == Argument::Kind::Real    ? kFloat64
                          : argument.kind == Argument::Kind::Index ? kInt64
                                                                   : kBool;
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (argument.fixed)
      values[i] = argument.fixed->at(i);
    else if (argument.kind == Argument::Kind::Real)
      values[i] = draw.real_in(argument.domain.low, argument.domain.high);
    else
      values[i] = static_cast<double>(
          draw.integer(0, argument.kind == Argument::Kind::Bool ? 1 : argument.index_bound - 1));
  }
  return tensor(values, type).reshape(argument.sizes).clone();
}

}  // namespace notape::testing
