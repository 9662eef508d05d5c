// unique_consecutive(x): x without what equals the element, or the slice, before it. It selects the
// first of each run, so derivatives are those of index_select.
#include "ops/core/batching.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/wrap_dim.h"
#include "ops/index.h"
#include "ops/index/indirect.h"
#include "ops/shape.h"

namespace notape {
namespace {

struct Runs {
  std::vector<int64_t> first, lengths;  // of each run
  std::vector<int64_t> run_of;          // of each row
};

/// rows: (count, size), row-major
template <typename T>
Runs find_runs(const T* rows, int64_t count, int64_t size) {
  Runs runs;
  for (int64_t i = 0; i < count; ++i) {
    const T* row = rows + i * size;
    if (i == 0 || !std::equal(row - size, row, row)) {
      runs.first.push_back(i);
      runs.lengths.push_back(0);
    }
    ++runs.lengths.back();
    runs.run_of.push_back(static_cast<int64_t>(runs.first.size()) - 1);
  }
  return runs;
}

Runs runs_of(const Tensor& self, int64_t dim) {
  const Tensor wide = raw_convert(self, computed_in(self.dtype()));
  const Tensor rows = raw_on_device(
      raw_contiguous(transpose(raw_alias(wide, wide.impl().geometry()), 0, dim)), kCPU);
  const int64_t count = rows.size(0), size = count == 0 ? 0 : rows.numel() / count;
  return visit_computed(
      rows.dtype(), [&]<typename T>() { return find_runs(rows.impl().data_as<T>(), count, size); });
}

Tensor as_tensor(const std::vector<int64_t>& numbers, IntArrayRef sizes, Device device) {
  const Tensor result = allocate(sizes, kInt64, kCPU);
  std::copy(numbers.begin(), numbers.end(), result.impl().data_as<int64_t>());
  return raw_on_device(result, device);
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& self, bool return_inverse,
                                                      bool return_counts,
                                                      std::optional<Integer> dim, At at) {
  const Operation op("unique_consecutive", at);
  check_operands(op, {&self});
  if (is_batched(self)) refuse_batched(op);
  const Composite composite({&self});
  const bool of_slices = dim && self.dim() > 0;
  const int64_t place = dim ? wrap_dim(op, *dim, self.dim()) : 0;
  if (of_slices && self.numel() == 0 && self.size(place) != 0)
    op.fail<ShapeError>(
        "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied to a "
        "tensor of shape {} along dimension {}",
        to_string(self.sizes()), *dim);
  const Tensor line = of_slices ? self : reshape(self, {self.numel()}, at);
  const Runs runs = runs_of(line, place);
  const auto count = static_cast<int64_t>(runs.first.size());
  const Device device = self.device();
  Tensor inverse, counts;
  if (return_inverse)
    inverse =
        as_tensor(runs.run_of, of_slices ? IntArrayRef(line.size(place)) : self.sizes(), device);
  if (return_counts) counts = as_tensor(runs.lengths, {count}, device);
  return {index_select(line, place, as_tensor(runs.first, {count}, device), at), std::move(inverse),
          std::move(counts)};
}

std::tuple<Tensor, Tensor, Tensor> IndexMembers::unique_consecutive(bool return_inverse,
                                                                    bool return_counts,
                                                                    std::optional<Integer> dim,
                                                                    At at) const {
  return notape::unique_consecutive(self(), return_inverse, return_counts, dim, at);
}

}  // namespace notape
