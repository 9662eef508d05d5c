// Unrepeated: calls of check() that need not be shown one by one, as those of a search for
// the simplest failure, or of a measurement. They leave no case for $NOTAPE_CASE, and heed none.
#pragma once

namespace notape::verify {

/// From its construction to its end, for this thread.
class Unrepeated {
 public:
  Unrepeated();
  ~Unrepeated();
  Unrepeated(const Unrepeated&) = delete;
  Unrepeated& operator=(const Unrepeated&) = delete;

  static bool is_on();
};

}  // namespace notape::verify
