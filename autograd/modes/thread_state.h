// ThreadState: the modes of the current thread in one plain struct. Guards set and restore it.
#pragma once
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

struct ThreadState {
  bool grad_mode = true;
  AliasPolicy alias_policy = AliasPolicy::Default;
  /// Operators propagate forward-mode tangents of levels below this one only.
  uint64_t forward_level_limit = std::numeric_limits<uint64_t>::max();
  uint64_t next_sequence_nr = 0;
  /// What an observer calls this thread, if it has seen it; nodes remember who recorded them.
  uint32_t observed_as = 0;
};

extern constinit thread_local ThreadState thread_state;

}  // namespace notape
