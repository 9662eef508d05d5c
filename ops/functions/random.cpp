#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions random_functions([](Functions& f) {
  f("dropout", dropout, dropout_);
  f.of<Tensor(X)>("bernoulli", bernoulli, bernoulli_out);
  f.of<Tensor(X, double)>("bernoulli", bernoulli, bernoulli_);
  f.of<Tensor(X, X)>("bernoulli", bernoulli, bernoulli_);
  f.of<Tensor(X, X)>("normal", normal, normal_out);
  f.of<Tensor(X, double)>("normal", normal, normal_out);
  f.of<Tensor(double, X)>("normal", normal, normal_out);
  f.of<O(O, double, double)>("normal_", normal_);
  f.of<Tensor(X, I, bool)>("multinomial", multinomial, multinomial_out);
  f("native_dropout", native_dropout);
  f("feature_dropout", feature_dropout, feature_dropout_);
  f("alpha_dropout", alpha_dropout, alpha_dropout_);
  f("feature_alpha_dropout", feature_alpha_dropout, feature_alpha_dropout_);
  f.of<O(O, double, double)>("uniform_", uniform_);
  f.of<O(O, double)>("exponential_", exponential_);
  f.of<O(O, I, Maybe<I>)>("random_", random_);
  f.of<O(O, I)>("random_", random_);
  f.of<O(O)>("random_", random_);
});

}  // namespace
}  // namespace notape::functions
