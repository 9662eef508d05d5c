// New tensors: leaves that require grad, and constants.
#pragma once
#include <fmt/ranges.h>

#include "verify/alias/kinds/kind.h"

namespace notape::verify::alias {

/// out = a new tensor
struct Make {
  Slot out = kNoSlot;
  std::array<int8_t, kMaxDims> sizes{};
  int8_t rank = 1;
  int8_t pattern = 0;
  bool is_leaf = false;  ///< requires grad

  struct Shape {
    int8_t rank;
    std::array<int8_t, kMaxDims> sizes;
  };
  static constexpr Shape kShapes[] = {{1, {4}},       {2, {2, 2}},    {1, {3}},       {2, {2, 3}},
                                      {1, {2}},       {3, {2, 1, 2}}, {0, {}},        {1, {6}},
                                      {2, {3, 2}},    {2, {1, 3}},    {3, {1, 2, 2}}, {1, {1}},
                                      {3, {2, 2, 2}}, {2, {3, 3}},    {1, {8}}};
  static constexpr int kShapeCount = static_cast<int>(std::size(kShapes));

  static Make propose(Draws& draws, int shape, bool is_leaf) {
    const Slot out = draws.slot_for_result();
    const Shape& chosen = kShapes[shape];
    return {out, chosen.sizes, chosen.rank, draws.pattern(), is_leaf};
  }

  Expectation expect(const Oracle& oracle, bool) const {
    if (rank < 0 || rank > kMaxDims || out >= kSlots || !oracle.can_store(1, 1)) return kSkip;
    for (int d = 0; d < rank; ++d)
      if (sizes[at(d)] < 1) return kSkip;
    if (numel() > kMaxCells || (is_leaf && !oracle.has_column_for(numel()))) return kSkip;
    return {};
  }

  void apply(Oracle& oracle, bool) const {
    const Window window = dense_window({sizes.data(), at(rank)});
    Elements elements;
    for (int i = 0; i < window.numel(); ++i) elements[at(i)].value = pattern_value(pattern, i);
    if (is_leaf) {
      const int first = oracle.add_leaf(window.numel());
      for (int i = 0; i < window.numel(); ++i) elements[at(i)].row[at(first + i)] = 1;
    }
    const Alias made = oracle.make_fresh(window, is_leaf, elements);
    oracle.family_of(made).is_leaf = is_leaf;
    oracle.set(out, made);
  }

  void run(Executor& executor) const {
    const std::vector<int64_t> shape(sizes.begin(), sizes.begin() + rank);
    Tensor& made = executor.held(out);
    made = numbers(shape, [&](int i) { return pattern_value(pattern, i); });
    if (is_leaf) executor.add_leaf(made.requires_grad_());
  }

  std::string text() const {
    std::string values;
    for (int i = 0; i < numel(); ++i)
      values += fmt::format("{}{}", i ? ", " : "", pattern_value(pattern, i));
    return fmt::format("t{} = make({{{}}}, {{{}}}){};{}", out,
                       fmt::join(sizes.begin(), sizes.begin() + rank, ", "), values,
                       is_leaf ? ".requires_grad_()" : "",
                       is_leaf ? fmt::format("  leaves.push_back(t{});", out) : "");
  }

  Parts parts() { return {&out, {}, {}, {&sizes[0], &sizes[1], &sizes[2], &pattern, &rank}}; }
  std::vector<Make> simpler() const {
    std::vector<Make> result;
    for (const int8_t size : {1, 2, 3}) {
      const Make one{out, {size}, 1, 0, is_leaf};
      if (std::tie(sizes, pattern, rank) > std::tie(one.sizes, one.pattern, one.rank))
        result.push_back(one);
    }
    return result;
  }

  int numel() const {
    int result = 1;
    for (int d = 0; d < rank; ++d) result *= sizes[at(d)];
    return result;
  }

  bool operator==(const Make&) const = default;
};

}  // namespace notape::verify::alias
