// Whether a thread is in a function of a plugin's, and not in what carries tensors there and back,
// which takes far longer: `concurrent` stops it there.
#pragma once
#include <csignal>

namespace notape::verify {

class InsideForeign {
 public:
  InsideForeign() { inside_ = 1; }
  ~InsideForeign() { inside_ = 0; }
  InsideForeign(const InsideForeign&) = delete;
  InsideForeign& operator=(const InsideForeign&) = delete;

  /// Of this thread; may be asked by a signal's handler.
  static bool is_inside() { return inside_ != 0; }

 private:
  static inline thread_local volatile std::sig_atomic_t inside_ = 0;
};

}  // namespace notape::verify
