// Ends of domains: the limit from inside, NaN outside. (Roots are among the powers.)
#include "autograd/autograd.h"
#include "ops/ops.h"
#include "verify/atlas/atlas.h"

namespace notape::verify::atlas {
namespace {

using T = const Tensor&;

Row end(const char* function, Numbers x, Numbers value, std::vector<Numbers> derivatives,
        std::vector<Spelling> spellings, const char* libtorch) {
  return pointwise("domain ends", function, Rule::R4, std::move(x), std::move(value),
                   std::move(derivatives), std::move(spellings), "", libtorch);
}

}  // namespace

std::vector<Row> domain_ends() {
  return {
      end("log x", {0, 1, -1}, {-kInfinity, 0, kNaN},
          {{kInfinity, 1, kNaN}, {-kInfinity, -1, kNaN}},
          {{"log", "log", [](T x) { return log(x); }},
           {"log_", "log", [](T x) { return x.clone().log_(); }},
           {"log1p(x - 1)", "log1p", [](T x) { return log1p(x - 1); }}},
          "-1 at -1"),
      end("log(1 + x)", {-1, 0, -2}, {-kInfinity, 0, kNaN},
          {{kInfinity, 1, kNaN}, {-kInfinity, -1, kNaN}},
          {{"log1p", "log1p", [](T x) { return log1p(x); }},
           {"log1p_", "log1p", [](T x) { return x.clone().log1p_(); }},
           {"log(x + 1)", "log", [](T x) { return log(x + 1); }}},
          "-1 at -2"),
  };
}

}  // namespace notape::verify::atlas
