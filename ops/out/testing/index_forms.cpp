// Gathering, scattering, searching and joining: each out form beside its function.
#include "ops/out/testing/forms.h"

namespace notape::testing {
namespace {

const RegisterForms index_forms(
    {{"index_out", [] { return list(index(x(), {positions()})); },
      [](variable_list& o) { return whose(index_out(o[0], x(), {positions()})); }},
     {"index_select_out", [] { return list(index_select(x(), 0, positions())); },
      [](variable_list& o) { return whose(index_select_out(o[0], x(), 0, positions())); }},
     {"gather_out", [] { return list(gather(x(), 0, places())); },
      [](variable_list& o) { return whose(gather_out(o[0], x(), 0, places())); }},
     {"take_out", [] { return list(take(x(), places())); },
      [](variable_list& o) { return whose(take_out(o[0], x(), places())); }},
     {"take_along_dim_out", [] { return list(take_along_dim(x(), places(), 0)); },
      [](variable_list& o) { return whose(take_along_dim_out(o[0], x(), places(), 0)); }},
     {"index_add_out", [] { return list(index_add(x(), 0, positions(), y(), 2)); },
      [](variable_list& o) { return whose(index_add_out(o[0], x(), 0, positions(), y(), 2)); }},
     {"index_copy_out", [] { return list(index_copy(x(), 0, positions(), y())); },
      [](variable_list& o) { return whose(index_copy_out(o[0], x(), 0, positions(), y())); }},
     {"scatter_out", [] { return list(scatter(x(), 0, distinct_places(), y())); },
      [](variable_list& o) { return whose(scatter_out(o[0], x(), 0, distinct_places(), y())); }},
     {"scatter_out", [] { return list(scatter(x(), 0, places(), 3)); },
      [](variable_list& o) { return whose(scatter_out(o[0], x(), 0, places(), 3)); }},
     {"scatter_out", [] { return list(scatter(x(), 0, places(), y(), "add")); },
      [](variable_list& o) { return whose(scatter_out(o[0], x(), 0, places(), y(), "add")); }},
     {"scatter_out", [] { return list(scatter(x(), 0, places(), 3, "multiply")); },
      [](variable_list& o) { return whose(scatter_out(o[0], x(), 0, places(), 3, "multiply")); }},
     {"scatter_add_out", [] { return list(scatter_add(x(), 0, places(), y())); },
      [](variable_list& o) { return whose(scatter_add_out(o[0], x(), 0, places(), y())); }},
     {"scatter_reduce_out",
      [] { return list(scatter_reduce(x(), 0, places(), y(), "amax", false)); },
      [](variable_list& o) {
        return whose(scatter_reduce_out(o[0], x(), 0, places(), y(), "amax", false));
      }},
     {"masked_select_out", [] { return list(masked_select(x(), flags())); },
      [](variable_list& o) { return whose(masked_select_out(o[0], x(), flags())); }},
     {"tril_out", [] { return list(tril(x(), 1)); },
      [](variable_list& o) { return whose(tril_out(o[0], x(), 1)); }},
     {"triu_out", [] { return list(triu(x(), 1)); },
      [](variable_list& o) { return whose(triu_out(o[0], x(), 1)); }},
     {"diag_out", [] { return list(diag(x(), 1)); },
      [](variable_list& o) { return whose(diag_out(o[0], x(), 1)); }},
     {"nonzero_out", [] { return list(nonzero(flags())); },
      [](variable_list& o) { return whose(nonzero_out(o[0], flags())); }},
     {"searchsorted_out", [] { return list(searchsorted(ladder(), x(), true, true)); },
      [](variable_list& o) { return whose(searchsorted_out(o[0], ladder(), x(), true, true)); }},
     {"searchsorted_out", [] { return list(searchsorted(ladder(), 0.4, true, true)); },
      [](variable_list& o) { return whose(searchsorted_out(o[0], ladder(), 0.4, true, true)); }},
     {"bucketize_out", [] { return list(bucketize(x(), ladder(), true, true)); },
      [](variable_list& o) { return whose(bucketize_out(o[0], x(), ladder(), true, true)); }},
     {"cat_out",
      [] {
        return list(cat({x(), y()}, 1));
      },
      [](variable_list& o) {
        return whose(cat_out(o[0], {x(), y()}, 1));
      }},
     {"stack_out",
      [] {
        return list(stack({x(), y()}, 1));
      },
      [](variable_list& o) {
        return whose(stack_out(o[0], {x(), y()}, 1));
      }}});

}  // namespace
}  // namespace notape::testing
