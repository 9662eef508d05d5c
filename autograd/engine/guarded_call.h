// GuardedCall: what stands around the call of a node in a backward run and is not in the papers.
// Structural zeros become numbers where the node needs them, an observer hears of the call, hooks
// see what went in and came out, anomaly mode looks for NaN and says where a failing node was
// recorded, and gradients of windows go to the sink.
#pragma once
#include "autograd/engine/run_hooks.h"
#include "autograd/graph/node_origin.h"
#include "autograd/graph/region.h"
#include "autograd/graph/support.h"
#include "autograd/modes/thread_state.h"
#include "autograd/observer.h"

namespace notape {

class GuardedCall {
 public:
  GuardedCall(Node& node, Tensor* gradients, Tensor* results, RegionSink& sink)
      : node_(node),
        results_(results),
        sink_(sink),
        observer_(active_observer.load(std::memory_order_relaxed)) {
    bool owed = false;
    for (std::size_t i = 0; i < node.num_inputs(); ++i)
      any_gradient_ |= gradients[i].defined(), owed |= owes_zeros(gradients[i]);
    if (owed && !node.keeps_entries_apart()) [[unlikely]]
      settle_zeros(gradients, node.num_inputs());
    if (observer_) [[unlikely]]
      observer_->node_begin(node);
    const bool post = node.hooks() && node.hooks()->has_post_hooks();
    if (post) [[unlikely]]
      keep_for_hooks(gradients);
    thread_state.running = &node;
    thread_state.region_sink = node.num_edges() == 1 && !post ? &sink : nullptr;
  }

  /// Whether a gradient has arrived at all.
  bool any_gradient() const { return any_gradient_; }

  /// `call`, and what anomaly mode and observers do if it throws.
  template <typename Call>
  void run(const Call& call) {
    try {
      call();
      if (thread_state.anomaly == Anomaly::TracedAndChecked) [[unlikely]]
        check_for_nan();
    } catch (...) {
      failed();
      throw;
    }
    thread_state.region_sink = nullptr;
    thread_state.running = nullptr;
  }

  void finish() {
    if (node_.hooks()) [[unlikely]]
      run_post_hooks(node_, results_, gradients_);
    if (observer_) [[unlikely]]
      observer_->node_end(node_);
  }

 private:
  void keep_for_hooks(const Tensor* gradients);
  void check_for_nan() const;
  [[gnu::cold]] void failed();

  Node& node_;
  Tensor* results_;
  RegionSink& sink_;
  Observer* observer_;
  bool any_gradient_ = false;
  variable_list gradients_;  ///< for post hooks, if there are any
};

}  // namespace notape
