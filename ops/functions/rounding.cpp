#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions rounding_functions([](Functions& f) {
  f("floor", floor, floor_, floor_out);
  f("ceil", ceil, ceil_, ceil_out);
  f.of<Tensor(X)>("round", round, round_, round_out);
  f.of<Tensor(X, I)>("round", round, round_, round_out);
  f("trunc", trunc, trunc_, trunc_out);
  f("frac", frac, frac_, frac_out);
});

}  // namespace
}  // namespace notape::functions
