// DLPack: tensors handed to and taken from other array libraries without a copy.
#include "autograd/interchange/dlpack.h"

#include <algorithm>
#include <memory>

#include "autograd/error.h"
#include "autograd/interchange/dlpack_abi.h"
#include "autograd/tensor/device_interface.h"

namespace notape {
namespace {

DLDataType dlpack_type(ScalarType type) {
  static_assert(element_type(kBool).dlpack == kDLBool && element_type(kInt32).dlpack == kDLInt &&
                element_type(kUInt8).dlpack == kDLUInt &&
                element_type(kFloat32).dlpack == kDLFloat &&
                element_type(kBFloat16).dlpack == kDLBfloat);
  return {element_type(type).dlpack, static_cast<uint8_t>(8 * element_size(type)), 1};
}

ScalarType scalar_type(DLDataType type) {
  if (type.lanes != 1)
    throw DtypeError("from_dlpack: lanes != 1 are not supported, got {}", type.lanes);
  for (int i = 0; i < kScalarTypes; ++i) {
    const DLDataType known = dlpack_type(static_cast<ScalarType>(i));
    if (known.code == type.code && known.bits == type.bits) return static_cast<ScalarType>(i);
  }
  constexpr const char* names[] = {"kDLInt",    "kDLUInt",    "kDLFloat", "kDLOpaqueHandle",
                                   "kDLBfloat", "kDLComplex", "kDLBool"};
  if (type.code > kDLBool) throw DtypeError("from_dlpack: Unsupported code {}", type.code);
  throw DtypeError("from_dlpack: Unsupported {} bits {}", names[type.code], type.bits);
}

DLDevice dlpack_device(Device device) {
  if (device.is_cpu()) return {kDLCPU, 0};
  if (device.is_cuda()) return {kDLCUDA, device.index};
  throw DeviceError("to_dlpack: DLPack has no name for the device {}", to_string(device));
}

Device known_device(DLDevice device) {
  if (device.device_type == kDLCPU) return kCPU;
  if (device.device_type != kDLCUDA)
    throw DeviceError("from_dlpack: Unsupported device_type: {}",
                      static_cast<int32_t>(device.device_type));
  const int devices = device_count(kCUDA);
  if (device.device_id < 0 || device.device_id >= devices)
    throw DeviceError(
        "from_dlpack: the tensor is on cuda:{}, but this process can use {} CUDA devices",
        device.device_id, devices);
  return Device(kCUDA, device.device_id);
}

Geometry checked_geometry(const DLTensor& tensor) {
  if (tensor.ndim < 0 || tensor.ndim > Geometry::kMaxDims)
    throw ShapeError("from_dlpack: a tensor has 0 to 64 dimensions, but {} were given",
                     tensor.ndim);
  if (tensor.ndim > 0 && !tensor.shape)
    throw ValueError("from_dlpack: the pointer to the shape is null");
  const IntArrayRef sizes(tensor.shape, static_cast<std::size_t>(tensor.ndim));
  if (!tensor.strides) return Geometry(sizes);
  DimVector strides(sizes.size());
  const bool is_empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    // No element is one step away: of a reversed array, for instance, it may be anything.
    const bool has_meaning = !is_empty && sizes[d] != 1;
    strides[d] = has_meaning ? tensor.strides[d] : std::max<int64_t>(tensor.strides[d], 0);
  }
  return Geometry(sizes, strides, 0);
}

/// Where element 0 is, after checking that the whole window can be addressed.
void* checked_data(const DLTensor& tensor, std::size_t bytes, std::size_t item_size) {
  if (!tensor.data) {
    if (bytes > 0) throw ValueError("from_dlpack: the data pointer is null");
    return nullptr;
  }
  const auto begin = reinterpret_cast<uintptr_t>(tensor.data);
  uintptr_t first = 0, end = 0;
  if (__builtin_add_overflow(begin, tensor.byte_offset, &first) ||
      __builtin_add_overflow(first, bytes, &end))
    throw ShapeError("from_dlpack: {} bytes at byte offset {} leave the address space", bytes,
                     tensor.byte_offset);
  if (first % item_size != 0)
    throw ValueError("from_dlpack: the data is not aligned to its elements of {} bytes", item_size);
  return static_cast<char*>(tensor.data) + tensor.byte_offset;
}

/// Calls the deleter, which may be null, unless ownership goes to a storage.
template <typename Managed>
struct Release {
  void operator()(Managed* managed) const {
    if (managed->deleter) managed->deleter(managed);
  }
};

template <typename Managed>
Tensor import(std::unique_ptr<Managed, Release<Managed>> managed, bool read_only) {
  const DLTensor& tensor = managed->dl_tensor;
  const ScalarType type = scalar_type(tensor.dtype);
  const Device device = known_device(tensor.device);
  Geometry geometry = checked_geometry(tensor);
  const std::size_t item_size = element_size(type);
  const std::size_t bytes = static_cast<std::size_t>(geometry.storage_end()) * item_size;
  void* data = checked_data(tensor, bytes, item_size);
  Ref<Storage> storage = Storage::foreign(
      data, bytes, device, [owned = managed.get()](void*) { Release<Managed>()(owned); });
  managed.release();
  if (read_only) storage->set_read_only();
  return Tensor(
      Ref<TensorImpl>::adopt(new TensorImpl(std::move(storage), std::move(geometry), type)));
}

/// What an exported structure points into.
template <typename Managed>
struct Export {
  Ref<Storage> storage;
  DimVector sizes, strides;
  Managed managed;

  static void destroy(Managed* managed) { delete static_cast<Export*>(managed->manager_ctx); }
};

template <typename Managed>
Managed* export_memory(const Tensor& tensor) {
  if (tensor.requires_grad())
    throw RequiresGradError("Can't export tensors that require gradient, use tensor.detach()");
  const DLDevice device = dlpack_device(tensor.device());
  const Ref<Storage>& storage = tensor.impl().storage();
  auto owner = std::make_unique<Export<Managed>>(
      Export<Managed>{storage, tensor.sizes(), tensor.strides(), Managed{}});
  // The offset is already in the pointer: many readers ignore byte_offset.
  owner->managed.dl_tensor = {.data = tensor.data_ptr(),
                              .device = device,
                              .ndim = static_cast<int32_t>(tensor.dim()),
                              .dtype = dlpack_type(tensor.dtype()),
                              .shape = owner->sizes.data(),
                              .strides = owner->strides.data(),
                              .byte_offset = 0};
  owner->managed.manager_ctx = owner.get();
  owner->managed.deleter = Export<Managed>::destroy;
  storage->mark_foreign();
  return &owner.release()->managed;
}

}  // namespace

DLManagedTensor* to_dlpack(const Tensor& tensor) {
  if (tensor.defined() && tensor.impl().storage()->is_read_only())
    throw ReadOnlyWrite(
        "Can't export read-only memory: the unversioned DLPack structure cannot say that it is; "
        "use to_dlpack_versioned");
  return export_memory<DLManagedTensor>(tensor);
}

DLManagedTensorVersioned* to_dlpack_versioned(const Tensor& tensor) {
  auto* managed = export_memory<DLManagedTensorVersioned>(tensor);
  managed->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  if (tensor.impl().storage()->is_read_only()) managed->flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
  return managed;
}

Tensor from_dlpack(DLManagedTensor* managed) {
  if (!managed) throw ValueError("from_dlpack: the managed tensor is null");
  return import(std::unique_ptr<DLManagedTensor, Release<DLManagedTensor>>(managed), false);
}

Tensor from_dlpack(DLManagedTensorVersioned* managed) {
  if (!managed) throw ValueError("from_dlpack: the managed tensor is null");
  std::unique_ptr<DLManagedTensorVersioned, Release<DLManagedTensorVersioned>> owned(managed);
  // Of another major version only what precedes the flags may be read, which is the deleter.
  if (managed->version.major != DLPACK_MAJOR_VERSION)
    throw ValueError("from_dlpack: DLPack version {}.{} is not supported, only version 1",
                     managed->version.major, managed->version.minor);
  const bool read_only = managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY;
  return import(std::move(owned), read_only);
}

}  // namespace notape
