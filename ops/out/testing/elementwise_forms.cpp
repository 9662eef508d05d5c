// Elementwise forms whose arguments matter.
#include "ops/out/testing/forms.h"

namespace notape::testing {
namespace {

const RegisterForms elementwise_forms([]() -> std::vector<OutForm> {
  return {
      {"acosh_out", {x() + 1}},
      {"logit_out", {x(), 0.1}},
      {"polygamma_out", {2, x()}},
      {"abs_out", {x() * 9 - 4}},
      {"ceil_out", {x() * 9 - 4}},
      {"floor_out", {x() * 9 - 4}},
      {"trunc_out", {x() * 9 - 4}},
      {"frac_out", {x() * 9 - 4}},
      {"round_out", {x() * 9 - 4}},
      {"round_out", {x() * 9, 1}},
      {"nan_to_num_out", {x().log() / 0, 1, 2, 3}},
      {"sign_out", {x() * 9 - 4}},
      {"signbit_out", {x() * 9 - 4}},
      {"clamp_out", {x(), 0.2, 0.7}},
      {"clip_out", {x(), 0.2, 0.7}},
      {"clamp_out", {x(), y(), y() + 0.1}},
      {"clip_out", {x(), y(), y() + 0.1}},
      {"div_out", {x(), y(), "floor"}},
      {"copysign_out", {x(), y() - 0.5}},
      {"copysign_out", {x(), -1}},
      {"where_out", {flags(), x(), y()}},
      {"eq_out", {n(), m()}},
      {"eq_out", {n(), 3}},
      {"ne_out", {n(), m()}},
      {"ne_out", {n(), 3}},
      {"lt_out", {n(), m()}},
      {"lt_out", {n(), 3}},
      {"le_out", {n(), m()}},
      {"le_out", {n(), 3}},
      {"gt_out", {n(), m()}},
      {"gt_out", {n(), 3}},
      {"ge_out", {n(), m()}},
      {"ge_out", {n(), 3}},
      {"logical_not_out", {flags()}},
      {"logical_and_out", {flags(), n() > 3}},
      {"logical_or_out", {flags(), n() > 3}},
      {"logical_xor_out", {flags(), n() > 3}},
      {"bitwise_and_out", {n(), m()}},
      {"bitwise_and_out", {n(), 3}},
      {"bitwise_or_out", {n(), m()}},
      {"bitwise_or_out", {n(), 3}},
      {"bitwise_xor_out", {n(), m()}},
      {"bitwise_xor_out", {n(), 3}},
      {"bitwise_not_out", {n()}},
      {"isin_out", {n(), m(), false, true}},
      {"isin_out", {n(), 3, false, true}},
      {"isin_out", {3, n(), false, false}},
  };
});

}  // namespace
}  // namespace notape::testing
