// Indirect loops on a GPU, a thread for each element. Sums at repeated positions are added in an
// order that changes from run to run, but for deterministic mode and types of 8 bits.
#include "ops/index/indirect.h"

#include "autograd/modes/deterministic.h"
#include "autograd/tensor/device_interface.h"
#include "autograd/tensor/factories.h"
#include "cuda/kernels/position_check.h"
#include "ops/core/allocate.h"
#include "ops/elementwise/make_plan.h"
#include "ops/reduce/ordering.h"
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
    T* base;  ///< null for a position that is not admitted
    T* value;
  };
  template <typename Check>
  __device__ Pair at(int64_t i, const Check& check) const {
    char* places[3];
    plan.locate(i, places);
    const int64_t position = *reinterpret_cast<const int64_t*>(places[1]);
    T* const base = reinterpret_cast<T*>(places[kBase]);
    return {check.admits(position) ? base + position * scale : nullptr,
            reinterpret_cast<T*>(places[kValue])};
  }
};

/// For positions that are known to be right.
struct NoCheck {
  __device__ bool admits(int64_t) const { return true; }
};

template <typename T, typename Check>
struct Read : Places<T, 2> {
  Check check;
  __device__ void operator()(int64_t i, const LoneThread&) const {
    const auto [base, value] = this->at(i, check);
    *value = base ? *base : T(0);
  }
};

/// Of several writes to one element the last stays: who that is is found first.
template <typename T>
struct Claim : Places<T, 0> {
  const T* storage;
  unsigned long long* last;  ///< of each element of the storage, the number of its last write
  __device__ void operator()(int64_t i, const LoneThread&) const {
    atomicMax(last + (this->at(i, NoCheck()).base - storage),
              static_cast<unsigned long long>(i + 1));
  }
};
template <typename T>
struct Write : Claim<T> {
  __device__ void operator()(int64_t i, const LoneThread&) const {
    const auto [base, value] = this->at(i, NoCheck());
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

template <typename T, typename Check>
struct Add : Places<T, 0> {
  Check check;
  __device__ void operator()(int64_t i, const LoneThread&) const {
    const auto [base, value] = this->at(i, check);
    if (!base) return;
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

/// Which element of the storage each is added to; none for a position that is not admitted.
constexpr int64_t kNoElement = -1;
template <typename T, typename Check>
struct Goal : Places<T, 0> {
  Check check;
  const T* storage;
  int64_t* result;
  __device__ void operator()(int64_t i, const LoneThread&) const {
    const T* const base = this->at(i, check).base;
    result[i] = base ? base - storage : kNoElement;
  }
};

/// Those that go to one element, one after the other, by the first of their threads.
template <typename T>
struct AddRun : Places<T, 0> {
  T* storage;
  const int64_t *goals, *from;  ///< in order
  __device__ void operator()(int64_t k, const LoneThread&) const {
    const int64_t goal = goals[k];
    if (goal == kNoElement || (k > 0 && goals[k - 1] == goal)) return;
    using Sum = std::conditional_t<is_floating_v<T>, double, uint64_t>;
    auto sum = static_cast<Sum>(storage[goal]);
    for (; k < this->plan.numel && goals[k] == goal; ++k)
      sum += static_cast<Sum>(*this->at(from[k], NoCheck()).value);
    storage[goal] = static_cast<T>(sum);
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

template <typename Check>
void read(const Indirect& where, const Tensor& values, const Check& check) {
  const ElementwisePlan plan = plan_of<2>(where, values, 0);
  visit_type(values.dtype(), [&]<typename T>() {
    launch(Read<T, Check>{{plan, where.scale}, check}, where.base);
  });
}
void read_on_cuda(const Operation&, const Indirect& where, const Tensor& values) {
  read(where, values, NoCheck());
}
void checked_read_on_cuda(const Operation& op, const Indirect& where, const Tensor& values,
                          const PositionBounds& bounds, bool&) {
  read(where, values, PositionCheck(op, bounds, values.device()));
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

/// By where they go, and among those in the order of the values.
template <typename T, typename Check>
void add_in_order(const Operation& op, const Indirect& where, const ElementwisePlan& plan,
                  const Check& check) {
  const Device device = where.base.device();
  const auto numbers = [&] { return allocate(IntArrayRef({plan.numel}), kInt64, device); };
  const Tensor goals = numbers(), sorted = numbers(), from = numbers();
  auto* const storage = static_cast<T*>(where.base.impl().storage()->data());
  launch(Goal<T, Check>{{plan, where.scale}, check, storage, goals.impl().data_as<int64_t>()},
         where.base);
  order_kernel(op, kInt64, device, sorted, from, goals, Slices({plan.numel}, 0), plan.numel, false);
  launch(AddRun<T>{{plan, where.scale},
                   storage,
                   sorted.impl().data_as<int64_t>(),
                   from.impl().data_as<int64_t>()},
         where.base);
}

template <typename Check>
void add(const Operation& op, const Indirect& where, const Tensor& values, const Check& check) {
  const ElementwisePlan plan = plan_of<0>(where, values, 2);
  visit_type(values.dtype(), [&]<typename T>() {
    constexpr bool has_atomics = sizeof(T) >= sizeof(int32_t) || is_16_bit_float<T>;
    if (!has_atomics || is_deterministic()) return add_in_order<T>(op, where, plan, check);
    if constexpr (has_atomics) launch(Add<T, Check>{{plan, where.scale}, check}, where.base);
  });
}
void add_on_cuda(const Operation& op, const Indirect& where, const Tensor& values) {
  add(op, where, values, NoCheck());
}
void checked_add_on_cuda(const Operation& op, const Indirect& where, const Tensor& values,
                         const PositionBounds& bounds, bool&) {
  add(op, where, values, PositionCheck(op, bounds, values.device()));
}

struct Positions {
  const int64_t* index;
  int64_t* result;
  PositionCheck check;
  __device__ void operator()(int64_t i, const LoneThread&) const {
    const int64_t position = index[i];
    if (!check.admits(position))
      result[i] = 0;
    else
      result[i] = position < 0 ? position + check.bounds.size : position;
  }
};
void positions_on_cuda(const Operation& op, Tensor& result, const Tensor& index,
                       const PositionBounds& bounds) {
  result = allocate(index.sizes(), kInt64, index.device());
  const Positions work{index.impl().data_as<int64_t>(), result.impl().data_as<int64_t>(),
                       PositionCheck(op, bounds, index.device())};
  const Device device = index.device();
  detail::launch_by_threads(work, index.numel(),
                            device_interface(device).current_stream(device.index));
}

struct Distances {
  const int64_t* positions;
  int64_t* result;
  Box box;
  __device__ void operator()(int64_t i, const LoneThread&) const {
    result[i] = box.distance_of(positions[i]);
  }
};
void distances_on_cuda(const Operation&, const Tensor& result, const Tensor& positions,
                       const Box& box) {
  const Distances work{positions.impl().data_as<int64_t>(), result.impl().data_as<int64_t>(), box};
  const Device device = result.device();
  detail::launch_by_threads(work, result.numel(),
                            device_interface(device).current_stream(device.index));
}

/// The last of each place claims it; then whoever has not got it has lost.
struct ClaimPlace {
  const int64_t* positions;
  unsigned long long* last;
  __device__ void operator()(int64_t i, const LoneThread&) const {
    atomicMax(last + positions[i], static_cast<unsigned long long>(i + 1));
  }
};
struct HasLost : ClaimPlace {
  Bool* result;
  __device__ void operator()(int64_t i, const LoneThread&) const {
    result[i] = last[positions[i]] != static_cast<unsigned long long>(i + 1);
  }
};
void overwritten_on_cuda(const Operation&, Tensor& result, const Tensor& positions, int64_t count) {
  const Device device = positions.device();
  const Tensor last = zeros({count}, TensorOptions(kInt64).device(device));
  result = allocate(positions.sizes(), kBool, device);
  const ClaimPlace claim{positions.impl().data_as<int64_t>(),
                         static_cast<unsigned long long*>(last.impl().data())};
  void* const stream = device_interface(device).current_stream(device.index);
  detail::launch_by_threads(claim, positions.numel(), stream);
  detail::launch_by_threads(HasLost{claim, result.impl().data_as<Bool>()}, positions.numel(),
                            stream);
}

const Implementation implementations[] = {{read_indirect_kernel, kCUDA, read_on_cuda},
                                          {write_indirect_kernel, kCUDA, write_on_cuda},
                                          {add_indirect_kernel, kCUDA, add_on_cuda}};
const Implementation checked[] = {{checked_read, kCUDA, checked_read_on_cuda},
                                  {checked_add, kCUDA, checked_add_on_cuda}};
const Implementation checking(positions_kernel, kCUDA, positions_on_cuda);
const Implementation measuring(distances_kernel, kCUDA, distances_on_cuda);
const Implementation comparing(overwritten_kernel, kCUDA, overwritten_on_cuda);

}  // namespace
}  // namespace notape::cuda
