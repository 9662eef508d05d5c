// ThreadState: the modes of the current thread in one plain struct. Guards set and restore it.
#pragma once
#include "autograd/language.h"  // first

#include <cstdint>
#include <limits>

namespace notape {

/// Which in-place writes are accepted and how saved values are protected.
enum class AliasPolicy : uint8_t {
  /// Every well-defined write, histories rebased, saved values checked by region; and by
  /// fingerprints of up to 64 KB where code outside the library could write.
  Default,
  Paper2017,  ///< no write while the storage is shared; saved values checked by storage version
  /// As Default, but nothing looks for writes through raw pointers, as in LibTorch.
  UnsafeRawWrites,
  CowSave,  ///< as Default, but a saved value about to be overwritten is copied first
  Guarded,  ///< as Default, but every saved value is checked in full for writes through pointers
};

/// What a write through an alias made by detach() or .data() is.
enum class DetachedWrite : uint8_t {
  Keep,   ///< a write: saved values of the region are lost, the origin's history stays as it is
  Error,  ///< AliasedInPlace
};

/// Whether nodes remember how they came to be, and whether what they return is searched for NaN.
enum class Anomaly : uint8_t { Off, Traced, TracedAndChecked };

class BackwardRun;
class Node;
struct OpenLevels;
struct RegionSink;
struct SavedTensorHooks;
struct StreamSet;
class UnrecordedReads;
class VmapScope;

struct ThreadState {
  bool grad_mode = true;
  bool inference_mode = false;
  bool stages_leaf_updates = false;  ///< AtomicBackwardGuard
  bool deterministic = false;        ///< set_deterministic
  bool structural_zeros = true;      ///< IeeeGradientGuard turns it off
  bool loop_fallback = false;        ///< LoopFallbackGuard
  /// The session of the MemoryObserver that is notified of memory for tensors; 0: none.
  uint8_t memory_session = 0;
  /// TensorImpl::kUnrecorded inside user functions and kObserved for observers: where every
  /// operation has to be looked at.
  uint16_t watched = 0;
  /// Inside the forward of a user function with a derivative of its own: its number. Nothing is
  /// recorded, but what is computed from a value that needs a gradient is marked.
  uint32_t forward_call = 0;
  /// Inside a user function's backward that is recorded: values that it must not read unnoticed.
  const UnrecordedReads* unrecorded_reads = nullptr;
  DetachedWrite detached_write = DetachedWrite::Keep;
  Anomaly anomaly = Anomaly::Off;
  AliasPolicy alias_policy = AliasPolicy::Default;
  /// Operators propagate forward-mode tangents of levels below this one only,
  uint64_t forward_level_limit = std::numeric_limits<uint64_t>::max();
  uint64_t forward_level_floor = 0;  ///< and above this one.
  uint32_t forward_levels = 0;       ///< how many forward-mode levels are open
  uint64_t next_sequence_nr = 0;
  /// What an observer calls this thread, if it has seen it; nodes remember who recorded them.
  uint32_t observed_as = 0;
  uint32_t backward_depth = 0;    ///< backward runs that have begun and not ended
  BackwardRun* task = nullptr;    ///< the innermost of them
  const Node* running = nullptr;  ///< and the node that it runs
  /// Where a rule may leave its result as a region instead of a dense gradient; null: nowhere.
  RegionSink* region_sink = nullptr;
  const SavedTensorHooks* saved_hooks = nullptr;  ///< the innermost saved-tensor hooks
  OpenLevels* open_levels = nullptr;              ///< forward mode's levels, once there were any
  const StreamSet* streams = nullptr;             ///< that operators queue on; null: default ones
  const VmapScope* vmap = nullptr;                ///< the innermost call of vmap under way

  /// Saving a value is nothing but a snapshot.
  bool saves_plainly() const {
    return forward_levels == 0 && !saved_hooks && alias_policy <= AliasPolicy::UnsafeRawWrites;
  }
};

extern constinit thread_local ThreadState thread_state;

}  // namespace notape
