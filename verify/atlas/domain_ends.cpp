// Ends of domains: the limit from inside, NaN outside. (Roots are among the powers.)
#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "ops/transcendental.h"
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
      end("log x / log 2", {0, 2, -1}, {-kInfinity, 1, kNaN},
          {{kInfinity, 0.72134752044448170368, kNaN}},
          {{"log2", "log2", [](T x) { return log2(x); }}}, "-1.44 at -1"),
      end("log x / log 10", {0, 10, -1}, {-kInfinity, 1, kNaN},
          {{kInfinity, 0.043429448190325182765, kNaN}},
          {{"log10", "log10", [](T x) { return log10(x); }}}, "-0.434 at -1"),
      end("asin x", {0, 2, -2}, {0, kNaN, kNaN}, {{1, kNaN, kNaN}, {0, kNaN, kNaN}},
          {{"asin", "asin", [](T x) { return asin(x); }}}, ""),
      end("-acos x", {0, 2, -2}, {-1.5707963267948966192, kNaN, kNaN},
          {{1, kNaN, kNaN}, {0, kNaN, kNaN}}, {{"-acos", "acos", [](T x) { return -acos(x); }}},
          ""),
      end("acosh x", {1, 0, -2}, {0, kNaN, kNaN}, {{kInfinity, kNaN, kNaN}},
          {{"acosh", "acosh", [](T x) { return acosh(x); }}}, "0.577 at -2"),
      end("atanh x", {1, 0, -1, 2}, {kInfinity, 0, -kInfinity, kNaN},
          {{kInfinity, 1, kInfinity, kNaN}}, {{"atanh", "atanh", [](T x) { return atanh(x); }}},
          "-1/3 at 2"),
      end("erfinv x", {1, 0, -1, 2}, {kInfinity, 0, -kInfinity, kNaN},
          {{kInfinity, 0.88622692545275801365, kInfinity, kNaN}},
          {{"erfinv", "erfinv", [](T x) { return erfinv(x); }}}, ""),
      end("logit x", {0, 0.5, 1, 2}, {-kInfinity, 0, kInfinity, kNaN},
          {{kInfinity, 4, kInfinity, kNaN}}, {{"logit", "logit", [](T x) { return logit(x); }}},
          ""),
  };
}

}  // namespace notape::verify::atlas
