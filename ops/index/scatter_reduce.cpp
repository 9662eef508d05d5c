// scatter_reduce(x, dim, index, src, reduce): each entry of x reduced with those of src that index
// sends to it. Sums and means are scatter_add. For products and extremes the entries are brought
// into the order of their places, where those of one place are neighbours and are combined in pairs
// at distances 1, 2, 4, ...: nothing is divided, so zeros in products need no special case.
#include "autograd/graph/record.h"
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/allocate.h"
#include "ops/core/composite.h"
#include "ops/core/one_device.h"
#include "ops/core/overwrite.h"
#include "ops/core/wrap_dim.h"
#include "ops/index.h"
#include "ops/index/gather.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

enum class Reduce : uint8_t { Sum, Prod, Mean, Amax, Amin };

struct Reducing {
  int64_t dim;
  Reduce by;
  bool include_self;
  bool self_varies = true, source_varies = true;  // derivatives by them are wanted
};

using Pairwise = Tensor (*)(const Tensor&, const Tensor&, At);
Pairwise pairwise(Reduce by) {
  return by == Reduce::Prod ? Pairwise(mul) : by == Reduce::Amax ? maximum : minimum;
}

/// Ones of x's sizes where its entry counts: where self is left out, those that nothing is sent to.
Tensor counting(const Tensor& x, const Tensor& index, const Reducing& p) {
  const Tensor all = ones(x.sizes(), index.options());
  return p.include_self ? all : scatter(all, p.dim, index, 0);
}

/// The entries in the order of their places, each combined with all before it that go to the same
/// one: the last of each run, which scatter() keeps, has all of it (Hillis and Steele 1986).
Tensor combined(const Tensor& entries, const Tensor& places, int64_t dim, Pairwise combine, At at) {
  const int64_t count = places.size(dim);
  Tensor result = entries;
  for (int64_t step = 1; step < count; step *= 2) {
    const int64_t rest = count - step;
    const Tensor together = eq(narrow(places, dim, 0, rest), narrow(places, dim, step, rest));
    // The places are sorted: runs that are shorter stay so. Samples differ, so a batch goes on.
    if (!is_batched(together) && !any(together).item<bool>()) break;
    const Tensor before = narrow(result, dim, 0, rest, at),
                 own = narrow(result, dim, step, rest, at);
    const Tensor both = where(together, combine(before, own, at), own, at);
    result = cat({narrow(result, dim, 0, step, at), both}, dim, at);
  }
  return result;
}

/// A product or an extreme.
Tensor by_runs(const Tensor& self, const Tensor& index, const Tensor& src, const Reducing& p,
               At at) {
  const auto [places, order] = sort(index, true, p.dim);
  const Tensor runs = combined(gather(src, p.dim, order, at), places, p.dim, pairwise(p.by), at);
  if (!p.include_self) return scatter(self, p.dim, places, runs, at);
  const Tensor own = gather(self, p.dim, places, at);
  return scatter(self, p.dim, places, pairwise(p.by)(own, runs, at), at);
}

// Extremes: all that equal one share its gradient evenly, be they of self or of src; it is 0 beside
// an equal one that is constant, as maximum's.

struct Ties {
  Tensor self, source;  // bool
  Tensor count;         // of each entry of the result
};

Ties ties(const Tensor& self, const Tensor& index, const Tensor& src, const Tensor& result,
          const Reducing& p) {
  // A NaN extreme, and there is no other where there are NaNs, is equalled by every NaN.
  const auto tied = [](const Tensor& x, const Tensor& extreme) {
    return logical_or(eq(x, extreme), ne(x, x));
  };
  const Tensor own = logical_and(tied(self, result), counting(self, index, p));
  const Tensor sent = tied(src, gather(result, p.dim, index));
  const Tensor count = scatter_add(to(own, kInt64), p.dim, index, to(sent, kInt64));
  if (!p.source_varies) return {logical_and(own, eq(count, 1)), sent, count};
  if (p.self_varies) return {own, sent, count};
  return {own, logical_and(sent, logical_not(gather(own, p.dim, index))), count};
}

constexpr auto kExtreme =
    derivative("ScatterReduceBackward0",
               rule(
                   [](const Tensor& grad, const Input<0>& self, const Input<1>& index,
                      const Input<2>& src, const Output& y, const Reducing& p) {
                     const Ties t = ties(self, index, src, y, p);
                     return where(t.self, grad / t.count, 0);
                   },
                   [](const Tensor& tangent, const Input<0>& self, const Input<1>& index,
                      const Input<2>& src, const Output& y, const Reducing& p) {
                     const Ties t = ties(self, index, src, y, p);
                     return where(t.self, tangent / t.count, 0);
                   }),
               not_differentiable,
               rule(
                   [](const Tensor& grad, const Input<0>& self, const Input<1>& index,
                      const Input<2>& src, const Output& y, const Reducing& p) {
                     const Ties t = ties(self, index, src, y, p);
                     return where(t.source, gather(grad / t.count, p.dim, index), 0);
                   },
                   [](const Tensor& tangent, const Input<0>& self, const Input<1>& index,
                      const Input<2>& src, const Output& y, const Reducing& p) {
                     const Ties t = ties(self, index, src, y, p);
                     return scatter_add(zeros(self.sizes(), tangent.options()), p.dim, index,
                                        where(t.source, tangent, 0)) /
                            t.count;
                   }));

/// Whether a derivative with respect to the operand is wanted.
bool varies(const Tensor& operand) {
  return (may_have_tangent(operand) && !active_levels({&operand}).empty()) ||
         (thread_state.grad_mode && needs_gradient(operand));
}

Tensor plain(const Tensor& x) { return raw_alias(x, x.impl().geometry()); }

Tensor extreme(const Operation& op, const Tensor& self, const Tensor& index, const Tensor& src,
               const Reducing& p) {
  const Tensor result = [&] {
    const NoGradGuard no_grad;
    return by_runs(plain(self), index, plain(src), p, op.at);
  }();
  Reducing varying = p;
  varying.self_varies = varies(self);
  varying.source_varies = varies(src);
  return record(kExtreme, op, result, varying, self, index, src);
}

Tensor mean(const Tensor& self, const Tensor& index, const Tensor& sums, const Reducing& p, At at) {
  const Tensor counts = clamp_min(
      scatter_add(counting(self, index, p), p.dim, index, ones(index.sizes(), index.options())), 1);
  return sums.is_floating_point() ? div(sums, counts, at) : div(sums, counts, "floor", at);
}

Reduce reduce_of(const Operation& op, std::string_view name) {
  constexpr std::string_view names[] = {"sum", "prod", "mean", "amax", "amin"};
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (name == names[i]) return static_cast<Reduce>(i);
  op.fail<ValueError>("reduce argument must be either sum, prod, mean, amax or amin, got {}", name);
}

/// The index, checked.
Tensor check_arguments(const Operation& op, const Tensor& self, GivenDim dim, const Tensor& given,
                       const Tensor& src, Reduce by) {
  if (self.dtype() != src.dtype())
    op.fail<DtypeError>("Expected self.dtype to be equal to src.dtype, but got {} and {}",
                        name_of(self.dtype()), name_of(src.dtype()));
  if (by == Reduce::Mean && self.dtype() == kBool)
    op.fail<DtypeError>("the mean is not implemented for 'Bool'");
  const Tensor index = checked_gather_index(op, self, dim, given);
  if (index.numel() == 0) return index;
  bool fits = std::max<int64_t>(index.dim(), 1) == std::max<int64_t>(src.dim(), 1);
  for (int64_t d = 0; fits && d < index.dim(); ++d)
    fits = index.size(d) <= (src.dim() == 0 ? 1 : src.size(d));
  if (!fits)
    op.fail<ShapeError>(
        "Expected index {} to be no larger than self {} apart from dimension {} and to be no "
        "larger size than src {}",
        to_string(index.sizes()), to_string(self.sizes()), dim.given, to_string(src.sizes()));
  return index;
}

/// Nothing has changed if it throws.
Tensor reduced(const Operation& op, const Tensor& self, int64_t dim, const Tensor& indices,
               const Tensor& src, std::string_view reduce, bool include_self) {
  const At at = op.at;
  check_on_one_device(op, {&self, &indices, &src});
  const GivenDim along = given_dim(op, dim, self.dim());
  const Reducing p{along.place, reduce_of(op, reduce), include_self};
  const Tensor index = check_arguments(op, self, along, checked_index(op, indices), src, p.by);
  const Composite composite({&self, &src});
  const auto lined_up = [&](const Tensor& x) { return x.dim() == 0 ? reshape(x, {1}, at) : x; };
  if (self.dim() == 0 || index.dim() == 0 || src.dim() == 0)
    return reshape(
        reduced(op, lined_up(self), 0, lined_up(index), lined_up(src), reduce, include_self),
        self.sizes(), at);
  if (index.numel() == 0) return scatter_add(self, p.dim, index, src, at);
  if (p.by == Reduce::Mean && is_integral(self.dtype()) && self.dtype() != kInt64)
    return to(
        reduced(op, to(self, kInt64, at), dim, index, to(src, kInt64, at), reduce, include_self),
        self.dtype(), at);
  Tensor sent = src;
  for (int64_t d = 0; d < index.dim(); ++d)
    if (sent.size(d) != index.size(d)) sent = narrow(sent, d, 0, index.size(d), at);
  if (p.by == Reduce::Prod) return by_runs(self, index, sent, p, at);
  if (p.by == Reduce::Amax || p.by == Reduce::Amin) return extreme(op, self, index, sent, p);
  const Tensor start = include_self ? self : scatter(self, p.dim, index, 0, at);
  const Tensor sums = scatter_add(start, p.dim, index, sent, at);
  return p.by == Reduce::Sum ? sums : mean(self, index, sums, p, at);
}

/// LibTorch's older names.
std::string_view newer_name(const Operation& op, std::string_view reduce) {
  if (reduce == "add") return "sum";
  if (reduce == "multiply") return "prod";
  op.fail<ValueError>("reduce argument must be either add or multiply, got {}", reduce);
}

/// A number for each of the indices.
Tensor repeated(const Operation& op, const Tensor& self, const Tensor& index, Scalar value) {
  check_on_one_device(op, {&self, &index});
  check_fits(op, value, self.dtype());
  return expand(full({}, value, TensorOptions(self.dtype()).device(self.device())), index.sizes(),
                op.at);
}

struct PlainReduce {
  Reduce by;
  template <typename T>
  T operator()(const T& a, const T& b) const {
    if (by == Reduce::Prod) return a * b;
    if (by == Reduce::Amax) return a < b ? b : a;
    if (by == Reduce::Amin) return b < a ? b : a;
    return a + b;
  }
};

OpCase draw_scatter_reduce(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 3, 1);
  std::vector<int64_t> index_sizes = sizes;
  for (int64_t& size : index_sizes) size = draw.integer(0, size);
  index_sizes[place] = draw.integer(1, 5);
  std::vector<int64_t> source_sizes = index_sizes;
  for (int64_t& size : source_sizes)
    if (draw.integer(0, 3) == 0) ++size;
  constexpr const char* names[] = {"sum", "prod", "mean", "amax", "amin"};
  const auto number = static_cast<std::size_t>(draw.integer(0, 4));
  const auto by = static_cast<Reduce>(number);
  const bool include = draw.boolean(), older = draw.boolean() && number < 2 && include;
  const char* name = older ? (number == 0 ? "add" : "multiply") : names[number];
  OpCase one;
  one.label = format_message("{}, dim={}, index {}, source {}, include_self={}",
                             {name, dim, to_string(index_sizes), to_string(source_sizes), include});
  const bool distinct = number > 2;
  one.arguments = {{.sizes = sizes, .distinct = distinct},
                   Argument::index(index_sizes, sizes[place]),
                   {.sizes = source_sizes, .distinct = distinct}};
  one.call = [=](const variable_list& x) {
    return older ? scatter(x[0], dim, x[1], x[2], name)
                 : scatter_reduce(x[0], dim, x[1], x[2], name, include);
  };
  one.call_in_place = [=](variable_list& x) {
    older ? scatter_(x[0], dim, x[1], x[2], name)
          : scatter_reduce_(x[0], dim, x[1], x[2], name, include);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result = x[0];
    std::vector<int64_t> counts(x[0].values.size(), include ? 1 : 0);
    for_each_index(index_sizes, [&](IndexTuple i) {
      const T value = x[2].values[flat_index(source_sizes, i)];
      i[place] = static_cast<int64_t>(x[1].values[flat_index(index_sizes, i)]);
      T& target = result.values[flat_index(sizes, i)];
      target = counts[flat_index(sizes, i)]++ == 0 ? value : PlainReduce{by}(target, value);
    });
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (by == Reduce::Mean && counts[i] > 1) result.values[i] = result.values[i] / T(counts[i]);
    return result;
  };
  return one;
}

const RegisterOp scatter_reduce_row(op_row("scatter_reduce", "index", draw_scatter_reduce,
                                           Trait::Locates | Trait::Accumulates));

}  // namespace

Tensor scatter_reduce(const Tensor& self, Integer dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self, At at) {
  return reduced({"scatter_reduce", at}, self, dim, index, src, reduce, include_self);
}
Tensor& scatter_reduce_(Tensor& self, Integer dim, const Tensor& index, const Tensor& src,
                        std::string_view reduce, bool include_self, At at) {
  const Operation op("scatter_reduce_", at);
  check_operand(op, self);
  return overwrite(op, self, reduced(op, clone(self, at), dim, index, src, reduce, include_self));
}
Tensor scatter(const Tensor& self, Integer dim, const Tensor& index, const Tensor& src,
               std::string_view reduce, At at) {
  const Operation op("scatter", at);
  return reduced(op, self, dim, index, src, newer_name(op, reduce), true);
}
Tensor& scatter_(Tensor& self, Integer dim, const Tensor& index, const Tensor& src,
                 std::string_view reduce, At at) {
  const Operation op("scatter_", at);
  check_operand(op, self);
  return overwrite(op, self,
                   reduced(op, clone(self, at), dim, index, src, newer_name(op, reduce), true));
}
Tensor scatter(const Tensor& self, Integer dim, const Tensor& index, Scalar value,
               std::string_view reduce, At at) {
  const Operation op("scatter", at);
  return scatter(self, dim, index, repeated(op, self, index, value), reduce, at);
}
Tensor& scatter_(Tensor& self, Integer dim, const Tensor& index, Scalar value,
                 std::string_view reduce, At at) {
  const Operation op("scatter_", at);
  return scatter_(self, dim, index, repeated(op, self, index, value), reduce, at);
}

Tensor IndexMembers::scatter_reduce(Integer dim, const Tensor& index, const Tensor& src,
                                    std::string_view reduce, bool include_self, At at) const {
  return notape::scatter_reduce(self(), dim, index, src, reduce, include_self, at);
}
Tensor& IndexMembers::scatter_reduce_(Integer dim, const Tensor& index, const Tensor& src,
                                      std::string_view reduce, bool include_self, At at) const {
  return notape::scatter_reduce_(self(), dim, index, src, reduce, include_self, at);
}
Tensor IndexMembers::scatter(Integer dim, const Tensor& index, const Tensor& src,
                             std::string_view reduce, At at) const {
  return notape::scatter(self(), dim, index, src, reduce, at);
}
Tensor& IndexMembers::scatter_(Integer dim, const Tensor& index, const Tensor& src,
                               std::string_view reduce, At at) const {
  return notape::scatter_(self(), dim, index, src, reduce, at);
}
Tensor IndexMembers::scatter(Integer dim, const Tensor& index, Scalar value,
                             std::string_view reduce, At at) const {
  return notape::scatter(self(), dim, index, value, reduce, at);
}
Tensor& IndexMembers::scatter_(Integer dim, const Tensor& index, Scalar value,
                               std::string_view reduce, At at) const {
  return notape::scatter_(self(), dim, index, value, reduce, at);
}

}  // namespace notape
