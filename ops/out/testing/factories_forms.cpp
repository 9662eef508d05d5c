// What makes and draws numbers: each out form beside its function.
#include "autograd/batching/random_factories.h"
#include "ops/out/testing/forms.h"

namespace notape::testing {
namespace {

const RegisterForms factories_forms(
    {{"zeros_out",
      [] {
        return list(zeros({2, 3}, kFloat64));
      },
      [](variable_list& o) {
        return whose(zeros_out(o[0], {2, 3}));
      }},
     {"ones_out",
      [] {
        return list(ones({2, 3}, kFloat64));
      },
      [](variable_list& o) {
        return whose(ones_out(o[0], {2, 3}));
      }},
     {"full_out",
      [] {
        return list(full({2, 3}, 5, kFloat64));
      },
      [](variable_list& o) {
        return whose(full_out(o[0], {2, 3}, 5));
      }},
     {"arange_out", [] { return list(arange(5, kFloat64)); },
      [](variable_list& o) { return whose(arange_out(o[0], 5)); }},
     {"arange_out", [] { return list(arange(1, 9, 3, kFloat64)); },
      [](variable_list& o) { return whose(arange_out(o[0], 1, 9, 3)); }},
     {"linspace_out", [] { return list(linspace(1, 7, 3, kFloat64)); },
      [](variable_list& o) { return whose(linspace_out(o[0], 1, 7, 3)); }},
     {"eye_out", [] { return list(eye(3, kFloat64)); },
      [](variable_list& o) { return whose(eye_out(o[0], 3)); }},
     {"eye_out", [] { return list(eye(3, 4, kFloat64)); },
      [](variable_list& o) { return whose(eye_out(o[0], 3, 4)); }},
     {"rand_out",
      [] {
        return list(rand({2, 3}, kFloat64));
      },
      [](variable_list& o) {
        return whose(rand_out(o[0], {2, 3}));
      }},
     {"randn_out",
      [] {
        return list(randn({2, 3}, kFloat64));
      },
      [](variable_list& o) {
        return whose(randn_out(o[0], {2, 3}));
      }},
     {"randint_out",
      [] {
        return list(randint(9, {2, 3}, kFloat64));
      },
      [](variable_list& o) {
        return whose(randint_out(o[0], 9, {2, 3}));
      }},
     {"randint_out",
      [] {
        return list(randint(5, 9, {2, 3}, kFloat64));
      },
      [](variable_list& o) {
        return whose(randint_out(o[0], 5, 9, {2, 3}));
      }},
     {"randperm_out", [] { return list(randperm(5, kFloat64)); },
      [](variable_list& o) { return whose(randperm_out(o[0], 5)); }},
     {"bernoulli_out", [] { return list(bernoulli(x())); },
      [](variable_list& o) { return whose(bernoulli_out(o[0], x())); }},
     {"multinomial_out", [] { return list(multinomial(x(), 3, true)); },
      [](variable_list& o) { return whose(multinomial_out(o[0], x(), 3, true)); }},
     {"normal_out", [] { return list(normal(x(), y())); },
      [](variable_list& o) { return whose(normal_out(o[0], x(), y())); }},
     {"normal_out", [] { return list(normal(x(), 2)); },
      [](variable_list& o) { return whose(normal_out(o[0], x(), 2)); }},
     {"normal_out", [] { return list(normal(2, y())); },
      [](variable_list& o) { return whose(normal_out(o[0], 2, y())); }}});

}  // namespace
}  // namespace notape::testing
