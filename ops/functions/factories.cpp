#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions factories_functions([](Functions& f) {
  f("zeros_out", zeros_out);
  f("ones_out", ones_out);
  f("full_out", full_out);
  f.of<O(O, Scalar)>("arange_out", arange_out);
  f.of<O(O, Scalar, Scalar, Scalar)>("arange_out", arange_out);
  f("linspace_out", linspace_out);
  f.of<O(O, I)>("eye_out", eye_out);
  f.of<O(O, I, I)>("eye_out", eye_out);
  f("rand_out", rand_out);
  f("randn_out", randn_out);
  f.of<O(O, I, Sizes)>("randint_out", randint_out);
  f.of<O(O, I, I, Sizes)>("randint_out", randint_out);
  f("randperm_out", randperm_out);
  f("empty_out", empty_out);
});

}  // namespace
}  // namespace notape::functions
