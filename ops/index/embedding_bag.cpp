// embedding_bag(w, indices, offsets): the rows w[indices] put into bags, of which each begins at an
// offset, and summed, averaged or maximised there: index_add by the number of the bag, or w at the
// largest entries, found in a table of the bags.
#include <algorithm>

#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/allocate.h"
#include "ops/core/check_values.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/index.h"
#include "ops/index/indirect.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

enum BagMode : int64_t { kSumOfBag, kMeanOfBag, kMaxOfBag };

/// Which row goes where.
struct Bags {
  int64_t count;
  Tensor index;    // (n), rows of the weight
  Tensor of;       // (n), the bag; `count` for what stands behind the last one's end
  Tensor counted;  // (n), bool: not padding
  Tensor sizes;    // (count), of what is counted
};

/// By kernels, which say so later. Bags that do not ascend are empty or hold too much, and nothing
/// is read outside the tensors.
void check_offsets_there(const Operation& op, const Tensor& offsets, int64_t n) {
  const Tensor values = to(offsets, kFloat64);
  const int64_t last = offsets.numel() - 1;
  check_values(op, narrow(values, 0, 0, 1),
               {0, 0,
                "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start "
                "from position 0. However, got {}"});
  check_values(op, narrow(values, 0, 1, last) - narrow(values, 0, 0, last),
               {0, HUGE_VAL, "offsets have to ascend, but one is followed by one that is {} more"});
  check_values(op, narrow(values, 0, last, 1),
               {-HUGE_VAL, static_cast<double>(n),
                "offsets[-1] can not be greater than input's length but got offsets[-1] of {}"});
}

/// Throws unless offsets (bags, or one more) ascend from 0 to at most n. Batched ones are not read.
void check_offsets(const Operation& op, const Tensor& offsets, int64_t n, bool has_end) {
  if (offsets.dim() != 1)
    op.fail<ShapeError>("offsets has to be a 1D Tensor, but got Tensor of dimension {}",
                        offsets.dim());
  if (has_end && offsets.numel() == 0)
    op.fail<ShapeError>("include_last_offset: number of offsets should be at least 1");
  if (is_batched(offsets) || offsets.numel() == 0) return;
  if (!offsets.device().is_cpu()) return check_offsets_there(op, offsets, n);
  const Tensor here = raw_contiguous(offsets);
  const int64_t* values = here.impl().data_as<int64_t>();
  const int64_t last = here.numel() - 1;
  if (values[0] != 0)
    op.fail<ValueError>(
        "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
        "position 0. However, got {}",
        values[0]);
  for (int64_t i = 0; i < last; ++i)
    if (values[i] > values[i + 1])
      op.fail<ValueError>("offsets have to ascend, but {} follows {}", values[i + 1], values[i]);
  if (values[last] > n)
    op.fail<ValueError>(
        "offsets[-1] can not be greater than input's length {} but got offsets[-1] of {}", n,
        values[last]);
}

void check_weights(const Operation& op, const Tensor& weight, Tensor& index, int64_t mode,
                   const Tensor& per_sample, bool sparse) {
  if (weight.dim() != 2)
    op.fail<ShapeError>("weight has to be a 2D Tensor, but got Tensor of dimension {}",
                        weight.dim());
  if (!weight.is_floating_point())
    op.fail<DtypeError>("expected weight of a floating dtype, but got {}", name_of(weight.dtype()));
  if (index.dim() != 1)
    op.fail<ShapeError>("indices has to be a 1D Tensor, but got Tensor of dimension {}",
                        index.dim());
  if (sparse) op.fail<ValueError>("there are no sparse gradients: sparse must be false");
  if (mode < kSumOfBag || mode > kMaxOfBag)
    op.fail<ValueError>("mode must be 0 (sum), 1 (mean) or 2 (max), but is {}", mode);
  index = checked_range(op, index, weight.size(0), 0);
  if (!per_sample.defined()) return;
  if (mode != kSumOfBag) op.fail<ValueError>("per_sample_weights only supported with mode='sum'");
  if (per_sample.dtype() != weight.dtype())
    op.fail<DtypeError>("expected weight and per_sample_weights of one dtype, but got {} and {}",
                        name_of(weight.dtype()), name_of(per_sample.dtype()));
  if (!(per_sample.sizes() == index.sizes()))
    op.fail<ShapeError>("expected per_sample_weights of the shape of indices {}, but got {}",
                        to_string(index.sizes()), to_string(per_sample.sizes()));
}

/// -1 for none.
int64_t padding_of(const Operation& op, const Tensor& weight, std::optional<int64_t> row) {
  if (!row) return -1;
  const int64_t rows = weight.size(0);
  if (*row < -rows || *row >= rows)
    op.fail<ValueError>("padding_idx must be within the number of embeddings, {}, but got {}", rows,
                        *row);
  return *row < 0 ? *row + rows : *row;
}

Bags bags_of(const Tensor& index, const Tensor& offsets, bool has_end, int64_t padding) {
  const int64_t n = index.numel(), count = offsets.numel() - (has_end ? 1 : 0);
  const TensorOptions options = index.options();
  // A row's bag is the number of bags that end before it.
  const Tensor of =
      offsets.numel() == 0
          ? zeros({n}, options)
          : bucketize(arange(n, options), narrow(offsets, 0, 1, offsets.numel() - 1), false, true);
  const Tensor counted = ne(index, padding);
  const Tensor sizes = index_add(zeros({count + 1}, options), 0, of, to(counted, kInt64));
  return {count, index, of, counted, narrow(sizes, 0, 0, count)};
}

/// The index of the largest entry of each column of each bag, the first of equal ones, 0 of empty
/// bags: (count, d); no graph.
Tensor largest_in(const Tensor& weight, const Bags& bags) {
  const NoGradGuard no_grad;
  const int64_t n = bags.index.numel(), count = bags.count, width = weight.size(1);
  if (n == 0 || count == 0) return zeros({count, width}, bags.index.options());
  const bool unread = any_batched(bags.index, bags.sizes);
  const int64_t room = unread ? n : std::max<int64_t>(max(bags.sizes).item<int64_t>(), 1);
  // The place of a row in its bag: how many are counted up to it, less those before the bag.
  const Tensor ends = cumsum(bags.sizes, 0), upto = cumsum(to(bags.counted, kInt64), 0);
  const Tensor bag = clamp_max(bags.of, count - 1);
  const Tensor place = upto - 1 - index_select(ends - bags.sizes, 0, bag) + bag * room;
  const Tensor inside = logical_and(bags.counted, lt(bags.of, count));
  // (count, room), the number of the row at each place, -1 where there is none
  const Tensor table =
      reshape(narrow(scatter(full({count * room + 1}, -1, place.options()), 0,
                             where(inside, place, count * room), arange(n, place.options())),
                     0, 0, count * room),
              {count, room});
  const Tensor rows = index_select(bags.index, 0, reshape(clamp_min(table, 0), {count * room}));
  const Tensor entries = reshape(index_select(weight, 0, rows), {count, room, width});
  const Tensor seen = masked_fill(entries, unsqueeze(lt(table, 0), 2), -HUGE_VAL);
  const Tensor chosen = gather(reshape(rows, {count, room}), 1, argmax(seen, 1));
  return where(unsqueeze(eq(bags.sizes, 0), 1), 0, chosen);
}

struct BagChoices {
  int64_t padding;
  bool by_frequency;
};

/// Sums or means of the rows.
Tensor added(const Tensor& weight, const Bags& bags, const Tensor& per_sample, int64_t mode,
             const BagChoices& p, At at) {
  Tensor rows = embedding(weight, bags.index, p.padding, p.by_frequency, false, at);
  if (per_sample.defined()) rows = mul(rows, unsqueeze(per_sample, 1, at), at);
  if (p.padding >= 0) rows = masked_fill(rows, unsqueeze(logical_not(bags.counted), 1), 0, at);
  const Tensor none = zeros({bags.count + 1, weight.size(1)}, weight.options());
  const Tensor sums = narrow(index_add(none, 0, bags.of, rows, at), 0, 0, bags.count, at);
  return mode == kSumOfBag ? sums : div(sums, unsqueeze(clamp_min(bags.sizes, 1), 1), at);
}

Tensor maxima(const Tensor& weight, const Bags& bags, const Tensor& chosen, At at) {
  if (weight.size(0) == 0) return zeros(chosen.sizes(), weight.options());
  return masked_fill(gather(weight, 0, chosen, at), unsqueeze(eq(bags.sizes, 0), 1), 0, at);
}

template <typename T>
PlainTensor<T> plain_bags(const PlainList<T>& x, const std::vector<int64_t>& offsets, bool has_end,
                          int64_t mode, int64_t padding) {
  const int64_t width = x[0].sizes[1], n = x[1].numel();
  const auto bags = static_cast<int64_t>(offsets.size()) - (has_end ? 1 : 0);
  PlainTensor<T> result({bags, width});
  for (int64_t b = 0; b < bags; ++b) {
    const auto next = static_cast<std::size_t>(b + 1);
    const int64_t end = next < offsets.size() ? offsets[next] : n;
    for (int64_t j = 0; j < width; ++j) {
      T& target = result.values[static_cast<std::size_t>(b * width + j)];
      int64_t count = 0;
      for (int64_t i = offsets[next - 1]; i < end; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const auto from = static_cast<int64_t>(x[1].values[k]);
        if (from == padding) continue;
        T value = x[0].values[static_cast<std::size_t>(from * width + j)];
        if (x.size() > 2) value = value * x[2].values[k];
        if (mode == kMaxOfBag)
          target = count == 0 || target < value ? value : target;
        else
          target = target + value;
        ++count;
      }
      if (mode == kMeanOfBag && count > 1) target = target / T(count);
    }
  }
  return result;
}

/// Where bags begin, and perhaps the end of the last; `each` of them in each if that is above 0.
std::vector<int64_t> draw_offsets(Draw& draw, int64_t n, int64_t each, bool has_end) {
  std::vector<int64_t> offsets = {0};
  if (each > 0) {
    while (offsets.back() + each < n) offsets.push_back(offsets.back() + each);
    if (has_end) offsets.push_back(n);
    return offsets;
  }
  for (int64_t more = draw.integer(has_end ? 1 : 0, 4); more > 0; --more)
    offsets.push_back(draw.integer(offsets.back(), n));
  return offsets;
}

OpCase draw_embedding_bag(Draw& draw) {
  const int64_t rows = draw.integer(1, 5), width = draw.integer(0, 4);
  const int64_t mode = std::max<int64_t>(draw.integer(-1, 2), 0);
  const bool has_end = draw.boolean(), weighted = mode == kSumOfBag && draw.integer(0, 3) > 0;
  const int64_t each = mode == kMeanOfBag ? draw.integer(0, 3) : 0;
  const int64_t n = each > 0 ? each * draw.integer(1, 3) : draw.integer(0, 6);
  const int64_t padding = each > 0 ? -1 : draw.integer(-1, rows - 1);
  const std::vector<int64_t> offsets = draw_offsets(draw, n, each, has_end);
  OpCase one;
  // The gradient of padding is 0, which the reference says as well, since padding is left out.
  one.label = format_message("mode={}, offsets {}, {}padding_idx={}",
                             {mode, to_string(offsets), weighted ? "weighted, " : "", padding});
  one.arguments = {{.sizes = {rows, width}, .distinct = mode == kMaxOfBag},
                   Argument::index({n}, rows)};
  if (mode == kMaxOfBag) {  // in the order of the rows, so that the first of tied ones is it here
    std::vector<double> ascending;
    for (int64_t i = 0; i < n; ++i)
      ascending.push_back(static_cast<double>(draw.integer(0, rows - 1)));
    std::sort(ascending.begin(), ascending.end());
    one.arguments[1].fixed = ascending;
  }
  if (weighted) one.arguments.push_back({.sizes = {n}});
  if (each > 1) one.averaged = each;
  one.call = [=](const variable_list& x) {
    return std::get<0>(embedding_bag(x[0], x[1], tensor(offsets, x[0].device()), false, mode, false,
                                     weighted ? x[2] : Tensor(), has_end,
                                     padding < 0 ? std::optional<int64_t>() : padding));
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_bags(x, offsets, has_end, mode, padding);
  };
  return one;
}

const RegisterOp embedding_bag_row(op_row("embedding_bag", "index", draw_embedding_bag,
                                          Trait::Locates | Trait::Gathers | Trait::Accumulates |
                                              Trait::Averages));

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    Integer mode, bool sparse, const Tensor& per_sample_weights, bool include_last_offset,
    std::optional<Integer> padding_idx, At at) {
  const Operation op("embedding_bag", at);
  check_operands(op, {&weight, &indices, &offsets});
  if (per_sample_weights.defined()) check_operands(op, {&weight, &per_sample_weights});
  const Tensor starts = checked_index(op, offsets);
  Tensor index = checked_index(op, indices);
  check_weights(op, weight, index, mode, per_sample_weights, sparse);
  const int64_t padding = padding_of(op, weight, padding_idx);
  check_offsets(op, starts, index.numel(), include_last_offset);
  const Composite composite({&weight, &per_sample_weights});
  const Bags bags = bags_of(index, starts, include_last_offset, padding);
  if (mode == kMaxOfBag) {
    const Tensor chosen = largest_in(weight, bags);
    return {maxima(weight, bags, chosen, at), bags.of, bags.sizes, chosen};
  }
  const BagChoices choices{padding, scale_grad_by_freq};
  const Tensor result = added(weight, bags, per_sample_weights, mode, choices, at);
  // LibTorch counts nothing for sums, and has no maxima but those of mode 2.
  const Tensor sizes = mode == kSumOfBag ? zeros_like(bags.sizes) : bags.sizes;
  return {result, bags.of, sizes, sizes};
}

}  // namespace notape
