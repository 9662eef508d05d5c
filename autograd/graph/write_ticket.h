// WriteTicket: writing through a raw pointer, announced, so that version checks see it.
#pragma once
#include "autograd/tensor/tensor.h"

namespace notape {

/// While it stands, `data()` may be written. Counts as a no-grad write of the whole tensor when it
/// is taken and again when it is given back, so a value saved in between is known to be lost.
class WriteTicket {
 public:
  /// Throws what an in-place operation on `target` would.
  explicit WriteTicket(const Tensor& target, SourceLocation at = SourceLocation::current());
  ~WriteTicket();
  WriteTicket(const WriteTicket&) = delete;
  WriteTicket& operator=(const WriteTicket&) = delete;

  /// Writes through it when the ticket is gone are found as those through `data_ptr()` are.
  void* data() const;

 private:
  Tensor target_;
  SourceLocation at_;
};

}  // namespace notape
