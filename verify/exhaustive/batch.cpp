#include "verify/exhaustive/batch.h"

#include <cmath>
#include <cstring>

#include "autograd/autograd.h"
#include "autograd/tensor/factories.h"
#include "ops/spec/op_spec.h"

namespace notape::verify::exhaustive {
namespace {

struct Way {
  const char* name;
  std::size_t (*place)(std::size_t i);   ///< of a number in memory
  Tensor (*view)(const Tensor& memory);  ///< the operator's argument
  std::size_t (*entry)(std::size_t i);   ///< where a number's result is in the argument
};
std::size_t same(std::size_t i) { return i; }
std::size_t twice(std::size_t i) { return 2 * i; }
const Way kEveryWay[kWays] = {
    {"side by side", same, [](const Tensor& all) { return all.narrow(0, 0, kBatch); }, same},
    {"two apart", twice,
     [](const Tensor& all) {
       return all.view({-1, 2}).select(1, 0);
     },
     same},
    {"at an odd address", [](std::size_t i) { return i + 1; },
     [](const Tensor& all) { return all.narrow(0, 1, kBatch); }, same},
    {"in rows of seven", [](std::size_t i) { return i / 7 * 8 + i % 7; },
     [](const Tensor& all) {
       return all.narrow(0, 0, kBatch / 7 * 8).view({-1, 8}).narrow(1, 0, 7);
     },
     same},
    {"beside unusual numbers", twice, [](const Tensor& all) { return all; }, twice},
};

}  // namespace

const char* way_name(std::size_t way) { return kEveryWay[way].name; }

Quantities through(const OpSpec& spec, const OpCase& one, const std::vector<double>& numbers,
                   ScalarType dtype, std::size_t way) {
  constexpr float kBetween[] = {0.75F, NAN, 1e30F, -1e-40F, 0, -INFINITY, -3, 200};
  const Way& laid = kEveryWay[way];
  std::vector<float> memory(2 * kBatch);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = kBetween[i / 2 % 8];
  for (std::size_t i = 0; i < kBatch; ++i) memory[laid.place(i)] = static_cast<float>(numbers[i]);
  const Tensor all = empty({2 * kBatch}, kFloat32);
  std::memcpy(all.mutable_data_ptr<float>(), memory.data(), memory.size() * sizeof(float));
  const Tensor x = laid.view(all.to(dtype)).detach().requires_grad_(true);

  Quantities result;
  const EnableGradGuard recording;
  Tensor last = one.call({x});
  for (std::size_t q = 0; q < kQuantities; ++q) {
    if (q > 0) {
      if (static_cast<int>(q) > spec.order || (q == kSlope && !last.requires_grad())) break;
      const bool again = static_cast<int>(q) < spec.order;
      if (last.requires_grad())
        last = autograd::grad({last}, {x}, {ones_like(last)}, {}, again, true)[0];
      else
        last = Tensor();
      if (!last.defined()) last = zeros_like(x);
    }
    const Tensor entries = last.detach().to(kFloat64).contiguous();
    const double* const data = entries.const_data_ptr<double>();
    result.of[q].resize(kBatch);
    for (std::size_t i = 0; i < kBatch; ++i) result.of[q][i] = data[laid.entry(i)];
  }
  return result;
}

}  // namespace notape::verify::exhaustive
