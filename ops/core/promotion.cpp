#include "ops/core/promotion.h"

#include <algorithm>

#include "autograd/graph/record.h"

namespace notape {
namespace {

int category(ScalarType type) { return type == kBool ? 0 : is_floating_point(type) ? 2 : 1; }

std::optional<ScalarType> widest(std::optional<ScalarType> a, ScalarType b) {
  return a ? promote_types(*a, b) : b;
}
std::optional<ScalarType> raise_to(std::optional<ScalarType> higher,
                                   std::optional<ScalarType> lower) {
  if (!higher || !lower) return higher ? higher : lower;
  return category(*lower) > category(*higher) ? lower : higher;
}

}  // namespace

void ResultType::add(const Tensor& operand) {
  auto& type = operand.dim() == 0 ? zero_dim_ : dimensioned_;
  type = widest(type, operand.dtype());
}

void ResultType::add(Scalar operand) {
  number_ = widest(number_, operand.is_floating_point() ? kFloat32 : operand.type());
}

ScalarType ResultType::get() const {
  return raise_to(dimensioned_, raise_to(zero_dim_, number_)).value_or(kFloat32);
}

ScalarType result_type(const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype()) return a.dtype();
  ResultType type;
  type.add(a);
  type.add(b);
  return type.get();
}

ScalarType result_type(const Tensor& a, Scalar b) {
  if (category(b.type()) <= category(a.dtype())) return a.dtype();
  return b.is_floating_point() ? kFloat32 : b.type();
}

void check_fits(const Operation& op, Scalar value, ScalarType type) {
  if (!value.fits(type))
    op.fail<ValueError>("value cannot be converted to type {} without overflow", c_name_of(type));
}

void check_factor_fits(const Operation& op, Scalar value, ScalarType type) {
  const bool is_negative_byte =
      type == kUInt8 && !value.is_floating_point() && value.to_int() < 0 && value.to_int() >= -255;
  if (!is_negative_byte) check_fits(op, value, type);
}

void check_alpha(const Operation& op, ScalarType type, Scalar alpha) {
  if (alpha.type() == kBool && type != kBool)
    op.fail<DtypeError>("Boolean alpha only supported for Boolean results.");
  if (alpha.is_floating_point() && !is_floating_point(type))
    op.fail<DtypeError>(
        "For integral input tensors, argument alpha must not be a floating point number.");
}

std::vector<int64_t> broadcast_sizes(const Operation& op, IntArrayRef a, IntArrayRef b) {
  std::vector<int64_t> sizes(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < sizes.size(); ++i) {  // from the last dimension
    const int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1)
      op.fail<ShapeError>(
          "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton "
          "dimension {}: shapes {} and {}",
          left, right, sizes.size() - 1 - i, to_string(a), to_string(b));
    sizes[sizes.size() - 1 - i] = left == 1 ? right : left;
  }
  return sizes;
}

bool is_expandable_to(IntArrayRef from, IntArrayRef to) {
  if (from.size() > to.size()) return false;
  const std::size_t extra = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] != to[extra + i] && from[i] != 1) return false;
  return true;
}

void check_operand(const Operation& op, const Tensor& operand) {
  if (!operand.defined()) op.fail<UndefinedTensor>("an operand is undefined");
  if (thread_state.watched) [[unlikely]]
    detail::tell_operands({&operand});
}

void check_operands(const Operation& op, std::initializer_list<const Tensor*> operands) {
  if (thread_state.watched) [[unlikely]]
    detail::tell_operands(operands);
  bool all_on_cpu = true;
  for (const Tensor* operand : operands)
    all_on_cpu &= operand->defined() && operand->impl().device() == kCPU;
  if (all_on_cpu) [[likely]]
    return;
  const Tensor* first = nullptr;
  for (const Tensor* operand : operands) {
    if (!operand->defined()) op.fail<UndefinedTensor>("an operand is undefined");
    const Device device = operand->device().of_samples();
    if (operand->dim() == 0 && device.is_cpu()) continue;
    if (!first) first = operand;
    if (device != first->device().of_samples())
      op.fail<DeviceError>("Expected all tensors to be on the same device, but found {} and {}",
                           to_string(first->device()), to_string(operand->device()));
  }
}

}  // namespace notape
