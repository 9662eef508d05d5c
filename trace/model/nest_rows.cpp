#include <algorithm>

#include "trace/model/model_structure.h"

namespace notape::trace {
namespace {

// Host rows of ops and of calls come from two clocks, which disagree by some hundred ns; whole us
// are cut off by up to one more.
constexpr int64_t kClockSkew = 1'000;

/// The ops of one thread that are open at a time and may be the innermost one around what comes:
/// one that ends no later than an op opened after it never is. So their ends fall from the bottom
/// of the stack to its top, and nothing but the top is ever looked at for long.
class OpenOps {
 public:
  explicit OpenOps(TraceModel& model) : model_(model) {}

  void open(Place place) {
    HostOp& op = model_.ops[static_cast<std::size_t>(place)];
    close_before(op.time);
    if (!stack_.empty() && end_of(stack_.back()) < op.time.end) ++model_.counts.overlapping;
    op.parent = around(op.time);
    while (!stack_.empty() && end_of(stack_.back()) <= op.time.end) stack_.pop_back();
    stack_.push_back(place);
  }

  template <typename Row>
  void place(Row& call) {
    close_before(call.time);
    call.op = around(call.time);
    // Not inside the innermost op, but by so little that the clocks may be to blame.
    if (!stack_.empty() && stack_.back() != call.op &&
        call.time.end - end_of(stack_.back()) <= kClockSkew) {
      call.op = stack_.back();
      ++model_.counts.clipped;
    }
  }

 private:
  int64_t end_of(Place place) const { return model_.ops[static_cast<std::size_t>(place)].time.end; }

  /// An op that ends where `time` begins is over, unless `time` has no length itself.
  void close_before(Interval time) {
    while (!stack_.empty() && (end_of(stack_.back()) < time.begin ||
                               (end_of(stack_.back()) == time.begin && time.length() > 0)))
      stack_.pop_back();
  }

  Place around(Interval time) const {
    const auto beyond = std::partition_point(
        stack_.begin(), stack_.end(), [&](Place place) { return end_of(place) >= time.end; });
    return beyond == stack_.begin() ? kNowhere : *(beyond - 1);
  }

  TraceModel& model_;
  std::vector<Place> stack_;
};

}  // namespace

void nest_rows(TraceModel& model) {
  std::vector<OpenOps> threads(model.threads.size(), OpenOps(model));
  std::size_t next_op = 0, next_kernel = 0;
  const auto open_ops_until = [&](int64_t time) {
    for (; next_op < model.ops.size() && model.ops[next_op].time.begin <= time; ++next_op)
      threads[model.ops[next_op].thread].open(static_cast<Place>(next_op));
  };
  const auto place_kernels_until = [&](int64_t time) {
    for (; next_kernel < model.host_kernels.size(); ++next_kernel) {
      HostKernel& kernel = model.host_kernels[next_kernel];
      if (kernel.time.begin > time) return;
      open_ops_until(kernel.time.begin);
      threads[kernel.thread].place(kernel);
    }
  };
  for (ApiCall& call : model.calls) {
    place_kernels_until(call.time.begin);
    open_ops_until(call.time.begin);
    threads[call.thread].place(call);
  }
  place_kernels_until(INT64_MAX);
  open_ops_until(INT64_MAX);
  for (HostOp& op : model.ops) {
    const std::string_view name = model.name(op.name);
    const bool is_inside =
        op.parent != kNowhere && model.ops[static_cast<std::size_t>(op.parent)].is_backward_root;
    op.is_backward_root =
        !is_inside && (is_backward_root_name(name) || is_backward_node_name(name));
  }
}

}  // namespace notape::trace
