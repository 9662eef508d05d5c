#include "ops/fuzz/hostile.h"

#include <limits>

#include "ops/ops.h"

namespace notape::fuzz {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Tensor numbered(const std::vector<int64_t>& sizes, ScalarType type) {
  const Geometry geometry(sizes);
  return (arange(geometry.numel(), TensorOptions(kFloat64)) * 0.75 - 1).reshape(sizes).to(type);
}

}  // namespace

int64_t Hostile::number() {
  static const std::vector<int64_t> ends = {kLeast, kLeast + 1, kMost / 2 + 1, kMost - 1, kMost};
  static const std::vector<int64_t> far = {-(int64_t{1} << 40), -100, 100, 1 << 20, INT32_MAX,
                                           int64_t{1} << 40};
  if (once_in(draws_ends_ ? 2 : 20)) return one_of(ends);
  return once_in(8) ? one_of(far) : within(-3, 4);
}

std::vector<int64_t> Hostile::numbers() {
  std::vector<int64_t> list(static_cast<std::size_t>(within(0, 5)));
  const bool tame = !draws_ends_ && !once_in(3);
  for (int64_t& one : list) one = tame ? within(-1, 3) : number();
  return list;
}

double Hostile::real() {
  static const std::vector<double> far = {kInfinity, -kInfinity, kNaN, 1e300, -1e300, 5e-324, 1e19};
  return once_in(4) ? one_of(far) : static_cast<double>(within(-6, 6)) / 2;
}

ScalarType Hostile::type() { return static_cast<ScalarType>(within(0, kScalarTypes - 1)); }

Tensor Hostile::fresh() {
  if (once_in(2)) {
    last_sizes_.resize(static_cast<std::size_t>(within(0, once_in(8) ? 6 : 4)));
    for (int64_t& size : last_sizes_) size = once_in(8) ? 0 : within(1, 4);
  }
  return numbered(last_sizes_, once_in(2) ? kFloat64 : type());
}

Tensor Hostile::tensor() {
  if (once_in(40)) return {};
  Tensor result = fresh();
  if (once_in(3)) result = laid_out(result);
  if (once_in(6)) result = with_strange_numbers(result);
  if (once_in(2) && result.is_floating_point()) result = result.detach().requires_grad_();
  return result;
}

Tensor Hostile::of_other_size(const Tensor& tensor) {
  switch (within(0, 4)) {
    case 0:
      return tensor.unsqueeze(within(0, tensor.dim()));
    case 1:
      return tensor.dim() > 0 && tensor.size(0) > 0 ? tensor.select(0, 0) : tensor;
    case 2:
      return tensor.reshape({-1});
    case 3: {
      std::vector<int64_t> sizes = tensor.sizes().vec();
      if (sizes.empty()) return numbered({2}, tensor.dtype());
      sizes[static_cast<std::size_t>(within(0, tensor.dim() - 1))] = within(0, 5);
      return numbered(sizes, tensor.dtype());
    }
    default:
      return numbered(fresh().sizes().vec(), tensor.dtype());
  }
}

Tensor Hostile::laid_out(const Tensor& tensor) {
  const int64_t rank = tensor.dim();
  switch (within(0, 4)) {
    case 0:
      return rank > 1 ? tensor.transpose(0, rank - 1).contiguous().transpose(0, rank - 1) : tensor;
    case 1: {  // every second slice of a larger one
      if (rank == 0) return tensor;
      std::vector<int64_t> sizes = tensor.sizes().vec();
      sizes.back() *= 2;
      Tensor part = numbered(sizes, tensor.dtype()).slice(rank - 1, within(0, 1), {}, 2);
      return part.copy_(tensor);
    }
    case 2:  // one slice shown several times
      return rank > 0 && tensor.size(0) > 0 ? tensor.narrow(0, 0, 1).expand(tensor.sizes())
                                            : tensor;
    case 3: {  // rows that share entries
      if (rank == 0) return tensor;
      const std::vector<int64_t> ones(static_cast<std::size_t>(rank), 1);
      int64_t reach = 1;
      for (const int64_t size : tensor.sizes()) reach += std::max<int64_t>(size - 1, 0);
      return numbered({reach}, tensor.dtype()).as_strided(tensor.sizes(), ones);
    }
    default:
      return tensor.detach();
  }
}

Tensor Hostile::with_strange_numbers(const Tensor& tensor) {
  Tensor result = tensor.detach().clone();
  for (int64_t i = 0; i < std::min<int64_t>(result.numel(), 4); ++i) {
    const Tensor entry = result.as_strided({}, {}, within(0, result.numel() - 1));
    if (result.is_floating_point())
      entry.fill_(std::abs(real()) < 1e4 ? kNaN : kInfinity);
    else if (is_integral(result.dtype()))
      entry.copy_(notape::tensor({number()}, kInt64).squeeze());
  }
  return result;
}

Tensor Hostile::mutate(const Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  switch (within(0, 5)) {
    case 0:
      return once_in(4) ? Tensor() : tensor.detach().to(type());
    case 1:
      return laid_out(tensor);
    case 2:
      return with_strange_numbers(tensor);
    default:
      return of_other_size(tensor);
  }
}

variable_list Hostile::mutate(variable_list arguments) {
  if (arguments.empty()) return arguments;
  for (int64_t left = within(1, 3); left > 0; --left) {
    const auto last = static_cast<int64_t>(arguments.size()) - 1;
    Tensor& one = arguments[static_cast<std::size_t>(within(0, last))];
    if (once_in(10))
      one = arguments[static_cast<std::size_t>(within(0, last))];  // the same object twice
    else
      one = once_in(12) ? fresh() : mutate(one);
  }
  for (Tensor& one : arguments)
    if (one.defined() && one.is_floating_point() && once_in(2)) one = one.detach().requires_grad_();
  return arguments;
}

}  // namespace notape::fuzz
