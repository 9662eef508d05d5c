// What a user function's forward computes from values that need a gradient is not recorded: it has
// lost its derivative. First derivatives do not need it, as the user's backward stands for all of
// the forward. But a backward that is itself recorded and reads such a value must not lose a term
// silently, on whatever path the value came to it: so the mark is on the bytes (Storage), with the
// number of the call, and every operation of a recorded backward looks for it in what it reads.
//
// A forward may also switch recording on, and compute from a leaf of its own, or from values that
// have lost their derivative: such values have a history, and are marked all the same. A history
// that was recorded after the forward has ended has lost nothing.
#pragma once
#include "autograd/forward/tangent.h"
#include "autograd/graph/node.h"
#include "autograd/modes/thread_state.h"
#include "autograd/tensor/tensor.h"

namespace notape {

/// A number for one call of a user function; never 0.
uint32_t new_forward_call();

/// Whether forward `call` has computed the value, or a part of it, unrecorded, or has made it an
/// alias of what needs a gradient.
bool is_unrecorded(TensorImpl& value, uint32_t call);

/// The forward that runs on this thread has computed `output` from what needs a gradient, or has
/// made it an alias of that. `is_of_graph`: an input itself needs a gradient, and does not only lie
/// in memory that this forward has marked: an alias of it is marked, and not its memory.
void mark_unrecorded(const Tensor& output, bool is_of_graph);

/// Raises DerivativeNotImplemented when a gradient of such a value is wanted. `edges` lead to the
/// arguments of the call of `name`.
Edge unrecorded_edge(const TensorImpl& value, const char* name, const SourceLocation& at,
                     std::span<const Edge> edges);

/// In its scope a user's backward is recorded, or has tangents: values that the forward of the same
/// call computed unrecorded need a gradient, which leads to DerivativeNotImplemented.
class UnrecordedReads {
 public:
  /// Of `call`; `node` is its derivative, if it was recorded. `has_tangents`: forward mode has
  /// arguments' tangents.
  UnrecordedReads(uint32_t call, const Node* node, bool has_tangents);
  ~UnrecordedReads();
  UnrecordedReads(const UnrecordedReads&) = delete;
  UnrecordedReads& operator=(const UnrecordedReads&) = delete;

  /// The innermost scope whose forward has computed the value; null if there is none.
  static const UnrecordedReads* of(TensorImpl& value);
  Edge edge(const TensorImpl& value) const;
  /// What a recorded operation reads: a history that the forward recorded, and what it left out.
  static Edge with_lost_edges(const TensorImpl& value, Edge history);
  /// Whether forward mode needs a tangent that the forward has not computed.
  static bool lacks_tangent(TensorImpl& value);
  /// Such values that the user's code returns as they are.
  static void give_edges(std::span<Tensor> results);
  bool has_tangents() const { return has_tangents_; }

 private:
  friend bool reads_unrecorded(TensorImpl& value);
  bool has_lost(TensorImpl& value) const;

  const uint32_t call_;
  const Node* node_;
  const bool has_tangents_;
  const UnrecordedReads* outer_;
  uint16_t watched_before_;
};

/// The open levels of forward mode below the current limit on which some operand has a tangent,
/// ascending. Throws ForwardNotImplemented if a user's backward reads what its forward computed
/// from dual numbers, without their tangents.
std::vector<uint64_t> active_levels(Operands operands);

/// Whether a gradient of the value could be wanted.
bool reads_unrecorded(TensorImpl& value);
/// Where the gradient of such a value goes.
Edge unrecorded_edge(const TensorImpl& value);
/// The same for one that has a history.
Edge with_lost_edges(const TensorImpl& value, Edge history);

}  // namespace notape
