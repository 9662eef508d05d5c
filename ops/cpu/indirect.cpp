// Indirect loops on the CPU, in a fixed order: repeated positions give the same bits every time.
#include "ops/index/indirect.h"

#include <algorithm>
#include <atomic>
#include <unordered_set>
#include <vector>

#include "ops/core/allocate.h"
#include "ops/core/wrapping.h"
#include "ops/elementwise/make_plan.h"
#include "ops/elementwise/run_on_cpu.h"
#include "ops/parallel.h"

namespace notape {
namespace {

struct Read {
  template <typename T>
  void operator()(T& base, T& value) const {
    value = base;
  }
};
struct Write {
  template <typename T>
  void operator()(T& base, T& value) const {
    base = value;
  }
};
struct Add {
  template <typename T>
  void operator()(T& base, T& value) const {
    base = static_cast<T>(static_cast<Wrapping<T>>(base) + static_cast<Wrapping<T>>(value));
  }
};

/// What a loop is told beside its operands.
struct Way {
  int64_t scale;
  int64_t size = 0;                         // positions are to be below it, unless it is 0
  std::atomic<bool>* is_outside = nullptr;  // set if one is not; nothing is moved then
};

/// Whether all positions are in range.
bool are_inside(const char* positions, int64_t stride, int64_t n, int64_t size) {
  const auto end = static_cast<uint64_t>(size);  // negative ones are beyond it, too
  uint64_t outside = 0;
  if (stride == sizeof(int64_t)) {
    const auto* each = reinterpret_cast<const int64_t*>(positions);
    for (int64_t i = 0; i < n; ++i) outside |= static_cast<uint64_t>(each[i]) >= end;
  } else {
    for (int64_t i = 0; i < n; ++i)
      outside |= *reinterpret_cast<const uint64_t*>(positions + i * stride) >= end;
  }
  return outside == 0;
}

/// One position for the whole run.
template <typename T, typename Move>
void move_run(char* base, int64_t base_stride, char* value, int64_t value_stride, int64_t n) {
  if (base_stride == sizeof(T) && value_stride == sizeof(T)) {
    T* __restrict elements = reinterpret_cast<T*>(base);
    T* __restrict values = reinterpret_cast<T*>(value);
    for (int64_t i = 0; i < n; ++i) Move()(elements[i], values[i]);
  } else {
    for (int64_t i = 0; i < n; ++i)
      Move()(*reinterpret_cast<T*>(base + i * base_stride),
             *reinterpret_cast<T*>(value + i * value_stride));
  }
}

/// Neighbouring positions and values, all from one base: what most loops are.
template <typename T, typename Move>
void move_line(T* __restrict base, const int64_t* __restrict positions, T* __restrict values,
               int64_t scale, int64_t n) {
  if (scale == 1)
    for (int64_t i = 0; i < n; ++i) Move()(base[positions[i]], values[i]);
  else
    for (int64_t i = 0; i < n; ++i) Move()(base[positions[i] * scale], values[i]);
}

/// data[1] are the positions; `kBase` says whether the base is data[0] or data[2].
template <typename T, typename Move, int kBase>
void loop(char* const* data, const int64_t* strides, int64_t n, const void* context) {
  constexpr int kValue = 2 - kBase;
  const Way& way = *static_cast<const Way*>(context);
  const int64_t step = way.scale * static_cast<int64_t>(sizeof(T));
  const bool is_line =
      strides[kBase] == 0 && strides[1] == sizeof(int64_t) && strides[kValue] == sizeof(T);
  constexpr int64_t kBlock = 1024;  // is in the processor's cache when it is read again
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t count = strides[1] == 0 ? n : std::min(kBlock, n - begin);
    char* base = data[kBase] + begin * strides[kBase];
    char* value = data[kValue] + begin * strides[kValue];
    const char* positions = data[1] + begin * strides[1];
    const int64_t distinct = strides[1] == 0 ? 1 : count;
    if (way.size != 0 && !are_inside(positions, strides[1], distinct, way.size))
      return way.is_outside->store(true, std::memory_order_relaxed);
    if (strides[1] == 0) {
      base += *reinterpret_cast<const int64_t*>(positions) * step;
      return move_run<T, Move>(base, strides[kBase], value, strides[kValue], n);
    }
    if (is_line) {
      move_line<T, Move>(reinterpret_cast<T*>(base), reinterpret_cast<const int64_t*>(positions),
                         reinterpret_cast<T*>(value), way.scale, count);
      continue;
    }
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = *reinterpret_cast<const int64_t*>(positions + i * strides[1]);
      Move()(*reinterpret_cast<T*>(base + i * strides[kBase] + at * step),
             *reinterpret_cast<T*>(value + i * strides[kValue]));
    }
  }
}

/// Whether each run along the fastest dimension stays within a part of the base of its own: it lies
/// along the positions, and the next run is beyond all that they reach. `item` in bytes.
bool has_runs_apart(const ElementwisePlan& plan, const Way& way, int64_t item) {
  if (way.size == 0 || way.scale <= 0 || plan.ndim < 2 || plan.strides[0][0] != 0) return false;
  int64_t reach = ((way.size - 1) * way.scale + 1) * item;
  for (int d = 1; d < plan.ndim; ++d) {
    if (plan.strides[d][0] < reach) return false;
    reach += plan.strides[d][0] * (plan.sizes[d] - 1);
  }
  return true;
}

/// Every run in order, but several of them at the same time.
void run_apart(ElementwiseLoop each, const ElementwisePlan& plan, const Way& way) {
  const int64_t runs = plan.numel / plan.sizes[0];
  const int64_t grain = std::max<int64_t>(1, kParallelGrain / plan.sizes[0]);
  parallel_for(0, runs, grain, [&](int64_t first, int64_t last) {
    for (int64_t run_indirect = first; run_indirect < last; ++run_indirect) {
      char* data[] = {plan.data[0], plan.data[1], plan.data[2]};
      int64_t rest = run_indirect;
      for (int d = 1; d < plan.ndim; rest /= plan.sizes[d], ++d)
        for (int k = 0; k < 3; ++k) data[k] += rest % plan.sizes[d] * plan.strides[d][k];
      each(data, plan.strides[0], plan.sizes[0], &way);
    }
  });
}

/// Whether a position is a row of the base, and all of a row is written by one run.
bool writes_rows(const ElementwisePlan& plan, const Way& way, int64_t item) {
  return plan.numel > 0 && plan.ndim == 2 && plan.strides[0][1] == 0 && plan.strides[1][0] == 0 &&
         plan.strides[0][0] == item && way.scale >= plan.sizes[0];
}

/// Every row in order, but several columns at the same time, as wide a part of a row as each thread
/// can have: narrow ones are slow to read, and no result depends on where rows are cut.
void run_columns(ElementwiseLoop each, const ElementwisePlan& plan, const Way& way, int64_t item) {
  const int64_t line = std::max<int64_t>(1, 64 / item);  // no two threads write to one cache line
  const int64_t columns = plan.sizes[0], lines = (columns + line - 1) / line;
  const int64_t threads = runs_on_one_thread() ? 1 : get_num_threads();
  const int64_t grain =
      std::max(kParallelGrain / (plan.sizes[1] * line), (lines + threads - 1) / threads);
  parallel_for(0, lines, grain, [&](int64_t first, int64_t last) {
    ElementwisePlan part = plan;
    part.sizes[0] = std::min(last * line, columns) - first * line;
    part.numel = part.sizes[0] * part.sizes[1];
    for (int k = 0; k < plan.operands; ++k) part.data[k] += first * line * plan.strides[0][k];
    run_on_cpu(each, part, &way);
  });
}

/// What is read stands in each place of its own; what is written at one place is in order.
template <typename T, typename Move, int kBase>
void run_plan(const ElementwisePlan& plan, const Way& way) {
  constexpr ElementwiseLoop kLoop = loop<T, Move, kBase>;
  if (std::is_same_v<Move, Read>)
    run_split(kLoop, plan, &way);
  else if (plan.numel > 0 && has_runs_apart(plan, way, sizeof(T)))
    run_apart(kLoop, plan, way);
  else if (writes_rows(plan, way, sizeof(T)))
    run_columns(kLoop, plan, way, sizeof(T));
  else
    run_on_cpu(kLoop, plan, &way);
}

template <typename Move, int kBase, int kOrderBy>
void run_way(const Indirect& where, const Tensor& values, const Way& way) {
  const Tensor& target = kBase == 0 ? where.base : values;
  const Tensor* inputs[] = {&where.positions, kBase == 0 ? &values : &where.base};
  ElementwisePlan plan;
  make_plan(plan, target, inputs, 2, kOrderBy);
  visit_type(target.dtype(), [&]<typename T>() { run_plan<T, Move, kBase>(plan, way); });
}

template <typename Move, int kBase, int kOrderBy>
void run_indirect(const Operation&, const Indirect& where, const Tensor& values) {
  run_way<Move, kBase, kOrderBy>(where, values, {where.scale});
}

/// `bounds.size` is not 0.
template <typename Move, int kBase, int kOrderBy>
void run_checked(const Operation&, const Indirect& where, const Tensor& values,
                 const PositionBounds& bounds, bool& are_all_inside) {
  std::atomic<bool> is_outside{false};
  run_way<Move, kBase, kOrderBy>(where, values, {where.scale, bounds.size, &is_outside});
  are_all_inside = !is_outside.load(std::memory_order_relaxed);
}

/// Sums of numbers of 16 bits are rounded once, however often a position is repeated.
template <typename Sum>
void add_widely(const Indirect& where, const Tensor& values, const Sum& sum) {
  if (!is_reduced_floating_point(values.dtype())) return sum(where, values);
  const TensorImpl& base = where.base.impl();
  // Positions lead anywhere in the storage.
  const auto elements = static_cast<int64_t>(base.storage()->bytes() / values.element_size());
  const Tensor stored = raw_alias(where.base, Geometry(IntArrayRef(elements)));
  const Tensor sums = raw_convert(stored, kFloat32);
  sum({raw_alias(sums, base.geometry()), where.positions, where.scale},
      raw_convert(values, kFloat32));
  raw_copy(stored, sums);
}
void add(const Operation& op, const Indirect& where, const Tensor& values) {
  add_widely(where, values, [&](const Indirect& at, const Tensor& wide) {
    run_indirect<Add, 0, 2>(op, at, wide);
  });
}
void add_checked(const Operation& op, const Indirect& where, const Tensor& values,
                 const PositionBounds& bounds, bool& are_all_inside) {
  add_widely(where, values, [&](const Indirect& at, const Tensor& wide) {
    run_checked<Add, 0, 2>(op, at, wide, bounds, are_all_inside);
  });
}

/// Whether all are in range.
bool are_between(const int64_t* values, int64_t count, const PositionBounds& bounds) {
  std::atomic<bool> all_inside{true};
  parallel_for(0, count, kParallelGrain, [&](int64_t first, int64_t last) {
    const auto low = static_cast<uint64_t>(bounds.least),
               width = static_cast<uint64_t>(bounds.size) - low;
    int64_t outside = 0;  // what is below `least` is far beyond the end, too
    for (int64_t i = first; i < last; ++i)
      outside |= static_cast<uint64_t>(values[i]) - low >= width;
    if (outside != 0) all_inside.store(false, std::memory_order_relaxed);
  });
  return all_inside.load(std::memory_order_relaxed);
}

void check_positions(const Operation& op, Tensor& result, const Tensor& index,
                     const PositionBounds& bounds) {
  const int64_t* const values = index.impl().data_as<int64_t>();
  const int64_t count = index.numel();
  if (!are_between(values, count, bounds))
    for (int64_t i = 0; i < count; ++i)
      if (values[i] < bounds.least || values[i] >= bounds.size)
        op.fail<IndexError>("index {} is out of bounds for dimension {} with size {}", values[i],
                            bounds.dim, bounds.size);
  if (bounds.least == 0) return;
  result = allocate(index.sizes(), kInt64, index.device());
  int64_t* const positions = result.impl().data_as<int64_t>();
  for (int64_t i = 0; i < count; ++i)
    positions[i] = values[i] < 0 ? values[i] + bounds.size : values[i];
}

void count_distances(const Operation&, const Tensor& result, const Tensor& positions,
                     const Box& box) {
  const auto* const position = positions.impl().data_as<int64_t>();
  auto* const distance = result.impl().data_as<int64_t>();
  for (int64_t i = 0; i < result.numel(); ++i) distance[i] = box.distance_of(position[i]);
}

void find_overwritten(const Operation&, Tensor& result, const Tensor& positions, int64_t count) {
  const auto* position = positions.impl().data_as<int64_t>();
  const int64_t n = positions.numel();
  const Tensor found = allocate(positions.sizes(), kBool, positions.device());
  bool* is_loser = found.impl().data_as<bool>();
  bool any = false;
  const auto lose = [&](int64_t i, bool is_overwritten) {
    is_loser[i] = is_overwritten;
    any |= is_overwritten;
  };
  if (count / 512 <= n) {  // from the last on, a bit for each entry of the box
    std::vector<uint64_t> written(static_cast<std::size_t>(count / 64 + 1));
    for (int64_t i = n; i-- > 0;) {
      uint64_t& bits = written[static_cast<std::size_t>(position[i] / 64)];
      const uint64_t bit = uint64_t{1} << (position[i] % 64);
      lose(i, (bits & bit) != 0);
      bits |= bit;
    }
  } else {
    std::unordered_set<int64_t> later;
    for (int64_t i = n; i-- > 0;) lose(i, !later.insert(position[i]).second);
  }
  if (any) result = found;
}

}  // namespace

constinit IndirectKernel read_indirect_kernel(run_indirect<Read, 2, 0>);
constinit IndirectKernel write_indirect_kernel(run_indirect<Write, 0, 1>);
constinit IndirectKernel add_indirect_kernel(add);
constinit CheckedIndirectKernel checked_read(run_checked<Read, 2, 0>);
constinit CheckedIndirectKernel checked_add(add_checked);
constinit PositionsKernel positions_kernel(check_positions);
constinit DistancesKernel distances_kernel(count_distances);
constinit OverwrittenKernel overwritten_kernel(find_overwritten);

}  // namespace notape
