// TensorImpl: the object behind a Tensor handle. 128 bytes; what few tensors need (grad, view
// information, tangents) stands in a TensorExtra made on first use.
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "autograd/tensor/node_ref.h"
#include "autograd/tensor/scalar_type.h"
#include "autograd/tensor/storage.h"

namespace notape {

class TensorImpl;
struct TensorExtra;

/// What a view may do when it is written to (SEMANTICS: view tags).
enum class ViewTag : uint8_t { Plain, NoGrad, Inference, Function };

class TensorImpl : public Pooled {
 public:
  enum Flag : uint16_t {
    kRequiresGrad = 1,  ///< a leaf that wants .grad, or any tensor with a history
    kVolatile = 2,      ///< 2017 paper, 2: disables differentiation downstream
    kView = 4,          ///< a differentiable view: its history may be out of date
    kTangent = 8,       ///< may have a forward-mode tangent
    kRetainsGrad = 16,
    /// A user function's forward made it an alias of a value that needs a gradient. What it has
    /// computed from such values is marked in the storage.
    kUnrecorded = 32,
    kDetached = 64,     ///< made by detach(), on the memory of another tensor
    kData = 128,        ///< made by .data(), likewise
    kSupport = 256,     ///< a gradient that may have structural zeros, see graph/support.h
    kConstant = 512,    ///< made by detach() in a user's recorded backward: meant as a constant
    kOwesZeros = 1024,  ///< with kSupport: its structural zeros may have become NaN
    /// Of no tensor: in ThreadState::watched, an observer asks for the operands.
    kObserved = 2048,
  };

  template <typename G>  // Geometry, to be copied or moved straight into its place
  requires std::same_as<std::remove_cvref_t<G>, Geometry> TensorImpl(Ref<Storage> storage,
                                                                     G&& geometry, ScalarType dtype)
      : dtype_(dtype),
        device_(storage->device()),
        storage_(std::move(storage)),
        geometry_(std::forward<G>(geometry)) {
    count(Count::LiveTensors);
  }
  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;

  void retain() noexcept { refs_.increment(); }
  void release() noexcept {
    // An accumulator refers weakly to its leaf; only then is the plain fast path unsafe.
    const bool last =
        extra_.load(std::memory_order_relaxed) ? refs_.decrement_shared() : refs_.decrement();
    if (last) delete this;
  }
  bool retain_if_alive() noexcept { return refs_.increment_unless_zero(); }
  uint32_t use_count() const noexcept { return refs_.get(); }

  bool has(Flag flag) const { return flags() & flag; }
  uint16_t flags() const { return flags_.load(std::memory_order_relaxed); }
  void set(Flag flag, bool on) {
    const int before = flags();
    flags_.store(static_cast<uint16_t>(on ? before | flag : before & ~flag),
                 std::memory_order_relaxed);
  }
  /// What kind of alias a base is of the tensor with the same memory.
  Alias alias() const {
    const int flags = this->flags();
    return flags & kDetached ? Alias::Detached : flags & kData ? Alias::Data : Alias::None;
  }
  ScalarType dtype() const { return dtype_; }
  Device device() const { return device_; }
  const Geometry& geometry() const { return geometry_; }
  Geometry& mutable_geometry() {
    forget_zeros();
    return geometry_;
  }
  void forget_zeros() {
    set(kSupport, false);
    set(kOwesZeros, false);
  }
  const Ref<Storage>& storage() const { return storage_; }
  void set_storage(Ref<Storage> storage, Geometry geometry, ScalarType dtype);

  void* data() const {
    return static_cast<char*>(storage_->data()) +
           geometry_.offset() * static_cast<int64_t>(element_size(dtype_));
  }
  template <typename T>
  T* data_as() const {
    return static_cast<T*>(data());
  }

  /// The node that computed this value; null for a leaf. May be out of date for a view.
  const NodeRef& history() const { return history_; }
  uint16_t output_nr() const { return output_nr_; }
  void set_history(NodeRef node, uint32_t output_nr) {
    set(kRequiresGrad, static_cast<bool>(node));
    history_ = std::move(node);
    output_nr_ = static_cast<uint16_t>(output_nr);
  }

  TensorExtra* extra() const { return extra_.load(std::memory_order_acquire); }
  TensorExtra& make_extra() {
    if (TensorExtra* existing = extra()) return *existing;
    return create_extra();
  }
  /// For a tensor that nobody else has seen yet.
  TensorExtra& make_first_extra();

 private:
  ~TensorImpl();
  TensorExtra& create_extra();

  RefCount refs_;
  std::atomic<uint16_t> flags_{0};  // reading a stale view's history, in any thread, may set one
  ScalarType dtype_;
  Device device_;
  uint16_t output_nr_ = 0;
  Ref<Storage> storage_;
  NodeRef history_;
  std::atomic<TensorExtra*> extra_{nullptr};
  Geometry geometry_;
};

static_assert(sizeof(TensorImpl) <= 128);

}  // namespace notape
