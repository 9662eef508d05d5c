// x.random_(from, to): whole numbers, each of [from, to) as likely.
#include "autograd/tensor/generate.h"
#include "ops/random.h"
#include "ops/random/overwrite.h"

namespace notape {
namespace {

/// The largest whole number up to which all are elements of the type.
int64_t largest_whole(ScalarType type) {
  if (is_floating_point(type)) return int64_t{1} << element_type(type).digits;
  return visit_type(type, []<typename T>() -> int64_t {
    if constexpr (std::numeric_limits<T>::is_integer)
      return static_cast<int64_t>(std::numeric_limits<T>::max());
    else
      return 0;
  });
}

/// From `from` to `last`, both included.
Tensor& fill_between(const Operation& op, Tensor& self, int64_t from, int64_t last) {
  const ScalarType type = self.dtype();
  if (!detail::holds_whole(type, from))
    op.fail<ValueError>("from is out of bounds for {}", name_of(type));
  if (!detail::holds_whole(type, last))
    op.fail<ValueError>("to - 1 is out of bounds for {}", name_of(type));
  const uint64_t range = static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1;  // 0: 2^64
  return overwrite_drawn(op, self, WholeNumbers{from, range});
}

}  // namespace

Tensor& random_(Tensor& self, Integer from, std::optional<Integer> to, At at) {
  const Operation op("random_", at);
  check_to_overwrite(op, self);
  if (!to) {
    const int64_t last = largest_whole(self.dtype());
    if (from > last) op.fail<ValueError>("from is out of bounds for {}", name_of(self.dtype()));
    return fill_between(op, self, from, last);
  }
  if (from >= *to)
    op.fail<ValueError>("expects 'from' to be less than 'to', but got from={} >= to={}", from, *to);
  return fill_between(op, self, from, *to - 1);
}

Tensor& random_(Tensor& self, Integer to, At at) {
  return random_(self, 0, std::optional<int64_t>(to), at);
}

Tensor& random_(Tensor& self, At at) { return random_(self, 0, std::optional<int64_t>(), at); }

Tensor& RandomMembers::random_(Integer from, std::optional<Integer> to, At at) const {
  return notape::random_(self(), from, to, at);
}
Tensor& RandomMembers::random_(Integer to, At at) const { return notape::random_(self(), to, at); }
Tensor& RandomMembers::random_(At at) const { return notape::random_(self(), at); }

}  // namespace notape
