#include "ops/reduce/ordering.h"

#include <algorithm>
#include <limits>

#include "ops/cpu/radix_sort.h"
#include "ops/reduce/ordering_entry.h"

namespace notape {
namespace {

/// The first `count` of the numbers from[i step], i < size, in any order, of more.
template <typename T, bool kDescending>
void choose(std::vector<OrderingEntry<T>>& chosen, const T* from, int64_t step, int64_t size,
            int64_t count) {
  constexpr auto before = stands_before<T, kDescending>;
  const auto wanted = static_cast<std::size_t>(count);
  const std::size_t most = std::max<std::size_t>(2 * wanted, 64);
  chosen.clear();
  const auto leave_wanted = [&] {
    std::nth_element(chosen.begin(), chosen.begin() + count - 1, chosen.end(), before);
    chosen.resize(wanted);
  };
  int64_t i = 0;
  for (; chosen.size() < most && i < size; ++i) chosen.push_back({from[i * step], i});
  leave_wanted();
  // The last of those: what follows and is no better than it is not looked at any closer.
  const auto may_pass = [&](T value) {
    const T last = chosen[wanted - 1].value;
    return kDescending ? !(value <= last) : !(value >= last);
  };
  constexpr int64_t kBlock = 64;
  while (i < size) {
    const int64_t end = std::min(i + kBlock, size);
    bool any = false;
    for (int64_t k = i; k < end; ++k) any |= may_pass(from[k * step]);
    for (; any && i < end; ++i) {
      const OrderingEntry<T> entry{from[i * step], i};
      if (!may_pass(entry.value) || !before(entry, chosen[wanted - 1])) continue;
      chosen.push_back(entry);
      if (chosen.size() == most) leave_wanted();
    }
    i = end;
  }
  leave_wanted();
}

/// Of a slice of `size` numbers those that come first, in order: found[i] for i < count.
template <typename T, bool kDescending>
class Order {
 public:
  const std::vector<OrderingEntry<T>>& first(const T* from, int64_t step, int64_t size,
                                             int64_t count) {
    constexpr int64_t kFewForRadix = 512;
    if (count == size && size > kFewForRadix && size <= std::numeric_limits<uint32_t>::max())
      return by_radix(from, step, size);
    if (count > 0 && count < size / 4) {
      choose<T, kDescending>(found_, from, step, size, count);
    } else {
      found_.resize(static_cast<std::size_t>(size));
      for (int64_t i = 0; i < size; ++i) found_[static_cast<std::size_t>(i)] = {from[i * step], i};
      if (count < size)
        std::nth_element(found_.begin(), found_.begin() + count, found_.end(),
                         stands_before<T, kDescending>);
    }
    std::sort(found_.begin(), found_.begin() + count, stands_before<T, kDescending>);
    return found_;
  }

 private:
  const std::vector<OrderingEntry<T>>& by_radix(const T* from, int64_t step, int64_t size) {
    found_.clear();
    const auto at = [&](int64_t i) { return from[i * step]; };
    for (const Keyed<T>& entry : radix_sorted<T>(buffers_, size, kDescending, at))
      found_.push_back({at(entry.index), entry.index});
    return found_;
  }

  std::vector<OrderingEntry<T>> found_;
  SortBuffers<T> buffers_;
};

template <typename T, bool kDescending>
void order_slices(const T* self, T* values, int64_t* indices, const Slices& s, int64_t count) {
  const int64_t grain = std::max<int64_t>(1, kParallelGrain / 8 / std::max<int64_t>(s.size, 1));
  parallel_for(0, s.count(), grain, [&](int64_t first, int64_t last) {
    Order<T, kDescending> order;
    for (int64_t slice = first; slice < last; ++slice) {
      const auto& found = order.first(self + s.start(slice), s.inner, s.size, count);
      const int64_t to = slice / s.inner * count * s.inner + slice % s.inner;
      for (int64_t i = 0; i < count; ++i) {
        values[to + i * s.inner] = found[static_cast<std::size_t>(i)].value;
        indices[to + i * s.inner] = found[static_cast<std::size_t>(i)].index;
      }
    }
  });
}

void order_on_cpu(const Operation&, const Tensor& values, const Tensor& indices, const Tensor& self,
                  const Slices& s, int64_t count, bool descending) {
  visit_computed(self.dtype(), [&]<typename T>() {
    (descending ? order_slices<T, true>
                : order_slices<T, false>)(self.impl().data_as<T>(), values.impl().data_as<T>(),
                                          indices.impl().data_as<int64_t>(), s, count);
  });
}

}  // namespace

constinit OrderKernel order_kernel(order_on_cpu);

}  // namespace notape
