// Mistakes about memory: tails, stale rows, strides, offsets, what is read when.
#include <algorithm>
#include <atomic>

#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "verify/mutate/edits.h"

namespace notape::verify::mutate {
namespace {

constexpr int64_t kLanes = 8, kChunk = 32768;

bool is_tail(int64_t i, int64_t n) { return i >= n - n % kLanes; }
bool is_tail_of_many(int64_t i, int64_t n) {
  return n > 1000 && i >= n - std::max(n % kLanes, int64_t{1});
}
bool is_chunk_boundary(int64_t i, int64_t n) { return n > kChunk && i == kChunk; }

Tensor with_stale_row(const Tensor& g) {
  if (g.dim() == 0 || g.size(0) < 2) return g;
  const int64_t row = g.numel() / g.size(0);
  std::vector<int64_t> from;
  for (int64_t i = 0; i < g.numel(); ++i) from.push_back(i < g.numel() - row ? i : i - row);
  return picked(g, from, sizes_of(g));
}

/// The right rule at arguments read in a wrong way.
template <typename Read>
Rules arguments_read(Read read) {
  return {[=](const Site& s, const Tensor& v) {
    variable_list x = s.x;
    for (Tensor& one : x)
      if (one.is_floating_point()) one = read(one);
    return s.right.gradient(s.argument, x, v);
  }};
}

std::optional<Rules> for_elementwise(const Target& t, bool (*is_lost)(int64_t, int64_t)) {
  if (t.family != "elementwise") return {};
  return Rules{edited_gradient([=](const Tensor& g) { return without(g, is_lost); })};
}

/// Sums whose order, and so the last bit, changes from run to run.
Rules unordered(const Target&) {
  const auto runs = std::make_shared<std::atomic<int>>(0);
  return {edited_gradient([=](const Tensor& g) {
    const double unit = g.dtype() == kFloat32 ? 0x1p-22 : 0x1p-51;
    return g * (1 + (runs->fetch_add(1) % 7) * unit);
  })};
}

std::optional<Rules> undefined_if_empty(const Target& t) {
  if (std::none_of(t.real.begin(), t.real.end(), [&](auto i) {
        const auto& sizes = t.sizes(i);
        return std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
      }))
    return {};
  return Rules{edited_gradient([](const Tensor& g) { return g.numel() == 0 ? Tensor() : g; })};
}

bool has_empty_gradient(const Subject& right) {
  const auto& real = right.real_arguments();
  return std::any_of(real.begin(), real.end(), [&](std::size_t a) {
    return right.drawn.arguments[a].values.empty() && right.base().defined[a];
  });
}

const Mutant kMemoryMutants[] = {
    {.id = "M48",
     .what = "vector tail not written",
     .plant = anywhere({edited_gradient([](const Tensor& g) { return without(g, is_tail); })}),
     .baseline = true},
    {.id = "M48b",
     .what = "vector tail not written, 1000 entries or more",
     .leg = "long",
     .needs = "a form for any length: the elementwise ones",
     .plant = [](const Target& t) { return for_elementwise(t, is_tail_of_many); },
     .is_wrong = has_gradient,
     .baseline = true},
    {.id = "M49",
     .what = "one row stale",
     .needs = "an input of two rows",
     .harmless = "all rows have the same gradient",
     .plant = anywhere({edited_gradient(with_stale_row)}),
     .baseline = true},
    {.id = "M50",
     .what = "input assumed contiguous",
     .leg = "layouts",
     .harmless = "the derivative does not read the inputs",
     .plant = anywhere(arguments_read(as_if_contiguous))},
    {.id = "M51",
     .what = "incoming gradient assumed contiguous",
     .leg = "layouts",
     .plant = anywhere(
         {[](const Site& s, const Tensor& v) { return right_gradient(s, as_if_contiguous(v)); }})},
    {.id = "M52",
     .what = "storage offset ignored",
     .leg = "layouts",
     .harmless = "the derivative does not read the inputs",
     .plant = anywhere(arguments_read(as_if_without_offset))},
    {.id = "M54",
     .what = "first entry of the second chunk lost",
     .leg = "long",
     .needs = "a form for any length: the elementwise ones",
     .plant = [](const Target& t) { return for_elementwise(t, is_chunk_boundary); },
     .is_wrong = has_gradient},
    {.id = "M55",
     .what = "unordered sum declared deterministic",
     .leg = "repeat",
     .plant = unordered,
     .is_wrong = has_gradient},
    {.id = "M56",
     .what = "zero-size gradient undefined",
     .needs = "an input without entries",
     .harmless = "the gradient may be undefined, which says zero",
     .plant = undefined_if_empty,
     .is_wrong = has_empty_gradient},
};

}  // namespace

void add_memory_mutants(std::vector<Mutant>& all) {
  all.insert(all.end(), std::begin(kMemoryMutants), std::end(kMemoryMutants));
}

}  // namespace notape::verify::mutate
