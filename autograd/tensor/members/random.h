// The members of a Tensor that ops/random/ defines: x.f() for f(x), x.f_() for f_(x). What they
// draw and their errors stand beside f in ops/random.h.
#pragma once
#include <optional>

#include "autograd/integer.h"
#include "autograd/source_location.h"
#include "autograd/tensor/generator.h"
#include "autograd/tensor/scalar.h"

namespace notape {

class Tensor;

class RandomMembers {
  using At = SourceLocation;

 public:
  Tensor& uniform_(double from = 0, double to = 1, At at = At::current()) const;
  Tensor& normal_(double mean = 0, double std = 1, At at = At::current()) const;
  Tensor& exponential_(double lambd = 1, At at = At::current()) const;
  Tensor& random_(Integer from, std::optional<Integer> to, At at = At::current()) const;
  Tensor& random_(Integer to, At at = At::current()) const;
  Tensor& random_(At at = At::current()) const;
  Tensor& bernoulli_(double p = 0.5, At at = At::current()) const;
  Tensor& bernoulli_(const Tensor& p, At at = At::current()) const;
  Tensor bernoulli(At at = At::current()) const;
  Tensor bernoulli(double p, At at = At::current()) const;
  Tensor bernoulli(const Tensor& p, At at = At::current()) const;
  Tensor multinomial(Integer num_samples, bool replacement = false, At at = At::current()) const;

  // The same from this generator in the default one's place.
  using Source = std::optional<Generator>;
  Tensor& uniform_(double from, double to, Source generator, At at = At::current()) const;
  Tensor& normal_(double mean, double std, Source generator, At at = At::current()) const;
  Tensor& exponential_(double lambd, Source generator, At at = At::current()) const;
  Tensor& random_(Integer from, std::optional<Integer> to, Source generator,
                  At at = At::current()) const;
  Tensor& random_(Integer to, Source generator, At at = At::current()) const;
  Tensor& random_(Source generator, At at = At::current()) const;
  Tensor& bernoulli_(double p, Source generator, At at = At::current()) const;
  Tensor& bernoulli_(const Tensor& p, Source generator, At at = At::current()) const;
  Tensor bernoulli(Source generator, At at = At::current()) const;
  Tensor bernoulli(double p, Source generator, At at = At::current()) const;
  Tensor bernoulli(const Tensor& p, Source generator, At at = At::current()) const;
  Tensor multinomial(Integer num_samples, bool replacement, Source generator,
                     At at = At::current()) const;

 private:
  Tensor& self() const;
};

}  // namespace notape
