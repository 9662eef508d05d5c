#pragma once

/// What LibTorch keeps in torch::autograd and notape keeps one level up.

#include "notape/notape.h"

namespace notape::autograd {

using notape::AutoGradMode;
using notape::DetectAnomalyGuard;
using notape::Edge;
using notape::GradMode;
using notape::IValue;
using notape::make_variable;
using notape::Node;
using notape::Variable;
using notape::variable_list;
using tensor_list = notape::TensorList;
using edge_list = std::vector<Edge>;

/// Anomaly mode as a switch of this thread (LibTorch: of the process); the guard is the better way.
struct AnomalyMode {
  static bool is_enabled() { return thread_state.anomaly != Anomaly::Off; }
  static bool should_check_nan() { return thread_state.anomaly == Anomaly::TracedAndChecked; }
  static void set_enabled(bool enabled, bool check_nan = true) {
    thread_state.anomaly = !enabled    ? Anomaly::Off
                           : check_nan ? Anomaly::TracedAndChecked
                                       : Anomaly::Traced;
  }
};

}  // namespace notape::autograd
