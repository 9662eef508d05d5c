// cat(tensors, dim): joined along a dimension; each input's gradient is its part of the result's.
#include <cstring>

#include "autograd/graph/record_list.h"
#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/core/sizes.h"
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/join.h"
#include "ops/shape/part.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

/// Where a tensor stands in the result. Skipped ones (1-d and empty) have no dimensions there.
struct Place {
  int64_t start, length;
  bool skipped;
};
struct Places {
  int64_t dim = 0, total = 0;
  std::vector<Place> all;
};
using SharedPlaces = std::shared_ptr<const Places>;

Tensor part_of_gradient(const Tensor& grad, const Which& which, const SharedPlaces& p) {
  const Place& place = p->all[which.index];
  if (place.skipped) return zeros({0}, grad.options());
  return narrow(grad, p->dim, place.start, place.length);
}

/// With zeros where a tensor has no tangent.
Tensor joined_tangents(TensorList tangents, const Elements& tensors, const SharedPlaces& p) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (!tangents[i].defined()) tangents[i] = zeros(tensors[i].sizes(), tensors[i].options());
  return cat(tangents, p->dim);
}

constexpr auto kCatDerivative = derivative(
    "CatBackward0",
    movement([](const Tensor& grad, const Which& which,
                const SharedPlaces& p) { return part_of_gradient(grad, which, p); },
             [](const TensorList& tangents, const Elements& tensors, const SharedPlaces& p) {
               return joined_tangents(tangents, tensors, p);
             }));

bool is_skipped(const Tensor& tensor) { return tensor.dim() == 1 && tensor.numel() == 0; }

void check_list(const Operation& op, const TensorList& tensors) {
  detail::tell_operands(tensors);  // before the checks tell of pairs
  if (tensors.empty()) op.fail<ShapeError>("expected a non-empty list of Tensors");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].defined()) op.fail<UndefinedTensor>("tensor {} of the list is undefined", i);
    if (tensors[i].dim() == 0)
      op.fail<ShapeError>("zero-dimensional tensor (at position {}) cannot be concatenated", i);
    check_operands(op, {&tensors[0], &tensors[i]});
  }
}

/// The first tensor that counts; null if all are skipped.
const Tensor* model_of(const TensorList& tensors) {
  for (const Tensor& tensor : tensors)
    if (!is_skipped(tensor)) return &tensor;
  return nullptr;
}

Places place(const Operation& op, const TensorList& tensors, const Tensor& model, int64_t dim) {
  Places result;
  result.dim = wrap_dim(op, dim, model.dim());
  result.all.reserve(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i];
    const bool skip = is_skipped(tensor);
    if (!skip && tensor.dim() != model.dim())
      op.fail<ShapeError>("Tensors must have same number of dimensions: got {} and {}", model.dim(),
                          tensor.dim());
    for (int64_t d = 0; !skip && d < model.dim(); ++d)
      if (d != result.dim && tensor.size(d) != model.size(d))
        op.fail<ShapeError>(
            "Sizes of tensors must match except in dimension {}. Expected size {} but got size {} "
            "for tensor number {} in the list.",
            result.dim, model.size(d), tensor.size(d), i);
    result.all.push_back({result.total, skip ? 0 : tensor.size(result.dim), skip});
    result.total = size_sum(op, result.total, result.all.back().length);
  }
  return result;
}

/// Few bytes, of which each tensor's are a run in the result: copied as such, where everything that
/// a general copy looks at would take longer than the bytes. Else nothing is done.
bool copy_in_a_row(const Tensor& result, const TensorList& tensors, const Places& places) {
  constexpr int64_t kMostBytes = 1 << 14;
  const Geometry& geometry = result.impl().geometry();
  const auto item = static_cast<int64_t>(element_size(result.dtype()));
  if (!result.device().is_cpu() || geometry.numel() * item > kMostBytes) return false;
  for (int d = 0; d < places.dim; ++d)
    if (geometry.size(d) != 1) return false;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (!places.all[i].skipped &&
        (tensors[i].dtype() != result.dtype() || !tensors[i].impl().geometry().is_contiguous()))
      return false;
  char* to = static_cast<char*>(result.impl().data());
  for (const Tensor& tensor : tensors) {  // skipped ones have no bytes
    const auto bytes = static_cast<std::size_t>(tensor.numel() * item);
    if (bytes != 0) std::memcpy(to, tensor.impl().data(), bytes);
    to += bytes;
  }
  return true;
}

/// Whether one launch can copy all: they lie on a GPU, as they will lie in the result.
bool are_joined_at_once(const Tensor& result, const TensorList& tensors, const Places& places) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (!places.all[i].skipped && (tensors[i].dtype() != result.dtype() || !tensors[i].is_cuda() ||
                                   !tensors[i].impl().geometry().is_contiguous()))
      return false;
  return tensors.size() > 1 && result.numel() > 0 && join_kernel.is_offered_on(result.device());
}

Tensor join_cat(const Operation& op, const TensorList& tensors, const Tensor& model,
                const Places& places) {
  ScalarType type = model.dtype();
  for (const Tensor& tensor : tensors) type = promote_types(type, tensor.dtype());
  std::vector<int64_t> sizes = model.sizes().vec();
  sizes[static_cast<std::size_t>(places.dim)] = places.total;
  BatchLevels levels;
  for (const Tensor& tensor : tensors)
    if (is_batched(tensor)) levels = joined(std::move(levels), levels_of(tensor));
  const Tensor result = levels.empty()
                            ? allocate(sizes, type, model.device())
                            : allocate_batched(levels, Geometry(sizes), type, model.device());
  if (levels.empty() && copy_in_a_row(result, tensors, places)) return result;
  if (levels.empty() && result.is_cuda() && are_joined_at_once(result, tensors, places)) {
    int64_t lines = 1;
    for (int64_t d = 0; d < places.dim; ++d) lines *= result.size(d);
    join_kernel(op, type, result.device(), result, tensors, lines);
    return result;
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (places.all[i].skipped) continue;
    Part part(result);
    part.narrow(places.dim, places.all[i].start, places.all[i].length);
    raw_copy(raw_alias(result, part.geometry()), tensors[i]);
  }
  return result;
}

/// A node has at most 65,535 edges: longer lists are joined in pieces first.
TensorList joined_in_pieces(const TensorList& tensors, int64_t dim, At at) {
  constexpr std::size_t kPiece = 32768;
  TensorList pieces;
  for (std::size_t start = 0; start < tensors.size(); start += kPiece) {
    const std::size_t end = std::min(start + kPiece, tensors.size());
    pieces.push_back(cat({tensors.data() + start, tensors.data() + end}, dim, at));
  }
  return pieces;
}

OpCase draw_cat(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 4);
  OpCase one;
  one.label = format_message("dim={}", {dim});
  for (int64_t i = draw.integer(1, 4); i > 0; --i) {
    one.arguments.push_back({.sizes = sizes});
    one.arguments.back().sizes[place] = draw.integer(0, 3);
    if (draw.integer(0, 9) == 0) one.arguments.back().sizes = {0};
  }
  one.arguments.push_back({.sizes = sizes});  // one that counts
  one.call = [=](const variable_list& x) { return cat(x, dim); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    std::vector<int64_t> result_sizes = sizes;
    result_sizes[place] = 0;
    for (const PlainTensor<T>& part : x)
      if (part.numel() > 0 || part.dim() > 1) result_sizes[place] += part.sizes[place];
    PlainTensor<T> result(result_sizes);
    int64_t start = 0;
    for (const PlainTensor<T>& part : x) {
      if (part.numel() == 0 && part.dim() == 1) continue;
      result = plain_place(std::move(result), part, [&](IndexTuple i) {
        i[place] += start;
        return i;
      });
      start += part.sizes[place];
    }
    return result;
  };
  return one;
}

const RegisterOp cat_row(op_row("cat", "shape", draw_cat, Trait::Joins));

}  // namespace

constinit JoinKernel join_kernel(nullptr);

Tensor cat(const TensorList& tensors, Integer dim, At at) {
  constexpr std::size_t kMaxEdges = 65535;
  if (tensors.size() > kMaxEdges) return cat(joined_in_pieces(tensors, dim, at), dim, at);
  const Operation op("cat", at);
  check_list(op, tensors);
  const Tensor* counting = model_of(tensors);
  const Tensor& model = counting ? *counting : tensors[0];
  const auto places = std::make_shared<const Places>(place(op, tensors, model, dim));
  const Tensor result = join_cat(op, tensors, model, *places);
  record_list(kCatDerivative, op, {result}, places, tensors);
  return result;
}

}  // namespace notape
