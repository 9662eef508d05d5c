#include "ops/core/raw_copy.h"
#include "ops/cpu/transposed_copy.h"
#include "ops/elementwise/kernel.h"
#include "ops/elementwise/make_plan.h"
#include "ops/elementwise/run_on_cpu.h"

namespace notape {
namespace {

template <typename To, typename From>
To convert(From value) {
  if constexpr (std::is_same_v<From, Bool>)
    return static_cast<To>(static_cast<bool>(value));
  else if constexpr (std::is_same_v<To, Bool>)
    return value != From(0);
  else
    return static_cast<To>(value);
}

template <typename To, typename From>
void convert_loop(char* const* data, const int64_t* strides, int64_t n, const void*) {
  detail::elementwise_run(
      data, strides, n, [](From value) { return convert<To>(value); },
      static_cast<To (*)(From)>(nullptr));
}

ElementwiseLoop convert_loop_for(ScalarType to, ScalarType from) {
  return visit_type(to, [&]<typename To>() {
    return visit_type(from,
                      []<typename From>() -> ElementwiseLoop { return convert_loop<To, From>; });
  });
}

bool copy_by_tiles(const ElementwisePlan& plan, std::size_t item) {
  switch (item) {
    case 1:
      return copy_transposed<uint8_t>(plan);
    case 2:
      return copy_transposed<uint16_t>(plan);
    case 4:
      return copy_transposed<uint32_t>(plan);
    default:
      return copy_transposed<uint64_t>(plan);
  }
}

void copy_on_cpu(const Operation&, const Tensor& target, const Tensor& source) {
  ElementwisePlan plan;
  const Tensor* inputs[] = {&source};
  make_plan(plan, target, inputs, 1);
  if (target.dtype() == source.dtype() && copy_by_tiles(plan, target.element_size())) return;
  run_split(convert_loop_for(target.dtype(), source.dtype()), plan, nullptr);
}

}  // namespace

constinit CopyKernel copy_kernel(copy_on_cpu);

}  // namespace notape
