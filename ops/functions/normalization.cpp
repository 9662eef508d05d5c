#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions normalization_functions([](Functions& f) {
  f("layer_norm", layer_norm);
  f("group_norm", group_norm);
  f("batch_norm", batch_norm);
  f("instance_norm", instance_norm);
  f("rms_norm", rms_norm);
  f("_weight_norm", _weight_norm);
});

}  // namespace
}  // namespace notape::functions
