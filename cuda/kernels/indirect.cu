// Indirect loops on a GPU, a thread for each element. Sums of repeated positions are added in an
// order that changes from run to run.
#include "ops/index/indirect.h"

#include "autograd/graph/refuse_if_deterministic.h"
#include "autograd/tensor/device_interface.h"
#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/elementwise/make_plan.h"
#include "ops/reduce/team_cuda.h"

namespace notape::cuda {
namespace {

/// Of operands 0, 1 and 2 of a plan, where 1 are the positions, the base and the values.
template <typename T, int kBase>
struct Places {
  static constexpr int kValue = 2 - kBase;
  ElementwisePlan plan;
  int64_t scale;

  struct Pair {
    T* base;
    T* value;
  };
  __device__ Pair at(int64_t i) const {
    char* places[3];
    plan.locate(i, places);
    const int64_t position = *reinterpret_cast<const int64_t*>(places[1]);
    return {reinterpret_cast<T*>(places[kBase]) + position * scale,
            reinterpret_cast<T*>(places[kValue])};
  }
};

template <typename T>
struct Read : Places<T, 2> {
  __device__ void operator()(int64_t i, const LoneThread&) const {
    const auto [base, value] = this->at(i);
    *value = *base;
  }
};

/// Of several writes to one element the last stays: who that is is found first.
template <typename T>
struct Claim : Places<T, 0> {
  const T* storage;
  unsigned long long* last;  ///< of each element of the storage, the number of its last write
  __device__ void operator()(int64_t i, const LoneThread&) const {
    atomicMax(last + (this->at(i).base - storage), static_cast<unsigned long long>(i + 1));
  }
};
template <typename T>
struct Write : Claim<T> {
  __device__ void operator()(int64_t i, const LoneThread&) const {
    const auto [base, value] = this->at(i);
    if (this->last[base - this->storage] == static_cast<unsigned long long>(i + 1)) *base = *value;
  }
};

/// What atomicAdd takes in place of T: unsigned integers, which wrap around.
template <typename T>
using Atomic =
    std::conditional_t<std::is_same_v<T, int32_t>, unsigned,
                       std::conditional_t<std::is_same_v<T, int64_t>, unsigned long long, T>>;
template <typename T>
constexpr bool is_16_bit_float = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <typename T>
struct Add : Places<T, 0> {
  __device__ void operator()(int64_t i, const LoneThread&) const {
    const auto [base, value] = this->at(i);
    if constexpr (is_16_bit_float<T>)
      add_16_bits(base, *value);
    else
      atomicAdd(reinterpret_cast<Atomic<T>*>(base), static_cast<Atomic<T>>(*value));
  }

  /// Again, if another thread has come between.
  static __device__ void add_16_bits(T* base, T value) {
    auto* const bits = reinterpret_cast<unsigned short*>(base);
    unsigned short before = atomicCAS(bits, 0, 0), found = before;
    do {
      before = found;
      const float sum = static_cast<float>(T::from_bits(before)) + static_cast<float>(value);
      found = atomicCAS(bits, before, static_cast<T>(sum).bits());
    } while (found != before);
  }
};

template <int kBase>
ElementwisePlan plan_of(const Indirect& where, const Tensor& values, int order_by) {
  ElementwisePlan plan;
  const Tensor* inputs[] = {&where.positions, kBase == 0 ? &values : &where.base};
  make_plan(plan, kBase == 0 ? where.base : values, inputs, 2, order_by);
  return plan;
}

template <typename Work>
void launch(const Work& work, const Tensor& base) {
  const Device device = base.device();
  detail::launch_by_threads(work, work.plan.numel,
                            device_interface(device).current_stream(device.index));
}

void read_on_cuda(const Operation&, const Indirect& where, const Tensor& values) {
  const ElementwisePlan plan = plan_of<2>(where, values, 0);
  visit_type(values.dtype(), [&]<typename T>() {
    launch(Read<T>{{plan, where.scale}}, where.base);
  });
}

void write_on_cuda(const Operation&, const Indirect& where, const Tensor& values) {
  const ElementwisePlan plan = plan_of<0>(where, values, 1);
  visit_type(values.dtype(), [&]<typename T>() {
    const auto* storage = static_cast<const T*>(where.base.impl().storage()->data());
    const auto elements = static_cast<int64_t>(where.base.impl().storage()->bytes() / sizeof(T));
    const Tensor last = zeros({elements}, TensorOptions(kInt64).device(where.base.device()));
    const Claim<T> claim{
        {plan, where.scale}, storage, static_cast<unsigned long long*>(last.impl().data())};
    launch(claim, where.base);
    launch(Write<T>{claim}, where.base);
  });
}

void add_on_cuda(const Operation& op, const Indirect& where, const Tensor& values) {
  refuse_if_deterministic(op, values.device());
  const ElementwisePlan plan = plan_of<0>(where, values, 2);
  visit_type(values.dtype(), [&]<typename T>() {
    if constexpr (sizeof(T) < sizeof(int32_t) && !is_16_bit_float<T>)
      no_kernel(op, values.dtype(), values.device());
    else
      launch(Add<T>{{plan, where.scale}}, where.base);
  });
}

const Implementation implementations[] = {{read_indirect_kernel, kCUDA, read_on_cuda},
                                          {write_indirect_kernel, kCUDA, write_on_cuda},
                                          {add_indirect_kernel, kCUDA, add_on_cuda}};

}  // namespace
}  // namespace notape::cuda
