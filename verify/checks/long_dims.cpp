#include "verify/checks/long_dims.h"

#include <algorithm>
#include <cmath>

#include "autograd/modes/grad_mode.h"
#include "verify/checks/held_call.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {
namespace {

/// Where every argument has a dimension of this size, `from_first` or as many from the last.
LongDims along(const Subject& subject, std::size_t argument, std::size_t dim, bool from_first) {
  const auto& arguments = subject.drawn.arguments;
  const std::vector<int64_t>& own = arguments[argument].argument.sizes;
  LongDims dims(arguments.size(), -1);
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const std::vector<int64_t>& sizes = arguments[a].argument.sizes;
    const std::size_t from_last = own.size() - 1 - dim;
    if (from_first ? dim >= sizes.size() : from_last >= sizes.size()) continue;
    const std::size_t d = from_first ? dim : sizes.size() - 1 - from_last;
    if (sizes[d] == own[dim]) dims[a] = static_cast<int64_t>(d);
  }
  return dims;
}

/// All arguments that have a dimension of this size grow, each along the first one.
LongDims wherever(const Subject& subject, std::size_t argument, std::size_t dim) {
  const auto& arguments = subject.drawn.arguments;
  const int64_t size = arguments[argument].argument.sizes[dim];
  LongDims dims(arguments.size(), -1);
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const std::vector<int64_t>& sizes = arguments[a].argument.sizes;
    const auto found = std::find(sizes.begin(), sizes.end(), size);
    if (found != sizes.end()) dims[a] = found - sizes.begin();
  }
  dims[argument] = static_cast<int64_t>(dim);
  return dims;
}

/// Whether an argument stays as it is that has a dimension of the size of those that grow. Sizes
/// that agree do so for a reason, and loops that nobody bounds run over the shorter one. (One row
/// may be there for all.)
bool leaves_one_behind(const Subject& subject, const LongDims& dims) {
  const auto& arguments = subject.drawn.arguments;
  int64_t size = 0;
  for (std::size_t a = 0; a < dims.size(); ++a)
    if (dims[a] >= 0) size = arguments[a].argument.sizes[static_cast<std::size_t>(dims[a])];
  for (std::size_t a = 0; a < dims.size(); ++a) {
    const std::vector<int64_t>& sizes = arguments[a].argument.sizes;
    if (dims[a] < 0 && size > 1 && std::find(sizes.begin(), sizes.end(), size) != sizes.end())
      return true;
  }
  return false;
}

bool all_finite(const Numbers& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double one) { return std::isfinite(one); });
}

}  // namespace

std::vector<LongDims> long_dims_of(const Subject& subject) {
  std::vector<LongDims> all;
  const auto add = [&](const LongDims& dims) {
    if (all.size() < kMostLongDims && !leaves_one_behind(subject, dims) &&
        std::find(all.begin(), all.end(), dims) == all.end())
      all.push_back(dims);
  };
  for (std::size_t a : subject.real_arguments()) {
    const std::vector<int64_t>& sizes = subject.drawn.arguments[a].argument.sizes;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == 0) continue;
      add(along(subject, a, d, true));
      add(along(subject, a, d, false));
      add(wherever(subject, a, d));
    }
  }
  return all;
}

Points points_of(const Subject& subject, const LongDims& dims) {
  Points points;
  const std::vector<Numbers> own = values_of(subject.drawn);
  points.values.push_back(own);
  points.incoming.push_back(subject.incoming());
  auto other = second_point(subject);
  if (!other) return points;
  for (std::size_t a = 0; a < own.size(); ++a)
    if (dims[a] < 0) (*other)[a] = own[a];
  try {
    const NoGradGuard no_grad;
    const Tensor output = subject.drawn.op.call(subject.inputs(0, Placement::Contiguous, &*other));
    if (!all_finite(numbers_of(output)) || output.sizes().vec() != subject.base().sizes)
      return points;
  } catch (const std::exception&) {
    return points;
  }
  points.values.push_back(std::move(*other));
  Numbers v = subject.incoming();
  for (std::size_t i = 0; i < v.size(); ++i) v[i] *= i % 2 == 0 ? -0.625 : 1.375;
  points.incoming.push_back(std::move(v));
  return points;
}

}  // namespace notape::verify
