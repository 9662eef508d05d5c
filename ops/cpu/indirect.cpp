// Indirect loops on the CPU, in a fixed order: repeated positions give the same bits every time.
#include "ops/index/indirect.h"

#include "ops/core/allocate.h"
#include "ops/core/wrapping.h"
#include "ops/elementwise/make_plan.h"
#include "ops/elementwise/run_on_cpu.h"

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

/// data[1] are the positions; `kBase` says whether the base is data[0] or data[2].
template <typename T, typename Move, int kBase>
void loop(char* const* data, const int64_t* strides, int64_t n, const void* scale) {
  constexpr int kValue = 2 - kBase;
  const auto item = static_cast<int64_t>(sizeof(T));
  const int64_t step = *static_cast<const int64_t*>(scale) * item;
  char* base = data[kBase];
  char* value = data[kValue];
  if (strides[1] != 0) {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = *reinterpret_cast<const int64_t*>(data[1] + i * strides[1]);
      Move()(*reinterpret_cast<T*>(base + i * strides[kBase] + at * step),
             *reinterpret_cast<T*>(value + i * strides[kValue]));
    }
    return;
  }
  base += *reinterpret_cast<const int64_t*>(data[1]) * step;  // one position for the whole run
  if (strides[kBase] == item && strides[kValue] == item) {
    T* __restrict elements = reinterpret_cast<T*>(base);
    T* __restrict values = reinterpret_cast<T*>(value);
    for (int64_t i = 0; i < n; ++i) Move()(elements[i], values[i]);
  } else {
    for (int64_t i = 0; i < n; ++i)
      Move()(*reinterpret_cast<T*>(base + i * strides[kBase]),
             *reinterpret_cast<T*>(value + i * strides[kValue]));
  }
}

void split(ElementwiseLoop each, const ElementwisePlan& plan, const void* scale) {
  run_split(each, plan, scale);
}
void in_order(ElementwiseLoop each, const ElementwisePlan& plan, const void* scale) {
  run_on_cpu(each, plan, scale);
}

template <typename Move, int kBase, int kOrderBy>
void run(const Operation&, const Indirect& where, const Tensor& values) {
  const Tensor& target = kBase == 0 ? where.base : values;
  const Tensor* inputs[] = {&where.positions, kBase == 0 ? &values : &where.base};
  ElementwisePlan plan;
  make_plan(plan, target, inputs, 2, kOrderBy);
  // What is read stands in each place of its own; what is written is in order.
  constexpr auto run_plan = std::is_same_v<Move, Read> ? split : in_order;
  visit_type(target.dtype(),
             [&]<typename T>() { run_plan(loop<T, Move, kBase>, plan, &where.scale); });
}

/// Sums of numbers of 16 bits are rounded once, however often a position is repeated.
void add(const Operation& op, const Indirect& where, const Tensor& values) {
  if (!is_reduced_floating_point(values.dtype())) return run<Add, 0, 2>(op, where, values);
  const TensorImpl& base = where.base.impl();
  // Positions lead anywhere in the storage.
  const auto elements = static_cast<int64_t>(base.storage()->bytes() / values.element_size());
  const Tensor stored = raw_alias(where.base, Geometry(IntArrayRef(elements)));
  const Tensor sums = raw_convert(stored, kFloat32);
  run<Add, 0, 2>(op, {raw_alias(sums, base.geometry()), where.positions, where.scale},
                 raw_convert(values, kFloat32));
  raw_copy(stored, sums);
}

}  // namespace

constinit IndirectKernel read_indirect_kernel(run<Read, 2, 0>);
constinit IndirectKernel write_indirect_kernel(run<Write, 0, 1>);
constinit IndirectKernel add_indirect_kernel(add);

}  // namespace notape
