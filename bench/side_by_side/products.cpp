// Matrix products, attention, an LSTM layer.
#include <cstdlib>

#include "bench/side_by_side/cases.h"

namespace side {
namespace {

void add_matrices(std::vector<Case>& cases) {
  for (const int64_t n : {64, 256, 512, 1024}) {
    const Tensor a = leaf({n, n}), b = leaf({n, n});
    add_pair(cases, "mm " + std::to_string(n), [=] { return a.mm(b); });
  }
  const bool is_limited = std::getenv("NOTAPE_ISA");  // with AVX2 Debian's oneDNN has no bfloat16
  for (const int64_t n :
       is_limited ? std::vector<int64_t>() : std::vector<int64_t>{256, 512, 1024}) {
    const Tensor a = leaf({n, n}).detach().to(library::kBFloat16), b = a.t().contiguous();
    cases.push_back({"mm " + std::to_string(n) + " in bfloat16, forward", [=] { a.mm(b); }});
  }
  const Tensor a = leaf({32, 128, 64}), b = leaf({32, 64, 128});
  add_pair(cases, "bmm 32 of 128x64x128", [=] { return a.bmm(b); });
  const Tensor x = leaf({128, 512}), weight = leaf({512, 512}), bias = leaf({512});
  add_pair(cases, "addmm 128x512x512", [=] { return library::addmm(bias, x, weight); });
  add_pair(cases, "linear and relu 128x512x512",
           [=] { return library::linear(x, weight, bias).relu(); });
  const Tensor u = leaf({1024}), v = leaf({1024}), m = leaf({1024, 1024});
  add_pair(cases, "outer to 1M", [=] { return library::outer(u, v); });
  add_pair(cases, "mv 1024", [=] { return m.mv(v); });
}

Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value) {
#if defined(SIDE_TORCH) && TORCH_VERSION_MAJOR < 2
  return std::get<0>(at::_scaled_dot_product_attention(query, key, value));
#elif defined(SIDE_TORCH)
  return at::scaled_dot_product_attention(query, key, value);
#else
  return notape::scaled_dot_product_attention(query, key, value);
#endif
}

void add_sequences(std::vector<Case>& cases) {
  const Tensor query = leaf({4, 8, 256, 64}), key = leaf({4, 8, 256, 64});
  const Tensor value = leaf({4, 8, 256, 64});
  add_pair(cases, "attention 4x8x256x64", [=] { return attention(query, key, value); });
  const Tensor steps = leaf({50, 64, 256}), state = library::zeros({1, 64, 256});
  std::vector<Tensor> weights;
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{1024, 256}, {1024, 256}, {1024}, {1024}})
    weights.push_back(((library::rand(sizes) - 0.5) / 8).requires_grad_());
  add_pair(cases, "lstm T 50, B 64, H 256", [=] {
    return std::get<0>(
        library::lstm(steps, {state, state}, weights, true, 1, 0.0, true, false, false));
  });
}

}  // namespace

void add_products(std::vector<Case>& cases) {
  add_matrices(cases);
  add_sequences(cases);
}

}  // namespace side
