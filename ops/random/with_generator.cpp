// Random operators with a generator of their own: they draw from it in the default one's place.
#include "ops/activation.h"
#include "ops/random.h"

namespace notape {

Tensor& uniform_(Tensor& self, double from, double to, GeneratorArgument generator, At at) {
  const GeneratorScope scope(generator);
  return uniform_(self, from, to, at);
}
Tensor& normal_(Tensor& self, double mean, double std, GeneratorArgument generator, At at) {
  const GeneratorScope scope(generator);
  return normal_(self, mean, std, at);
}
Tensor& exponential_(Tensor& self, double lambd, GeneratorArgument generator, At at) {
  const GeneratorScope scope(generator);
  return exponential_(self, lambd, at);
}
Tensor& random_(Tensor& self, Integer from, std::optional<Integer> to, GeneratorArgument generator,
                At at) {
  const GeneratorScope scope(generator);
  return random_(self, from, to, at);
}
Tensor& random_(Tensor& self, Integer to, GeneratorArgument generator, At at) {
  const GeneratorScope scope(generator);
  return random_(self, to, at);
}
Tensor& random_(Tensor& self, GeneratorArgument generator, At at) {
  const GeneratorScope scope(generator);
  return random_(self, at);
}
Tensor& bernoulli_(Tensor& self, double p, GeneratorArgument generator, At at) {
  const GeneratorScope scope(generator);
  return bernoulli_(self, p, at);
}
Tensor& bernoulli_(Tensor& self, const Tensor& p, GeneratorArgument generator, At at) {
  const GeneratorScope scope(generator);
  return bernoulli_(self, p, at);
}
Tensor bernoulli(const Tensor& self, GeneratorArgument generator, At at) {
  const GeneratorScope scope(generator);
  return bernoulli(self, at);
}
Tensor bernoulli(const Tensor& self, double p, GeneratorArgument generator, At at) {
  const GeneratorScope scope(generator);
  return bernoulli(self, p, at);
}
Tensor bernoulli(const Tensor& self, const Tensor& p, GeneratorArgument generator, At at) {
  const GeneratorScope scope(generator);
  return bernoulli(self, p, at);
}
Tensor normal(const Tensor& mean, const Tensor& std, GeneratorArgument generator, At at) {
  const GeneratorScope scope(generator);
  return normal(mean, std, at);
}
Tensor normal(const Tensor& mean, double std, GeneratorArgument generator, At at) {
  const GeneratorScope scope(generator);
  return normal(mean, std, at);
}
Tensor normal(double mean, const Tensor& std, GeneratorArgument generator, At at) {
  const GeneratorScope scope(generator);
  return normal(mean, std, at);
}
Tensor multinomial(const Tensor& self, Integer num_samples, bool replacement,
                   GeneratorArgument generator, At at) {
  const GeneratorScope scope(generator);
  return multinomial(self, num_samples, replacement, at);
}
Tensor rrelu(const Tensor& self, Scalar lower, Scalar upper, bool training,
             GeneratorArgument generator, At at) {
  const GeneratorScope scope(generator);
  return rrelu(self, lower, upper, training, at);
}
Tensor& rrelu_(Tensor& self, Scalar lower, Scalar upper, bool training, GeneratorArgument generator,
               At at) {
  const GeneratorScope scope(generator);
  return rrelu_(self, lower, upper, training, at);
}
Tensor normal(double mean, double std, IntArrayRef size, GeneratorArgument generator,
              TensorOptions options, At at) {
  const GeneratorScope scope(generator);
  return normal(mean, std, size, options, at);
}

Tensor& RandomMembers::uniform_(double from, double to, Source generator, At at) const {
  return notape::uniform_(self(), from, to, generator, at);
}
Tensor& RandomMembers::normal_(double mean, double std, Source generator, At at) const {
  return notape::normal_(self(), mean, std, generator, at);
}
Tensor& RandomMembers::exponential_(double lambd, Source generator, At at) const {
  return notape::exponential_(self(), lambd, generator, at);
}
Tensor& RandomMembers::random_(Integer from, std::optional<Integer> to, Source generator,
                               At at) const {
  return notape::random_(self(), from, to, generator, at);
}
Tensor& RandomMembers::random_(Integer to, Source generator, At at) const {
  return notape::random_(self(), to, generator, at);
}
Tensor& RandomMembers::random_(Source generator, At at) const {
  return notape::random_(self(), generator, at);
}
Tensor& RandomMembers::bernoulli_(double p, Source generator, At at) const {
  return notape::bernoulli_(self(), p, generator, at);
}
Tensor& RandomMembers::bernoulli_(const Tensor& p, Source generator, At at) const {
  return notape::bernoulli_(self(), p, generator, at);
}
Tensor RandomMembers::bernoulli(Source generator, At at) const {
  return notape::bernoulli(self(), generator, at);
}
Tensor RandomMembers::bernoulli(double p, Source generator, At at) const {
  return notape::bernoulli(self(), p, generator, at);
}
Tensor RandomMembers::bernoulli(const Tensor& p, Source generator, At at) const {
  return notape::bernoulli(self(), p, generator, at);
}
Tensor RandomMembers::multinomial(Integer num_samples, bool replacement, Source generator,
                                  At at) const {
  return notape::multinomial(self(), num_samples, replacement, generator, at);
}

}  // namespace notape
