#include "ops/core/check_values.h"

#include "ops/core/allocate.h"

namespace notape {
namespace {

void check_on_cpu(const Operation& op, const Tensor& values, const ValueBounds& bounds) {
  visit_type(values.dtype(), [&]<typename T>() {
    if constexpr (is_floating_v<T> || std::is_same_v<T, int32_t>) {
      const T* const elements = values.impl().data_as<T>();
      for (int64_t i = 0, n = values.numel(); i < n; ++i)
        if (const auto value = static_cast<double>(elements[i]);
            !(value >= bounds.least && value <= bounds.most)) {
          const std::string words = words_of(bounds.words, bounds.error, value, i);
          if (bounds.error == ValueBounds::Error::Value) op.fail<ValueError>("{}", words);
          op.fail<LinalgError>("{}", words);
        }
    }
  });
}

}  // namespace

constinit ValueCheckKernel value_check_kernel(check_on_cpu);

void check_values(const Operation& op, const Tensor& values, const ValueBounds& bounds) {
  const Tensor plain = is_batched(values) ? with_batch_dims(values, levels_of(values), values.dim())
                                          : raw_alias(values, values.impl().geometry());
  const Tensor all = raw_contiguous(plain);
  value_check_kernel(op, all.dtype(), all.device(), all, bounds);
}

}  // namespace notape
