// ThreadState: the modes of the current thread in one plain struct. Guards set and restore it.
#pragma once
#include "autograd/language.h"  // first

#include <cstdint>
#include <limits>

namespace notape {

/// Which in-place writes are accepted and how saved values are protected.
enum class AliasPolicy : uint8_t {
  Default,    ///< every well-defined write, histories rebased, saved values checked by region
  Paper2017,  ///< no write while the storage is shared; saved values checked by storage version
  CowSave,    ///< as Default, but a saved value about to be overwritten is copied first
  Guarded,    ///< as Default, plus checks for writes through raw pointers
};

/// What a write through an alias made by detach() or .data() is.
enum class DetachedWrite : uint8_t {
  Keep,   ///< a write: saved values of the region are lost, the origin's history stays as it is
  Error,  ///< AliasedInPlace
};

/// Whether nodes remember how they came to be, and whether what they return is searched for NaN.
enum class Anomaly : uint8_t { Off, Traced, TracedAndChecked };

class GraphTask;
class Node;
struct OpenLevels;
struct RegionSink;
struct SavedTensorHooks;
class VmapScope;

struct ThreadState {
  bool grad_mode = true;
  bool inference_mode = false;
  /// Inside a user function's forward: nothing is recorded, but what was computed from a value that
  /// needs a gradient is marked.
  bool in_custom_forward = false;
  bool stages_leaf_updates = false;  ///< AtomicBackwardGuard
  bool deterministic = false;        ///< set_deterministic
  bool structural_zeros = true;      ///< IeeeGradientGuard turns it off
  bool loop_fallback = false;        ///< LoopFallbackGuard
  DetachedWrite detached_write = DetachedWrite::Keep;
  Anomaly anomaly = Anomaly::Off;
  AliasPolicy alias_policy = AliasPolicy::Default;
  /// Operators propagate forward-mode tangents of levels below this one only.
  uint64_t forward_level_limit = std::numeric_limits<uint64_t>::max();
  uint32_t forward_levels = 0;  ///< how many forward-mode levels are open
  uint64_t next_sequence_nr = 0;
  /// What an observer calls this thread, if it has seen it; nodes remember who recorded them.
  uint32_t observed_as = 0;
  uint32_t backward_depth = 0;    ///< backward runs that have begun and not ended
  GraphTask* task = nullptr;      ///< the innermost of them
  const Node* running = nullptr;  ///< and the node that it runs
  /// Where a rule may leave its result as a region instead of a dense gradient; null: nowhere.
  RegionSink* region_sink = nullptr;
  const SavedTensorHooks* saved_hooks = nullptr;  ///< the innermost saved-tensor hooks
  OpenLevels* open_levels = nullptr;              ///< forward mode's levels, once there were any
  const VmapScope* vmap = nullptr;                ///< the innermost call of vmap under way

  /// Saving a value is nothing but a snapshot.
  bool saves_plainly() const {
    return forward_levels == 0 && !saved_hooks && alias_policy <= AliasPolicy::Paper2017;
  }
};

extern constinit thread_local ThreadState thread_state;

}  // namespace notape
