#include "autograd/graph/saved_variable.h"

#include "autograd/modes/thread_state.h"
#include "autograd/tensor/tensor_extra.h"

namespace notape {
namespace {

std::string describe(const SavedTensorModified::Conflict& c) {
  return format_message(
      "one of the variables needed for gradient computation has been modified by an inplace "
      "operation: [{}], which is output {} of {}, is at version {}; expected version {} instead.",
      {c.type, c.output_nr, c.producer, c.current_version, c.saved_version});
}

std::string say_who(const SavedTensorModified::Conflict& c) {
  std::string text =
      format_message("\n  saved as '{}' by {} ({}) at {}",
                     {c.slot, c.saver->operator_name(), c.saver->name(), to_string(c.saver->at())});
  if (c.write)
    text += format_message("\n  overwritten by {} at {}",
                           {c.write->operator_name, to_string(c.write->at)});
  return text;
}

}  // namespace

SavedTensorModified::SavedTensorModified(const Conflict& c)
    : ErrorOf(Detailed{describe(c), say_who(c)}) {
  json_ = format_message(
      "{\"error\": \"SavedTensorModified\", \"message\": {}, \"conservative\": {}, "
      "\"saved\": {\"operator\": {}, \"node\": {}, \"slot\": {}, \"version\": {}, \"file\": {}, "
      "\"line\": {}}",
      {json_quote(what_without_backtrace()), c.conservative ? "true" : "false",
       json_quote(c.saver->operator_name()), json_quote(c.saver->name()), json_quote(c.slot),
       c.saved_version, json_quote(c.saver->at().file_name()), c.saver->at().line()});
  if (c.write)
    json_ += format_message(
        ", \"written\": {\"operator\": {}, \"version\": {}, \"file\": {}, \"line\": {}}",
        {json_quote(c.write->operator_name), c.write->version, json_quote(c.write->at.file_name()),
         c.write->at.line()});
  json_ += "}";
}

static constinit thread_local OutputEdgeScope* innermost_scope = nullptr;

OutputEdgeScope::OutputEdgeScope(const Node& saver, Edge edge)
    : saver_(saver), edge_(std::move(edge)), outer_(innermost_scope) {
  innermost_scope = this;
}

OutputEdgeScope::~OutputEdgeScope() { innermost_scope = outer_; }

Edge OutputEdgeScope::edge_of(const Node& saver) {
  for (OutputEdgeScope* scope = innermost_scope; scope; scope = scope->outer_)
    if (&scope->saver_ == &saver) return scope->edge_;
  return {NodeRef::share(const_cast<Node*>(&saver)), 0};
}

SavedVariable::SavedVariable(SavedVariable&& other) noexcept
    : storage_(std::move(other.storage_)),
      geometry_(std::move(other.geometry_)),
      version_(other.version_),
      slot_(other.slot_),
      state_(std::exchange(other.state_, State::Empty)),
      dtype_(other.dtype_),
      whole_storage_(other.whole_storage_) {}

SavedVariable& SavedVariable::operator=(SavedVariable&& other) noexcept {
  if (this == &other) return *this;
  this->~SavedVariable();
  return *new (this) SavedVariable(std::move(other));
}

void SavedVariable::save(const Tensor& value, const char* slot) {
  slot_ = slot;
  if (!value.defined()) {
    state_ = State::Undefined;
    return;
  }
  const TensorImpl& tensor = value.impl();
  geometry_ = tensor.geometry();
  storage_ = tensor.storage();
  storage_->add_reader();
  version_ = storage_->version();
  dtype_ = tensor.dtype();
  whole_storage_ = thread_state.alias_policy == AliasPolicy::Paper2017;
  state_ = State::Held;
  count(Count::SavedBytes, geometry_.numel() * static_cast<int64_t>(element_size(dtype_)));
}

void SavedVariable::release() noexcept {
  if (state_ == State::Held) {
    count(Count::SavedBytes, -geometry_.numel() * static_cast<int64_t>(element_size(dtype_)));
    storage_->remove_reader();
    storage_.reset();
  }
  if (state_ != State::Empty) state_ = State::Released;
}

void SavedVariable::check(const Node& saver, const Edge* edge) const {
  check_released(saver);
  if (state_ == State::Held && storage_->version() != version_) [[unlikely]]
    check_newer_writes(saver, edge);
}

void SavedVariable::throw_freed(const Node& saver) const {
  throw GraphFreed(
      "Trying to backward through the graph a second time (or directly access saved tensors after "
      "they have already been freed): {} of {}, recorded by {} at {}. Specify retain_graph=True if "
      "you need to backward through the graph a second time.",
      *slot_ ? slot_ : "a saved value", saver.name(), saver.operator_name(), to_string(saver.at()));
}

void SavedVariable::check_newer_writes(const Node& saver, const Edge* edge) const {
  const WriteLog* log = storage_->write_log();
  const WriteEntry* write =
      log ? log->overwritten_since(version_, geometry_, static_cast<int64_t>(element_size(dtype_)))
          : nullptr;
  if (!write && !whole_storage_) return;
  std::string type = storage_->device().is_cuda() ? "CUDA" : "CPU";
  type += std::string(type_name_of(dtype_)) + "Type " + to_string(geometry_.sizes());
  throw SavedTensorModified({.type = type,
                             .saver = &saver,
                             .slot = slot_,
                             .producer = !edge   ? saver.name()
                                         : *edge ? edge->function->name()
                                                 : "no operation",
                             .output_nr = edge ? edge->input_nr : 0,
                             .saved_version = version_,
                             .current_version = storage_->version(),
                             .write = write,
                             .conservative = log && version_ < log->folded_version()});
}

Tensor SavedVariable::unpack(const Node& saver, const Edge* edge) const {
  check(saver, edge);
  if (state_ != State::Held) return {};
  Tensor value(Ref<TensorImpl>::adopt(new TensorImpl(storage_, geometry_, dtype_)));
  if (!thread_state.grad_mode) return value;
  TensorImpl& tensor = value.impl();
  if (!edge) {
    Edge producer = OutputEdgeScope::edge_of(saver);
    tensor.set_history(std::move(producer.function), producer.input_nr);
  } else if (*edge && edge->function->sequence_nr() == UINT64_MAX) {
    // A leaf: its gradient goes to the accumulator it had when it was saved.
    tensor.make_extra().accumulator.store(NodeRef(edge->function).leak());
    tensor.set(TensorImpl::kRequiresGrad, true);
  } else if (*edge) {
    tensor.set_history(edge->function, edge->input_nr);
  }
  return value;
}

}  // namespace notape
