#include "ops/conv/conv2d_samples.h"

#include "ops/core/allocate.h"

namespace notape {

Conv2dProblem samples_as_images(Conv2dProblem problem, int64_t samples) {
  problem.image[0] *= samples;
  problem.response[0] *= samples;
  return problem;
}

Conv2dProblem samples_as_groups(Conv2dProblem problem, int64_t samples) {
  problem.image[1] *= samples;
  problem.filter[0] *= samples;
  problem.response[1] *= samples;
  problem.groups *= samples;
  return problem;
}

Tensor join_channels(const Tensor& samples) {
  const IntArrayRef s = samples.sizes();
  return reshape(transpose(samples, 0, 1), {s[1], s[0] * s[2], s[3], s[4]});
}

Tensor split_channels(const Tensor& joined, int64_t samples) {
  const IntArrayRef s = joined.sizes();
  return transpose(reshape(joined, {s[0], samples, s[1] / samples, s[2], s[3]}), 0, 1);
}

Tensor join_samples(const Tensor& samples) {
  DimVector sizes = samples.sizes();
  sizes[1] *= sizes[0];
  sizes.erase(0);
  return reshape(samples, sizes);
}

Tensor split_samples(const Tensor& joined, int64_t samples) {
  DimVector sizes = joined.sizes();
  sizes[0] /= samples;
  sizes.insert(0, samples);
  return reshape(joined, sizes);
}

Tensor zeros_of_no_sample(const std::array<int64_t, 4>& sizes, const Tensor& operand) {
  return zeros_for({&operand}, {0, sizes[0], sizes[1], sizes[2], sizes[3]}, operand.dtype());
}

}  // namespace notape
