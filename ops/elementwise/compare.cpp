// eq, ne, lt, le, gt, ge: comparisons as one family over six relations. Bool results, no
// derivative.
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/core/overwrite.h"
#include "ops/elementwise/unrecorded.h"
#endif

#include <functional>

namespace notape {
namespace {

template <template <typename> typename Relation>
struct Compare {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  using Signature = bool(T, T);
  template <typename T>
  NOTAPE_HD bool operator()(T a, T b) const {
    return Relation<T>()(a, b);
  }
};
template <template <typename> typename Relation>
struct CompareNumber {
  static constexpr TypeSet types = kAllTypes;
  Number number;
  template <typename T>
  using Signature = bool(T);
  template <typename T>
  NOTAPE_HD bool operator()(T a) const {
    return Relation<T>()(a, number.as<T>());
  }
};
/// A relation between two tensors, and between a tensor and a number.
template <template <typename> typename Relation>
struct Comparison {
  ElementwiseKernel<Compare<Relation>, 2> tensors;
  ElementwiseKernel<CompareNumber<Relation>> number;
  Comparison(const char* tensors_name, const char* number_name)
      : tensors(tensors_name), number(number_name) {}
};
const Comparison<std::equal_to> eq_kernels("eq", "eq.number");
const Comparison<std::not_equal_to> ne_kernels("ne", "ne.number");
const Comparison<std::less> lt_kernels("lt", "lt.number");
const Comparison<std::less_equal> le_kernels("le", "le.number");
const Comparison<std::greater> gt_kernels("gt", "gt.number");
const Comparison<std::greater_equal> ge_kernels("ge", "ge.number");

}  // namespace

#ifndef __CUDACC__
namespace {

template <template <typename> typename Relation>
Tensor compare(const Comparison<Relation>& kernels, const Operation& op, const Tensor& self,
               const Tensor& other) {
  return compute_unrecorded(op, kernels.tensors, {}, self, other);
}
/// A number beyond the range of the integers that it is compared with is on one side of all.
template <template <typename> typename Relation>
Tensor compare(const Comparison<Relation>& kernels, const Operation& op, const Tensor& self,
               Scalar other) {
  check_operand(op, self);
  if (const ScalarType type = result_type(self, other); is_integral(type) && !other.fits(type))
      [[unlikely]]
    return Relation<double>()(0, other.to_double())
               ? compute(op, eq_kernels.tensors, {}, self, self)
               : compute(op, ne_kernels.tensors, {}, self, self);
  const Scalar rounded = is_reduced_floating_point(self.dtype())
                             ? Scalar(round_to(other.to_double(), self.dtype()))
                             : other;
  return compute_number(op, kernels.number, self, rounded, {number(rounded)});
}
template <template <typename> typename Relation>
Tensor& compare_(const Comparison<Relation>& kernels, const Operation& op, Tensor& self,
                 const auto& other) {
  const Tensor result = compare(kernels, op, self, other);
  check_result_fits(op, self, kBool, {&result});
  return overwrite(op, self, result);
}

}  // namespace

Tensor eq(const Tensor& self, const Tensor& other, At at) {
  return compare(eq_kernels, {"eq", at}, self, other);
}
Tensor eq(const Tensor& self, Scalar other, At at) {
  return compare(eq_kernels, {"eq", at}, self, other);
}
Tensor ne(const Tensor& self, const Tensor& other, At at) {
  return compare(ne_kernels, {"ne", at}, self, other);
}
Tensor ne(const Tensor& self, Scalar other, At at) {
  return compare(ne_kernels, {"ne", at}, self, other);
}
Tensor lt(const Tensor& self, const Tensor& other, At at) {
  return compare(lt_kernels, {"lt", at}, self, other);
}
Tensor lt(const Tensor& self, Scalar other, At at) {
  return compare(lt_kernels, {"lt", at}, self, other);
}
Tensor le(const Tensor& self, const Tensor& other, At at) {
  return compare(le_kernels, {"le", at}, self, other);
}
Tensor le(const Tensor& self, Scalar other, At at) {
  return compare(le_kernels, {"le", at}, self, other);
}
Tensor gt(const Tensor& self, const Tensor& other, At at) {
  return compare(gt_kernels, {"gt", at}, self, other);
}
Tensor gt(const Tensor& self, Scalar other, At at) {
  return compare(gt_kernels, {"gt", at}, self, other);
}
Tensor ge(const Tensor& self, const Tensor& other, At at) {
  return compare(ge_kernels, {"ge", at}, self, other);
}
Tensor ge(const Tensor& self, Scalar other, At at) {
  return compare(ge_kernels, {"ge", at}, self, other);
}

Tensor operator==(Operand self, Operand other) { return eq(self.tensor, other.tensor, self.at); }
Tensor operator==(Operand self, Scalar other) { return eq(self.tensor, other, self.at); }
Tensor operator!=(Operand self, Operand other) { return ne(self.tensor, other.tensor, self.at); }
Tensor operator!=(Operand self, Scalar other) { return ne(self.tensor, other, self.at); }
Tensor operator<(Operand self, Operand other) { return lt(self.tensor, other.tensor, self.at); }
Tensor operator<(Operand self, Scalar other) { return lt(self.tensor, other, self.at); }
Tensor operator<=(Operand self, Operand other) { return le(self.tensor, other.tensor, self.at); }
Tensor operator<=(Operand self, Scalar other) { return le(self.tensor, other, self.at); }
Tensor operator>(Operand self, Operand other) { return gt(self.tensor, other.tensor, self.at); }
Tensor operator>(Operand self, Scalar other) { return gt(self.tensor, other, self.at); }
Tensor operator>=(Operand self, Operand other) { return ge(self.tensor, other.tensor, self.at); }
Tensor operator>=(Operand self, Scalar other) { return ge(self.tensor, other, self.at); }

Tensor ElementwiseMembers::eq(const Tensor& other, At at) const {
  return notape::eq(self(), other, at);
}
Tensor ElementwiseMembers::eq(Scalar other, At at) const { return notape::eq(self(), other, at); }
Tensor ElementwiseMembers::ne(const Tensor& other, At at) const {
  return notape::ne(self(), other, at);
}
Tensor ElementwiseMembers::ne(Scalar other, At at) const { return notape::ne(self(), other, at); }
Tensor ElementwiseMembers::lt(const Tensor& other, At at) const {
  return notape::lt(self(), other, at);
}
Tensor ElementwiseMembers::lt(Scalar other, At at) const { return notape::lt(self(), other, at); }
Tensor ElementwiseMembers::le(const Tensor& other, At at) const {
  return notape::le(self(), other, at);
}
Tensor ElementwiseMembers::le(Scalar other, At at) const { return notape::le(self(), other, at); }
Tensor ElementwiseMembers::gt(const Tensor& other, At at) const {
  return notape::gt(self(), other, at);
}
Tensor ElementwiseMembers::gt(Scalar other, At at) const { return notape::gt(self(), other, at); }
Tensor ElementwiseMembers::ge(const Tensor& other, At at) const {
  return notape::ge(self(), other, at);
}
Tensor ElementwiseMembers::ge(Scalar other, At at) const { return notape::ge(self(), other, at); }
Tensor& ElementwiseMembers::eq_(const Tensor& other, At at) const {
  return compare_(eq_kernels, {"eq_", at}, self(), other);
}
Tensor& ElementwiseMembers::eq_(Scalar other, At at) const {
  return compare_(eq_kernels, {"eq_", at}, self(), other);
}
Tensor& ElementwiseMembers::ne_(const Tensor& other, At at) const {
  return compare_(ne_kernels, {"ne_", at}, self(), other);
}
Tensor& ElementwiseMembers::ne_(Scalar other, At at) const {
  return compare_(ne_kernels, {"ne_", at}, self(), other);
}
Tensor& ElementwiseMembers::lt_(const Tensor& other, At at) const {
  return compare_(lt_kernels, {"lt_", at}, self(), other);
}
Tensor& ElementwiseMembers::lt_(Scalar other, At at) const {
  return compare_(lt_kernels, {"lt_", at}, self(), other);
}
Tensor& ElementwiseMembers::le_(const Tensor& other, At at) const {
  return compare_(le_kernels, {"le_", at}, self(), other);
}
Tensor& ElementwiseMembers::le_(Scalar other, At at) const {
  return compare_(le_kernels, {"le_", at}, self(), other);
}
Tensor& ElementwiseMembers::gt_(const Tensor& other, At at) const {
  return compare_(gt_kernels, {"gt_", at}, self(), other);
}
Tensor& ElementwiseMembers::gt_(Scalar other, At at) const {
  return compare_(gt_kernels, {"gt_", at}, self(), other);
}
Tensor& ElementwiseMembers::ge_(const Tensor& other, At at) const {
  return compare_(ge_kernels, {"ge_", at}, self(), other);
}
Tensor& ElementwiseMembers::ge_(Scalar other, At at) const {
  return compare_(ge_kernels, {"ge_", at}, self(), other);
}
#endif

}  // namespace notape
