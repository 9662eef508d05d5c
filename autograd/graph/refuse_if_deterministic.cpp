#include "autograd/graph/refuse_if_deterministic.h"

#include "autograd/modes/thread_state.h"

namespace notape {

void refuse_if_deterministic(const Operation& op, Device device) {
  if (!thread_state.deterministic) return;
  op.fail<NotDeterministic>(
      "does not have a deterministic implementation on {}, but set_deterministic(true) was called",
      to_string(device));
}

}  // namespace notape
