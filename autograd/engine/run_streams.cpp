// The streams of a backward run: Note [Streams of a backward run] in graph_task.h.
#include <algorithm>

#include "autograd/engine/graph_task.h"
#include "autograd/graph/support.h"
#include "autograd/tensor/stream.h"

namespace notape {

void GraphTask::hand_over(const Tensor& value, const StreamSet* to) const {
  if (to == thread_state.streams) return;
  // What is known of its zeros is computed here: later it would be read on a stream of others.
  const Ref<Support> support = support_of(value);
  if (support) record_streams(support->mask(), to);
  record_streams(value, to);
  order_streams(to, thread_state.streams);
}

void GraphTask::join_streams() const {
  std::vector<const StreamSet*> joined;
  for (const Node* node : buffers_.nodes) {
    const StreamSet* const streams = streams_of(*node);
    if (streams == streams_ || std::find(joined.begin(), joined.end(), streams) != joined.end())
      continue;
    order_streams(streams_, streams);
    joined.push_back(streams);
  }
}

}  // namespace notape
