// Mistakes about where a gradient goes: matrices, dimensions, broadcasting, indices, windows.
#include <algorithm>

#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "verify/mutate/edits.h"

namespace notape::verify::mutate {
namespace {

using Sizes = std::vector<int64_t>;

bool is_square(const Sizes& sizes) {
  return sizes.size() >= 2 && sizes.back() == sizes[sizes.size() - 2] && sizes.back() > 1;
}
Tensor transposed(const Tensor& t) { return transpose(t, -2, -1); }

std::optional<Rules> operand_not_transposed(const Target& t) {
  if (!is_square(t.sizes(1))) return {};
  return Rules{[](const Site& s, const Tensor& v) {
    variable_list x = s.x;
    if (s.argument == 0) x[1] = transposed(x[1]);
    return s.right.gradient(s.argument, x, v);
  }};
}

/// Equal to its transpose, so that the first derivative cannot tell.
void make_symmetric(DrawnCase& drawn) {
  const Sizes& sizes = drawn.arguments[1].argument.sizes;
  if (!is_square(sizes)) return;
  drawn.arguments[1].layout = {};  // an expanded one would demand equal rows
  Numbers& values = drawn.arguments[1].values;
  const std::size_t n = at(sizes.back());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t row = i / n % n, column = i % n, first = i - row * n - column;
    values[i] = values[first + std::min(row, column) * n + std::max(row, column)];
  }
}

std::optional<Rules> transposed_result(const Target& t) {
  if (std::none_of(t.real.begin(), t.real.end(), [&](auto i) { return is_square(t.sizes(i)); }))
    return {};
  return Rules{edited_gradient(
      [](const Tensor& g) { return is_square(sizes_of(g)) ? transposed(g).contiguous() : g; })};
}

/// Along the neighbouring dimension, if that is of the same size.
std::optional<Rules> neighbouring_dimension(const Target& t) {
  const auto neighbour = [](const Sizes& sizes) -> int64_t {
    for (std::size_t d = 0; d + 1 < sizes.size(); ++d)
      if (sizes[d] == sizes[d + 1] && sizes[d] > 1) return static_cast<int64_t>(d);
    return -1;
  };
  const int64_t d = t.real.size() == 1 ? neighbour(t.sizes(t.real[0])) : -1;
  if (d < 0) return {};
  return Rules{[d](const Site& s, const Tensor& v) {
    variable_list x = s.x;
    x[s.argument] = transpose(x[s.argument], d, d + 1);
    const Tensor there = v.dim() == x[s.argument].dim() ? transpose(v, d, d + 1) : v;
    if (!(s.right.value(x).sizes() == there.sizes())) return right_gradient(s, v);
    return transpose(s.right.gradient(s.argument, x, there), d, d + 1);
  }};
}

/// The operator where its transpose is meant.
std::optional<Rules> not_reversed(const Target&) {
  return Rules{[](const Site& s, const Tensor& v) {
    if (!(v.sizes() == s.x[0].sizes())) return right_gradient(s, v);
    variable_list x = s.x;
    x[0] = v;
    const Tensor g = s.right.apply(x);
    return g.sizes() == v.sizes() ? g.clone() : right_gradient(s, v);
  }};
}

/// How the sum over the dimensions of a broadcast argument goes wrong: `reduce` makes an argument
/// of `sizes`, led by ones, out of the whole gradient.
template <typename Reduce>
std::optional<Rules> wrongly_summed(Reduce reduce) {
  return Rules{[reduce](const Site& s, const Tensor& v) {
    const Tensor& self = s.x[s.argument];
    if (self.sizes() == v.sizes() || v.numel() == 0 || self.numel() == 0)
      return right_gradient(s, v);
    variable_list x = s.x;
    x[s.argument] = expand(self, v.sizes());
    const Tensor whole = s.right.gradient(s.argument, x, v);
    if (!whole.defined()) return whole;
    Sizes sizes(at(v.dim() - self.dim()), 1);
    sizes.insert(sizes.end(), self.sizes().begin(), self.sizes().end());
    return reshape(reduce(whole, sizes), self.sizes());
  }};
}

/// One slice of each broadcast dimension.
Tensor slice_of(Tensor whole, const Sizes& sizes, bool last) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const int64_t n = whole.sizes()[d];
    if (sizes[d] != n) whole = narrow(whole, static_cast<int64_t>(d), last ? n - 1 : 0, 1);
  }
  return whole;
}

/// The sum over another dimension of the same size.
Tensor summed_over_another(Tensor whole, const Sizes& sizes) {
  for (std::size_t d = 0; d < sizes.size(); ++d)
    for (std::size_t e = 0; e < sizes.size(); ++e) {
      const bool reduced = sizes[d] != whole.sizes()[d], kept = sizes[e] == whole.sizes()[e];
      if (!reduced || !kept || whole.sizes()[d] != whole.sizes()[e]) continue;
      whole = transpose(whole, static_cast<int64_t>(d), static_cast<int64_t>(e));
      return sum_to_size(whole, sizes);
    }
  return sum_to_size(whole, sizes);
}

std::optional<Rules> batch_not_summed(const Target& t) {
  if (std::max(t.sizes(0).size(), t.sizes(1).size()) < 3) return {};
  return Rules{[](const Site& s, const Tensor& v) {
    const Tensor& self = s.x[s.argument];
    const Tensor& other = s.x[1 - s.argument];
    if (self.dim() < 2 || other.dim() < 3 || v.numel() == 0 || self.numel() == 0)
      return right_gradient(s, v);
    Sizes batch(other.sizes().begin(), other.sizes().end() - 2);
    const Sizes own(self.sizes().begin(), self.sizes().end() - 2);
    if (own.size() > batch.size()) return right_gradient(s, v);
    for (std::size_t d = 0; d < own.size(); ++d) {
      int64_t& size = batch[batch.size() - own.size() + d];
      size = size == 1 ? own[d] : size;
    }
    Sizes full = batch;
    full.insert(full.end(), self.sizes().end() - 2, self.sizes().end());
    variable_list x = s.x;
    x[s.argument] = expand(self, full);
    const Tensor whole = s.right.gradient(s.argument, x, v);
    Sizes sizes(full.size() - at(self.dim()), 1);
    sizes.insert(sizes.end(), self.sizes().begin(), self.sizes().end());
    return reshape(slice_of(whole, sizes, false), self.sizes());
  }};
}

/// Of several places that are copies of one entry, the last one's gradient.
std::optional<Rules> repeats_overwrite(const Target& t) {
  if (t.real.size() != 1) return {};
  return Rules{[](const Site& s, const Tensor& v) {
    const Tensor& self = s.x[s.argument];
    std::vector<int64_t> last(at(self.numel()), -1);
    const auto from = sources(s);
    for (std::size_t o = 0; o < from.size(); ++o) last[at(from[o])] = static_cast<int64_t>(o);
    return picked(v, last, sizes_of(self));
  }};
}

std::optional<Rules> off_by_one(const Target&) {
  return Rules{edited_gradient([](const Tensor& g) {
    std::vector<int64_t> from;
    for (int64_t i = 0; i < g.numel(); ++i) from.push_back((i + g.numel() - 1) % g.numel());
    return picked(g, from, sizes_of(g));
  })};
}

std::optional<Rules> padded_on_the_wrong_side(const Target&) {
  return Rules{[](const Site& s, const Tensor& v) {
    const Tensor g = right_gradient(s, reversed(v));
    return g.defined() ? reversed(g) : g;
  }};
}

std::optional<Rules> step_ignored(const Target& t) {
  if (t.sizes(0).size() != 1) return {};
  return Rules{[](const Site& s, const Tensor& v) {
    const auto from = sources(s);
    std::vector<int64_t> place(at(s.x[0].numel()), -1);
    for (std::size_t o = 0; o < from.size(); ++o) place[at(from[0]) + o] = static_cast<int64_t>(o);
    return picked(v, place, sizes_of(s.x[0]));
  }};
}

std::optional<Rules> kernel_not_flipped(const Target&) {
  return Rules{[](const Site& s, const Tensor& v) {
    if (s.argument != 0) return right_gradient(s, v);
    const Tensor& filter = s.x[1];
    const int64_t area = filter.size(-1) * filter.size(-2);
    std::vector<int64_t> from;
    for (int64_t i = 0; i < filter.numel(); ++i)
      from.push_back(i / area * area + area - 1 - i % area);
    variable_list x = s.x;
    x[1] = picked(filter, from, sizes_of(filter));
    return s.right.gradient(0, x, v);
  }};
}

std::optional<Rules> last_column_lost(const Target& t) {
  if (t.op.label.find("padding=0x0") != std::string::npos) return {};
  return Rules{[](const Site& s, const Tensor& v) {
    const int64_t columns = v.size(-1);
    Numbers kept(at(v.numel()));
    for (std::size_t i = 0; i < kept.size(); ++i)
      kept[i] = static_cast<int64_t>(i) % columns == columns - 1 ? 0 : 1;
    return s.argument == 0 ? right_gradient(s, v * constant(kept, sizes_of(v), v))
                           : right_gradient(s, v);
  }};
}

/// The i-th part begins at i times its own length, which is right for equal parts only.
std::optional<Rules> offsets_of_equal_parts(const Target& t) {
  if (t.real.size() < 2) return {};
  return Rules{[](const Site& s, const Tensor& v) {
    const Tensor& self = s.x[s.argument];
    for (int64_t d = 0; self.dim() == v.dim() && d < v.dim(); ++d) {
      const int64_t length = self.size(d);
      if (length == v.size(d)) continue;
      const int64_t start = std::min(static_cast<int64_t>(s.argument) * length, v.size(d) - length);
      return narrow(v, d, start, length) * 1;
    }
    return right_gradient(s, v);
  }};
}

/// What was overwritten keeps its gradient.
std::optional<Rules> overwritten_keeps(const Target&) {
  return Rules{[](const Site& s, const Tensor& v) {
    return s.argument == 0 && v.sizes() == s.x[0].sizes() ? v * 1 : right_gradient(s, v);
  }};
}

struct ShapeRow {
  Mutant mutant;
  std::optional<Rules> (*rules)(const Target& target);
};

const ShapeRow kShapeRows[] = {
    {{.id = "M26",
      .what = "B for B^T",
      .needs = "a square second matrix",
      .at = Trait::Multiplies,
      .baseline = true},
     operand_not_transposed},
    {{.id = "M27",
      .what = "B for B^T at a symmetric B",
      .leg = "second-order",
      .needs = "a square second matrix",
      .at = Trait::Multiplies,
      .prepare = make_symmetric,
      .baseline = true},
     operand_not_transposed},
    {{.id = "M28",
      .what = "transposed result on square shapes",
      .needs = "a square input",
      .harmless = "the derivative is zero or symmetric"},
     transposed_result},
    {{.id = "M29",
      .what = "a repeated index overwrites",
      .needs = "indices",
      .at = Trait::Gathers,
      .baseline = true},
     repeats_overwrite},
    {{.id = "M29b",
      .what = "a repeated index overwrites, though few repeat",
      .needs = "to be this very operator",
      .of = {"index_select of many"},  // uniform indices into it seldom repeat
      .baseline = true},
     repeats_overwrite},
    {{.id = "M30", .what = "index off by one", .needs = "an index", .at = Trait::Locates},
     off_by_one},
    {{.id = "M31",
      .what = "slice gradient padded on the wrong side",
      .needs = "to be a slice",
      .at = Trait::Slices,
      .baseline = true},
     padded_on_the_wrong_side},
    {{.id = "M32", .what = "step ignored in a step slice", .needs = "a step", .at = Trait::Steps},
     step_ignored},
    {{.id = "M33",
      .what = "overlapping windows overwrite",
      .needs = "overlapping windows",
      .at = Trait::Overlaps},
     repeats_overwrite},
    {{.id = "M34",
      .what = "convolution kernel not flipped",
      .needs = "to be a convolution",
      .at = Trait::Convolves},
     kernel_not_flipped},
    {{.id = "M35", .what = "last padded column lost", .needs = "padding", .at = Trait::Pads},
     last_column_lost},
    {{.id = "M37",
      .what = "neighbouring dimension of equal size",
      .needs = "a dimension that it works along",
      .harmless = "it works along all dimensions alike",
      .at = Trait::Reduces},
     neighbouring_dimension},
    {{.id = "M38", .what = "scan not reversed", .needs = "to be a scan", .at = Trait::Scans},
     not_reversed},
    {{.id = "M39",
      .what = "permutation for its inverse",
      .needs = "to be a permutation",
      .harmless = "exchanging two dimensions is its own inverse",
      .at = Trait::Permutes},
     not_reversed},
    {{.id = "M40",
      .what = "broadcast summed over the wrong axis",
      .needs = "broadcasting",
      .harmless = "the derivative is zero",
      .at = Trait::Broadcasts},
     [](const Target&) { return wrongly_summed(summed_over_another); }},
    {{.id = "M41",
      .what = "first slice instead of a sum",
      .needs = "broadcasting",
      .at = Trait::Broadcasts},
     [](const Target&) {
       return wrongly_summed(
           [](const Tensor& whole, const Sizes& sizes) { return slice_of(whole, sizes, false); });
     }},
    {{.id = "M42",
      .what = "batch broadcast not summed",
      .needs = "batches that broadcast",
      .at = Trait::Batches},
     batch_not_summed},
    {{.id = "M43",
      .what = "split offsets of equal parts for unequal ones",
      .needs = "unequal parts",
      .at = Trait::Joins},
     offsets_of_equal_parts},
    {{.id = "M53",
      .what = "stride-0 dimension written, not summed",
      .needs = "broadcasting",
      .at = Trait::Broadcasts},
     [](const Target&) {
       return wrongly_summed(
           [](const Tensor& whole, const Sizes& sizes) { return slice_of(whole, sizes, true); });
     }},
    {{.id = "M59",
      .what = "what was overwritten keeps its gradient",
      .needs = "to overwrite",
      .at = Trait::Overwrites},
     overwritten_keeps},
};

}  // namespace

void add_shape_mutants(std::vector<Mutant>& all) {
  for (const auto& [mutant, rules] : kShapeRows) {
    all.push_back(mutant);
    all.back().plant = rules;
  }
}

}  // namespace notape::verify::mutate
