#include "autograd/modes/anomaly_mode.h"

#include "autograd/warning.h"

namespace notape {

DetectAnomalyGuard::DetectAnomalyGuard(bool check_nan, const SourceLocation& at)
    : before_(thread_state.anomaly) {
  warn_once(
      "anomaly",
      "Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
      "enabled for debugging.",
      at);
  thread_state.anomaly = check_nan ? Anomaly::TracedAndChecked : Anomaly::Traced;
}

}  // namespace notape
