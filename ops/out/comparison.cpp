// Comparisons, logic and bits.
#include "ops/out/comparison.h"

#include "ops/comparison.h"
#include "ops/index.h"
#include "ops/out/detail/write_out.h"

namespace notape {

Tensor& eq_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("eq_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return eq(self, other, at); });
}
Tensor& eq_out(Tensor& out, const Tensor& self, Scalar other, At at) {
  return out_of("eq_out", at, out, {&self}, Fit::Converted, [&] { return eq(self, other, at); });
}
Tensor& ne_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("ne_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return ne(self, other, at); });
}
Tensor& ne_out(Tensor& out, const Tensor& self, Scalar other, At at) {
  return out_of("ne_out", at, out, {&self}, Fit::Converted, [&] { return ne(self, other, at); });
}
Tensor& lt_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("lt_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return lt(self, other, at); });
}
Tensor& lt_out(Tensor& out, const Tensor& self, Scalar other, At at) {
  return out_of("lt_out", at, out, {&self}, Fit::Converted, [&] { return lt(self, other, at); });
}
Tensor& le_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("le_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return le(self, other, at); });
}
Tensor& le_out(Tensor& out, const Tensor& self, Scalar other, At at) {
  return out_of("le_out", at, out, {&self}, Fit::Converted, [&] { return le(self, other, at); });
}
Tensor& gt_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("gt_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return gt(self, other, at); });
}
Tensor& gt_out(Tensor& out, const Tensor& self, Scalar other, At at) {
  return out_of("gt_out", at, out, {&self}, Fit::Converted, [&] { return gt(self, other, at); });
}
Tensor& ge_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("ge_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return ge(self, other, at); });
}
Tensor& ge_out(Tensor& out, const Tensor& self, Scalar other, At at) {
  return out_of("ge_out", at, out, {&self}, Fit::Converted, [&] { return ge(self, other, at); });
}
Tensor& logical_not_out(Tensor& out, const Tensor& self, At at) {
  return out_of("logical_not_out", at, out, {&self}, Fit::Converted,
                [&] { return logical_not(self, at); });
}
Tensor& logical_and_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("logical_and_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return logical_and(self, other, at); });
}
Tensor& logical_or_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("logical_or_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return logical_or(self, other, at); });
}
Tensor& logical_xor_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("logical_xor_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return logical_xor(self, other, at); });
}
Tensor& bitwise_and_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("bitwise_and_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return bitwise_and(self, other, at); });
}
Tensor& bitwise_and_out(Tensor& out, const Tensor& self, Scalar other, At at) {
  return out_of("bitwise_and_out", at, out, {&self}, Fit::Converted,
                [&] { return bitwise_and(self, other, at); });
}
Tensor& bitwise_or_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("bitwise_or_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return bitwise_or(self, other, at); });
}
Tensor& bitwise_or_out(Tensor& out, const Tensor& self, Scalar other, At at) {
  return out_of("bitwise_or_out", at, out, {&self}, Fit::Converted,
                [&] { return bitwise_or(self, other, at); });
}
Tensor& bitwise_xor_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("bitwise_xor_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return bitwise_xor(self, other, at); });
}
Tensor& bitwise_xor_out(Tensor& out, const Tensor& self, Scalar other, At at) {
  return out_of("bitwise_xor_out", at, out, {&self}, Fit::Converted,
                [&] { return bitwise_xor(self, other, at); });
}
Tensor& bitwise_not_out(Tensor& out, const Tensor& self, At at) {
  return out_of("bitwise_not_out", at, out, {&self}, Fit::Exact,
                [&] { return bitwise_not(self, at); });
}
Tensor& isin_out(Tensor& out, const Tensor& elements, const Tensor& test_elements,
                 bool assume_unique, bool invert, At at) {
  return out_of("isin_out", at, out, {&elements, &test_elements}, Fit::Exact,
                [&] { return isin(elements, test_elements, assume_unique, invert, at); });
}
Tensor& isin_out(Tensor& out, const Tensor& elements, Scalar test_element, bool assume_unique,
                 bool invert, At at) {
  return out_of("isin_out", at, out, {&elements}, Fit::Exact,
                [&] { return isin(elements, test_element, assume_unique, invert, at); });
}
Tensor& isin_out(Tensor& out, Scalar element, const Tensor& test_elements, bool assume_unique,
                 bool invert, At at) {
  return out_of("isin_out", at, out, {&test_elements}, Fit::Exact,
                [&] { return isin(element, test_elements, assume_unique, invert, at); });
}

}  // namespace notape
