#include "verify/plugin/invocation.h"

#include "autograd/tensor/stream.h"
#include "verify/plugin/inside.h"

namespace notape::verify {

GuardedBuffer& BufferList::add(GuardedBuffer buffer) {
  buffers_.push_back(std::move(buffer));
  places_.push_back(&buffers_.back());
  views_.push_back(buffers_.back().tensor_view());
  return buffers_.back();
}

void BufferList::add_missing(const notape_shape& shape, int32_t dtype) {
  notape_tensor missing = GuardedBuffer("", shape, dtype).tensor_view();
  missing.data = nullptr;
  places_.push_back(nullptr);
  views_.push_back(missing);
}

void BufferList::put_on(Device device) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!places_[i]) continue;
    places_[i]->put_on(device);
    views_[i] = places_[i]->tensor_view();
  }
}

void BufferList::fetch() {
  for (GuardedBuffer& buffer : buffers_) buffer.fetch();
}

notape_tensor* const* BufferList::pointers() {
  pointers_.clear();
  for (notape_tensor& view : views_) pointers_.push_back(&view);
  return pointers_.empty() ? nullptr : pointers_.data();
}

std::string BufferList::fault() const {
  for (const GuardedBuffer& buffer : buffers_)
    if (std::string fault = buffer.fault(); !fault.empty()) return fault;
  return "";
}

void Invocation::run(const char* name, int (*function)(const notape_call* call)) {
  const notape_operator2& foreign = one.declaration->foreign;
  BufferList* const lists[] = {&inputs,      &outputs,  &saved,          &grad_outputs,
                               &grad_inputs, &tangents, &output_tangents};
  notape_call call{};
  call.struct_size = sizeof call;
  call.device = device.is_cpu() ? NOTAPE_ON_CPU : NOTAPE_ON_CUDA;
  if (!device.is_cpu()) {
    call.stream = current_stream(device).handle;
    for (BufferList* list : lists) list->put_on(device);
  }
  call.context = foreign.context;
  call.way = one.way;
  call.dtype = dtype;
  call.attributes = one.attributes.empty() ? nullptr : one.attributes.data();
  call.inputs = inputs.pointers();
  call.outputs = outputs.pointers();
  call.saved = saved.pointers();
  call.grad_outputs = grad_outputs.pointers();
  call.grad_inputs = grad_inputs.pointers();
  call.tangents = tangents.pointers();
  call.output_tangents = output_tangents.pointers();
  const int status = [&] {
    const InsideForeign inside;
    return function(&call);
  }();
  if (status != 0)
    throw ForeignOperatorError("{} of {} refused with {}", name, foreign.name, status);
  if (!device.is_cpu())
    for (BufferList* list : lists) list->fetch();
  try {
    // Forward alone may need less than was asked for; for all others nothing changes.
    for (std::size_t k = 0; k < saved.size(); ++k) saved[k].lower_sizes(saved.seen(k).sizes);
  } catch (const ForeignOperatorError& error) {
    throw ForeignOperatorError("{} of {} {}", name, foreign.name, error.what_without_backtrace());
  }
  for (const BufferList* list : lists)
    if (const std::string fault = list->fault(); !fault.empty())
      throw ForeignOperatorError("{} of {} {}", name, foreign.name, fault);
}

}  // namespace notape::verify
