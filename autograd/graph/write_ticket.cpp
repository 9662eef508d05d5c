#include "autograd/graph/write_ticket.h"

#include "autograd/graph/in_place.h"
#include "autograd/modes/grad_mode.h"

namespace notape {
namespace {

constexpr const char* kName = "write_ticket";

void log_write(const Tensor& target, const SourceLocation& at) {
  const TensorImpl& impl = target.impl();
  impl.storage()->written(impl.geometry(), static_cast<int64_t>(element_size(impl.dtype())), kName,
                          at, writer_of(target.impl()), false);
}

}  // namespace

WriteTicket::WriteTicket(const Tensor& target, SourceLocation at) : target_(target), at_(at) {
  const Operation op(kName, at);
  const NoGradGuard unrecorded;
  check_write(op, target, {});
  before_write(target);
  log_write(target, at);
}

void* WriteTicket::data() const {
  target_.impl().storage()->mark_foreign();
  return target_.impl().data();
}

WriteTicket::~WriteTicket() { log_write(target_, at_); }

}  // namespace notape
