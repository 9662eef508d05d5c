// cosine_similarity(a, b) = sum(a b) / (max(|a|, eps) max(|b|, eps)) over one dimension.
#include "ops/arithmetic.h"
#include "ops/core/wrap_dim.h"
#include "ops/loss.h"
#include "ops/loss/terms.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

OpCase draw_cosine_similarity(Draw& draw) {
  auto full = draw.shape(1, 4, 1);
  const int64_t dim = draw.dimension(static_cast<int64_t>(full.size()));
  // The cosine of vectors with one entry is constant.
  int64_t& size = full[static_cast<std::size_t>(dim < 0 ? dim + std::ssize(full) : dim)];
  size = std::max<int64_t>(size, 2);
  OpCase one;
  one.label = format_message("dim={}", {dim});
  // Of one sign, so that no vector is short.
  one.arguments = {{.sizes = full, .domain = {.low = 0.25, .high = 3}},
                   {.sizes = full, .domain = {.low = -3, .high = -0.25}}};
  one.call = [=](const variable_list& x) { return cosine_similarity(x[0], x[1], dim); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    const PlainSlices s(full, dim);
    PlainTensor<T> result(plain_reduced(full, dim, false));
    for (int64_t o = 0; o < s.outer; ++o)
      for (int64_t n = 0; n < s.inner; ++n) {
        T product = 0, a = 0, b = 0;
        for (int64_t i = 0; i < s.size; ++i) {
          const T &left = x[0].values[s.at(o, i, n)], &right = x[1].values[s.at(o, i, n)];
          product += left * right;
          a += left * left;
          b += right * right;
        }
        result.values[static_cast<std::size_t>(o * s.inner + n)] =
            product / (math::sqrt(a) * math::sqrt(b));
      }
    return result;
  };
  return one;
}

const RegisterOp cosine_similarity_row(op_row("cosine_similarity", "loss", draw_cosine_similarity,
                                              Trait::Accumulates));

}  // namespace

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, Integer dim, double eps, At at) {
  const Operation op("cosine_similarity", at);
  check_broadcast(op, {&x1, &x2});
  const std::vector<int64_t> sizes = broadcast_sizes(op, x1.sizes(), x2.sizes());
  wrap_dim(op, dim, static_cast<int64_t>(sizes.size()));
  const Composite composite({&x1, &x2});
  const Promoted x = promoted({x1, x2}, at);
  const auto unit = [&](const Tensor& vectors) {
    const Tensor all = expand(vectors, sizes, at);
    return div(all, clamp_min(linalg_vector_norm(all, 2, {dim}, true, {}, at), eps, at), at);
  };
  return to(sum(mul(unit(x[0]), unit(x[1]), at), dim, false, at), x.type, at);
}

}  // namespace notape
