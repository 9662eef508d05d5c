#include "autograd/batching/batched_tensor.h"

#include <algorithm>

#include "autograd/tensor/core_operators.h"

namespace notape {
namespace {

/// A geometry that is put together dimension by dimension.
struct Dims {
  DimVector sizes, strides;
  void push_back(int64_t size, int64_t stride) {
    sizes.push_back(size);
    strides.push_back(stride);
  }
  void append(const Geometry& geometry, int first = 0) {
    for (int d = first; d < geometry.dim(); ++d) push_back(geometry.size(d), geometry.stride(d));
  }
};

Tensor tensor_over(Ref<Storage> storage, Geometry geometry, ScalarType dtype) {
  return Tensor(
      Ref<TensorImpl>::adopt(new TensorImpl(std::move(storage), std::move(geometry), dtype)));
}

int64_t item_size(const Tensor& tensor) { return static_cast<int64_t>(tensor.element_size()); }

const Batch::Dim* find(const Batch* batch, uint64_t id) {
  if (!batch) return nullptr;
  for (const Batch::Dim& dim : batch->dims)
    if (dim.level.id == id) return &dim;
  return nullptr;
}

/// Whether samples that span `span` elements each lie apart under the leading dimensions of `g`.
bool lie_apart(const Geometry& g, int batch_dims, int64_t span) {
  std::vector<std::pair<int64_t, int64_t>> steps;  // stride, size
  for (int d = 0; d < batch_dims; ++d) {
    if (g.size(d) == 0) return true;
    if (g.size(d) > 1) steps.emplace_back(g.stride(d), g.size(d));
  }
  std::sort(steps.begin(), steps.end());
  for (const auto& [stride, size] : steps) {
    if (stride < span) return false;
    span += (size - 1) * stride;
  }
  return true;
}

}  // namespace

Tensor allocate_batched(const BatchLevels& levels, const Geometry& sample, ScalarType dtype,
                        Device device) {
  Geometry geometry = sample.at_offset(0);
  const auto item = static_cast<int64_t>(element_size(dtype));
  const int64_t bytes = geometry.storage_end() * item;
  DimVector all;  // of bytes; a geometry of them checks for overflow
  for (const BatchLevel& level : levels) all.push_back(level.size);
  all.push_back(bytes);
  const Geometry every_sample{IntArrayRef(all)};
  Ref<Storage> storage =
      Storage::allocate(static_cast<std::size_t>(every_sample.numel()), device.of_samples());
  if (levels.empty()) return tensor_over(std::move(storage), std::move(geometry), dtype);
  Batch batch{std::move(storage), 0, {}};
  for (std::size_t i = 0; i < levels.size(); ++i)
    batch.dims.push_back({levels[i], every_sample.stride(static_cast<int>(i))});
  return tensor_over(Storage::batched(std::move(batch), static_cast<std::size_t>(bytes)),
                     std::move(geometry), dtype);
}

Tensor with_batch_dims(const Tensor& tensor, const BatchLevels& levels, int64_t rank) {
  if (!without(levels_of(tensor), levels).empty())
    throw BatchingNotImplemented(
        "values that differ between samples meet a result that is the same for all of them");
  const Geometry& sample = tensor.impl().geometry();
  const Batch* batch = tensor.impl().storage()->batch();
  Dims dims;
  for (const BatchLevel& level : levels) {
    const Batch::Dim* own = find(batch, level.id);
    dims.push_back(level.size, own ? own->stride / item_size(tensor) : 0);
  }
  for (int64_t d = sample.dim(); d < rank; ++d) dims.push_back(1, 0);
  dims.append(sample);
  const int64_t start = batch ? batch->start / item_size(tensor) : 0;
  return tensor_over(batch ? batch->samples : tensor.impl().storage(),
                     Geometry(dims.sizes, dims.strides, start + sample.offset()), tensor.dtype());
}

Tensor as_batched(const Tensor& plain, const BatchLevels& levels) {
  if (levels.empty()) return plain;
  const Geometry& all = plain.impl().geometry();
  const auto batch_dims = static_cast<int>(levels.size());
  Dims dims;
  dims.append(all, batch_dims);
  const Geometry sample(dims.sizes, dims.strides, 0);
  const int64_t span = sample.storage_end();
  if (!lie_apart(all, batch_dims, span)) {
    const Tensor apart =
        allocate_batched(levels, Geometry(dims.sizes), plain.dtype(), plain.device());
    core_operators->copy_into(with_batch_dims(apart, levels, 0), plain);
    return apart;
  }
  Batch batch{plain.impl().storage(), all.offset() * item_size(plain), {}};
  for (int d = 0; d < batch_dims; ++d)
    batch.dims.push_back({levels[static_cast<std::size_t>(d)], all.stride(d) * item_size(plain)});
  return tensor_over(
      Storage::batched(std::move(batch), static_cast<std::size_t>(span * item_size(plain))), sample,
      plain.dtype());
}

Tensor peel(const Tensor& tensor, BatchLevel level) {
  if (!tensor.defined()) return tensor;
  const Geometry& sample = tensor.impl().geometry();
  const Ref<Storage>& storage = tensor.impl().storage();
  const Batch* batch = storage->batch();
  const Batch::Dim* own = find(batch, level.id);
  Dims dims;
  dims.push_back(level.size, own ? own->stride / item_size(tensor) : 0);
  dims.append(sample);
  if (!own)
    return tensor_over(storage, Geometry(dims.sizes, dims.strides, sample.offset()),
                       tensor.dtype());
  Batch rest{batch->samples, batch->start, {}};
  for (const Batch::Dim& dim : batch->dims)
    if (dim.level.id != level.id) rest.dims.push_back(dim);
  if (rest.dims.empty())
    return tensor_over(
        rest.samples,
        Geometry(dims.sizes, dims.strides, rest.start / item_size(tensor) + sample.offset()),
        tensor.dtype());
  const auto others = static_cast<std::size_t>(std::max<int64_t>(level.size - 1, 0) * own->stride);
  return tensor_over(Storage::batched(std::move(rest), storage->bytes() + others),
                     Geometry(dims.sizes, dims.strides, sample.offset()), tensor.dtype());
}

Tensor wrap(const Tensor& peeled, BatchLevel level) {
  BatchLevels levels = levels_of(peeled);
  const auto others = static_cast<int>(levels.size());
  const auto at = static_cast<int>(place_in(levels, level.id) - levels.begin());
  const Tensor plain = with_batch_dims(peeled, levels, 0);
  const Geometry& g = plain.impl().geometry();
  Dims dims;
  for (int d = 0; d < others; ++d) {
    if (d == at) dims.push_back(g.size(others), g.stride(others));
    dims.push_back(g.size(d), g.stride(d));
  }
  if (at == others) dims.push_back(g.size(others), g.stride(others));
  dims.append(g, others + 1);
  levels.insert(levels.begin() + at, level);
  return as_batched(tensor_over(plain.impl().storage(),
                                Geometry(dims.sizes, dims.strides, g.offset()), plain.dtype()),
                    levels);
}

}  // namespace notape
