// Tensor, also spelled Variable: a handle to values, and to the graph that computed them.
// 2017 paper, 3: "a Variable is simply a wrapper around a Tensor that also holds a reference to a
// graph of Function objects"; here the two are one type.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "autograd/tensor/accessor.h"
#include "autograd/tensor/operators.h"
#include "autograd/tensor/options.h"
#include "autograd/tensor/tensor_impl.h"

namespace notape {

class Tensor;
using Variable = Tensor;
using TensorList = std::vector<Tensor>;
using variable_list = std::vector<Tensor>;
/// Observes a gradient; a defined result replaces it.
using TensorHook = std::function<Tensor(const Tensor&)>;

/// Cheap to copy; two handles to one object see each other's changes. `Tensor()` is undefined.
class Tensor : public TensorOperators {
  using At = SourceLocation;

 public:
  Tensor() = default;
  explicit Tensor(Ref<TensorImpl> impl) : impl_(std::move(impl)) {}
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & noexcept = default;
  /// Assigning to a temporary writes: `x[0] = y` overwrites a row of x, as in LibTorch.
  Tensor& operator=(Operand values) && { return copy_(values.tensor, values.at); }
  Tensor& operator=(NumberOperand value) && { return fill_(value.number, value.at); }

  bool defined() const { return static_cast<bool>(impl_); }
  explicit operator bool() const { return defined(); }
  /// The same object, not equal values.
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }
  TensorImpl& impl() const { return *impl_; }
  const Ref<TensorImpl>& ref() const { return impl_; }
  void reset() { impl_.reset(); }

  // ---- Shape, type, memory. Undefined tensors raise UndefinedTensor. ----
  int64_t dim() const { return checked().geometry().dim(); }
  int64_t ndimension() const { return dim(); }
  IntArrayRef sizes() const { return checked().geometry().sizes(); }
  IntArrayRef strides() const { return checked().geometry().strides(); }
  /// Negative dimensions count from the end; out of range raises IndexError.
  int64_t size(Integer dim) const;
  int64_t stride(Integer dim) const;
  int64_t numel() const { return checked().geometry().numel(); }
  int64_t storage_offset() const { return checked().geometry().offset(); }
  bool is_same_size(const Tensor& other) const { return sizes() == other.sizes(); }
  bool is_contiguous() const { return checked().geometry().is_contiguous(); }
  ScalarType scalar_type() const { return checked().dtype(); }
  ScalarType dtype() const { return checked().dtype(); }
  Device device() const { return checked().device(); }
  bool is_cuda() const { return device().is_cuda(); }
  bool is_cpu() const { return device().is_cpu(); }
  /// Whether its memory comes from pin_memory() or TensorOptions::pinned_memory().
  bool is_pinned() const;
  /// -1 for the CPU.
  int64_t get_device() const { return is_cpu() ? -1 : device().index; }
  bool is_floating_point() const { return notape::is_floating_point(dtype()); }
  bool is_complex() const { return false; }
  bool is_signed() const { return dtype() != kUInt8 && dtype() != kBool; }
  std::size_t element_size() const { return notape::element_size(dtype()); }
  std::size_t itemsize() const { return element_size(); }
  /// Of the elements; the storage may have more, or, for expanded tensors, less.
  std::size_t nbytes() const { return static_cast<std::size_t>(numel()) * element_size(); }
  TensorOptions options() const { return TensorOptions(dtype()).device(device()); }
  /// Writing through this pointer is invisible to version counters. From now on saved values of
  /// this memory are checked by fingerprints, exhaustively up to 64 KB (AliasPolicy); prefer
  /// const_data_ptr for reading and mutable_data_ptr for writing. DtypeError if T differs.
  template <typename T>
  T* data_ptr() const {
    check_type(scalar_type_of<T>);
    return static_cast<T*>(data_ptr());
  }
  void* data_ptr() const {
    in_memory("data_ptr").storage()->mark_foreign();
    return impl_->data();
  }
  /// The elements by index, `accessor<float, 2>()[i][j]`, through data_ptr<T>(). Throws ShapeError
  /// unless the tensor has N dimensions, DeviceError unless it is on the CPU.
  template <typename T, std::size_t N>
  TensorAccessor<T, N> accessor() const& {
    check_accessor(N);
    return {data_ptr<T>(), sizes().data(), strides().data()};
  }
  template <typename T, std::size_t N>
  TensorAccessor<T, N> accessor() && = delete;  // it would outlive the tensor
  /// For reading only.
  template <typename T>
  const T* const_data_ptr() const {
    check_type(scalar_type_of<T>);
    return in_memory("const_data_ptr").data_as<T>();
  }
  /// Counts as a no-grad write of the whole tensor, now: write before the value is saved
  /// again. Throws what an in-place operation would.
  template <typename T>
  T* mutable_data_ptr(At at = At::current()) const {
    check_type(scalar_type_of<T>);
    TensorImpl& impl = in_memory("mutable_data_ptr");
    note_raw_write("mutable_data_ptr", at);
    return impl.data_as<T>();
  }
  /// The value of a one-element tensor. Throws ShapeError otherwise, ValueError if T cannot hold
  /// it, and BatchingNotImplemented inside vmap, as the pointers do.
  template <typename T = double>
  T item() const {
    return item_scalar().to<T>("item");
  }
  Scalar item_scalar() const;
  bool is_alias_of(const Tensor& other) const {
    return checked().storage() == other.checked().storage();
  }
  /// How many in-place writes the storage has seen, through any alias. Throws
  /// InferenceTensorError for inference tensors, which do not count.
  uint64_t _version() const;
  /// Made in inference mode, or a view of such a tensor.
  bool is_inference() const { return checked().storage()->is_inference(); }
  /// LibTorch's look: values, then "[ CPUFloatType{2,3} ]".
  std::string to_string() const;

  // ---- Flags (2017 paper, 2: "Variable flags") ----
  bool requires_grad() const;
  /// Throws RequiresGradError for interior or non-floating tensors, VolatileConflict for volatile.
  const Tensor& requires_grad_(bool wanted = true) const;
  const Tensor& set_requires_grad(bool wanted) const { return requires_grad_(wanted); }
  bool is_volatile() const;
  /// Leaves only; clears requires_grad. Throws VolatileConflict for interior tensors.
  void set_volatile(bool wanted) const;
  bool is_leaf() const { return !grad_fn(); }

  // ---- The graph ----
  /// The node that computed this value (brought up to date for views); null for leaves.
  NodeRef grad_fn() const;
  uint32_t output_nr() const;
  /// Differentiates this tensor and accumulates into the `.grad` of leaves. `gradient` has the
  /// tensor's shape and may be left out for one element. `retain_graph` defaults to
  /// `create_graph`. With `inputs`, accumulates into exactly those.
  /// Throws NothingRequiresGrad, ImplicitGradient, GraphFreed, SavedTensorModified, ...
  void backward(const Tensor& gradient = {}, std::optional<bool> retain_graph = {},
                bool create_graph = false, std::optional<TensorList> inputs = {},
                At at = At::current()) const;
  /// The accumulated gradient, undefined if none. Warns once for interior tensors that do not keep
  /// it.
  const Tensor& grad(At at = At::current()) const;
  Tensor& mutable_grad() const;
  /// Throws GradAssignment unless `gradient` fits or is undefined. (mutable_grad(): backward does.)
  void set_grad(const Tensor& gradient) const;
  /// Makes an interior tensor keep its gradient in `.grad`. Throws RetainGradError.
  void retain_grad() const;
  bool retains_grad() const { return checked().has(TensorImpl::kRetainsGrad); }
  /// Calls `hook` with the gradient of this tensor, summed over all uses, once per backward; a
  /// defined result replaces the gradient. Returns the index for remove_hook. Throws HookError.
  /// A hook is one object, which keeps its state; it may add and remove hooks, also itself.
  /// Backward runs of several threads that meet at one tensor call its hooks at the same time.
  template <typename F>
  uint32_t register_hook(F&& hook) const {
    if constexpr (std::is_void_v<std::invoke_result_t<F&, const Tensor&>>) {
      return add_hook([f = std::forward<F>(hook)](const Tensor& gradient) mutable {
        f(gradient);
        return Tensor();
      });
    } else {
      return add_hook(std::forward<F>(hook));
    }
  }
  /// Throws HookError for an index never given out; removing twice is harmless.
  void remove_hook(uint32_t index) const;
  /// Leaves only: calls `hook` with this tensor after a backward has updated its `.grad`, for
  /// instance to step and reset. Returns the index for remove_post_accumulate_grad_hook. Throws
  /// HookError.
  uint32_t register_post_accumulate_grad_hook(std::function<void(const Tensor&)> hook) const;
  void remove_post_accumulate_grad_hook(uint32_t index) const;

  // ---- Aliases ----
  /// A new leaf of a new family over the same storage and version counter.
  Tensor detach() const;
  /// Drops the history. Throws DetachView for views.
  const Tensor& detach_() const;
  Tensor data() const;
  Tensor variable_data() const { return data(); }
  Tensor tensor_data() const { return data(); }
  /// Takes over the other tensor's storage; flags and history stay. Throws SetDataError.
  void set_data(const Tensor& other) const;
  /// Whether this is a differentiable view; `_base()` is the tensor it views.
  bool is_view() const { return checked().has(TensorImpl::kView); }
  Tensor _base() const;

  // ---- Compound assignment writes in place ----
  Tensor& operator+=(Operand other) { return add_(other.tensor, 1, other.at); }
  Tensor& operator-=(Operand other) { return sub_(other.tensor, 1, other.at); }
  Tensor& operator*=(Operand other) { return mul_(other.tensor, other.at); }
  Tensor& operator/=(Operand other) { return div_(other.tensor, other.at); }
  Tensor& operator+=(NumberOperand other) { return add_(other.number, 1, other.at); }
  Tensor& operator-=(NumberOperand other) { return sub_(other.number, 1, other.at); }
  Tensor& operator*=(NumberOperand other) { return mul_(other.number, other.at); }
  Tensor& operator/=(NumberOperand other) { return div_(other.number, other.at); }

 private:
  TensorImpl& checked() const {
    if (!impl_) [[unlikely]]
      throw_undefined();
    return *impl_;
  }
  [[noreturn]] static void throw_undefined();
  /// A batched tensor has one value per sample.
  TensorImpl& in_memory(const char* operation) const {
    TensorImpl& impl = checked();
    if (impl.device().is_batched()) [[unlikely]]
      throw_batched(operation);
    return impl;
  }
  [[noreturn]] static void throw_batched(const char* operation);
  void check_type(ScalarType wanted) const;
  void check_accessor(std::size_t dimensions) const;
  void note_raw_write(const char* name, const At& at) const;
  void note_detached(const Tensor& alias) const;
  uint32_t add_hook(TensorHook hook) const;

  Ref<TensorImpl> impl_;
};

inline Tensor& ElementwiseMembers::self() const {
  return const_cast<Tensor&>(static_cast<const Tensor&>(*this));
}
inline Tensor& ReduceMembers::self() const {
  return const_cast<Tensor&>(static_cast<const Tensor&>(*this));
}
inline Tensor& LinalgMembers::self() const {
  return const_cast<Tensor&>(static_cast<const Tensor&>(*this));
}
inline Tensor& ShapeMembers::self() const {
  return const_cast<Tensor&>(static_cast<const Tensor&>(*this));
}
inline Tensor& IndexMembers::self() const {
  return const_cast<Tensor&>(static_cast<const Tensor&>(*this));
}
inline Tensor& RandomMembers::self() const {
  return const_cast<Tensor&>(static_cast<const Tensor&>(*this));
}

/// dim counted from the end if negative. Throws IndexError unless -rank <= dim < rank (a 0-d
/// tensor is treated as one-dimensional).
int64_t wrap_dim(int64_t dim, int64_t rank);

/// Sees the printed form of to_string().
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace notape
