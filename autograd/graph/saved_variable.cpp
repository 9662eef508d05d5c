#include "autograd/graph/saved_variable.h"

#include <optional>
#include <thread>

#include "autograd/forward/tangent.h"
#include "autograd/graph/checksum.h"
#include "autograd/graph/history.h"
#include "autograd/graph/region.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/core_operators.h"
#include "autograd/tensor/fingerprint.h"
#include "autograd/tensor/tensor_extra.h"

namespace notape {

/// What few saved values need.
struct SavedExtra final : WriteWatcher {
  std::shared_ptr<const std::vector<Tangent>> tangents;
  /// Saved-tensor hooks: what pack returned.
  std::any packed;
  SharedHook<Tensor(const std::any&)> unpack;
  Device home;
  /// CowSave: the value's window, and its own copy of it once somebody was about to write there.
  Storage* watched = nullptr;  // the saved variable keeps it alive
  Geometry window, copy_window;
  ScalarType dtype = ScalarType::Float;
  uint64_t version = 0;
  Ref<Storage> copy;
  /// Of the value when it was saved: of all of it under Guarded, else a fingerprint if code outside
  /// the library could write it.
  std::optional<uint64_t> checksum;
  bool is_full = false;

  ~SavedExtra() {
    if (watched) watched->remove_watcher(this);
  }
  void before_write(const Geometry& region, int64_t item_size) override;
  /// Whether the value is still what was saved.
  bool agrees(const Storage& storage, const Geometry& geometry, ScalarType type) const;
};

namespace {

Tensor raw_tensor(const Ref<Storage>& storage, const Geometry& geometry, ScalarType dtype) {
  return Tensor(Ref<TensorImpl>::adopt(new TensorImpl(storage, geometry, dtype)));
}

/// Operators inside leave no trace in graph, tangents or hooks.
struct Aside {
  const NoGradGuard no_grad;
  const ForwardLevelLimit no_tangents{0};
  const DisableSavedTensorHooksGuard no_hooks{"inside a saved-tensor hook"};
};

}  // namespace

bool SavedExtra::agrees(const Storage& storage, const Geometry& geometry, ScalarType type) const {
  if (!checksum) return true;
  if (!is_full)
    return *checksum ==
           fingerprint_of(storage.data(), geometry, static_cast<int64_t>(element_size(type)));
  const auto shared = Ref<Storage>::share(const_cast<Storage*>(&storage));
  return *checksum == checksum_of(raw_tensor(shared, geometry, type));
}

void SavedExtra::before_write(const Geometry& region, int64_t item_size) {
  if (copy || watched->version() != version) {
    const WriteLog* log = watched->write_log();
    if (copy || !log ||
        log->overwritten_since(version, window, static_cast<int64_t>(element_size(dtype))))
      return;  // has its copy, or is lost already
  }
  if (!overlaps(region, item_size, window, static_cast<int64_t>(element_size(dtype)))) return;
  // By a write that nobody announced it may be lost already.
  const bool lost = watched->was_handed_out_since(version) &&
                    !watched->is_as_handed_out(window, static_cast<int64_t>(element_size(dtype)));
  if (lost || !agrees(*watched, window, dtype)) return;
  const Aside aside;
  const Tensor own = core_operators->clone(raw_tensor(Ref<Storage>::share(watched), window, dtype),
                                           contiguous_strides(window.sizes()));
  copy_window = own.impl().geometry();
  copy = own.impl().storage();
  count(Count::CowCopies);
}

/// Held for a few instructions only.
class SavedVariable::Lock {
 public:
  explicit Lock(std::atomic<bool>& flag) : flag_(flag) {
    while (flag_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  ~Lock() { flag_.store(false, std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::atomic<bool>& flag_;
};

SavedVariable::SavedVariable(SavedVariable&& other) noexcept
    : storage_(std::move(other.storage_)),
      geometry_(std::move(other.geometry_)),
      version_(other.version_),
      slot_(other.slot_),
      state_(other.state_.exchange(State::Empty)),
      dtype_(other.dtype_),
      whole_storage_(other.whole_storage_),
      unrecorded_(other.unrecorded_),
      family_(other.family_),
      tensor_(other.tensor_),
      extra_(std::move(other.extra_)) {}

SavedVariable& SavedVariable::operator=(SavedVariable&& other) noexcept {
  if (this == &other) return *this;
  this->~SavedVariable();
  return *new (this) SavedVariable(std::move(other));
}

SavedExtra& SavedVariable::make_extra() {
  if (!extra_) extra_ = std::make_shared<SavedExtra>();
  return *extra_;
}

bool SavedVariable::holds() const {
  const State state = state_.load(std::memory_order_relaxed);
  return state == State::Held || state == State::Packed;
}

SavedVariable::Versions SavedVariable::versions_of(const Storage& storage) const {
  return {version_ & ~(storage.version() ^ storage.writes()), storage.writes()};
}

std::optional<SavedVariable::Versions> SavedVariable::versions() const {
  const Lock lock(locked_);
  if (!storage_ || (extra_ && extra_->copy)) return std::nullopt;
  return versions_of(*storage_);
}

void SavedVariable::save(const Tensor& value, const char* slot) {
  slot_ = slot;
  if (!value.defined()) {
    state_.store(State::Undefined, std::memory_order_relaxed);
    return;
  }
  TensorImpl& tensor = value.impl();
  const bool with_care = tensor.storage()->needs_care_when_saved();
  if (with_care && tensor.storage()->is_inference()) [[unlikely]]
    throw InferenceTensorError(
        "Inference tensors cannot be saved for backward. To work around you can make a clone to "
        "get a normal tensor and use it in autograd.");
  geometry_ = tensor.geometry();
  dtype_ = tensor.dtype();
  unrecorded_ = tensor.has(TensorImpl::kUnrecorded);
  if (with_care || !thread_state.saves_plainly()) [[unlikely]] {
    save_specially(value);
    if (state_.load(std::memory_order_relaxed) == State::Packed) return;
  }
  storage_ = tensor.storage();
  storage_->add_reader();
  version_ = storage_->version();
  family_ = tensor.has(TensorImpl::kView) ? &family_base(tensor) : &tensor;
  tensor_ = &tensor;
  whole_storage_ = thread_state.alias_policy == AliasPolicy::Paper2017;
  state_.store(State::Held, std::memory_order_relaxed);
  count(Count::SavedBytes, value_bytes());
}

void SavedVariable::save_specially(const Tensor& value) {
  if (thread_state.forward_levels != 0) save_tangents(value);  // hooks see the value alone
  if (const SavedTensorHooks* hooks = active_saved_hooks())
    return pack(value, hooks->pack, hooks->unpack);
  TensorImpl& tensor = value.impl();
  if (thread_state.alias_policy == AliasPolicy::CowSave) {
    SavedExtra& extra = make_extra();
    extra.watched = tensor.storage().get();
    extra.window = tensor.geometry();
    extra.dtype = tensor.dtype();
    extra.version = tensor.storage()->version();
    extra.watched->add_watcher(&extra);
  }
  // Also of memory that nobody outside knows yet: data_ptr() may be called later.
  const AliasPolicy policy = thread_state.alias_policy;
  if (policy == AliasPolicy::Guarded) {
    make_extra().checksum = checksum_of(raw_tensor(tensor.storage(), geometry_, dtype_));
    extra_->is_full = true;
  } else if (tensor.storage()->is_foreign() && policy != AliasPolicy::UnsafeRawWrites &&
             tensor.device().is_cpu()) {
    make_extra().checksum = fingerprint_of(tensor.storage()->data(), geometry_,
                                           static_cast<int64_t>(element_size(dtype_)));
  }
}

void SavedVariable::pack(const Tensor& value, const SavedTensorHooks::Pack& pack,
                         SharedHook<Tensor(const std::any&)> unpack) {
  const Ref<Storage> storage = value.impl().storage();
  const uint64_t writes = storage->writes();
  {
    const Aside aside;
    make_extra().packed = pack(raw_tensor(storage, geometry_, dtype_));
  }
  if (storage->writes() != writes)
    throw SavedHookError(
        "A saved tensor pack hook is modifying its input in place. Tensors provided as input to "
        "pack hook can not be modified by in-place operations as this can lead to unexpected "
        "side-effects.");
  extra_->unpack = std::move(unpack);
  extra_->home = value.device();
  state_.store(State::Packed, std::memory_order_relaxed);
}

void SavedVariable::register_hooks(const SavedTensorHooks::Pack& pack,
                                   SavedTensorHooks::Unpack unpack) {
  switch (state_.load(std::memory_order_relaxed)) {
    case State::Released:
      throw SavedHookError(
          "Calling register_hooks on a saved tensor after it has been freed is forbidden.");
    case State::Packed:
      throw SavedHookError(
          "Calling register_hooks on a saved tensor whose hooks have already been set.");
    case State::Empty:
    case State::Undefined:
      throw SavedHookError("Calling register_hooks on a saved tensor with value None is forbidden");
    case State::Held:
      break;
  }
  if (extra_) {  // of its policy only the tangents stay
    auto tangents = std::move(extra_->tangents);
    extra_.reset();
    if (tangents) make_extra().tangents = std::move(tangents);
  }
  this->pack(raw_tensor(storage_, geometry_, dtype_), pack, std::move(unpack));
  count(Count::SavedBytes, -bytes());
  storage_->remove_reader();
  storage_.reset();
}

void SavedVariable::save_tangents(const Tensor& value) {
  if (auto tangents = snapshot_of_tangents(value)) make_extra().tangents = std::move(tangents);
}

void SavedVariable::release() noexcept {
  if (state_.load(std::memory_order_relaxed) == State::Empty) return;
  if (!storage_ && !extra_) return state_.store(State::Released, std::memory_order_relaxed);
  Storage* storage = nullptr;
  std::shared_ptr<SavedExtra> extra;
  {
    const Lock lock(locked_);
    storage = storage_.leak();
    if (extra_) [[unlikely]]
      extra = std::move(extra_);
    state_.store(State::Released, std::memory_order_relaxed);
  }
  if (!storage) return;
  count(Count::SavedBytes, -value_bytes());
  storage->remove_reader();
  extra.reset();  // which may watch the storage
  storage->release();
}

void SavedVariable::check(const Node& saver, const Edge* edge) const {
  if (saver.is_claimed()) [[likely]] {
    if (storage_ && storage_->version() == version_ && !extra_) [[likely]]
      return;
    check_released(saver);
    if (storage_) check_value(saver, edge, *storage_, extra_.get());
    return;
  }
  const Shared shared = share(saver);
  if (shared.storage) check_value(saver, edge, *shared.storage, shared.extra.get());
}

/// Another run may release the value meanwhile: its parts, kept alive.
SavedVariable::Shared SavedVariable::share(const Node& saver) const {
  const Lock lock(locked_);
  check_released(saver);
  return {storage_, extra_};
}

void SavedVariable::throw_freed(const Node& saver) const {
  throw GraphFreed(
      "Trying to backward through the graph a second time (or directly access saved tensors after "
      "they have already been freed): {} of {}, recorded by {}{}. Specify retain_graph=True if "
      "you need to backward through the graph a second time.",
      *slot_ ? slot_ : "a saved value", saver.name(), saver.operator_name(), at_place(saver.at()));
}

void SavedVariable::check_value(const Node& saver, const Edge* edge, const Storage& storage,
                                const SavedExtra* extra) const {
  if (extra && extra->copy) return;
  if (storage.version() != version_) [[unlikely]]
    check_newer_writes(saver, edge, storage);
  if (extra && !extra->agrees(storage, geometry_, dtype_))
    throw_modified(saver, edge, storage, nullptr, true);
}

void SavedVariable::check_newer_writes(const Node& saver, const Edge* edge,
                                       const Storage& storage) const {
  const WriteLog* log = storage.write_log();
  const auto item_size = static_cast<int64_t>(element_size(dtype_));
  const std::optional<WriteEntry> write =
      log ? log->overwritten_since(version_, geometry_, item_size) : std::nullopt;
  const bool handed_out = storage.was_handed_out_since(version_);
  if (write || (whole_storage_ && (!handed_out || storage.writes() != version_)))
    throw_modified(saver, edge, storage, write ? &*write : nullptr, false);
  if (handed_out && !storage.is_as_handed_out(geometry_, item_size))
    throw_modified(saver, edge, storage, nullptr, true);
}

void SavedVariable::throw_modified(const Node& saver, const Edge* edge, const Storage& storage,
                                   const WriteEntry* write, bool raw) const {
  const Device device = storage.device();
  const char* const where = device.is_cpu() ? "CPU" : device.is_cuda() ? "CUDA" : "SIM";
  throw SavedTensorModified({.type = where + std::string(type_name_of(dtype_)) + "Type",
                             .dtype = std::string(name_of(dtype_)),
                             .device = to_string(storage.device()),
                             .geometry = geometry_,
                             .saver = &saver,
                             .slot = slot_,
                             .producer = !edge   ? saver.static_name()
                                         : *edge ? edge->function->static_name()
                                                 : "no operation",
                             .output_nr = edge ? edge->input_nr : 0,
                             .saved_version = versions_of(storage).saved,
                             .current_version = versions_of(storage).current,
                             .write = write,
                             .family = family_,
                             .tensor = tensor_,
                             .conservative = write && write->is_folded,
                             .raw = raw});
}

Tensor SavedVariable::unpack_packed(const SavedExtra& extra) const {
  Tensor value;
  {
    const NoGradGuard no_grad;
    const DenseGradients outside_the_run;
    value = extra.unpack(extra.packed);
  }
  if (!value.defined() || !(value.sizes() == geometry_.sizes()) || value.dtype() != dtype_ ||
      value.device() != extra.home)
    throw SavedHookError("an unpack hook returned {} where {} of size {} on {} was saved",
                         value.defined()
                             ? format_message("{} of size {} on {}",
                                              {name_of(value.dtype()), to_string(value.sizes()),
                                               to_string(value.device())})
                             : "an undefined tensor",
                         name_of(dtype_), to_string(geometry_.sizes()), to_string(extra.home));
  return raw_tensor(value.impl().storage(), value.impl().geometry(), dtype_);
}

Tensor SavedVariable::unpack(const Node& saver, const Edge* edge) const {
  Tensor value;
  if (saver.is_claimed() && storage_ && !extra_) [[likely]] {
    if (storage_->version() != version_) [[unlikely]]
      check_newer_writes(saver, edge, *storage_);
    value = raw_tensor(storage_, geometry_, dtype_);
  } else {
    check_released(saver);
    if (state_.load(std::memory_order_relaxed) == State::Undefined) return {};
    const Shared shared = share(saver);
    const SavedExtra* extra = shared.extra.get();
    if (shared.storage) {
      check_value(saver, edge, *shared.storage, extra);
      value = extra && extra->copy ? raw_tensor(extra->copy, extra->copy_window, dtype_)
                                   : raw_tensor(shared.storage, geometry_, dtype_);
    } else if (extra) {
      value = unpack_packed(*extra);
    } else {
      return {};
    }
    if (extra && extra->tangents) {
      if (!value.impl().geometry().is_non_overlapping()) {  // as in make_dual
        const Aside aside;
        value = core_operators->clone(value, contiguous_strides(value.sizes()));
      }
      set_tangents(value, *extra->tangents);
    }
  }
  if (unrecorded_) [[unlikely]]
    value.impl().set(TensorImpl::kUnrecorded, true);
  if (thread_state.grad_mode) attach(value.impl(), saver, edge);
  return value;
}

/// Gives an unpacked value its place in the graph.
void SavedVariable::attach(TensorImpl& tensor, const Node& saver, const Edge* edge) {
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
}

}  // namespace notape
