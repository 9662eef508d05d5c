#include "ops/index/expression.h"

#include <algorithm>
#include <cstring>

#include "autograd/tensor/factories.h"
#include "autograd/warning.h"
#include "ops/arithmetic.h"
#include "ops/core/batching.h"
#include "ops/core/promotion.h"
#include "ops/index/indirect.h"
#include "ops/shape.h"

namespace notape {

namespace indexing {

TensorIndex::TensorIndex(const char* text) : value(EllipsisIndexType()) {
  if (std::strcmp(text, "...") != 0)
    throw ValueError("Expected \"...\" to represent an ellipsis index, but got \"{}\"", text);
}

}  // namespace indexing

namespace {

using indexing::EllipsisIndexType;
using indexing::Slice;
using indexing::TensorIndex;

bool is_mask(const Tensor& index) { return index.dtype() == kBool || index.dtype() == kUInt8; }

void check_tensor(const Operation& op, const Tensor& self, const Tensor& index) {
  if (!index.defined()) op.fail<UndefinedTensor>("a tensor used as index is undefined");
  const Device device = index.device().of_samples();
  if (!device.is_cpu() && device != self.device().of_samples())
    op.fail<DeviceError>(
        "indices should be on the CPU or on the device of the tensor, {}, but got {}",
        to_string(self.device().of_samples()), to_string(device));
  if (is_batched(index)) refuse_batched(op);
  if (index.dtype() == kUInt8)
    warn_once("uint8 mask",
              "indexing with dtype uint8 is deprecated, please use a mask of dtype bool instead",
              op.at);
  const bool is_number = index.dim() == 0 && is_integral(index.dtype());
  if (!is_number && !is_mask(index) && index.dtype() != kInt64 && index.dtype() != kInt32)
    op.fail<IndexError>(
        "tensors used as indices must be long, int, byte or bool tensors, but got {}",
        name_of(index.dtype()));
}

/// How many dimensions of the tensor an index stands for; an Ellipsis takes the rest.
int64_t consumed_by(const Operation& op, const Tensor& self, const TensorIndex& index) {
  if (const auto* tensor = std::get_if<Tensor>(&index.value)) {
    check_tensor(op, self, *tensor);
    return is_mask(*tensor) ? tensor->dim() : 1;
  }
  return std::holds_alternative<int64_t>(index.value) || std::holds_alternative<Slice>(index.value);
}

/// One int64 tensor along one dimension of the part.
struct ExpressionAlong {
  int64_t dim;     // of the part
  int64_t source;  // of the indexed tensor, for messages
  Tensor index;
};

/// The coordinates of a mask's true elements, one 1-d tensor per dimension.
std::vector<Tensor> nonzero_places(const Tensor& mask) {
  const Tensor here = raw_on_device(raw_contiguous(raw_convert(mask, kBool)), kCPU);
  const Bool* values = here.impl().data_as<Bool>();
  int64_t count = 0;
  for (int64_t i = 0; i < here.numel(); ++i) count += values[i];
  std::vector<Tensor> columns;
  for (int64_t d = 0; d < mask.dim(); ++d)
    columns.push_back(allocate(IntArrayRef(count), kInt64, kCPU));
  for (int64_t i = 0, next = 0; i < here.numel(); ++i) {
    if (!values[i]) continue;
    int64_t rest = i;
    for (std::size_t d = columns.size(); d-- > 0; rest /= mask.sizes()[d])
      columns[d].impl().data_as<int64_t>()[next] = rest % mask.sizes()[d];
    ++next;
  }
  return columns;
}

/// Goes through the indices from left to right, `dim` being the part's current dimension.
class Reader {
 public:
  Reader(const Operation& op, const Tensor& self, Part& part) : op_(op), self_(self), part_(part) {}

  void read(const std::vector<TensorIndex>& indices) {
    int64_t consumed = 0, ellipses = 0;
    for (const TensorIndex& index : indices) {
      consumed += consumed_by(op_, self_, index);
      ellipses += std::holds_alternative<EllipsisIndexType>(index.value);
    }
    if (ellipses > 1) op_.fail<IndexError>("an index can only have a single ellipsis ('...')");
    if (consumed > 0 && self_.dim() == 0)
      op_.fail<IndexError>(
          "invalid index of a 0-dim tensor. Use `tensor.item<T>()` to convert a 0-dim tensor to a "
          "number");
    if (consumed > self_.dim())
      op_.fail<IndexError>("too many indices for tensor of dimension {}", self_.dim());
    rest_ = self_.dim() - consumed;
    for (const TensorIndex& index : indices)
      std::visit([this](const auto& value) { read(value); }, index.value);
  }

  std::vector<ExpressionAlong> tensors;

 private:
  void read(int64_t index) {
    part_.select(dim_, wrap_index(op_, index, part_.size(dim_), source_));
    ++source_;
  }
  void read(const Slice& slice) {
    if (slice.step <= 0)
      op_.fail<ValueError>("slice step must be positive, but got {}", slice.step);
    part_.slice(dim_, slice.start, slice.stop, slice.step);
    ++dim_;
    ++source_;
  }
  void read(std::nullopt_t) { part_.unsqueeze(dim_++); }
  void read(EllipsisIndexType) {
    dim_ += rest_;
    source_ += rest_;
  }
  void read(bool keep) {
    part_.unsqueeze(dim_);
    tensors.push_back({dim_++, source_, zeros({keep ? 1 : 0}, kInt64)});
  }
  void read(const Tensor& index) {
    if (index.dim() == 0) {
      const auto value = index.item<int64_t>();
      return is_mask(index) ? read(value != 0) : read(value);
    }
    if (!is_mask(index)) {
      tensors.push_back({dim_++, source_++, raw_convert(index, kInt64)});
      return;
    }
    for (int64_t d = 0; d < index.dim(); ++d)
      if (index.size(d) != part_.size(dim_ + d))
        op_.fail<IndexError>(
            "The shape of the mask {} at index {} does not match the shape of the indexed tensor "
            "{} at index {}",
            to_string(index.sizes()), d, to_string(self_.sizes()), source_ + d);
    for (Tensor& column : nonzero_places(index)) tensors.push_back({dim_++, source_++, column});
  }

  const Operation& op_;
  const Tensor& self_;
  Part& part_;
  int64_t dim_ = 0, source_ = 0, rest_ = 0;
};

DimVector broadcast_shape(const Operation& op, const std::vector<ExpressionAlong>& tensors) {
  DimVector shape;
  for (const ExpressionAlong& along : tensors) {
    const IntArrayRef own = along.index.sizes();
    while (shape.size() < own.size()) shape.insert(0, 1);
    for (std::size_t i = 0; i < own.size(); ++i) {
      int64_t& size = shape[shape.size() - own.size() + i];
      if (size != own[i] && size != 1 && own[i] != 1) {
        std::string shapes;
        for (const ExpressionAlong& one : tensors)
          shapes += (shapes.empty() ? "" : ", ") + to_string(one.index.sizes());
        op.fail<IndexError>(
            "shape mismatch: indexing tensors could not be broadcast together with shapes {}",
            shapes);
      }
      if (size == 1) size = own[i];
    }
  }
  return shape;
}

/// The same where kernels run later, which check them.
Tensor join_there(const Operation& op, const Part& part, const DimVector& shape, Device device,
                  const std::vector<ExpressionAlong>& tensors) {
  Tensor positions = zeros(shape, TensorOptions(kInt64).device(device));
  if (positions.numel() == 0) return positions;
  for (const ExpressionAlong& along : tensors) {
    const int64_t size = part.size(along.dim);
    const Tensor own = wrapped_index(op, raw_on_device(along.index, device), size, along.source);
    const bool is_first = &along == &tensors.front();
    positions = is_first ? expand(own, shape) : add(mul(positions, size), own);
  }
  return positions;
}

/// Checks the index tensors and joins them into positions in the box of their dimensions.
Tensor join(const Operation& op, const Part& part, Device device,
            const std::vector<ExpressionAlong>& tensors) {
  const DimVector shape = broadcast_shape(op, tensors);
  const auto is_there = [&](const ExpressionAlong& one) { return !one.index.device().is_cpu(); };
  if (std::any_of(tensors.begin(), tensors.end(), is_there))
    return join_there(op, part, shape, device, tensors);
  Tensor positions = zeros(shape, kInt64);
  auto* position = positions.impl().data_as<int64_t>();
  for (const ExpressionAlong& along : tensors) {
    const int64_t size = part.size(along.dim);
    const Tensor own = raw_contiguous(along.index);
    // Where no sample is taken, none is out of range, as in LibTorch.
    const int64_t wrapped = positions.numel() == 0 ? 0 : own.numel();
    for (int64_t i = 0; i < wrapped; ++i)
      wrap_index(op, own.impl().data_as<int64_t>()[i], size, along.source);
    const Tensor index = allocate(shape, kInt64, kCPU);
    raw_copy(index, own);
    const auto* values = index.impl().data_as<int64_t>();
    for (int64_t i = 0; i < positions.numel(); ++i)
      position[i] = position[i] * size + (values[i] < 0 ? values[i] + size : values[i]);
  }
  return positions;
}

}  // namespace

IndexExpression::IndexExpression(const Operation& op, const Tensor& self,
                                 const std::vector<TensorIndex>& indices)
    : part(self) {
  Reader reader(op, self, part);
  reader.read(indices);
  is_whole = part.geometry() == self.impl().geometry();
  if (reader.tensors.empty()) return;
  positions = join(op, part, self.device().of_samples(), reader.tensors);
  for (const ExpressionAlong& along : reader.tensors)
    if (along.index.is_volatile()) positions.impl().set(TensorImpl::kVolatile, true);
  places.sizes = part.sizes();
  bool adjacent = true;
  for (const ExpressionAlong& along : reader.tensors) {
    adjacent &= places.dims.empty() || places.dims.back() + 1 == along.dim;
    places.dims.push_back(along.dim);
  }
  places.insert_at = adjacent ? places.dims[0] : 0;
}

DimVector IndexExpression::result_sizes() const {
  return has_positions() ? sizes_at(positions, places) : DimVector(part.sizes());
}

Tensor fit_values(const Operation& op, const Tensor& values, IntArrayRef sizes) {
  const IntArrayRef own = values.sizes();
  std::size_t surplus = 0;
  while (own.size() - surplus > sizes.size() && own[surplus] == 1) ++surplus;
  const IntArrayRef rest(own.data() + surplus, own.size() - surplus);
  if (!is_expandable_to(rest, sizes))
    op.fail<ShapeError>(
        "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape "
        "{}",
        to_string(own), to_string(sizes));
  return surplus == 0 ? values : reshape(values, rest, op.at);
}

}  // namespace notape
