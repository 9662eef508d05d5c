// Transforms of examples whose data are tensors. (LibTorch: torch::data::transforms)
#pragma once
#include "ops/ops.h"
#include "paper_examples/data/transforms/base.h"

namespace notape::data::transforms {

/// Of an example's data; its target stays.
template <typename Target = Tensor>
class TensorTransform : public Transform<Example<Tensor, Target>, Example<Tensor, Target>> {
 public:
  using E = Example<Tensor, Target>;

  virtual Tensor operator()(Tensor input) = 0;
  E apply(E input) override {
    input.data = (*this)(std::move(input.data));
    return input;
  }
};

/// A function of the data.
template <typename Target = Tensor>
class TensorLambda : public TensorTransform<Target> {
 public:
  using FunctionType = std::function<Tensor(Tensor)>;
  explicit TensorLambda(FunctionType function) : function_(std::move(function)) {}
  Tensor operator()(Tensor input) override { return function_(std::move(input)); }

 private:
  FunctionType function_;
};

/// (data - mean) / stddev of an image (C, H, W): one number each for all channels or per channel.
template <typename Target = Tensor>
struct Normalize : TensorTransform<Target> {
  Normalize(double mean, double stddev) : Normalize(std::vector{mean}, std::vector{stddev}) {}
  Normalize(const std::vector<double>& means, const std::vector<double>& stddevs)
      : mean(per_channel(means)), stddev(per_channel(stddevs)) {}

  Tensor operator()(Tensor input) override { return input.sub(mean).div(stddev); }

  Tensor mean, stddev;  // (C or 1, 1, 1)

 private:
  static Tensor per_channel(const std::vector<double>& numbers) {
    return tensor(numbers, kFloat32).view({-1, 1, 1});
  }
};

/// Examples become a batch: data and targets stacked along a new first dimension. They need the
/// same sizes.
template <typename E = Example<>>
struct Stack;

template <>
struct Stack<Example<>> : Collation<Example<>> {
  Example<> apply_batch(std::vector<Example<>> examples) override {
    std::vector<Tensor> data, targets;
    for (Example<>& each : examples) {
      data.push_back(std::move(each.data));
      targets.push_back(std::move(each.target));
    }
    return {stack(data), stack(targets)};
  }
};

template <>
struct Stack<TensorExample> : Collation<TensorExample> {
  TensorExample apply_batch(std::vector<TensorExample> examples) override {
    std::vector<Tensor> data;
    for (TensorExample& each : examples) data.push_back(std::move(each.data));
    return stack(data);
  }
};

}  // namespace notape::data::transforms
