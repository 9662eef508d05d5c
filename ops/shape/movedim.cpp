// movedim(x, source, destination): a permutation that leaves the other dimensions in order.
#include "ops/core/promotion.h"
#include "ops/shape.h"
#include "ops/shape/distinct_dims.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

OpCase draw_movedim(Draw& draw) {
  const auto sizes = draw.shape(1, 4);
  const auto rank = static_cast<int64_t>(sizes.size());
  std::vector<int64_t> source, destination, order;
  for (int64_t d = 0; d < rank; ++d) {
    order.insert(order.begin() + draw.integer(0, d), d);
    destination.insert(destination.begin() + draw.integer(0, d), d);
  }
  source = order;
  const auto count = static_cast<std::size_t>(draw.integer(1, rank));
  source.resize(count);
  destination.resize(count);
  // Dimension i of the result is dimension taken[i].
  std::vector<int64_t> taken(sizes.size(), -1);
  for (std::size_t i = 0; i < count; ++i)
    taken[static_cast<std::size_t>(destination[i])] = source[i];
  int64_t next = 0;
  for (int64_t& dim : taken) {
    const auto moved = [&](int64_t d) {
      return std::find(source.begin(), source.end(), d) != source.end();
    };
    if (dim >= 0) continue;
    while (moved(next)) ++next;
    dim = next++;
  }
  std::vector<int64_t> result_sizes;
  for (const int64_t d : taken) result_sizes.push_back(sizes[static_cast<std::size_t>(d)]);
  return picked_case(
      to_string(source) + " to " + to_string(destination), sizes, result_sizes,
      [=](const Tensor& x) {
        if (source.size() == 1) return movedim(x, source[0], destination[0] - rank);
        return movedim(x, source, destination);
      },
      [=](const IndexTuple& i) {
        IndexTuple from(i.size());
        for (std::size_t d = 0; d < i.size(); ++d) from[static_cast<std::size_t>(taken[d])] = i[d];
        return from;
      });
}

const RegisterOp movedim_row(op_row("movedim", "shape", draw_movedim, Trait::Permutes));

}  // namespace

Tensor movedim(const Tensor& self, IntArrayRef source, IntArrayRef destination, At at) {
  const Operation op("movedim", at);
  check_operand(op, self);
  if (source.size() != destination.size())
    op.fail<ShapeError>(
        "invalid source or destination dims: source ({} dims) should contain the same number of "
        "dims as destination ({} dims)",
        source.size(), destination.size());
  const DimVector from = distinct_dims(op, source, self.dim());
  const DimVector to = distinct_dims(op, destination, self.dim());
  if (self.dim() == 0) return alias(self, at);
  std::vector<int64_t> order(static_cast<std::size_t>(self.dim()), -1);
  for (std::size_t i = 0; i < from.size(); ++i) order[static_cast<std::size_t>(to[i])] = from[i];
  int64_t next = 0;
  for (int64_t& dim : order) {
    if (dim >= 0) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    dim = next++;
  }
  return permute(self, order, at);
}

Tensor ShapeMembers::movedim(IntArrayRef source, IntArrayRef destination, At at) const {
  return notape::movedim(self(), source, destination, at);
}

}  // namespace notape
