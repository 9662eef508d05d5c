#include "autograd/modes/allow_tf32.h"

#include <atomic>

namespace notape {

static std::atomic<bool> is_allowed{false};

void set_allow_tf32(bool allowed) { is_allowed.store(allowed, std::memory_order_relaxed); }
bool allow_tf32() { return is_allowed.load(std::memory_order_relaxed); }

}  // namespace notape
