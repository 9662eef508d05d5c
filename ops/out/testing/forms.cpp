#include "ops/out/testing/forms.h"

#include <algorithm>

namespace notape::testing {
namespace {

std::vector<OutForm>& forms_so_far() {
  static std::vector<OutForm> all;
  return all;
}

/// `count` distinct numbers in (0, 1): `step` has no factor in common with count.
Tensor scrambled(int64_t count, int64_t step, IntArrayRef sizes) {
  const Tensor order = remainder(arange(count, kInt64) * step, count);
  return ((order.to(kFloat64) + 0.5) / (static_cast<double>(count) + 0.5)).reshape(sizes);
}

}  // namespace

RegisterForms::RegisterForms(std::initializer_list<OutForm> forms) {
  forms_so_far().insert(forms_so_far().end(), forms);
}

const std::vector<OutForm>& out_forms() {
  std::vector<OutForm>& all = forms_so_far();
  std::stable_sort(all.begin(), all.end(),
                   [](const OutForm& a, const OutForm& b) { return a.name < b.name; });
  return all;
}

Tensor x() { return scrambled(12, 7, {3, 4}); }
Tensor y() { return scrambled(12, 5, {3, 4}); }
Tensor definite() { return x().matmul(x().t()) + eye(3, kFloat64); }
Tensor stacked() { return scrambled(24, 7, {2, 3, 4}); }
Tensor image() { return scrambled(32, 7, {1, 2, 4, 4}); }
Tensor volume() { return scrambled(64, 11, {1, 1, 4, 4, 4}); }
Tensor ladder() { return arange(5, kFloat64) / 5; }
Tensor n() { return (remainder(arange(12, kInt64) * 5, 6) + 1).reshape({3, 4}); }
Tensor m() { return (remainder(arange(12, kInt64), 6) + 1).reshape({3, 4}); }
Tensor flags() { return remainder(n(), 2).to(kBool); }
Tensor positions() { return tensor({0, 2, 1}); }
Tensor places() { return remainder(arange(12, kInt64) * 5, 3).reshape({3, 4}); }
Tensor distinct_pixels() { return remainder(arange(32, kInt64), 16).reshape({1, 2, 4, 4}); }
Tensor distinct_places() {
  return remainder(arange(3, kInt64).unsqueeze(1) + arange(4, kInt64), 3);
}

}  // namespace notape::testing
