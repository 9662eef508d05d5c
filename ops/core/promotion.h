// Type promotion and broadcasting by LibTorch's rules.
#pragma once
#include <optional>

#include "autograd/observer.h"
#include "autograd/tensor/tensor.h"

namespace notape {

/// The common type of the operands added so far: tensors with dimensions decide; 0-d tensors count
/// only if their category (bool < integer < floating) is higher, and numbers only if theirs is
/// higher still.
class ResultType {
 public:
  void add(const Tensor& operand);
  void add(Scalar operand);
  ScalarType get() const;

 private:
  std::optional<ScalarType> dimensioned_, zero_dim_, number_;
};
ScalarType result_type(const Tensor& a, const Tensor& b);
ScalarType result_type(const Tensor& a, Scalar b);
/// Integers and bools become float32.
inline ScalarType floating_type(ScalarType type) {
  return is_floating_point(type) ? type : kFloat32;
}

/// Throws ValueError unless `value` can become an element of `type` (scalar.h: "Numbers that do not
/// fit").
void check_fits(const Operation& op, Scalar value, ScalarType type);
/// The same for a factor of arithmetic in `type`: uint8 takes negative ones.
void check_factor_fits(const Operation& op, Scalar value, ScalarType type);
/// Throws DtypeError unless `alpha` can scale what is of `type`, as LibTorch's alpha_check() does.
void check_alpha(const Operation& op, ScalarType type, Scalar alpha);
/// As check_fits for an operand of arithmetic in `type`: floating point has infinities.
inline void check_operand_fits(const Operation& op, Scalar value, ScalarType type) {
  if (!is_floating_point(type)) [[unlikely]]
    check_factor_fits(op, value, type);
}

/// The shape both broadcast to. Throws ShapeError.
std::vector<int64_t> broadcast_sizes(const Operation& op, IntArrayRef a, IntArrayRef b);
/// Whether `from` can be expanded to `to`.
bool is_expandable_to(IntArrayRef from, IntArrayRef to);

// What checks operands tells an observer of them.

/// Throws UndefinedTensor.
void check_operand(const Operation& op, const Tensor& operand);
/// Throws UndefinedTensor, or DeviceError if the operands (0-d CPU tensors apart) are on different
/// devices.
void check_operands(const Operation& op, std::initializer_list<const Tensor*> operands);
/// Throws DtypeError unless both have the same element type.
inline void check_same_type(const Operation& op, const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) [[unlikely]]
    op.fail<DtypeError>("expected scalar type {} but found {}", type_name_of(a.dtype()),
                        type_name_of(b.dtype()));
}

}  // namespace notape
