#include "autograd/batching/random_factories.h"

#include <numeric>

#include "autograd/batching/vmap_scope.h"
#include "autograd/tensor/core_operators.h"
#include "autograd/tensor/generate.h"

namespace notape {
namespace {

/// make(sizes, options) with random numbers: inside vmap as its call wants them.
template <typename F>
Tensor made_in_vmap(const char* name, IntArrayRef size, const TensorOptions& options,
                    const F& make) {
  const TensorOptions plain = options.requires_grad(false);
  const Tensor result = draw_in_vmap(name, size, [&](IntArrayRef all) { return make(all, plain); });
  if (options.requires_grad()) result.requires_grad_();
  return result;
}

/// generate() with random numbers.
template <typename F>
Tensor draw(const char* name, IntArrayRef size, const TensorOptions& options,
            ScalarType default_dtype, F f) {
  return made_in_vmap(name, size, options, [&](IntArrayRef all, const TensorOptions& plain) {
    return detail::generate(name, all, plain, default_dtype, f);
  });
}

/// Of a floating type, made where they are wanted.
Tensor draw_stream(const char* name, IntArrayRef size, const TensorOptions& options,
                   const RandomElements& elements) {
  return made_in_vmap(name, size, options, [&](IntArrayRef all, const TensorOptions& plain) {
    const Tensor result = empty(all, plain.dtype(options.dtype()));
    core_operators->draw(name, result, RandomStream(default_generator()), elements);
    return result;
  });
}

void require_floating(const char* name, const TensorOptions& options) {
  if (!is_floating_point(options.dtype()))
    throw DtypeError("{}: not defined for {}", name, name_of(options.dtype()));
}

}  // namespace

Tensor rand(IntArrayRef size, TensorOptions options) {
  require_floating("rand", options);
  return draw_stream("rand", size, options, UniformBelowOne());
}

Tensor randn(IntArrayRef size, TensorOptions options) {
  require_floating("randn", options);
  return draw_stream("randn", size, options, StandardNormal());
}

Tensor randint(Integer low, Integer high, IntArrayRef size, TensorOptions options) {
  if (high <= low)
    throw ValueError("randint: expects 'from' < 'to', but got from={} >= to={}", low, high);
  const ScalarType type = options.dtype_opt().value_or(kInt64);
  const bool low_fits = detail::holds_whole(type, low);
  if (!low_fits || !detail::holds_whole(type, high - 1))
    throw ValueError("randint: {} is out of bounds for {}", low_fits ? "to - 1" : "from",
                     c_name_of(type));
  Generator& random = default_generator();
  return draw("randint", size, options, kInt64, [&](int64_t) {
    const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    return static_cast<int64_t>(static_cast<uint64_t>(low) + random.below(range));
  });
}

Tensor randint(Integer high, IntArrayRef size, TensorOptions options) {
  return randint(0, high, size, options);
}

Tensor randperm(Integer n, TensorOptions options) {
  if (n < 0) throw ValueError("randperm: n must be non-negative, got {}", n);
  detail::refuse_bool("randperm", options);
  const ScalarType type = options.dtype_opt().value_or(kInt64);
  if (n > 0 && !detail::holds_whole(type, n - 1))
    throw ValueError("randperm: {} numbers are more than {} can tell apart", n, name_of(type));
  std::vector<int64_t> order;
  // A permutation is drawn whenever the one before is used up.
  return draw("randperm", IntArrayRef(n), options, kInt64, [&](int64_t i) {
    const int64_t at = i % n;
    if (at == 0) {
      order.resize(static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), int64_t{0});
      for (std::size_t k = order.size(); k > 1; --k)
        std::swap(order[k - 1], order[default_generator().below(k)]);
    }
    return order[static_cast<std::size_t>(at)];
  });
}

Tensor rand_like(const Tensor& like, TensorOptions options) {
  return rand(like.sizes(), options.or_those_of(like.options()));
}
Tensor randn_like(const Tensor& like, TensorOptions options) {
  return randn(like.sizes(), options.or_those_of(like.options()));
}
Tensor randint_like(const Tensor& like, Integer high, TensorOptions options) {
  return randint_like(like, 0, high, options);
}
Tensor randint_like(const Tensor& like, Integer low, Integer high, TensorOptions options) {
  return randint(low, high, like.sizes(), options.or_those_of(like.options()));
}

Tensor rand(IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
  const GeneratorScope scope(generator);
  return rand(size, options);
}
Tensor randn(IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
  const GeneratorScope scope(generator);
  return randn(size, options);
}
Tensor randint(Integer low, Integer high, IntArrayRef size, std::optional<Generator> generator,
               TensorOptions options) {
  const GeneratorScope scope(generator);
  return randint(low, high, size, options);
}
Tensor randint(Integer high, IntArrayRef size, std::optional<Generator> generator,
               TensorOptions options) {
  return randint(0, high, size, generator, options);
}
Tensor randperm(Integer n, std::optional<Generator> generator, TensorOptions options) {
  const GeneratorScope scope(generator);
  return randperm(n, options);
}
Tensor rand_like(const Tensor& like, std::optional<Generator> generator, TensorOptions options) {
  const GeneratorScope scope(generator);
  return rand_like(like, options);
}
Tensor randn_like(const Tensor& like, std::optional<Generator> generator, TensorOptions options) {
  const GeneratorScope scope(generator);
  return randn_like(like, options);
}

}  // namespace notape
